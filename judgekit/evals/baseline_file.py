"""The committed baseline on disk: read whole, rewritten only by bless, one at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from judgekit.documents import read_text, shown, write_atomically
from judgekit.errors import ConfigError
from judgekit.gate.baseline import Baseline, baseline_to_json, parse_baseline
from judgekit.gate.bless import assert_eligible, describe_changes, merge
from judgekit.gate.comparison import summarise
from judgekit.gate.errors import GateError
from judgekit.gate.finding import RunSummary
from judgekit.gate.run import EvalRun

LIMIT = 512 * 1024 * 1024
"""Bytes of a baseline that are read at most."""


def load_baseline(path: Path) -> Baseline | None:
    """Return the baseline, or None where there is no file.

    Raises:
        ConfigError: the file is damaged, can't be read, or is of another format version.
    """
    if _is_missing(path):
        return None
    try:
        return parse_baseline(read_text(path, LIMIT))
    except GateError as error:
        raise ConfigError(f"{shown(path)}: {error}") from None


def _is_missing(path: Path) -> bool:
    """Whether there is no such file; a link that leads nowhere is a fault, not a missing file."""
    try:
        return not path.exists() and not path.is_symlink()
    except OSError as error:
        raise ConfigError(f"{shown(path)}: cannot be read ({error.strerror})") from None


def bless(path: Path, runs: Sequence[EvalRun], *, write: bool = True) -> tuple[str, ...]:
    """Make `runs` the baseline of their evals; other evals keep their entries.

    Every run is checked before anything is read or written.

    Args:
        write: False only says what would change, and writes nothing at all: no lock, no folder.

    Returns:
        A line for each change.

    Raises:
        ConfigError: a run may not be blessed, or the file can't be read or written; it is as it
            was then.
    """
    try:
        summaries = summarise(runs)
        for summary in summaries:
            assert_eligible(summary)
        if not write:
            return _merged(load_baseline(path), summaries)[1]
        target = path.resolve()
        with _only_one(target):
            standing = load_baseline(target)
            merged, changes = _merged(standing, summaries)
            if changes or standing is None:
                write_atomically(target, _as_bytes(merged))
            return changes
    except GateError as error:
        raise ConfigError(f"not blessed: {error}") from None


def _merged(
    standing: Baseline | None, summaries: Sequence[RunSummary]
) -> tuple[Baseline, tuple[str, ...]]:
    merged = merge(standing, summaries)
    return merged, describe_changes(standing, merged)


def _as_bytes(baseline: Baseline) -> bytes:
    """Return the file's bytes; refuse those that could not be read back."""
    try:
        data = baseline_to_json(baseline).encode()
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start])
        raise ConfigError(
            f"not blessed: a name or case id holds {half}, half of a character; write it whole"
        ) from None
    if len(data) > LIMIT:
        raise ConfigError(
            f"not blessed: the baseline would have {len(data):,} bytes, and at most {LIMIT:,} are "
            "read back; split the evals over several projects"
        )
    return data


@contextmanager
def _only_one(target: Path) -> Iterator[None]:
    """Let one process at a time bless `target`; the lock ends with its process, however that ends.

    The lock file is removed by its holder. A process that waited for the removed one finds that
    the name no longer leads to what it locked, and tries anew.
    """
    lock = target.with_name(f".{target.name}.lock")
    descriptor = _acquired(lock)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows keeps an open file's name
            lock.unlink()
        os.close(descriptor)


def _acquired(lock: Path) -> int:
    """Return a descriptor that holds `lock`, waiting for whoever holds it."""
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        while True:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
            _wait_for(descriptor)
            if _leads_to(lock, descriptor):
                return descriptor
            os.close(descriptor)
    except OSError as error:
        raise ConfigError(
            f"{shown(lock.parent)}: no lock file can be made in it ({error.strerror}), so nothing "
            "is blessed; check the folder, its rights and the free space"
        ) from None


def _leads_to(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _wait_for(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # pragma: no cover - only on Windows
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
