"""``judgekit review``: look at what judge and human disagree on, and decide."""

from __future__ import annotations

import getpass
from dataclasses import replace
from pathlib import Path

import click

from judgekit.cli.opening import open_session
from judgekit.cli.state import queue_of, stored_runs
from judgekit.cli.tables import plain_table
from judgekit.documents import write_atomically
from judgekit.errors import ConfigError
from judgekit.evals.definition import EvalDefinition
from judgekit.evals.session import Session
from judgekit.gate.finding import counted
from judgekit.gate.run import EvalRun
from judgekit.review.comparing import compare, of_eval
from judgekit.review.comparison import Comparison, consolidated
from judgekit.review.labels import Label, labels_text, read_labels
from judgekit.review.progress import agreement as agreement_of
from judgekit.review.progress import labels as labels_of
from judgekit.review.progress import pending, standing
from judgekit.review.queue import Decision, ReviewQueue, capture_disagreement

eval_option = click.option("--eval", "eval_name", metavar="EVAL", help="Only this eval's.")
limit_option = click.option("--limit", type=click.IntRange(1), help="The most to show.")


@click.group(invoke_without_command=True)
@eval_option
@limit_option
@click.option(
    "--reviewer",
    envvar="JUDGEKIT_REVIEWER",
    metavar="NAME",
    help="Who reviews; else $JUDGEKIT_REVIEWER, else your user name.",
)
@click.option("--skipped", is_flag=True, help="Show again what you skipped before.")
@click.option("--full", is_flag=True, help="Show long texts whole.")
@click.pass_context
def command(
    context: click.Context,
    eval_name: str | None,
    limit: int | None,
    reviewer: str | None,
    skipped: bool,
    full: bool,
) -> None:
    """Look at what judge and human disagree on, one by one, and decide.

    Each answer is kept at once; stop when you like, and go on later. Nothing here changes a
    dataset, a cassette or a rubric.
    """
    if context.invoked_subcommand is not None:
        _refuse_idle_options(context)
        return
    queue = queue_of(open_session())
    name = reviewer or _user()
    due = pending(
        consolidated(queue.captures(), eval=eval_name), queue.decisions(), name, skipped=skipped
    )
    chosen = due[:limit]
    if not chosen:
        click.echo(f"nothing waits for {name}: `judgekit review add` looks for disagreements")
        return
    answered = _review(queue, chosen, name, full=full)
    click.echo(f"{counted(answered, 'answer')} kept, {len(due) - answered} left for {name}")


def _refuse_idle_options(context: click.Context) -> None:
    """Refuse options that stand before a subcommand, where they would do nothing."""
    for name in ("eval_name", "limit", "reviewer", "skipped", "full"):
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = f"--{name.removesuffix('_name')}"
            raise ConfigError(
                f"{option} does nothing before `{context.invoked_subcommand}`; see its --help"
            )


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise ConfigError("the reviewer has no user name here; give --reviewer NAME") from None


def _review(queue: ReviewQueue, due: tuple[Comparison, ...], reviewer: str, *, full: bool) -> int:
    """Show each and keep what is answered; return how many were."""
    from rich.console import Console

    from judgekit.cli.review_screen import ask_here, show

    console, session = Console(highlight=False), open_session()
    for number, comparison in enumerate(due):
        show(comparison, console, place=f"{number + 1} of {len(due)}", full=full)
        given = ask_here()
        if given is None:
            return number
        queue.decide(
            Decision(
                *comparison.place,
                output_digest=comparison.output_digest,
                reviewer=reviewer,
                answer=given.answer,
                note=given.note,
                when=session.now(),
            )
        )
    return len(due)


@command.command()
@click.argument("evals", nargs=-1)
@click.option("--run", "reference", metavar="RUN", help="Kept run (id or file), not a replay now.")
@click.option("--labels", type=click.Path(path_type=Path), help="Human labels, as JSON Lines.")
def add(evals: tuple[str, ...], reference: str | None, labels: Path | None) -> None:
    """Find where human labels and the judge's grades differ, and queue that for review.

    The labels are those of the cases (expected.human_verdict), or a file's. The grades are those of
    a kept run, or of a replay now, which asks nobody.
    """
    from judgekit.cli.review_sources import dataset_labels, definitions_of

    session = open_session()
    pairs = definitions_of(session, _runs(session, evals, reference))
    given = (
        [label for definition, _ in pairs for label in dataset_labels(definition)]
        if labels is None
        else list(read_labels(labels))
    )
    _refuse_strange(given, {run.name for _, run in pairs}, whole=not evals and reference is None)
    for definition, run in pairs:
        own = of_eval(given, run, alone=len(pairs) == 1)
        if own:
            click.echo(_capture(session, definition, run, own))
    if not given:
        raise ConfigError("no case has a label (expected.human_verdict); give --labels FILE")


