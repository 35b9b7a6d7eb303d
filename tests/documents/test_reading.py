from __future__ import annotations

import os
from pathlib import Path

import pytest

from judgekit.documents import read_text
from judgekit.errors import ConfigError
from judgekit.gate.exit_codes import ExitCode


def test_text_is_read_with_plain_line_ends(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("ä\r\nb\n".encode())
    assert read_text(tmp_path / "f") == "ä\nb\n"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"ok\nab\xff", "f:2: is not UTF-8 (byte 5 is 0xff); save the file as UTF-8"),
        (b"ok\xc3", "f:1: is not UTF-8 (byte 2 is 0xc3)"),
        (b"\xef\xbb\xbfa", "f:1: opens with a byte order mark; save it as UTF-8 without"),
        (b"\xff\xfea\x00", "f:1: opens with a byte order mark; save it as UTF-8 (it is UTF-16)"),
        (
            b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\n",
            "f:2: holds the conflict markers of a git merge (HEAD and topic); resolve it",
        ),
        (
            b"<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> topic\r\n",
            "f:1: holds the conflict markers of a git merge (HEAD and topic); resolve it",
        ),
        (b"x" * 200, "f: is larger than the limit of"),
    ],
)
def test_unusable_bytes_are_refused_in_one_line(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "f").write_bytes(raw)
    with pytest.raises(ConfigError) as caught:
        read_text(tmp_path / "f", limit=100)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_heading_underlined_with_equal_signs_is_no_conflict(tmp_path: Path) -> None:
    text = "Title\n=======\n\n>>>>>>> quoted\n"
    (tmp_path / "f").write_text(text)
    assert read_text(tmp_path / "f") == text


def test_missing_files_folders_and_pipes_are_told_apart(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, message in [
        ("absent", "not found; check the path"),
        (".", "is a folder; name a file"),
        ("pipe", "is not a regular file; name a file"),
        ("a\0b", "cannot be read"),
    ]:
        with pytest.raises(ConfigError) as caught:
            read_text(tmp_path / name)
        assert message in str(caught.value)


def test_messages_name_a_file_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"^sub/f: not found; check the path$"):
        read_text(tmp_path / "sub" / "f")
