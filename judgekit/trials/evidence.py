"""Graders of what a trial left behind: the board, its event log, files, and the outcome itself."""

from __future__ import annotations

import stat
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from judgekit.errors import Cause, ConfigError
from judgekit.graders.candidate import clip
from judgekit.graders.grade import Grade
from judgekit.graders.registry import find_grader, parse_config, run_grader
from judgekit.trials.judging import TrialJudges
from judgekit.trials.statuses import TaskStatus
from judgekit.trials.task import TrialContext, TrialGrader, TrialOutcome

BoardTaskName: TypeAlias = str | Callable[[TrialOutcome], str]
"""A board task's id, or what finds it in the outcome."""

Predicate: TypeAlias = Callable[
    [TrialOutcome, TrialContext], "bool | float | Awaitable[bool | float]"
]

MISSING = "missing"
"""The status of a board task that is not there."""

MAX_FILE_BYTES = 1 << 20
"""Most bytes of a file that is matched; a longer one fails, and is never cut."""


def board_state(
    task: BoardTaskName, expect: Iterable[TaskStatus | str], *, name: str = "", weight: float = 1.0
) -> TrialGrader:
    """Return a grader that passes when a board task's status is one of `expect`.

    Raises:
        ConfigError: `expect` is empty or holds what is no status.
    """
    wanted = tuple(_status(status) for status in expect)
    if not wanted:
        raise ConfigError("board_state: expect: is empty; name at least one status")

    def grade(context: TrialContext, outcome: TrialOutcome, _: TrialJudges | None) -> Grade:
        id_ = _named(task, outcome)
        found = context.board.task(id_)
        status = MISSING if found is None or found.dropped else found.status.value
        passed = status in {each.value for each in wanted}
        reason = f"board task {clip(id_)} is {status}, expected {' or '.join(wanted)}"
        return Grade.of(passed, reason, details={"status": status})

    config = {"task": task, "expect": wanted}
    return TrialGrader(name or "board_state", "board_state", grade, config, weight)


def ready(
    task: BoardTaskName, expect: bool = True, *, name: str = "", weight: float = 1.0
) -> TrialGrader:
    """Return a grader that passes when a board task may be begun, or, unless `expect`, may not.

    A task that waits for one that was cancelled or dropped will wait for ever; the reason says so.
    """

    def grade(context: TrialContext, outcome: TrialOutcome, _: TrialJudges | None) -> Grade:
        id_ = _named(task, outcome)
        if context.board.task(id_) is None:
            return Grade.of(False, f"board task {clip(id_)} is {MISSING}")
        is_ready = id_ in context.board.ready()
        dead = context.board.dead_blockers(id_)
        reason = f"board task {clip(id_)} is {'ready' if is_ready else 'not ready'}"
        if dead:
            reason += f", and never will be: it waits for {', '.join(map(clip, dead))}"
        return Grade.of(is_ready is expect, reason, details={"dead_blockers": list(dead)})

    return TrialGrader(name or "ready", "ready", grade, {"task": task, "expect": expect}, weight)


def log_parse(
    kind: str,
    min_count: int = 1,
    *,
    task: BoardTaskName | None = None,
    name: str = "",
    weight: float = 1.0,
) -> TrialGrader:
    """Return a grader that passes when an event of `kind` was recorded `min_count` times or more.

    Args:
        min_count: 1 or more; none at all would pass on anything.
        task: only events about this board task count.

    Raises:
        ConfigError: `kind` is blank, or `min_count` is under 1.
    """
    _check_count("log_parse: min_count", min_count, least=1)
    if not kind.strip():
        raise ConfigError("log_parse: kind: must not be blank")

    def grade(context: TrialContext, outcome: TrialOutcome, _: TrialJudges | None) -> Grade:
        about = None if task is None else _named(task, outcome)
        count = context.board.count_events(kind, about)
        reason = f"{count} events {clip(kind)} recorded, at least {min_count} wanted"
        return Grade.of(count >= min_count, reason, details={"count": count})

    config = {"kind": kind, "min_count": min_count, "task": task}
    return TrialGrader(name or f"log_parse {kind}", "log_parse", grade, config, weight)


def event_budget(
    max_events: int,
    *,
    kind: str | None = None,
    task: BoardTaskName | None = None,
    name: str = "",
    weight: float = 1.0,
) -> TrialGrader:
    """Return a grader that passes when at most `max_events` events were recorded.

    All events are counted, however many there are.

    Raises:
        ConfigError: `max_events` is under 0.
    """
    _check_count("event_budget: max_events", max_events, least=0)

    def grade(context: TrialContext, outcome: TrialOutcome, _: TrialJudges | None) -> Grade:
        about = None if task is None else _named(task, outcome)
        count = context.board.count_events(kind, about)
        reason = f"{count} events recorded, at most {max_events} wanted"
        return Grade.of(count <= max_events, reason, details={"count": count})

    config = {"max_events": max_events, "kind": kind, "task": task}
    return TrialGrader(name or "event_budget", "event_budget", grade, config, weight)


