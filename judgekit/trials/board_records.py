"""What the board holds, as frozen data: tasks, comments, events, and what became of a change."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from judgekit.trials.statuses import TaskStatus


class DependencyCycle(ValueError):
    """A dependency was refused because a task would wait for itself.

    The fault is that of whoever works on the board, so it is no error of judgekit's own: raised
    inside a trial, it fails the trial like any other exception.
    """


Reason = Literal["not_found", "conflict", "illegal_transition", "verification_required"]


@dataclass(frozen=True, slots=True)
class Move:
    """What became of a change: done, or refused with a reason."""

    reason: Reason | None = None

    @property
    def ok(self) -> bool:
        """Whether the change was made."""
        return self.reason is None


@dataclass(frozen=True, slots=True)
class BoardTask:
    """One task of the board.

    Attributes:
        assignee: who owns it; `runtime` is what that one runs in.
        verdict: the verification verdict that it carries, if any.
        dropped: whether it was taken off the board (its comments and events stay).
    """

    id: str
    title: str
    status: TaskStatus
    assignee: str | None = None
    runtime: str | None = None
    parent: str | None = None
    verdict: Mapping[str, Any] | None = None
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a task."""

    task: str
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the event log.

    Attributes:
        place: its place in the log, from 1.
        task: the board task that it is about, if any.
    """

    place: int
    kind: str
    task: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


def board_task(row: sqlite3.Row) -> BoardTask:
    """Return the task that a row of the table holds."""
    return BoardTask(
        id=row["id"],
        title=row["title"],
        status=TaskStatus(row["status"]),
        assignee=row["assignee"],
        runtime=row["runtime"],
        parent=row["parent"],
        verdict=None if row["verdict"] is None else json.loads(row["verdict"]),
        dropped=bool(row["dropped"]),
    )
