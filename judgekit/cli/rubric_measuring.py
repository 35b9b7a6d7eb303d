"""``judgekit rubric try``, ``calibrate``, ``diff`` and ``flip``: what a rubric does to verdicts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judgekit.cli.opening import open_session
from judgekit.cli.rubric_choice import (
    Chosen,
    choose,
    eval_option,
    format_option,
    judge_option,
    live_session,
    remote_option,
    rubric_argument,
    scorer_option,
)
from judgekit.errors import CassetteMiss, Cause, ConfigError
from judgekit.evals.rubric_use import narrowed, uses_of
from judgekit.gate.exit_codes import EXIT_OF_CAUSE, ExitCode, most_severe
from judgekit.report.report import counted

if TYPE_CHECKING:
    from judgekit.evals.definition import EvalDefinition
    from judgekit.evals.session import Session
    from judgekit.gate.run import EvalRun, GradeRecord
    from judgekit.judges.port import JudgeRequest
    from judgekit.rubrics.labels import Label

case_option = click.option(
    "--case", "cases", multiple=True, metavar="ID", help="Only this case; may be given again."
)
first_option = click.option(
    "--cases", "first", type=click.IntRange(1), metavar="N", help="Only the first N cases."
)


@click.command("try")
@rubric_argument
@eval_option
@case_option
@first_option
@scorer_option
@judge_option
@remote_option
@format_option
def try_(
    rubric: str,
    eval_name: str | None,
    cases: tuple[str, ...],
    first: int | None,
    scorer: str | None,
    judge: str | None,
    allow_remote: bool,
    form: str,
) -> None:
    """Ask the live judge now, and show its verdicts beside the last recorded ones.

    Nothing is recorded, staged or committed.
    """
    from judgekit.cli.rubric_text import print_trial, trial_as_json
    from judgekit.evals.rubric_asking import tried

    session, chosen, definition = _live(
        rubric, eval_name, cases, first, scorer, judge, allow_remote, "judgekit rubric try"
    )
    with _counting() as observe:
        found = tried(session, definition, chosen.rubrics, observe)
    if form == "json":
        click.echo(json.dumps(trial_as_json(found), indent=2, ensure_ascii=False))
    else:
        print_trial(found)
    _end_on_errors(each.now for each in found)


@click.command()
@rubric_argument
@eval_option
@case_option
@first_option
@scorer_option
@judge_option
@remote_option
@format_option
def flip(
    rubric: str,
    eval_name: str | None,
    cases: tuple[str, ...],
    first: int | None,
    scorer: str | None,
    judge: str | None,
    allow_remote: bool,
    form: str,
) -> None:
    """Ask the live judge by rewordings of a rubric that mean the same, and count what turns.

    A verdict that turns with the order of criteria or a "please" is no verdict on the output.
    """
    from judgekit.cli.rubric_text import flips_as_json, print_flips
    from judgekit.evals.rubric_versions import flips
    from judgekit.rubrics.rewording import rewordings

    session, chosen, definition = _live(
        rubric, eval_name, cases, first, scorer, judge, allow_remote, "judgekit rubric flip"
    )
    if len(definition.scorers) > 1:
        names = ", ".join(each.name for each in definition.scorers)
        raise ConfigError(f"scorers {names} judge by it; name one with --scorer")
    with _counting() as observe:
        found = flips(session, definition, chosen.rubrics, rewordings(chosen.rubric), observe)
    if form == "json":
        click.echo(json.dumps(flips_as_json(found), indent=2, ensure_ascii=False))
    else:
        print_flips(found)
    if found.total == 0:
        _end_on_errors(found.errors)


@click.command()
@rubric_argument
@click.option("--labels", type=click.Path(path_type=Path), help="JSON Lines file of labels.")
@click.option(
    "--labels-from-eval", is_flag=True, help="Take expected.human_verdict of the eval's cases."
)
@eval_option
@scorer_option
@click.option("--live", is_flag=True, help="Ask the live judge instead of the cassettes.")
@click.option("--all-cases", is_flag=True, help="With --live: ask about unlabelled cases too.")
@click.option("--slice", "slice_", metavar="FIELD", help="Field of metadata to count apart by.")
@click.option("--min-kappa", type=click.FloatRange(-1, 1), help="What a gate may rest on.")
@judge_option
@remote_option
@format_option
def calibrate(  # noqa: PLR0913 - one for each option
    *,
    rubric: str,
    labels: Path | None,
    labels_from_eval: bool,
    eval_name: str | None,
    scorer: str | None,
    live: bool,
    all_cases: bool,
    slice_: str | None,
    min_kappa: float | None,
    judge: str | None,
    allow_remote: bool,
    form: str,
) -> None:
    """Hold a judge to human labels, and say whether a gate may rest on it.

    Replays the cassettes unless --live is given. Exits with 0 if the judge may gate, else with 1.

    \b
    A line of the labels: {"case": "c1", "label": "pass", "reviewer": "ann", "slice": "returns"}
    """
    from judgekit.cli.rubric_text import calibration_as_json, print_calibration
    from judgekit.evals.held_to_people import judged_by, slices_by
    from judgekit.evals.judged_by import rubric_of
    from judgekit.rubrics.calibration import DEFAULT_MIN_KAPPA
    from judgekit.rubrics.calibration import calibrate as hold
    from judgekit.rubrics.labels import labels_for

    if (labels is None) is not labels_from_eval:
        raise ConfigError("give --labels FILE or --labels-from-eval, one of the two")
    session = open_session()
    given = _read_labels(labels)
    named = {label.eval for label in given} - {None}
    if eval_name is None and len(named) == 1:
        eval_name = named.pop()
    chosen = choose(session, rubric, eval_name, scorer=scorer, judge=judge)
    definition = chosen.definition
    if len(definition.scorers) > 1:
        names = ", ".join(each.name for each in definition.scorers)
        raise ConfigError(f"scorers {names} judge by it; name one with --scorer")
    one = definition.scorers[0]
    own = labels_for(_checked(given, definition), definition.name, one.name)
    labelled = {label.case for label in own}
    if live:
        session = live_session(
            session, [one], allow_remote=allow_remote, what="judgekit rubric calibrate --live"
        )
        if not all_cases and labelled:
            definition = narrowed(definition, [one], sorted(labelled))
    run = _judged_run(session, definition, chosen, live=live)
    judged = judged_by(
        one.name, run.cases, None if slice_ is None else slices_by(slice_, definition.cases)
    )
    _refuse_misses(run, one.name, labelled)
    if min_kappa is None:
        asked = next((use.definition.calibration for use in chosen.uses), None)
        min_kappa = DEFAULT_MIN_KAPPA if asked is None else asked.min_kappa
    judged_with = rubric_of(one, chosen.rubrics) or chosen.rubric
    report = hold(judged, own, judged_with, min_kappa)
    if form == "json":
        click.echo(json.dumps(calibration_as_json(report), indent=2, ensure_ascii=False))
    else:
        print_calibration(report, where=f"{definition.name} / {one.name}")
    sys.exit(ExitCode.PASSED if report.may_gate else ExitCode.REGRESSION)


@click.command()
@click.argument("old")
@click.argument("new")
@eval_option
@format_option
def diff(old: str, new: str, eval_name: str | None, form: str) -> None:
    """Show what changed in meaning from OLD to NEW, and which recordings that costs.

    Each is a rubric's id, a file, or REVISION:FILE of git, such as HEAD:rubrics/tone.md.
    """
    from judgekit.cli.rubric_text import difference_as_json, print_difference
    from judgekit.cli.rubric_version import rubric_version
    from judgekit.evals.rubric_versions import recording_cost
    from judgekit.rubrics.difference import changes

    session = open_session()
    folder = session.project.rubrics
    before, after = (rubric_version(named, folder) for named in (old, new))
    evals = session.evals((eval_name,) if eval_name is not None else ())
    uses = uses_of(folder / f"{before.id}.md", folder, evals) or uses_of(
        folder / f"{after.id}.md", folder, evals
    )
    found = changes(before, after)
    cost = recording_cost(session, uses, before, after)
    if form == "json":
        shown = difference_as_json(before, after, found, cost)
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        print_difference(before, after, found, cost, [str(use) for use in uses])


def _live(
    rubric: str,
    eval_name: str | None,
    cases: tuple[str, ...],
    first: int | None,
    scorer: str | None,
    judge: str | None,
    allow_remote: bool,
    what: str,
) -> tuple[Session, Chosen, EvalDefinition]:
    """Return the session that may ask live judges, and the eval cut down to some cases."""
    session = open_session()
    chosen = choose(session, rubric, eval_name, scorer=scorer, judge=judge)
    definition = narrowed(chosen.definition, chosen.definition.scorers, cases or None, first)
    session = live_session(session, definition.scorers, allow_remote=allow_remote, what=what)
    return session, chosen, definition


@contextmanager
def _counting() -> Iterator[Callable[[JudgeRequest], None]]:
    """Count the judge's answers on standard error, where that is a terminal."""
    count = 0

    def observe(request: JudgeRequest) -> None:
        nonlocal count
        count += 1
        if sys.stderr.isatty():
            click.echo(f"\rasked {count} ({request.origin.case})\x1b[K", nl=False, err=True)

    yield observe
    if count and sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)