def _runs(session: Session, evals: tuple[str, ...], reference: str | None) -> tuple[EvalRun, ...]:
    if reference is None:
        return session.replay(session.evals(evals)).runs
    found = stored_runs(reference, session)
    chosen = tuple(run for run in found if not evals or run.name in evals)
    if not chosen:
        names = ", ".join(run.name for run in found)
        raise ConfigError(f"run {reference}: is of {names}, and of none of the evals named")
    return chosen


def _refuse_strange(labels: list[Label], names: set[str], *, whole: bool) -> None:
    """Refuse labels of an eval that the project does not have."""
    for label in labels:
        if whole and label.eval and label.eval not in names:
            raise ConfigError(f"{label.source}: eval {label.eval!r} is no eval of this project")


def _capture(
    session: Session, definition: EvalDefinition, run: EvalRun, labels: tuple[Label, ...]
) -> str:
    """Queue the disagreements of one run, and return a line that says what was found."""
    from judgekit.cli.review_sources import pass_marks, readable

    found = readable(session, definition, run)
    marks = pass_marks(session, definition.scorers)
    compared = compare(run, labels, found.texts, marks, session.now())
    queue = queue_of(session)
    known = {_what(each) for each in consolidated(queue.captures(), eval=run.name)}
    fresh = [each for each in compared.comparisons if _what(each) not in known]
    queued = sum(capture_disagreement(queue, each) for each in fresh)
    differ = sum(each.disagrees for each in compared.comparisons)
    parts = [
        f"{run.name}: {counted(len(compared.comparisons), 'label')} compared, {differ} disagree, "
        f"{queued} queued"
    ]
    if compared.in_error:
        parts.append(f"{compared.in_error} not compared: the grade is in error")
    labelled = {label.case for label in labels}
    missing = sum(case in labelled for case in found.missing)
    if missing:
        parts.append(f"{counted(missing, 'case')} not compared: edited or gone since the run")
    return "; ".join(parts)


def _what(comparison: Comparison) -> Comparison:
    """Return the comparison without its time, so that the same one is not queued twice."""
    return replace(comparison, when="")


@command.command("list")
@eval_option
@limit_option
def list_(eval_name: str | None, limit: int | None) -> None:
    """List the queue, the most informative first, with what has been decided."""
    queue = queue_of(open_session())
    decided: dict[tuple[object, ...], list[str]] = {}
    for (reviewer, place, digest), decision in standing(queue.decisions()).items():
        decided.setdefault((place, digest), []).append(f"{reviewer}: {decision.answer}")
    heads = ["eval", "scorer", "case", "judge", "score", "human", "decided"]
    rows = [
        [
            *each.place,
            each.judge_verdict,
            "–" if each.score is None else f"{each.score:.4g}",
            each.human_verdict,
            ", ".join(decided.get((each.place, each.output_digest), ())) or "–",
        ]
        for each in consolidated(queue.captures(), eval=eval_name, limit=limit)
    ]
    if not rows:
        click.echo("the queue is empty: `judgekit review add` looks for disagreements")
        return
    for line in plain_table(heads, rows):
        click.echo(line)


@command.command()
@eval_option
@click.option("--output", type=click.Path(path_type=Path), help="File for the labels.")
def export(eval_name: str | None, output: Path | None) -> None:
    """Write what reviewers decided as labels (JSON Lines), for calibrating a rubric.

    They are labels of what judge and human disagreed on: add them to labels of other cases, or the
    judge will look worse than it is.
    """
    queue = queue_of(open_session())
    found = labels_of(consolidated(queue.captures(), eval=eval_name), queue.decisions())
    if output is None:
        click.echo(labels_text(found), nl=False)
        return
    write_atomically(output, labels_text(found).encode())
    click.echo(f"{counted(len(found), 'label')} in {output}")


@command.command()
@eval_option
def agreement(eval_name: str | None) -> None:
    """Show how far reviewers agree on what two of them labelled."""
    decisions = [
        each for each in queue_of(open_session()).decisions() if eval_name in (None, each.eval)
    ]
    rows = [
        [
            pair.first,
            pair.second,
            str(pair.both),
            f"{pair.share:.1%}",
            "–" if pair.kappa is None else f"{pair.kappa:.4f}",
        ]
        for pair in agreement_of(decisions)
    ]
    if not rows:
        click.echo("no output was labelled by two reviewers yet")
        return
    for line in plain_table(["reviewer", "reviewer", "both", "alike", "kappa"], rows, figures=3):
        click.echo(line)
