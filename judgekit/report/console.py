"""The report for people at a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from judgekit.documents.document import printable
from judgekit.gate.run import EvalRun
from judgekit.report.report import (
    Report,
    counted,
    ended_otherwise,
    endings,
    number,
    passes,
    savings_line,
    troubled,
    verdict_line,
)

_CASES_SHOWN = 10
_REASON_SHOWN = 100
_UNUSED_SHOWN = 5


def print_report(report: Report, console: Console, *, verbose: bool = False) -> None:
    """Print the report.

    Args:
        verbose: whether to list every case that did not pass, and every miss with its diff.
    """
    for run in report.runs:
        _print_run(report, run, console, verbose=verbose)
    _print_misses(report, console, verbose=verbose)
    _print_unused(report, console)
    console.print(_plain(savings_line(report)), soft_wrap=True)
    colour = "green" if report.decision.exit_code == 0 else "red"
    console.print(f"[bold {colour}]{_plain(verdict_line(report))}[/]", soft_wrap=True)


def _print_run(report: Report, run: EvalRun, console: Console, *, verbose: bool) -> None:
    title = (
        f"[bold]{_plain(run.name)}[/]  score {number(run.score)}  threshold "
        f"{number(run.threshold)}  {len(run.cases)} cases  subject {_plain(run.subject)}  "
        f"prompt {_plain(run.prompt_version)}"
    )
    console.print(title, soft_wrap=True)
    console.print(_scorers(run))
    console.print(f"  {_plain(endings(run))}", soft_wrap=True)
    _print_ended_otherwise(run, console, verbose=verbose)
    for waiver in run.waivers:
        console.print(f"  [yellow]waiver[/] {_plain(waiver)}", soft_wrap=True)
    for finding in report.decision.of(run.name):
        colour = "red" if finding.blocking else "yellow"
        where = f"{_plain(finding.scorer)}: " if finding.scorer else ""
        console.print(
            f"  [{colour}]{finding.kind}[/] {where}{_plain(finding.detail)}", soft_wrap=True
        )
    shown = [each for each in troubled(run) if not (report.misses and each[2].cause == "miss")]
    if verbose:
        limit = len(shown)
    else:
        limit = _CASES_SHOWN
        shown.sort(key=lambda each: each[2].status != "error")
    for case, scorer, grade in shown[:limit]:
        colour = "red" if grade.status == "error" else "yellow"
        whole = verbose or grade.status == "error"  # an error's end says what to do
        console.print(
            f"  [{colour}]{grade.status}[/] {_plain(case)} / {_plain(scorer)}: "
            f"{_plain(grade.reason if whole else _clipped(grade.reason))}",
            soft_wrap=True,
        )
    if len(shown) > limit:
        console.print(f"  … and {len(shown) - limit} more (--verbose shows them)")
    console.print()


def _print_ended_otherwise(run: EvalRun, console: Console, *, verbose: bool) -> None:
    """Name the cases whose output was no success: such a one may pass a scorer all the same."""
    cases = ended_otherwise(run)
    for case in cases if verbose else cases[:_CASES_SHOWN]:
        console.print(
            f"  [yellow]ended[/] {_plain(case.id)}: {_plain(case.exit_class)}", soft_wrap=True
        )
    if not verbose and len(cases) > _CASES_SHOWN:
        console.print(f"  … and {len(cases) - _CASES_SHOWN} more (--verbose shows them)")


def _plain(text: str) -> str:
    """Return text of others for printing: no markup, no control character, no line break."""
    return escape(printable(text))


def _clipped(reason: str) -> str:
    return reason if len(reason) <= _REASON_SHOWN else reason[: _REASON_SHOWN - 1] + "…"


def _scorers(run: EvalRun) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=True, header_style="dim")
    table.add_column("  scorer", no_wrap=True)
    table.add_column("grader", no_wrap=True)
    table.add_column("judge", overflow="ellipsis")
    for name in ("mean", "passed", "errors"):
        table.add_column(name, justify="right", no_wrap=True)
    for scorer in run.scorers:
        passed, graded, errors = passes(run, scorer.name)
        table.add_row(
            f"  {scorer.name}",
            scorer.grader,
            ", ".join(scorer.judges) or "–",
            number(run.scorer_mean(scorer.name)),
            f"{passed}/{graded}",
            str(errors) if errors else "–",
        )
    return table


def _print_misses(report: Report, console: Console, *, verbose: bool) -> None:
    if not report.misses:
        return
    console.print(f"[bold red]{counted(len(report.misses), 'cassette miss')}[/]")
    for miss in report.misses:
        why = f"{', '.join(miss.changed)} changed" if miss.changed else "never recorded"
        console.print(
            f"  {_plain(miss.eval)} / {_plain(miss.scorer)} / {_plain(miss.case)}: {why} "
            f"(key {miss.key[:10]})",
            soft_wrap=True,
        )
        if verbose and miss.diff:
            for line in miss.diff.splitlines():
                console.print(f"      {_plain(line)}", soft_wrap=True, highlight=False)
    for command in dict.fromkeys(miss.command for miss in report.misses):
        console.print(f"  record them: {_plain(command)}", soft_wrap=True)
    if not verbose:
        console.print("  see what changed: judgekit plan --diff")
    console.print()


def _print_unused(report: Report, console: Console) -> None:
    if not report.unused:
        return
    console.print(
        f"[yellow]not used: {counted(len(report.unused), 'recording')}[/] (judgekit plan)"
    )
    for path in report.unused[:_UNUSED_SHOWN]:
        console.print(f"  {_plain(path)}", soft_wrap=True)
    if len(report.unused) > _UNUSED_SHOWN:
        console.print(f"  … and {len(report.unused) - _UNUSED_SHOWN} more")
    console.print()
