from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from judgekit.database import Database
from judgekit.errors import ConfigError

SCHEMA = "CREATE TABLE things (name TEXT NOT NULL);"


def database(path: Path, *, kind: int = 7, version: int = 1, wait_s: float = 30.0) -> Database:
    return Database(path, "the list of things", kind, version, SCHEMA, wait_s)


def put(path: Path, *names: str) -> None:
    with database(path).writing() as connection:
        connection.executemany("INSERT INTO things VALUES (?)", [(name,) for name in names])


def names(path: Path) -> list[str]:
    return list(database(path).read("SELECT name FROM things ORDER BY rowid", (), str))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "things.sqlite"


def test_what_was_written_is_read_in_order(path: Path) -> None:
    put(path, "one", "two")
    put(path, "three")
    assert names(path) == ["one", "two", "three"]


def test_reading_makes_no_file(path: Path) -> None:
    assert names(path) == []
    assert not path.parent.exists()


def test_a_new_file_is_marked_and_keeps_a_write_ahead_log(path: Path) -> None:
    put(path, "one")
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone() == (7,)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_block_that_fails_leaves_nothing_of_itself(path: Path) -> None:
    put(path, "one")

    def write() -> None:
        with database(path).writing() as connection:
            connection.execute("INSERT INTO things VALUES ('two')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert names(path) == ["one"]


def foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.commit()
    connection.close()


def cut(path: Path) -> None:
    put(path, *("x" * 500 for _ in range(50)))
    path.write_bytes(path.read_bytes()[:5000])


def scribbled(path: Path) -> None:
    put(path, *("x" * 500 for _ in range(50)))
    data = bytearray(path.read_bytes())
    data[4096:8192] = b"\xff" * 4096
    path.write_bytes(data)


def newer(path: Path) -> None:
    with database(path, version=2).writing():
        pass


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "another program's": (foreign, "is not the list of things of judgekit"),
    "text": (lambda p: p.write_text("things\n" * 200), "is no SQLite file"),
    "empty": (lambda p: p.write_bytes(b""), "is not the list of things of judgekit"),
    "cut short": (cut, "it is damaged"),
    "scribbled over": (scribbled, "it is damaged"),
    "of a newer version": (newer, "in version 2, and this judgekit reads version 1"),
    "a folder": (Path.mkdir, "is a folder"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_is_not_ours_is_one_clear_line_and_stays_as_it_is(
    path: Path, fault: str
) -> None:
    path.parent.mkdir()
    damage, said = FAULTS[fault]
    damage(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(ConfigError, match=r"things\.sqlite: ") as read:
        names(path)
    with pytest.raises(ConfigError, match=r"things\.sqlite: ") as written:
        put(path, *("y" * 500 for _ in range(50)))
    for raised in (read, written):
        assert said in str(raised.value)
        assert "\n" not in str(raised.value)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_row_that_no_write_of_ours_made_is_one_clear_line(path: Path) -> None:
    put(path, "one")

    def refuse(name: str) -> str:
        raise ValueError(f"{name} is no thing")

    with pytest.raises(ConfigError, match=r"holds a damaged row \(one is no thing\)"):
        database(path).read("SELECT name FROM things", (), refuse)


def test_half_a_surrogate_pair_is_one_clear_line(path: Path) -> None:
    put(path, "one")
    with pytest.raises(ConfigError, match="half of a surrogate pair"):
        put(path, "\ud800")
    assert names(path) == ["one"]


def test_a_process_that_does_not_let_go_is_one_clear_line(path: Path) -> None:
    put(path, "one")
    with database(path).writing() as held:
        held.execute("INSERT INTO things VALUES ('two')")
        with (
            pytest.raises(ConfigError, match="another process holds it"),
            database(path, wait_s=0.05).writing(),
        ):
            raise AssertionError("never reached")
        assert names(path) == ["one"]
    assert names(path) == ["one", "two"]


FILL = """
import sys
from pathlib import Path
from judgekit.errors import ConfigError
from tests.test_database import names, put
path = Path(sys.argv[1])
before, returned = names(path), []
try:
    for i in range(1000):
        put(path, f"{i} " + "x" * 10_000)
        returned.append(str(i))
except ConfigError as error:
    print(error)
print([name.split()[0] for name in names(path)] == before + returned, len(returned) > 5)
"""


def run(program: str, *arguments: object, before: str = "", **options: object) -> list[str]:
    """Run a program in a process of its own, in its own mounts where `before` makes some."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    if before:
        command = ["unshare", "-m", "sh", "-c", f'{before} && exec "$@"', "sh", *command]
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
        **options,  # type: ignore[call-overload]
    )
    return done.stdout.splitlines()


def may_mount() -> bool:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0


needs_mounts = pytest.mark.skipif(not may_mount(), reason="mounting needs root")


@needs_mounts
def test_a_full_disk_leaves_what_was_kept(path: Path) -> None:
    path.parent.mkdir()
    full, whole = run(FILL, path, before=f"mount -t tmpfs -o size=512k tmpfs {path.parent}")
    assert "the list of things can't be written (the disk " in full
    assert full.endswith("nothing was changed")
    assert whole == "True True"


def test_a_quota_leaves_what_was_kept(path: Path) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (256 * 1024, 256 * 1024))

    put(path, "first")
    full, whole = run(FILL, path, preexec_fn=limit)
    assert "can't be written (the disk " in full
    assert whole == "True True"
    assert names(path)[0] == "first"


READ_ONLY = """
import sys
from pathlib import Path
from judgekit.errors import ConfigError
from tests.test_database import names, put
path = Path(sys.argv[1])
print(names(path))
try:
    put(path, "two")
except ConfigError as error:
    print(error)
"""


@needs_mounts
@pytest.mark.parametrize("exists", [True, False])
def test_a_read_only_checkout_is_read_and_not_written(path: Path, exists: bool) -> None:
    path.parent.mkdir()
    if exists:
        put(path, "one")
    folder = path.parent
    mount = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"
    shown, refused = run(READ_ONLY, path, before=mount)
    assert shown == ("['one']" if exists else "[]")
    assert "can't be written" in refused or "cannot be written" in refused
    assert "nothing was changed" in refused