def _end_on_errors(grades: Iterable[GradeRecord]) -> None:
    """End with the exit code of the gravest error, if there is one."""
    codes = [EXIT_OF_CAUSE[grade.cause] for grade in grades if grade.cause is not None]
    if codes:
        sys.exit(most_severe(codes))


def _read_labels(path: Path | None) -> tuple[Label, ...]:
    from judgekit.rubrics.labels import read_labels

    return () if path is None else read_labels(path)


def _checked(given: tuple[Label, ...], definition: EvalDefinition) -> tuple[Label, ...]:
    """Return the labels of the eval's cases: those that were read, or the cases' own."""
    from judgekit.evals.held_to_people import labels_in
    from judgekit.rubrics.labels import check_cases

    if not given:
        return labels_in(definition.cases, definition.source)
    check_cases(given, definition.name, (case.id for case in definition.cases))
    return given


def _judged_run(
    session: Session, definition: EvalDefinition, chosen: Chosen, *, live: bool
) -> EvalRun:
    from judgekit.evals.rubric_asking import asked_now, replayed

    if not live:
        return replayed(session, definition, chosen.rubrics)
    with _counting() as observe:
        return asked_now(session, definition, chosen.rubrics, observe)


def _refuse_misses(run: EvalRun, scorer: str, labelled: set[str]) -> None:
    """Refuse to measure on some of the labels only.

    Raises:
        CassetteMiss: a labelled case has no recording.
    """
    missing = [
        case.id
        for case in run.cases
        if case.id in labelled and case.grades[scorer].cause == Cause.MISS.value
    ]
    if missing:
        raise CassetteMiss(
            f"eval {run.name}, scorer {scorer}: {counted(len(missing), 'labelled case')} without a "
            f"recording ({', '.join(missing[:5])}{', …' if len(missing) > 5 else ''}); record with "
            f"`judgekit record {run.name}`, or give --live"
        )
