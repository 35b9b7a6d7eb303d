"""The board: tasks, dependencies, comments and an event log in one SQLite file.

Several processes may work on one board: every change is one ``BEGIN IMMEDIATE`` transaction, and a
claim is one conditional UPDATE, so that of any number of claimants exactly one wins. A lost claim
is an answer and not a fault; nothing here tries it again.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judgekit.trials.board_records import (
    BoardTask,
    Comment,
    DependencyCycle,
    Event,
    Move,
    board_task,
)
from judgekit.trials.statuses import TaskStatus, can_transition, is_promotable, is_terminal

BUSY_S = 30.0
"""Seconds that a change waits for other processes before it gives up."""

_SCHEMA = """
CREATE TABLE task (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, status TEXT NOT NULL,
    assignee TEXT, runtime TEXT, parent TEXT REFERENCES task (id), verdict TEXT,
    dropped INTEGER NOT NULL DEFAULT 0);
CREATE TABLE dependency (
    task TEXT NOT NULL REFERENCES task (id), needs TEXT NOT NULL REFERENCES task (id),
    PRIMARY KEY (task, needs));
CREATE TABLE comment (
    place INTEGER PRIMARY KEY, task TEXT NOT NULL REFERENCES task (id), author TEXT NOT NULL,
    text TEXT NOT NULL);
CREATE TABLE event (
    place INTEGER PRIMARY KEY, kind TEXT NOT NULL, task TEXT, data TEXT NOT NULL);
CREATE INDEX event_kind ON event (kind, task);
"""
_DOWNSTREAM = """
WITH RECURSIVE below (id) AS (
    SELECT task FROM dependency WHERE needs = ?
    UNION SELECT d.task FROM dependency d JOIN below ON d.needs = below.id)
