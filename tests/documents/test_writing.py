from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from judgekit.documents import create_atomically, write_atomically
from judgekit.errors import ConfigError


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    write_atomically(path, b"old")
    path.chmod(0o600)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["f.json"]


def test_a_symbolic_link_keeps_its_target(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_folder_in_its_place_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written"):
        write_atomically(tmp_path, b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a" / "b" / "f", b"x")
    assert (tmp_path / "a" / "b" / "f").read_bytes() == b"x"


def test_of_two_creators_the_first_wins(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert create_atomically(path, b"first")
    assert not create_atomically(path, b"second")
    assert path.read_bytes() == b"first"
    assert [each.name for each in tmp_path.iterdir()] == ["f"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes to read-only folders")
def test_a_read_only_folder_is_named_as_the_fault(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ConfigError, match="Permission denied"):
            write_atomically(tmp_path / "f", b"x")
    finally:
        tmp_path.chmod(0o700)


def test_a_write_that_the_system_cuts_short_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from judgekit.documents import write_atomically\n"
        "from judgekit.errors import ConfigError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: write_atomically(Path(sys.argv[1]), b'x' * 100_000)\n"
        "except ConfigError as error: sys.exit(str(error))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1, run.stderr
    assert "cannot be written (File too large); nothing was changed" in run.stderr
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["f"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left on device"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["f"]
