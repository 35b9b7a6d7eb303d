"""Reading bytes and text from disk, with every way in which that fails said in one line."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from judgekit.documents.document import one_line, shown
from judgekit.errors import ConfigError

MIB = 1024 * 1024
CONFIG_LIMIT = 1 * MIB
"""The most bytes of a configuration or rubric file."""
EVAL_LIMIT = 16 * MIB
"""The most bytes of an eval file with its inline cases, or of another YAML or JSON document."""
DATA_LIMIT = 1024 * MIB
"""The most bytes of a JSONL or CSV dataset."""
LINE_LIMIT = 64 * MIB
"""The most bytes of one line of a dataset."""

_MARKS = {
    b"\xef\xbb\xbf": "UTF-8 without a byte order mark",
    b"\xff\xfe": "UTF-8 (it is UTF-16)",
    b"\xfe\xff": "UTF-8 (it is UTF-16)",
}
_OURS, _THEIRS = "<<<<<<< ", ">>>>>>> "


def open_checked(path: Path, limit: int) -> BinaryIO:
    """Open a regular file of at most `limit` bytes for reading.

    Raises:
        ConfigError: it is missing, no file, too large, or may not be read.
    """
    try:
        mode = path.stat()
        if stat.S_ISDIR(mode.st_mode):
            raise ConfigError(f"{shown(path)}: is a folder; name a file")
        if not stat.S_ISREG(mode.st_mode):
            raise ConfigError(f"{shown(path)}: is not a regular file; name a file")
        if mode.st_size > limit:
            raise too_large(path, limit)
        return path.open("rb")
    except FileNotFoundError:
        raise ConfigError(f"{shown(path)}: not found; check the path") from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def read_bytes(path: Path, limit: int) -> bytes:
    """Return the bytes of a file of at most `limit` bytes.

    Raises:
        ConfigError: as `open_checked`; also when it grows beyond `limit` while it is read.
    """
    try:
        with open_checked(path, limit) as stream:
            raw = stream.read(limit + 1)
    except OSError as error:
        raise _unreadable(path, error) from None
    if len(raw) > limit:
        raise too_large(path, limit)
    return raw


def read_text(path: Path, limit: int = CONFIG_LIMIT) -> str:
    r"""Return the text of a UTF-8 file; ``\r\n`` becomes ``\n``.

    Raises:
        ConfigError: as `read_bytes`; it is not UTF-8, opens with a byte order mark, or holds the
            conflict markers of a git merge.
    """
    raw = read_bytes(path, limit)
    refuse_mark(path, raw)
    text = decoded(path, raw)
    text = text.replace("\r\n", "\n")
    _refuse_conflict(path, text)
    return text


def text_lines(path: Path, limit: int = DATA_LIMIT) -> Iterator[tuple[int, str]]:
    r"""Yield each line of a UTF-8 file with its number, from 1; the file is never held whole.

    Only ``\n`` ends a line, so that other separators may stand in its text.

    Raises:
        ConfigError: as `read_text`, or a line is longer than `LINE_LIMIT`.
    """
    offset = 0
    with open_checked(path, limit) as stream:
        for number, raw in enumerate(iter(lambda: stream.readline(LINE_LIMIT + 1), b""), 1):
            if number == 1:
                refuse_mark(path, raw)
            if len(raw) > LINE_LIMIT:
                raise ConfigError(
                    f"{shown(path)}:{number}: is a line of more than {LINE_LIMIT // MIB} MiB; "
                    "shorten its fields"
                )
            text = decoded(path, raw, offset=offset, line=number)
            if text.startswith((_OURS, _THEIRS)):
                raise _conflict(path, number, text[len(_OURS) :])
            offset += len(raw)
            yield number, text


def _refuse_conflict(path: Path, text: str) -> None:
    """Refuse the markers that an unresolved merge leaves: all three, in order, at line starts."""
    lines = f"\n{text}"
    ours = lines.find(f"\n{_OURS}")
    middle = lines.find("\n=======\n", ours) if ours >= 0 else -1
    theirs = lines.find(f"\n{_THEIRS}", middle) if middle >= 0 else -1
    if theirs >= 0:
        sides = [lines[at + 1 + len(_OURS) :].split("\n", 1)[0] for at in (ours, theirs)]
        raise _conflict(path, text.count("\n", 0, ours) + 1, " and ".join(sides))


def _conflict(path: Path, line: int, sides: str) -> ConfigError:
    return ConfigError(
        f"{shown(path)}:{line}: holds the conflict markers of a git merge "
        f"({one_line(sides)}); resolve it"
    )


def decoded(path: Path, raw: bytes, *, offset: int = 0, line: int = 1) -> str:
    """Return `raw` as text; it stands at byte `offset` and line `line` of the file.

    Raises:
        ConfigError: it is not UTF-8.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line += raw.count(b"\n", 0, error.start)
        raise ConfigError(
            f"{shown(path)}:{line}: is not UTF-8 (byte {offset + error.start} is "
            f"0x{raw[error.start]:02x}); save the file as UTF-8"
        ) from None


def refuse_mark(path: Path, raw: bytes) -> None:
    """Refuse a file whose first bytes are a byte order mark.

    Raises:
        ConfigError: it opens with one.
    """
    for mark, remedy in _MARKS.items():
        if raw.startswith(mark):
            raise ConfigError(f"{shown(path)}:1: opens with a byte order mark; save it as {remedy}")


def too_large(path: Path, limit: int) -> ConfigError:
    """Return the error for a file over its limit."""
    return ConfigError(
        f"{shown(path)}: is larger than the limit of {limit // MIB} MiB; split it, or cut it down"
    )


def _unreadable(path: Path, error: Exception) -> ConfigError:
    reason = getattr(error, "strerror", None) or str(error)
    return ConfigError(f"{shown(path)}: cannot be read ({reason}); check the path and its rights")
