"""The queue as a port: captures and decisions go in and are never changed; in memory, or SQLite."""

from __future__ import annotations

import threading
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from judgekit.database import Database
from judgekit.errors import ConfigError
from judgekit.review.comparison import Comparison, Place

Answer = Literal["pass", "fail", "skip"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a reviewer said of one output.

    Attributes:
        output_digest: of the output that was read, as in `Comparison.output_digest`.
        answer: ``skip`` is no label.
        when: ISO 8601, UTC; empty where it is not known.

    Raises:
        ConfigError: the answer is none of the three, or a name is blank.
    """

    eval: str
    scorer: str
    case: str
    output_digest: str
    reviewer: str
    answer: Answer
    note: str = ""
    when: str = ""

    def __post_init__(self) -> None:
        for name in ("eval", "scorer", "case", "output_digest", "reviewer"):
            if not getattr(self, name).strip():
                raise ConfigError(f"decision: {name} must not be blank")
        if self.answer not in get_args(Answer):
            raise ConfigError(f"decision: must be pass, fail or skip, not {self.answer!r}")

    @property
    def place(self) -> Place:
        """Where it belongs."""
        return (self.eval, self.scorer, self.case)


class ReviewQueue(Protocol):
    """Keeps disagreements and what reviewers decided. Implementations are thread-safe.

    It never writes a dataset, a cassette or a label file: what comes of a decision is a person's
    doing.
    """

    def enqueue(self, comparison: Comparison) -> None:
        """Keep a disagreement for good; use `capture_disagreement`, which keeps nothing else."""
        ...

    def decide(self, decision: Decision) -> None:
        """Keep a decision for good."""
        ...

    def captures(self) -> tuple[Comparison, ...]:
        """Return every capture, in the order in which they came."""
        ...

    def decisions(self) -> tuple[Decision, ...]:
        """Return every decision, in the order in which they came."""
        ...


def capture_disagreement(queue: ReviewQueue, comparison: Comparison) -> bool:
    """Keep a comparison if judge and person differ.

    Returns:
        Whether they do.
    """
    if comparison.disagrees:
        queue.enqueue(comparison)
    return comparison.disagrees


class MemoryQueue:
    """A queue that ends with the process."""

    def __init__(self) -> None:
        self._captures: list[Comparison] = []
        self._decisions: list[Decision] = []
        self._lock = threading.Lock()

    def enqueue(self, comparison: Comparison) -> None:
        """Keep a disagreement."""
        with self._lock:
            self._captures.append(comparison)

    def decide(self, decision: Decision) -> None:
        """Keep a decision."""
        with self._lock:
            self._decisions.append(decision)

    def captures(self) -> tuple[Comparison, ...]:
        """Return every capture."""
        with self._lock:
            return tuple(self._captures)

    def decisions(self) -> tuple[Decision, ...]:
        """Return every decision."""
        with self._lock:
            return tuple(self._decisions)


def _columns(record: type[Any]) -> tuple[str, ...]:
    """Return a record's columns: its fields, but that ``case`` and ``when`` are words of SQL."""
    renamed = {"case": "case_id", "when": "at"}
    return tuple(renamed.get(f.name, f.name) for f in fields(record))


_CAPTURE, _DECISION = _columns(Comparison), _columns(Decision)
_SCHEMA = """
CREATE TABLE captures (
    eval TEXT NOT NULL, scorer TEXT NOT NULL, case_id TEXT NOT NULL,
    input TEXT NOT NULL, output TEXT NOT NULL,
    judge_verdict TEXT NOT NULL, human_verdict TEXT NOT NULL,
    judge TEXT NOT NULL, score REAL, pass_mark REAL, rationale TEXT NOT NULL,
    human TEXT NOT NULL, note TEXT NOT NULL, at TEXT NOT NULL
);
CREATE TABLE decisions (
    eval TEXT NOT NULL, scorer TEXT NOT NULL, case_id TEXT NOT NULL,
    output_digest TEXT NOT NULL, reviewer TEXT NOT NULL, answer TEXT NOT NULL,
    note TEXT NOT NULL, at TEXT NOT NULL
);
"""


class SqliteQueue:
    """A queue in an SQLite file: safe under threads and processes, and under a kill at any moment.

    Args:
        path: the file; made by the first capture.
    """

    def __init__(self, path: Path) -> None:
        self._database = Database(path, "the review queue", 0x6A6B5251, 1, _SCHEMA)

    def enqueue(self, comparison: Comparison) -> None:
        """Keep a disagreement for good.

        Raises:
            ConfigError: it can't be written; the queue is as it was.
        """
        self._insert("captures", _CAPTURE, comparison)

    def decide(self, decision: Decision) -> None:
        """Keep a decision for good.

        Raises:
            ConfigError: it can't be written; the queue is as it was.
        """
        self._insert("decisions", _DECISION, decision)

    def captures(self) -> tuple[Comparison, ...]:
        """Return every capture; none where there is no file.

        Raises:
            ConfigError: the file is damaged, or can't be read.
        """
        return self._database.read(_all("captures", _CAPTURE), (), Comparison)

    def decisions(self) -> tuple[Decision, ...]:
        """Return every decision; none where there is no file.

        Raises:
            ConfigError: the file is damaged, or can't be read.
        """
        return self._database.read(_all("decisions", _DECISION), (), Decision)

    def _insert(self, table: str, columns: tuple[str, ...], record: Comparison | Decision) -> None:
        marks = ", ".join("?" * len(columns))
        with self._database.writing() as connection:
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})",  # noqa: S608
                astuple(record),
            )


def _all(table: str, columns: tuple[str, ...]) -> str:
    return f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid"  # noqa: S608
