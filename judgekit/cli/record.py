"""``judgekit record``: new verdicts from a live local judge, staged for review."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import click

from judgekit.cli.opening import check_place, open_session, under_ci
from judgekit.cli.recording_progress import RecordingProgress
from judgekit.cli.state import ledger_of
from judgekit.config import JudgeConfig, Project
from judgekit.documents import Document
from judgekit.documents.document import printable
from judgekit.engines.local import LocalEngine
from judgekit.errors import (
    BudgetReached,
    ConfigError,
    JudgeUnreachable,
    MalformedVerdict,
    RecordingRefused,
)
from judgekit.evals.definition import EvalDefinition
from judgekit.evals.plan import make_plan
from judgekit.evals.session import Session
from judgekit.judges.port import JudgeRequest
from judgekit.judges.recording import RecordingEvent
from judgekit.ledger.recorder import SpendRecorder


@click.command()
@click.argument("evals", nargs=-1)
@click.option("--judge", "judge_name", metavar="NAME", help="Configured judge to change below.")
@click.option("--judge-url", metavar="URL", help="Where the judge is, instead of its url.")
@click.option("--model", metavar="NAME", help="Judge model to ask for, instead of its model.")
@click.option("--api-key-env", metavar="VARIABLE", help="Environment variable with its key.")
@click.option("--concurrency", type=click.IntRange(1, 256), help="Calls in flight at once.")
@click.option("--all", "again", is_flag=True, help="Ask anew for what is recorded already.")
@click.option("--allow-remote", is_flag=True, help="Allow a judge that is not on this network.")
def command(
    evals: tuple[str, ...],
    judge_name: str | None,
    judge_url: str | None,
    model: str | None,
    api_key_env: str | None,
    concurrency: int | None,
    again: bool,
    allow_remote: bool,
) -> None:
    """Record what is missing from a live judge, and stage it for review.

    Nothing becomes a cassette before `judgekit cassette accept`. A recording that is interrupted
    goes on where it stopped.
    """
    if under_ci():
        raise RecordingRefused(
            "recording is refused under CI: record on your machine, review, commit the cassettes"
        )
    session = open_session()
    changes = {"url": judge_url, "model": model, "api_key_env": api_key_env}
    project = with_judge(session.project, judge_name, changes)
    for name, judge in project.judges.items():
        check_place(name, judge, allow_remote=allow_remote)
    at_once = concurrency or max((j.concurrency for j in project.judges.values()), default=1)
    session = Session(project, LocalEngine(at_once))
    _record(session, evals, again=again)


def with_judge(project: Project, name: str | None, changes: dict[str, str | None]) -> Project:
    """Return the project with one judge changed, or made where none is configured."""
    given = {field: value for field, value in changes.items() if value is not None}
    if not given and name is None:
        return project
    config = project.config
    if not config.judges:
        if not {"url", "model"} <= set(given):
            raise ConfigError(f"{project.file}: no judge is configured; add one to [judges]")
        judges = {name or "local": _judge_config(given)}
    else:
        chosen, standing = project.judge(name)
        changed = _judge_config({**standing.model_dump(mode="json"), **given})
        judges = {**config.judges, chosen: changed}
        if changed.model != standing.model:
            click.echo(
                f"warning: recording for model {changed.model!r}, but {project.file.name} has "
                f"judges.{chosen}.model = {standing.model!r}: replay asks for that one until you "
                "change it",
                err=True,
            )
    return replace(project, config=config.model_copy(update={"judges": judges}))


def _judge_config(value: Mapping[str, object]) -> JudgeConfig:
    return Document("judgekit record", dict(value)).parse(JudgeConfig)


def _record(session: Session, names: Iterable[str], *, again: bool) -> None:
    evals = session.evals(tuple(names))
    plan = make_plan(session, evals, whole=False)
    due = [each.request for each in (plan.requests if again else plan.missing)]
    record_all([(session, evals)], due, len(plan.requests), again=again)


def record_all(
    work: Sequence[tuple[Session, Sequence[EvalDefinition]]],
    due: Sequence[JudgeRequest],
    requests: int,
    *,
    again: bool,
) -> None:
    """Record evals, each batch by its own session, under one budget and one bar of progress.

    Args:
        due: which of their `requests` are to be asked.

    Raises:
        JudgekitError: a recording failed, the budget was reached, or no recording is readable.
    """
    if not due:
        click.echo(f"nothing to record: all {requests} judge requests are recorded")
        return
    session = work[0][0]
    progress, budget = RecordingProgress(due), session.budget_guard()
    entries = SpendRecorder(ledger_of(session), session.prices, session.now)

    def observe(event: RecordingEvent) -> None:
        progress.observe(event)
        entries.observe(event)

    with progress:
        for own, evals in work:
            own.record(evals, again=again, observe=observe, budget=budget)
    if entries.problem:
        click.echo(f"note     {entries.problem}", err=True)
    _conclude(session, progress, budget.reached)


def _conclude(session: Session, progress: RecordingProgress, budget_reached: str) -> None:
    staged = len(session.staging.items())
    for line in progress.failures:
        click.echo(f"failed   {printable(line)}", err=True)
    for line in progress.problems:
        click.echo(f"note     {printable(line)}", err=True)
    before = f" ({progress.staged_before} more staged before)" if progress.staged_before else ""
    click.echo(
        f"recorded {progress.recorded} of {progress.due} due{before}, {progress.tokens} tokens, "
        f"{progress.judge_s:.0f} s of judge time; {staged} wait for review "
        "(judgekit cassette diff, accept, reject)"
    )
    if budget_reached:
        raise BudgetReached(budget_reached)
    if progress.failures or staged == 0:
        what = progress.failures[0] if progress.failures else "the judge was never asked"
        raise JudgeUnreachable(
            f"{progress.due} recordings were due and {progress.recorded} were made: {what}"
        )
    if progress.recorded and not progress.readable:
        raise MalformedVerdict(
            f"none of the {progress.recorded} recordings holds a readable verdict "
            f"({progress.problems[0]}); check that the url is a judge's and the model can judge, "
            "then judgekit cassette reject"
        )
