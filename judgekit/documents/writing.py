"""Writing a file so that at every moment it is there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from judgekit.documents.document import shown
from judgekit.errors import ConfigError


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` in the place of `path`, whole or not at all; missing folders are made.

    A temporary file in the same folder is written, synced and renamed, and the folder synced. A
    full disk, a kill or a power cut leaves the old file as it was. An existing file keeps its
    permissions; a symbolic link keeps pointing where it does and its target is replaced.

    Raises:
        ConfigError: the folder is read-only, the disk is full, or `path` is a folder.
    """
    _publish(path, data, Path.replace)


def create_atomically(path: Path, data: bytes) -> bool:
    """Make `path` with `data` unless it exists; the first of several writers wins.

    Returns:
        Whether it was made; False leaves the standing file untouched.

    Raises:
        ConfigError: it can't be written; nothing is left behind.
    """
    try:
        _publish(path, data, os.link)
    except FileExistsError:
        return False
    return True


def _publish(path: Path, data: bytes, put: Callable[[Path, Path], object]) -> None:
    target = path.resolve()
    temporary: Path | None = None
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            temporary.chmod(_mode(target))
            os.fsync(stream.fileno())
        put(temporary, target)
        _sync_folder(target.parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise ConfigError(
            f"{shown(path)}: cannot be written ({error.strerror}); nothing was changed; "
            "check the folder, its rights and the free space"
        ) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _mode(target: Path) -> int:
    """Return the permissions that the new file gets: the old file's, else the usual ones."""
    try:
        return target.stat().st_mode & 0o7777
    except OSError:
        return 0o644


def _sync_folder(folder: Path) -> None:
    """Make the new name last; a file system that can't sync a folder is let be."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
