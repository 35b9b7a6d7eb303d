"""The committed baseline on disk: read whole, rewritten only by bless, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from judgekit.documents import read_text, shown, write_atomically
from judgekit.errors import ConfigError
from judgekit.gate.baseline import Baseline, baseline_to_json, parse_baseline
from judgekit.gate.bless import assert_eligible, describe_changes, merge
from judgekit.gate.errors import GateError
from judgekit.gate.run import EvalRun

LIMIT = 512 * 1024 * 1024
"""Bytes of a baseline that are read at most."""


def load_baseline(path: Path) -> Baseline | None:
    """Return the baseline, or None where there is no file.

    Raises:
        ConfigError: the file is damaged, or of another format version.
    """
    if not path.exists():
        return None
    try:
        return parse_baseline(read_text(path, LIMIT))
    except GateError as error:
        raise ConfigError(f"{shown(path)}: {error}") from None


def bless(path: Path, runs: Sequence[EvalRun], *, write: bool = True) -> tuple[str, ...]:
    """Make `runs` the baseline of their evals; other evals keep their entries.

    Every run is checked before anything is read or written.

    Args:
        write: False only says what would change.

    Returns:
        A line for each change.

    Raises:
        ConfigError: a run may not be blessed, or the file can't be read or written; it is as it
            was then.
    """
    try:
        for run in runs:
            assert_eligible(run)
        with _only_one(path):
            standing = load_baseline(path)
            merged = merge(standing, runs)
            changes = describe_changes(standing, merged)
            text = baseline_to_json(merged)
            if write and (changes or standing is None):
                write_atomically(path, text.encode())
            return changes
    except GateError as error:
        raise ConfigError(f"not blessed: {error}") from None


@contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Let one process at a time bless; the lock ends with its process, however that ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    try:
        with lock.open("w") as file:
            _lock(file.fileno())
            yield
    except PermissionError as error:
        raise ConfigError(f"{shown(lock)}: can't be written ({error.strerror})") from None


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # pragma: no cover - not on Windows
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
