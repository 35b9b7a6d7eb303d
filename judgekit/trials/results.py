"""Results on disk: one JSON line a finished trial, synced as it ends, so that a kill loses none.

The first line says which run the file belongs to. A run that finds the file takes the trials in it
as done and runs the rest. A last line without an end is the trace of a kill: it is cut off and its
trial run again. Any other damage is an error.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judgekit.documents import Document, parse_json, shown
from judgekit.errors import Cause, ConfigError
from judgekit.graders.grade import Grade, Status
from judgekit.trials.record import TrialRecord
from judgekit.trials.task import Task

RESULTS_FORMAT = "judgekit-trials/1"

Key = tuple[str, int]
"""A task's id and the number of a trial."""


class Results:
    """The results file of one run, open and locked; see `opened_results`."""

    def __init__(self, path: Path, handle: int, finished: Mapping[Key, TrialRecord]) -> None:
        self.path = path
        self.finished = finished
        self._handle = handle
        self._lock = threading.Lock()

    def add(self, record: TrialRecord) -> None:
        """Write one finished trial; it is on the disk when this returns.

        Raises:
            ConfigError: the disk is full or gone.
        """
        with self._lock:
            _append(self.path, self._handle, record_to_json(record))


@contextmanager
def opened_results(
    path: Path,
    tasks: Iterable[Task],
    *,
    seed: int,
    trials: int,
    flags: Mapping[str, bool],
    judges: Mapping[str, Any] | None = None,
) -> Iterator[Results]:
    """Open the results file of a run, made where there is none, and hold it against other runs.

    Args:
        seed, trials, flags, judges: the run's; a file of another seed, other flags, judges or
            tasks is not this run's, and neither is one that holds more trials.

    Raises:
        ConfigError: it belongs to another run, another run writes it right now, it is damaged, or
            it can't be written.
    """
    header = {
        "format": RESULTS_FORMAT,
        "seed": seed,
        "flags": dict(sorted(flags.items())),
        "judges": dict(judges or {}),
        "tasks": {task.id: task.run_digest for task in tasks},
    }
    handle = _opened(path)
    try:
        finished = _read(path, handle, header, trials)
        yield Results(path, handle, finished)
    finally:
        os.close(handle)


def _opened(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise ConfigError(f"{shown(path)}: cannot be opened ({error.strerror})") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise ConfigError(
            f"{shown(path)}: another run writes it; wait for it or name another file"
        ) from None
    return handle


def _read(
    path: Path, handle: int, header: Mapping[str, Any], trials: int
) -> dict[Key, TrialRecord]:
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        os.ftruncate(handle, len(whole))
    lines = whole.splitlines()
    if not lines:
        _append(path, handle, header)
        return {}
    name = shown(path)
    documents = (_document(name, number, line) for number, line in enumerate(lines, start=1))
    _check_header(next(documents), header)
    finished: dict[Key, TrialRecord] = {}
    for document in documents:
        record = _record(document)
        key = (record.task, record.trial)
        if key in finished:
            raise document.fault((), f"trial {record.trial} of {record.task!r} stands twice")
        if record.task not in header["tasks"] or record.trial >= trials:
            message = f"holds trial {record.trial} of {record.task!r}, which this run has not"
            raise document.fault((), f"{message}; ask for as many trials, or name another file")
        finished[key] = record
    return finished


def _document(name: str, number: int, line: bytes) -> Document:
    try:
        return parse_json(line.decode(), name, number)
    except UnicodeDecodeError:
        raise ConfigError(f"{name}:{number}: is not UTF-8; remove the line") from None


def _check_header(document: Document, header: Mapping[str, Any]) -> None:
    found = document.value
    if not isinstance(found, dict) or found.get("format") != RESULTS_FORMAT:
        raise document.fault((), f"is not the first line of a {RESULTS_FORMAT} file")
    for part in ("seed", "flags", "judges", "tasks"):
        if found.get(part) != header[part]:
            message = "is another run's: remove the file, or name another"
            raise document.fault((part,), message)


def record_to_json(record: TrialRecord) -> dict[str, Any]:
    """Return a record as a JSON value, its fields in a fixed order."""
    return {
        "task": record.task,
        "trial": record.trial,
        "seed": record.seed,
        "status": record.status.value,
        "score": record.score,
        "exit_class": record.exit_class,
        "grades": {name: _grade_to_json(grade) for name, grade in record.grades.items()},
        "summary": record.summary,
        "trace": record.trace,
        "duration_s": record.duration_s,
    }


def _grade_to_json(grade: Grade) -> dict[str, Any]:
    return {
        "status": grade.status.value,
        "score": grade.score,
        "reason": grade.reason,
        "cause": None if grade.cause is None else grade.cause.value,
        "details": dict(grade.details),
    }


def _record(document: Document) -> TrialRecord:
    try:
        value = dict(document.value)
        grades = {name: _grade(each) for name, each in value.pop("grades").items()}
        record = TrialRecord(**{**value, "status": Status(value["status"]), "grades": grades})
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise document.fault((), f"is no trial ({error}); remove the line") from None
    if not isinstance(record.trial, int) or not isinstance(record.task, str) or not record.grades:
        raise document.fault((), "is no trial; remove the line")
    in_error = any(grade.status is Status.ERROR for grade in grades.values())
    if in_error is not (record.status is Status.ERROR) or in_error is not (record.score is None):
        raise document.fault((), "contradicts its own grades; remove the line")
    return record


def _grade(value: Mapping[str, Any]) -> Grade:
    cause = value["cause"]
    return Grade(
        status=Status(value["status"]),
        score=value["score"],
        reason=value["reason"],
        cause=None if cause is None else Cause(cause),
        details=value["details"],
    )


def _append(path: Path, handle: int, value: Mapping[str, Any]) -> None:
    line = json.dumps(value, ensure_ascii=False, allow_nan=False).encode(errors="replace") + b"\n"
    try:
        written = os.write(handle, line)
        if written < len(line):
            raise OSError(0, "the disk is full")
        os.fsync(handle)
    except OSError as error:
        raise ConfigError(f"{shown(path)}: cannot be written ({error.strerror})") from None