def outcome(name: str, predicate: Predicate, *, weight: float = 1.0) -> TrialGrader:
    """Return a grader that asks `predicate` about the outcome and the environment.

    It answers with a boolean, or with a score: one outside of [0, 1] is held to the nearer end,
    and the reason says so. A score of 1 passes. What is neither, NaN among it, is an error.
    """

    async def grade(context: TrialContext, found: TrialOutcome, _: TrialJudges | None) -> Grade:
        answer = predicate(found, context)
        if isinstance(answer, Awaitable):
            answer = await answer
        return graded_answer(name, answer)

    return TrialGrader(name, "outcome", grade, {"predicate": predicate}, weight)


def graded_answer(name: str, answer: object) -> Grade:
    """Return the grade that a predicate's answer stands for."""
    if isinstance(answer, bool):
        return Grade.of(answer, f"{name}: {'holds' if answer else 'does not hold'}")
    if not isinstance(answer, int | float) or not (answer >= 0 or answer < 0):  # NaN is neither
        said = f"{name}: answered {answer!r}, which is neither a boolean nor a score"
        return Grade.error(Cause.MISSING_MEASUREMENT, said)
    score = float(min(1, max(0, answer)))
    told = "" if score == answer else f" (answered {'above' if score else 'below'} that, and held)"
    return Grade.of(score >= 1, f"{name}: scored {score:g}{told}", score=score)


def file_exists(path: str, *, name: str = "", weight: float = 1.0) -> TrialGrader:
    """Return a grader that passes when the trial's folder holds a file at `path`.

    Raises:
        ConfigError: `path` is absolute or leads outside.
    """
    inner = _inner_path(path)

    def grade(context: TrialContext, _: TrialOutcome, __: TrialJudges | None) -> Grade:
        fault = _file_fault(context.folder, inner)
        return Grade.of(fault is None, fault or f"file {inner} exists")

    return TrialGrader(name or f"file_exists {path}", "file_exists", grade, {"path": path}, weight)


def file_matches(path: str, pattern: str, *, name: str = "", weight: float = 1.0) -> TrialGrader:
    """Return a grader that passes when a file of the trial's folder holds a match of `pattern`.

    Args:
        path: of a UTF-8 text file.
        pattern: as the grader `regex` takes it (RE2).

    Raises:
        ConfigError: `path` is absolute or leads outside, or the pattern is malformed.
    """
    inner, spec = _inner_path(path), find_grader("regex")
    config = parse_config(spec, {"pattern": pattern})

    def grade(context: TrialContext, _: TrialOutcome, __: TrialJudges | None) -> Grade:
        fault = _file_fault(context.folder, inner)
        if fault is not None:
            return Grade.of(False, fault)
        file = context.folder / inner
        if file.stat().st_size > MAX_FILE_BYTES:
            return Grade.of(False, f"file {inner} is larger than {MAX_FILE_BYTES:,} bytes")
        try:
            return run_grader(spec, config, file.read_text("utf-8"), None)
        except UnicodeDecodeError:
            return Grade.of(False, f"file {inner} is not UTF-8 text")

    options = {"path": path, "pattern": pattern}
    return TrialGrader(name or f"file_matches {path}", "file_matches", grade, options, weight)


def _inner_path(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path or "\\" in path:
        raise ConfigError(
            f"path {path!r}: must lead from the trial's folder to a file in it, without '..'"
        )
    return str(PurePosixPath(path))


def _file_fault(folder: Path, path: str) -> str | None:
    """Return why there is no such regular file inside the folder, or None."""
    try:
        target = (folder / path).resolve(strict=True)
        mode = target.stat().st_mode
    except (OSError, RuntimeError):
        return f"file {path} does not exist"
    if not target.is_relative_to(folder.resolve()):
        return f"file {path} is a link that leads outside of the trial's folder"
    return None if stat.S_ISREG(mode) else f"{path} is no file"


def _named(task: BoardTaskName, found: TrialOutcome) -> str:
    return task if isinstance(task, str) else task(found)


def _status(status: Any) -> TaskStatus:
    try:
        return TaskStatus(status)
    except ValueError:
        known = ", ".join(each.value for each in TaskStatus)
        raise ConfigError(f"board_state: expect: {status!r} is no status ({known})") from None


def _check_count(what: str, value: object, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{what} must be a whole number of {least} or more, not {value!r}")
