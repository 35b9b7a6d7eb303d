"""The report as Markdown, for the summary page of a CI run or a pull request's comment."""

from __future__ import annotations

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

_CASES_SHOWN = 50


def to_markdown(report: Report) -> str:
    """Return the report as GitHub-flavoured Markdown; the same bytes for the same report."""
    mark = "✅" if report.decision.exit_code == 0 else "❌"
    lines = [f"## {mark} judgekit: {_text(verdict_line(report))}", ""]
    lines += [
        "| eval | score | threshold | cases | errors | blocking |",
        "|---|---|---|---|---|---|",
    ]
    for run in report.runs:
        blocking = sum(finding.blocking for finding in report.decision.of(run.name))
        lines.append(
            f"| {_cell(run.name)} | {number(run.score)} | {number(run.threshold)} "
            f"| {len(run.cases)} | {run.errors} | {blocking} |"
        )
    lines += ["", _text(savings_line(report)), ""]
    if report.decision.findings:
        lines += ["### Findings", ""]
        lines += [
            f"- {'**' if f.blocking else ''}{f.kind}{'**' if f.blocking else ''} "
            f"({_text(f.eval)}{f' / {_text(f.scorer)}' if f.scorer else ''}): {_text(f.detail)}"
            for f in report.decision.findings
        ]
        lines.append("")
    if report.misses:
        lines += [f"### {counted(len(report.misses), 'cassette miss')}", ""]
        for miss in report.misses:
            why = f"{', '.join(miss.changed)} changed" if miss.changed else "never recorded"
            where = f"{miss.eval} / {miss.scorer} / {miss.case}"
            lines.append(f"- {_text(where)}: {why}")
        commands = dict.fromkeys(miss.command for miss in report.misses)
        lines += ["", "Record them: " + ", ".join(f"`{command}`" for command in commands), ""]
    for run in report.runs:
        lines += _details(run)
    return "\n".join(lines).rstrip() + "\n"


def _details(run: EvalRun) -> list[str]:
    lines = [f"<details><summary>{_text(run.name)}</summary>", ""]
    lines += ["| scorer | grader | judge | mean | passed | errors |", "|---|---|---|---|---|---|"]
    for scorer in run.scorers:
        passed, graded, errors = passes(run, scorer.name)
        judges = _cell(", ".join(scorer.judges)) or "–"
        mean = number(run.scorer_mean(scorer.name))
        lines.append(
            f"| {_cell(scorer.name)} | {_cell(scorer.grader)} | {judges} | {mean} "
            f"| {passed}/{graded} | {errors} |"
        )
    lines += ["", *(f"Waiver: {_text(waiver)}" for waiver in run.waivers)]
    lines += [f"{_text(endings(run))}.", ""]
    otherwise = ended_otherwise(run)
    lines += [f"- {_text(c.id)}: {_text(c.exit_class)}" for c in otherwise[:_CASES_SHOWN]]
    if len(otherwise) > _CASES_SHOWN:
        lines.append(f"- … and {len(otherwise) - _CASES_SHOWN} more")
    lines.append("")
    found = troubled(run)
    ended = {case.id: case.exit_class for case in run.cases}
    if found:
        lines += ["| case | ended | scorer | status | reason |", "|---|---|---|---|---|"]
        lines += [
            f"| {_cell(case)} | {_cell(ended[case])} | {_cell(scorer)} | {grade.status} "
            f"| {_cell(grade.reason)} |"
            for case, scorer, grade in found[:_CASES_SHOWN]
        ]
    if len(found) > _CASES_SHOWN:
        lines += ["", f"… and {len(found) - _CASES_SHOWN} more"]
    return [*lines, "", "</details>", ""]


_ESCAPED = str.maketrans(
    {c: f"\\{c}" for c in "\\`*_[]#~"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


def _text(text: str) -> str:
    """Return text that stands in Markdown as it is: what a judge says is never markup."""
    return " ".join(text.split()).translate(_ESCAPED)


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")
