"""``judgekit bias``: what judges are biased by, measured from recordings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judgekit.bias.probes import DEFAULT_SAMPLES, VARIANTS, ProbeKind
from judgekit.cli.opening import check_place, open_session, under_ci
from judgekit.errors import Cause, ConfigError, RecordingRefused
from judgekit.gate.exit_codes import EXIT_OF_CAUSE, ExitCode, most_severe
from judgekit.report.report import counted

if TYPE_CHECKING:
    from judgekit.evals.bias_probes import Probe
    from judgekit.evals.definition import EvalDefinition
    from judgekit.evals.session import Session
    from judgekit.judges.port import JudgeRequest
    from judgekit.report.bias import BiasReport
    from judgekit.rubrics.labels import Label

_MARKS = {"console": b"judgekit bias report", "markdown": b"# judgekit bias", "json": b"-bias/1"}
_BEGINNING = 200


@click.group()
def command() -> None:
    """Measure what judges are biased by, from recorded verdicts."""


@command.command()
@click.argument("evals", nargs=-1)
@click.option("--labels", type=click.Path(path_type=Path), help="JSON Lines file of labels.")
@click.option(
    "--labels-from-eval", is_flag=True, help="Take expected.human_verdict of the evals' cases."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["console", "json", "markdown"]),
    default="console",
    show_default=True,
)
@click.option("--output", type=click.Path(path_type=Path), help="File; else standard output.")
def report(
    evals: tuple[str, ...],
    labels: Path | None,
    labels_from_eval: bool,
    form: str,
    output: Path | None,
) -> None:
    """Measure the judges of EVALS (all, if none is named) over their recorded verdicts.

    Asks nobody. What the recordings can't tell is said, with what would. Exits with 0 whatever was
    measured; with 3 if nothing is recorded or a recording is damaged.

    \b
    judgekit bias report support-answers --labels-from-eval
    """
    from judgekit.bias.measuring import measured
    from judgekit.evals.bias_observing import observed
    from judgekit.report.bias import BiasReport, Unread

    if labels is not None and labels_from_eval:
        raise ConfigError("give --labels FILE or --labels-from-eval, not both")
    session = open_session()
    chosen = session.evals(evals)
    found = observed(session, chosen, _labels(chosen, labels, from_eval=labels_from_eval))
    if not found.seats:
        raise ConfigError("no scorer of these evals asks a judge, so there is no bias to measure")
    shown = BiasReport(
        evals=tuple(each.name for each in chosen),
        seats=found.seats,
        rows=measured(found.observations, found.seats, session.project.config.families),
        unread=tuple(
            Unread(f"{gap.eval} / {gap.scorer}", gap.judge, gap.cause, gap.count, gap.problem)
            for gap in found.gaps
        ),
        verdicts=len(found.observations),
    )
    _put(shown, form, output)
    _conclude(shown)


def _labels(
    evals: Sequence[EvalDefinition], file: Path | None, *, from_eval: bool
) -> dict[str, tuple[Label, ...]]:
    from judgekit.evals.held_to_people import VERDICT_FIELD, labels_in
    from judgekit.rubrics.labels import check_cases, read_labels

    if file is None and not from_eval:
        return {}
    if file is not None:
        given = read_labels(file)
        named = [label for label in given if label.eval is not None or len(evals) == 1]
        unnamed = next((label for label in given if label.eval is None), None)
        if unnamed is not None and len(evals) > 1:
            raise ConfigError(
                f"{unnamed.source}: names no eval, and several are measured; name its eval in it, "
                "or measure one eval"
            )
        for each in evals:
            check_cases(named, each.name, (case.id for case in each.cases))
        return {each.name: given for each in evals}
    labelled = {
        each.name: labels_in(each.cases, each.source)
        for each in evals
        if any(isinstance(c.expected, dict) and VERDICT_FIELD in c.expected for c in each.cases)
    }
    if not labelled:
        raise ConfigError(f"no case of these evals has expected.{VERDICT_FIELD}")
    return labelled


def _put(report: BiasReport, form: str, output: Path | None) -> None:
    """Show the report, or write it; of standing files only a report of its kind is replaced."""
    from judgekit.documents import shown, write_atomically
    from judgekit.report.bias import to_json, to_markdown

    text = {"json": to_json, "markdown": to_markdown, "console": _as_text}[form](report)
    if output is None:
        click.echo(text, nl=False)
        return
    if output.is_file() and output.stat().st_size:
        with output.open("rb") as standing:
            if _MARKS[form] not in standing.read(_BEGINNING):
                raise ConfigError(
                    f"--output: {shown(output)} is there and is no {form} bias report; nothing was "
                    "written; name another file or remove it"
                )
    write_atomically(output, text.encode())


def _as_text(report: BiasReport) -> str:
    from judgekit.cli.tables import plain_table
    from judgekit.report.bias import HEADS, TITLE, cells, summary, told, unread_lines, untold_lines

    lines = [f"{TITLE}: {', '.join(report.evals)}", ""]
    if told(report):
        lines += [*plain_table(HEADS, [cells(row) for row in told(report)]), ""]
    untold = list(untold_lines(report))
    lines += [*untold, ""] if untold else []
    lines += [f"note     {line}" for line in unread_lines(report)]
    return "\n".join([*lines, summary(report), ""])


def _conclude(report: BiasReport) -> None:
    """End with the exit code of the gravest fault of the repository, if there is one."""
    codes = [
        EXIT_OF_CAUSE[each.cause.value]
        for each in report.unread
        if each.cause in (Cause.CORRUPT_CASSETTE, Cause.BIAS_GUARD, Cause.INVALID_CONFIG)
    ]
    if not report.verdicts:
        codes.append(ExitCode.CASSETTE)
    if codes:
        sys.exit(most_severe(codes))


@command.command()
@click.argument("evals", nargs=-1)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice([kind.value for kind in ProbeKind]),
    multiple=True,
    help="What to probe; may be given again. All, if none is named.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N cases.")
@click.option(
    "--samples",
    type=click.IntRange(2, 25),
    default=DEFAULT_SAMPLES,
    show_default=True,
    help="Samples of each question, of the kind samples.",
)
@click.option("--plan", "plan_only", is_flag=True, help="Show what it would take; ask nobody.")
@click.option("--judge", "judge_name", metavar="NAME", help="Configured judge to change below.")
@click.option("--judge-url", metavar="URL", help="Where the judge is, instead of its url.")
@click.option("--model", metavar="NAME", help="Judge model to ask for, instead of its model.")
@click.option("--api-key-env", metavar="VARIABLE", help="Environment variable with its key.")
@click.option("--concurrency", type=click.IntRange(1, 256), help="Calls in flight at once.")
@click.option("--all", "again", is_flag=True, help="Ask anew for what is recorded already.")
@click.option("--allow-remote", is_flag=True, help="Allow a judge that is not on this network.")
def probe(  # noqa: PLR0913 - one for each option
    *,
    evals: tuple[str, ...],
    kinds: tuple[str, ...],
    limit: int | None,
    samples: int,
    plan_only: bool,
    judge_name: str | None,
    judge_url: str | None,
    model: str | None,
    api_key_env: str | None,
    concurrency: int | None,
    again: bool,
    allow_remote: bool,
) -> None:
    """Ask a live judge about changed cases, and stage its verdicts for review.

    Each kind changes one thing that no verdict should rest on: the place of an answer, its length,
    its format, names and blanks, the seed. The recordings stand beside the eval's own; runs and
    gates do not see them, `judgekit bias report` does. An interrupted probe goes on where it
    stopped.

    \b
    judgekit bias probe support-answers --kind padding --limit 20 --plan
    """
    from judgekit.cli.record import record_all, with_judge
    from judgekit.engines.local import LocalEngine
    from judgekit.evals.session import Session

    if under_ci() and not plan_only:
        raise RecordingRefused(
            "probing records, which is refused under CI: probe on your machine, review, commit "
            "the cassettes"
        )
    opened = open_session()
    changes = {"url": judge_url, "model": model, "api_key_env": api_key_env}
    project = with_judge(opened.project, judge_name, changes)
    at_once = concurrency or max((j.concurrency for j in project.judges.values()), default=1)
    session = Session(project, LocalEngine(at_once), opened.clock)
    work = _work(session, evals, kinds, limit, samples)
    requests, missing = _surveyed(work)
    if plan_only:
        _show_plan(session, requests, missing)
        return
    for name, judge in project.judges.items():
        check_place(name, judge, allow_remote=allow_remote)
    record_all(work, requests if again else missing, len(requests), again=again)


def _work(
    session: Session,
    names: tuple[str, ...],
    kinds: tuple[str, ...],
    limit: int | None,
    samples: int,
) -> list[tuple[Session, list[EvalDefinition]]]:
    """Return the probes to record: as the judge is configured, and with greedy judges sampling.

    Raises:
        ConfigError: none of the kinds applies to any scorer of these evals.
    """
    from judgekit.evals.bias_probes import judged, probes, sampling, with_outputs
    from judgekit.evals.rubric_use import narrowed

    wanted = [variant for variant in VARIANTS if not kinds or variant.kind.value in kinds]
    found: list[Probe] = []
    for whole in session.evals(names):
        own = judged(whole)
        if own is None:
            continue
        first = narrowed(own, own.scorers, first=limit)
        found += probes(with_outputs(first, session.project.root), wanted, samples)
    if not found:
        what = ", ".join(kinds) or "any kind"
        raise ConfigError(
            f"nothing to probe: no case of a judged scorer of these evals can be changed by {what}"
        )
    drawn = [each.definition for each in found if each.variant.kind is ProbeKind.SAMPLES]
    others = [each.definition for each in found if each.variant.kind is not ProbeKind.SAMPLES]
    pairs = [(session, others), (sampling(session), drawn)]
    return [(own, definitions) for own, definitions in pairs if definitions]


def _surveyed(
    work: Sequence[tuple[Session, Sequence[EvalDefinition]]],
) -> tuple[list[JudgeRequest], list[JudgeRequest]]:
    """Return every request that the probes make, and those that nothing is recorded for.

    One question that two orders ask alike counts once.
    """
    requests: dict[str, JudgeRequest] = {}
    missing: dict[str, JudgeRequest] = {}
    for session, definitions in work:
        for each in session.survey(definitions):
            key = _key(each.request)
            requests[key] = each.request
            if each.state != "hit":
                missing[key] = each.request
    return list(requests.values()), list(missing.values())


def _key(request: JudgeRequest) -> str:
    return request.model_dump_json(exclude={"parts"})


def _show_plan(
    session: Session, requests: Sequence[JudgeRequest], missing: Sequence[JudgeRequest]
) -> None:
    from collections import Counter

    from judgekit.cli.tables import plain_table
    from judgekit.evals.plan import estimate

    due = Counter((r.origin.eval, r.origin.scorer) for r in missing)
    every = Counter((r.origin.eval, r.origin.scorer) for r in requests)
    rows = [(name, own, str(every[name, own]), str(due[name, own])) for name, own in every]
    for line in plain_table(("eval", "probe", "calls", "missing"), rows, figures=2):
        click.echo(line)
    took = estimate(session, [_as_the_scorers_own(request) for request in missing])
    basis = "by what is recorded" if took.measured else "by rules of thumb"
    click.echo(
        f"{counted(len(requests), 'judge request')}, {len(missing)} not recorded: about "
        f"{took.tokens:,} tokens and {took.minutes} minutes ({basis})"
    )


def _as_the_scorers_own(request: JudgeRequest) -> JudgeRequest:
    """Return a probe's request as if its scorer had made it: what that took is recorded."""
    from judgekit.bias.probes import base_scorer

    origin = request.origin.model_copy(update={"scorer": base_scorer(request.origin.scorer)})
    return request.model_copy(update={"origin": origin})
