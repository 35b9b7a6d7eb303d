"""Where trials run: one temporary folder a run, one in it for each trial, all removed afterwards.

A run that is killed can remove nothing. So each run's folder goes with a lock file that the
process holds locked; the lock ends with the process, and the next run removes every folder whose
lock nobody holds any more.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PREFIX = "judgekit-trials-"
_LOCK = ".lock"
_TRIES = 20


@dataclass(frozen=True, slots=True)
class Workplace:
    """The folders of one trial.

    Attributes:
        work: what the task is given.
        home: HOME of commands.
        scratch: TMPDIR of commands.
        outside: for the runner's own files, such as a command's output; no task is told of it.
    """

    work: Path
    home: Path
    scratch: Path
    outside: Path


class Workspace:
    """The folder of one run; see `opened`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def workplace(self) -> Iterator[Workplace]:
        """Make the folders of one trial, and remove them with all that is in them.

        Raises:
            OSError: the folders can't be made, or not be removed.
        """
        top = Path(tempfile.mkdtemp(prefix="trial-", dir=self.root))
        place = Workplace(top / "work", top / "home", top / "tmp", top / "outside")
        try:
            for folder in (place.work, place.home, place.scratch, place.outside):
                folder.mkdir()
            yield place
        finally:
            remove(top)


@contextmanager
def opened(parent: Path | None = None) -> Iterator[Workspace]:
    """Open the folder of one run, after removing what killed runs of this user left behind.

    Args:
        parent: the folder to make it in; the system's temporary folder if None.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    sweep(parent)
    lock, handle = _locked(parent)
    root = lock.with_suffix("")
    try:
        root.mkdir(mode=0o700)
        yield Workspace(root)
    finally:
        remove(root)
        lock.unlink(missing_ok=True)
        os.close(handle)


def _locked(parent: Path) -> tuple[Path, int]:
    """Make a lock file and lock it; one that a sweep took before it was locked is given up."""
    for _ in range(_TRIES):
        handle, name = tempfile.mkstemp(prefix=PREFIX, suffix=_LOCK, dir=parent)
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(handle).st_nlink > 0:
                return Path(name), handle
        os.close(handle)
    raise OSError(f"{parent}: no lock could be taken for the trials' folder")


def sweep(parent: Path) -> tuple[Path, ...]:
    """Remove the folders of this user's runs that ended without removing them; return which."""
    swept = []
    for lock in sorted(parent.glob(f"{PREFIX}*{_LOCK}")):
        with contextlib.suppress(OSError):
            if lock.lstat().st_uid == os.getuid() and _swept(lock):
                swept.append(lock.with_suffix(""))
    return tuple(swept)


def _swept(lock: Path) -> bool:
    handle = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_nlink == 0:
            return False
        remove(lock.with_suffix(""))
        lock.unlink()
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(handle)


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, whatever rights a task has taken from it.

    Symbolic links are removed and not followed. A process that still writes into the folder is
    outlasted by a few tries.

    Raises:
        OSError: it is still there.
    """
    for attempt in range(_TRIES):
        _give_rights(folder)
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            if not folder.exists():
                return
        except OSError:
            if attempt == _TRIES - 1:
                raise
        else:
            return


def _give_rights(folder: Path) -> None:
    for path, folders, _ in os.walk(folder):
        for name in (".", *folders):
            inner = Path(path, name)
            with contextlib.suppress(OSError):
                if stat.S_ISDIR(inner.lstat().st_mode):
                    inner.chmod(0o700)