SELECT task.id FROM task JOIN below ON task.id = below.id ORDER BY task.place
"""


class Board:
    """A board in the file at `path`; made when it is not there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Board(Path(folder, "board")) as board:
    ...     board.create("write")
    ...     board.claim("write", "ann").ok, board.claim("write", "bob").reason
    (True, 'conflict')
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._process = -1
        self._opened: sqlite3.Connection | None = None
        try:
            self._lay_out()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._opened is not None and self._process == os.getpid():
                self._opened.close()
            self._opened = None

    def create(
        self,
        task: str,
        *,
        title: str = "",
        status: TaskStatus = TaskStatus.TODO,
        parent: str | None = None,
    ) -> None:
        """Put a task on the board.

        Raises:
            ValueError: the id is blank or taken, or there is no such parent.
        """
        if not task.strip():
            raise ValueError("a board task needs an id that is not blank")
        with self._changing() as connection:
            if self._status(connection, task) is not None:
                raise ValueError(f"the board has a task {task!r} already")
            if parent is not None:
                self._known(connection, parent)
            connection.execute(
                "INSERT INTO task (id, title, status, parent) VALUES (?, ?, ?, ?)",
                (task, title, TaskStatus(status).value, parent),
            )
            _log(connection, "task_created", task)

    def claim(self, task: str, assignee: str, runtime: str | None = None) -> Move:
        """Give a task that waits in todo to `assignee`; only the first claimant gets it."""
        with self._changing() as connection:
            won = connection.execute(
                "UPDATE task SET status = 'in_progress', assignee = ?, runtime = ? WHERE id = ?"
                " AND status = 'todo' AND assignee IS NULL AND dropped = 0",
                (assignee, runtime, task),
            )
            if won.rowcount == 1:
                _log(connection, "task_claimed", task, assignee=assignee)
                return Move()
            if self._status(connection, task) is None:
                return Move("not_found")
            _log(connection, "claim_conflict", task, assignee=assignee)
            return Move("conflict")

    def release(self, task: str) -> Move:
        """Put a task in progress back to todo, without owner and verdict."""
        with self._changing() as connection:
            status = self._status(connection, task)
            if status is None:
                return Move("not_found")
            if status is not TaskStatus.IN_PROGRESS:
                return Move("illegal_transition")
            return self._enter(connection, task, status, TaskStatus.TODO)

    def move(self, task: str, target: TaskStatus, *, override: str | None = None) -> Move:
        """Move a task to another status.

        Args:
            override: who lets it be done against its verdict; the log keeps the name.

        Returns:
            Refused where the state machine has no such move, and on the way to done where the task
            carries a verdict that is not promotable.
        """
        target = TaskStatus(target)
        with self._changing() as connection:
            status = self._status(connection, task)
            if status is None:
                return Move("not_found")
            if not can_transition(status, target):
                _log(connection, "illegal_transition", task, origin=status, target=target)
                return Move("illegal_transition")
            if target is TaskStatus.DONE and not self._may_be_done(connection, task):
                if override is None:
                    return Move("verification_required")
                _log(connection, "verification_overridden", task, by=override)
            return self._enter(connection, task, status, target)

    def set_verdict(self, task: str, verdict: Mapping[str, Any]) -> Move:
        """Attach a verification verdict; see `is_promotable` for what it decides."""
        with self._changing() as connection:
            done = connection.execute(
                "UPDATE task SET verdict = ? WHERE id = ?", (_text(verdict), task)
            )
            if done.rowcount == 0:
                return Move("not_found")
            _log(connection, "verdict_set", task)
            return Move()

    def drop(self, task: str) -> Move:
        """Take a task off the board; whoever waits for it is told."""
        with self._changing() as connection:
            if self._status(connection, task) is None:
                return Move("not_found")
            connection.execute("UPDATE task SET dropped = 1 WHERE id = ?", (task,))
            _log(connection, "task_dropped", task)
            self._tell_stalled(connection, task)
            return Move()

    def comment(self, task: str, text: str, author: str = "") -> Move:
        """Add a comment to a task."""
        with self._changing() as connection:
            if self._status(connection, task) is None:
                return Move("not_found")
            connection.execute(
                "INSERT INTO comment (task, author, text) VALUES (?, ?, ?)", (task, author, text)
            )
            _log(connection, "comment_added", task, author=author)
            return Move()

    def depend(self, task: str, needs: str) -> None:
        """Let `task` wait until `needs` is done; the same dependency twice is no fault.

        Raises:
            DependencyCycle: `needs` waits for `task` already, or is the same.
            ValueError: there is no such task.
        """
        with self._changing() as connection:
            self._known(connection, task)
            self._known(connection, needs)
            if task == needs or needs in self._below(connection, task):
                raise DependencyCycle(
                    f"cycle: {task!r} can't wait for {needs!r}, which waits for it"
                )
            connection.execute("INSERT OR IGNORE INTO dependency VALUES (?, ?)", (task, needs))
            _log(connection, "dependency_added", task, needs=needs)
            if self._is_dead(connection, needs):
                _log(connection, "task_stalled", task, blocker=needs)

    def cancel_dependents(self, task: str) -> tuple[str, ...]:
        """Cancel all that waits for `task`, near or far, and is not begun; return their ids."""
        with self._changing() as connection:
            waiting = [
                (below, status)
                for below in self._below(connection, task)
                if (status := self._status(connection, below))
                in (TaskStatus.TODO, TaskStatus.BACKLOG)
            ]
            for below, status in waiting:
                self._enter(connection, below, status, TaskStatus.CANCELLED)
            return tuple(below for below, _ in waiting)

    def record(self, kind: str, task: str | None = None, **data: Any) -> None:
        """Write an event of the orchestration's own into the log."""
        with self._changing() as connection:
            _log(connection, kind, task, **data)

    def task(self, task: str) -> BoardTask | None:
        """Return a task, or None where there is none."""
        found = self._rows("SELECT * FROM task WHERE id = ?", task)
        return board_task(found[0]) if found else None

    def tasks(self, *, parent: str | None = None, dropped: bool = False) -> tuple[BoardTask, ...]:
        """Return the tasks in the order of their making.

        Args:
            parent: only the children of this task.
            dropped: whether dropped ones are among them.
        """
        rows = self._rows(
            "SELECT * FROM task WHERE (? OR dropped = 0) AND (? IS NULL OR parent = ?)"
            " ORDER BY place",
            dropped,
            parent,
            parent,
        )
        return tuple(map(board_task, rows))

    def ready(self) -> tuple[str, ...]:
        """Return what may be begun: in todo, not dropped, and all that it needs is done."""
        rows = self._rows(
            "SELECT id FROM task WHERE status = 'todo' AND dropped = 0 AND NOT EXISTS ("
            " SELECT 1 FROM dependency d JOIN task t ON t.id = d.needs"
            " WHERE d.task = task.id AND t.status != 'done') ORDER BY place"
        )
        return tuple(row["id"] for row in rows)

    def dead_blockers(self, task: str) -> tuple[str, ...]:
        """Return what `task` needs, near or far, and will never get: cancelled or dropped."""
        rows = self._rows(
            "WITH RECURSIVE above (id) AS (SELECT needs FROM dependency WHERE task = ?"
            " UNION SELECT d.needs FROM dependency d JOIN above ON d.task = above.id)"
            " SELECT t.id FROM task t JOIN above ON t.id = above.id"
            " WHERE t.status = 'cancelled' OR (t.dropped = 1 AND t.status != 'done')"
            " ORDER BY t.place",
            task,
        )
        return tuple(row["id"] for row in rows)

    def comments(self, task: str) -> tuple[Comment, ...]:
        """Return the comments on a task, oldest first."""
        rows = self._rows("SELECT * FROM comment WHERE task = ? ORDER BY place", task)
        return tuple(Comment(row["task"], row["author"], row["text"]) for row in rows)

    def events(self, kind: str | None = None, task: str | None = None) -> tuple[Event, ...]:
        """Return the log, oldest first, whole or only of a kind or a task."""
        rows = self._rows(
            "SELECT * FROM event WHERE (? IS NULL OR kind = ?) AND (? IS NULL OR task = ?)"
            " ORDER BY place",
            kind,
            kind,
            task,
            task,
        )
        return tuple(
            Event(row["place"], row["kind"], row["task"], json.loads(row["data"])) for row in rows
        )

    def count_events(self, kind: str | None = None, task: str | None = None) -> int:
        """Return how many events were recorded, all of them: no page, no limit."""
        rows = self._rows(
            "SELECT count(*) AS n FROM event WHERE (? IS NULL OR kind = ?)"
            " AND (? IS NULL OR task = ?)",
            kind,
            kind,
            task,
            task,
        )
        count: int = rows[0]["n"]
        return count

    def _lay_out(self) -> None:
        with self._changing() as connection:
            known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'event'")
            if known.fetchone() is None:
                for statement in _SCHEMA.strip().split(";\n"):
                    connection.execute(statement)

    def _enter(
        self,
        connection: sqlite3.Connection,
        task: str,
        status: TaskStatus | None,
        target: TaskStatus,
    ) -> Move:
        connection.execute("UPDATE task SET status = ? WHERE id = ?", (target.value, task))
        if target is TaskStatus.TODO:  # whoever takes it next begins anew
            connection.execute(
                "UPDATE task SET assignee = NULL, runtime = NULL, verdict = NULL WHERE id = ?",
                (task,),
            )
        if status is not target:
            _log(connection, "status_changed", task, origin=status, target=target)
            if target is TaskStatus.CANCELLED:
                self._tell_stalled(connection, task)
        return Move()

    def _may_be_done(self, connection: sqlite3.Connection, task: str) -> bool:
        """Whether no verdict stands against it; a task that nobody verified is not failing."""
        row = connection.execute("SELECT verdict FROM task WHERE id = ?", (task,)).fetchone()
        return row["verdict"] is None or is_promotable(json.loads(row["verdict"]))

    def _tell_stalled(self, connection: sqlite3.Connection, blocker: str) -> None:
        """Say in the log, for every task that waits for `blocker`, that it will wait for ever."""
        for below in self._below(connection, blocker):
            status = self._status(connection, below)
            if status is not None and not is_terminal(status):
                _log(connection, "task_stalled", below, blocker=blocker)

    @staticmethod
    def _below(connection: sqlite3.Connection, task: str) -> list[str]:
        return [row["id"] for row in connection.execute(_DOWNSTREAM, (task,))]

    @staticmethod
    def _is_dead(connection: sqlite3.Connection, task: str) -> bool:
        found = connection.execute(
            "SELECT 1 FROM task WHERE id = ? AND (status = 'cancelled'"
            " OR (dropped = 1 AND status != 'done'))",
            (task,),
        )
        return found.fetchone() is not None

    @staticmethod
    def _status(connection: sqlite3.Connection, task: str) -> TaskStatus | None:
        row = connection.execute("SELECT status FROM task WHERE id = ?", (task,)).fetchone()
        return None if row is None else TaskStatus(row["status"])

    def _known(self, connection: sqlite3.Connection, task: str) -> None:
        if self._status(connection, task) is None:
            raise ValueError(f"the board has no task {task!r}")

    def _rows(self, query: str, *values: Any) -> Sequence[Any]:
        with self._lock:
            return self._connection().execute(query, values).fetchall()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """Hold the write lock of the file: what is read inside is still so when it is written."""
        with self._lock:
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _connection(self) -> sqlite3.Connection:
        """Return the connection of this process; one made before a fork must not be used after."""
        if self._opened is None or self._process != os.getpid():
            self._process = os.getpid()
            self._opened = sqlite3.connect(
                self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
            self._opened.row_factory = sqlite3.Row
            # A board lives as long as a trial: it must outlive a kill, and need no power cut.
            self._opened.execute("PRAGMA synchronous = OFF")
            self._opened.execute("PRAGMA foreign_keys = ON")
        return self._opened


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _log(connection: sqlite3.Connection, kind: str, task: str | None, **data: Any) -> None:
    connection.execute(
        "INSERT INTO event (kind, task, data) VALUES (?, ?, ?)", (kind, task, _text(data))
    )
