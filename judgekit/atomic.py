"""Writes that survive a kill: a file is there whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from judgekit.errors import ConfigError


def write(path: Path, data: bytes) -> None:
    """Put `data` in the place of `path`: temporary file, fsync, rename.

    Raises:
        ConfigError: it can't be written (read-only, disk full, …); the old file is untouched.
    """
    _publish(path, data, os.replace)


def create(path: Path, data: bytes) -> bool:
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


def _publish(path: Path, data: bytes, put: Callable[[Path, Path], None]) -> None:
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        put(temporary, path)
        _sync_folder(path.parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise ConfigError(
            f"{path}: can't be written ({error.strerror or error}); nothing was changed"
        ) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the new name itself durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
