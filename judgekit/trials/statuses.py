"""The rules of the board as pure functions: which moves are legal, and what may follow a verdict.

Source: the public documentation of the board that the trials seed drives (docs.claw.boo, "The
board" and "Verification"), and the case rows beside the project.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any


class TaskStatus(StrEnum):
    """Where a board task stands, in the order of its life."""

    BACKLOG = "backlog"
    TODO = "todo"
    IN_PROGRESS = "in_progress"
    IN_REVIEW = "in_review"
    BLOCKED = "blocked"
    DONE = "done"
    CANCELLED = "cancelled"


_S = TaskStatus

LEGAL_MOVES: Mapping[TaskStatus, frozenset[TaskStatus]] = {
    _S.BACKLOG: frozenset({_S.TODO, _S.BLOCKED, _S.CANCELLED}),
    _S.TODO: frozenset({_S.IN_PROGRESS, _S.BLOCKED, _S.BACKLOG, _S.CANCELLED}),
    _S.IN_PROGRESS: frozenset({_S.IN_REVIEW, _S.DONE, _S.BLOCKED, _S.TODO, _S.CANCELLED}),
    _S.IN_REVIEW: frozenset({_S.DONE, _S.IN_PROGRESS, _S.BLOCKED, _S.CANCELLED}),
    _S.BLOCKED: frozenset({_S.TODO, _S.IN_PROGRESS, _S.BACKLOG, _S.CANCELLED}),
    _S.DONE: frozenset(),
    _S.CANCELLED: frozenset(),
}
"""Where a task may go from where it stands; staying there is always legal."""

MOST_FIRES = 3
"""A task that failed so often in a row is not started again without a person."""


def is_task_status(value: object) -> bool:
    """Whether `value` is the name of a status, spelled exactly."""
    return isinstance(value, str) and value in {status.value for status in TaskStatus}


def can_transition(origin: TaskStatus, target: TaskStatus) -> bool:
    """Whether a task may move from `origin` to `target`; to the same status it always may."""
    return origin is target or target in LEGAL_MOVES[origin]


def is_terminal(status: TaskStatus) -> bool:
    """Whether a task with this status stays as it is for ever."""
    return not LEGAL_MOVES[status]


def is_locked(status: TaskStatus) -> bool:
    """Whether somebody owns a task with this status, so that nobody else may be given it."""
    return status in (TaskStatus.IN_PROGRESS, TaskStatus.IN_REVIEW)


def is_promotable(verdict: Mapping[str, Any] | None) -> bool:
    """Whether a verification verdict lets a task be done.

    ``pass`` does. ``completed_with_debt`` does if the latest attempt's deterministic check passed:
    debt covers what a reviewer found, never a broken build. Anything else does not, no verdict and
    an unreadable one among it.
    """
    if not isinstance(verdict, Mapping):
        return False
    if verdict.get("status") == "completed_with_debt":
        return _latest_check_passed(verdict.get("attempts"))
    return verdict.get("status") == "pass"


def _latest_check_passed(attempts: object) -> bool:
    if not isinstance(attempts, Sequence) or isinstance(attempts, str) or not attempts:
        return False
    latest = attempts[-1]
    check = latest.get("deterministic") if isinstance(latest, Mapping) else None
    return isinstance(check, Mapping) and check.get("passed") is True


def may_start_again(runs: Sequence[str]) -> bool:
    """Whether a released task may be started without a person, by how its runs ended.

    Args:
        runs: how each run ended or stands, oldest first: ``running``, ``succeeded``, ``failed``,
            ``timed_out`` or ``cancelled``.

    Returns:
        True with no runs; False while one runs, after one that a person cancelled, and after
        `MOST_FIRES` failures in a row.
    """
    if runs and runs[-1] in ("running", "cancelled"):
        return False
    failures = 0
    for ended in reversed(runs):
        if ended in ("succeeded", "cancelled"):
            break
        failures += 1
    return failures < MOST_FIRES
