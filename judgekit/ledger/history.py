"""The run history: whole runs, kept in an SQLite file, with the figures that a trend needs."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Connection

from judgekit.database import Database
from judgekit.documents import shown
from judgekit.errors import ConfigError
from judgekit.gate.errors import GateError, one_line
from judgekit.gate.run import EvalRun
from judgekit.gate.run_json import parse_run, run_to_json

LARGEST_RUN = 1024 * 1024 * 1024
"""Bytes of a run's JSON that are unpacked at most."""

_SCHEMA = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    label TEXT NOT NULL,
    eval TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    subject TEXT NOT NULL,
    score REAL,
    cases INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    run BLOB NOT NULL
);
CREATE INDEX runs_of_eval ON runs (eval, id);
CREATE TABLE scorers (
    run INTEGER NOT NULL REFERENCES runs (id),
    place INTEGER NOT NULL,
    scorer TEXT NOT NULL,
    mean REAL,
    passed INTEGER NOT NULL,
    graded INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class ScorerFigure:
    """How one scorer came out in one run.

    Attributes:
        mean: mean score in [0, 1] over grades not in error; None without any.
        passed: how many of `graded` passed.
        graded: grades that are not in error.
    """

    scorer: str
    mean: float | None
    passed: int
    graded: int
    errors: int


@dataclass(frozen=True, slots=True)
class KeptRun:
    """One run in the history, without its cases.

    Attributes:
        id: names it in `judgekit diff`; never used again.
        when: ISO 8601, UTC.
        label: what whoever kept it called it; may be empty.
        score: the run's score in [0, 1]; None where a scorer graded nothing.
    """

    id: int
    when: str
    label: str
    eval: str
    prompt_version: str
    subject: str
    score: float | None
    cases: int
    errors: int
    scorers: tuple[ScorerFigure, ...] = ()


class HistoryStore:
    """Keeps runs. Safe under threads and processes.

    Args:
        path: the SQLite file; made by the first run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = Database(path, "the run history", 0x6A6B5248, 1, _SCHEMA)

    def save(self, run: EvalRun, when: str, label: str = "") -> int:
        """Keep one run for good, and return its id.

        Args:
            when: ISO 8601, UTC.
            label: a name for it, such as a commit.

        Raises:
            ConfigError: it can't be written; the history is as it was.
        """
        return self.save_all([run], when, label)[0]

    def save_all(self, runs: Iterable[EvalRun], when: str, label: str = "") -> list[int]:
        """Keep several runs for good, all or none, and return their ids.

        Raises:
            ConfigError: as `save`.
        """
        packed = [(run, _packed(run)) for run in runs]
        with self._database.writing() as connection:
            return [_insert(connection, run, data, when, label) for run, data in packed]

    def runs(self, eval: str | None = None, last: int | None = None) -> tuple[KeptRun, ...]:  # noqa: A002
        """Return the runs of one eval, or of all, oldest first.

        Args:
            last: only so many of each eval, the newest; all if None.
        """
        query = (
            "SELECT id, at, label, eval, prompt_version, subject, score, cases, errors FROM ("
            "SELECT *, row_number() OVER (PARTITION BY eval ORDER BY id DESC) AS age FROM runs "
            "WHERE ?1 IS NULL OR eval = ?1) WHERE ?2 IS NULL OR age <= ?2 ORDER BY id"
        )
        found = self._database.read(query, (eval, last), KeptRun)
        figures: dict[int, list[ScorerFigure]] = {}
        query = "SELECT run, scorer, mean, passed, graded, errors FROM scorers ORDER BY run, place"
        for run, *figure in self._database.read(query, (), lambda *row: row):
            figures.setdefault(run, []).append(ScorerFigure(*figure))
        return tuple(_with_scorers(run, figures.get(run.id, [])) for run in found)

    def load(self, id: int) -> EvalRun:  # noqa: A002
        """Return a kept run, whole.

        Raises:
            ConfigError: there is none of that id, or it is damaged.
        """
        found = self._database.read("SELECT run FROM runs WHERE id = ?", (id,), lambda data: data)
        if not found:
            raise ConfigError(
                f"{shown(self.path)}: no run has the id {id}; `judgekit history` lists them"
            )
        try:
            return parse_run(_unpacked(found[0]))
        except (zlib.error, GateError, TypeError) as error:
            raise ConfigError(
                f"{shown(self.path)}: run {id} is damaged ({error}); the other runs are not"
            ) from None


def _insert(connection: Connection, run: EvalRun, data: bytes, when: str, label: str) -> int:
    cursor = connection.execute(
        "INSERT INTO runs (at, label, eval, prompt_version, subject, score, cases, errors, run) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            when,
            label,
            run.name,
            run.prompt_version,
            run.subject,
            run.score,
            len(run.cases),
            run.errors,
            data,
        ),
    )
    made = cursor.lastrowid
    assert made is not None
    connection.executemany(
        "INSERT INTO scorers (run, place, scorer, mean, passed, graded, errors) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (made, place, f.scorer, f.mean, f.passed, f.graded, f.errors)
            for place, f in enumerate(figures_of(run))
        ],
    )
    return made


def figures_of(run: EvalRun) -> tuple[ScorerFigure, ...]:
    """Return how each scorer of a run came out, in the run's order."""
    return tuple(_figure(run, scorer.name) for scorer in run.scorers)


def _figure(run: EvalRun, scorer: str) -> ScorerFigure:
    statuses = [case.grades[scorer].status for case in run.cases]
    errors = statuses.count("error")
    return ScorerFigure(
        scorer=scorer,
        mean=run.scorer_mean(scorer),
        passed=statuses.count("passed"),
        graded=len(statuses) - errors,
        errors=errors,
    )


def _with_scorers(run: KeptRun, figures: list[ScorerFigure]) -> KeptRun:
    return KeptRun(
        run.id,
        run.when,
        run.label,
        run.eval,
        run.prompt_version,
        run.subject,
        run.score,
        run.cases,
        run.errors,
        tuple(figures),
    )


def _packed(run: EvalRun) -> bytes:
    try:
        return zlib.compress(run_to_json(run).encode())
    except (GateError, UnicodeEncodeError) as error:
        raise ConfigError(
            f"eval {run.name!r}: the run can't be kept: {one_line(str(error))}"
        ) from None


def _unpacked(data: bytes) -> bytes:
    """Return what was packed, never more than `LARGEST_RUN` bytes of it."""
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data, LARGEST_RUN)
    if not unpacker.eof:
        raise zlib.error("cut short, or too large")
    return text
