"""What commands keep beside a project, in ``.judgekit``: the queue, the ledger and the history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from judgekit.cli.gate import load_runs
from judgekit.cli.opening import open_session
from judgekit.errors import ConfigError
from judgekit.evals.session import STATE_FOLDER, Session
from judgekit.gate.run import EvalRun
from judgekit.ledger.history import HistoryStore
from judgekit.ledger.spend_store import SqliteSpendStore
from judgekit.ledger.spending import run_spend
from judgekit.review.queue import SqliteQueue

_ID_DIGITS = 18


def history_of(session: Session) -> HistoryStore:
    """Return the project's run history."""
    return HistoryStore(session.project.root / STATE_FOLDER / "runs.sqlite")


def ledger_of(session: Session) -> SqliteSpendStore:
    """Return the project's spend ledger."""
    return SqliteSpendStore(session.project.root / STATE_FOLDER / "spend.sqlite")


def queue_of(session: Session) -> SqliteQueue:
    """Return the project's review queue."""
    return SqliteQueue(session.project.root / STATE_FOLDER / "review.sqlite")


@contextmanager
def keeping(session: Session, runs: Sequence[EvalRun], label: str) -> Iterator[None]:
    """Keep runs in the history, and what replay saved in the ledger, once the block has ended.

    They are kept whatever the block ends with, so that a report is shown in any case, and first.

    Raises:
        ConfigError: the history can't be written. A ledger that can't be is only told of.
    """
    try:
        yield
    finally:
        when = session.now()
        ids = history_of(session).save_all(runs, when, label)
        named = ", ".join(f"{run.name} {made}" for run, made in zip(runs, ids, strict=True))
        click.echo(f"kept in the history: {named}", err=True)
        _enter(session, runs, when)


def _enter(session: Session, runs: Sequence[EvalRun], when: str) -> None:
    ledger = ledger_of(session)
    try:
        for spend in filter(None, (run_spend(run, when) for run in runs)):
            ledger.record_spend(spend)
    except ConfigError as error:
        click.echo(f"note     what replay saved is not in the spend ledger: {error}", err=True)


def stored_runs(reference: str, session: Session | None = None) -> tuple[EvalRun, ...]:
    """Return what a run's name leads to: an id of the history, or else a file.

    Raises:
        ConfigError: there is no such run, or it is damaged.
    """
    if reference.isascii() and reference.isdigit() and len(reference) <= _ID_DIGITS:
        return (history_of(session or open_session()).load(int(reference)),)
    return load_runs(Path(reference))
