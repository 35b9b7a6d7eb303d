"""The report as one HTML page that needs nothing else: no script, no font, no network.

What a judge or a subject model said is text in it, never markup: every value goes through `_text`,
and the page forbids itself to load or run anything, should a browser be fooled all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from unicodedata import category

from judgekit.gate.finding import Figure, Finding
from judgekit.gate.run import CaseResult, EvalRun, GradeRecord
from judgekit.report.report import (
    MissNote,
    Report,
    endings,
    number,
    passes,
    savings_line,
    verdict_line,
)

CASES_SHOWN = 1000
"""The most cases of an eval that the page shows; those that did not pass come first."""
_UNUSED_SHOWN = 200
_KEPT = "\n\t\u200c\u200d"
"""What is kept though it does not print: line ends, tabs, and the joiners that scripts need."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --page: #fff; --soft: #59636e; --line: #d1d9e0;
  --pale: #f6f8fa; --good: #116329; --bad: #a40e26; --warn: #7d4e00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --page: #0d1117; --soft: #9198a1; --line: #3d444d; --pale: #151b23;
    --good: #56d364; --bad: #ff8182; --warn: #e3b341; } }
body { color: var(--text); background: var(--page); font: 16px/1.5 system-ui, sans-serif;
  max-width: 75rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-size: .9rem; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left;
  vertical-align: top; }
thead th { background: var(--pale); white-space: nowrap; }
td.figure { text-align: right; white-space: nowrap; }
p.said, pre { margin: .2rem 0 0; white-space: pre-wrap; unicode-bidi: isolate;
  overflow-wrap: anywhere; }
p.said { min-width: 8rem; }
p.said, .soft { color: var(--soft); }
pre { background: var(--pale); border: 1px solid var(--line); padding: .5rem; font-size: .85rem; }
.passed, .good { color: var(--good); } .failed, .warn { color: var(--warn); }
.error, .bad { color: var(--bad); } .passed, .failed, .error, .good, .bad { font-weight: 600; }
details { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .9rem;
  margin: .75rem 0; }
summary { cursor: pointer; font-weight: 600; } .wide { overflow-x: auto; }
@media print { details > * { display: block; } }
"""


def to_html(report: Report) -> str:
    """Return the report as an HTML page; the same bytes for the same report."""
    return "\n".join(_page(report)) + "\n"


def _page(report: Report) -> Iterator[str]:
    passed = report.decision.exit_code == 0
    verdict = _text(verdict_line(report))
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>judgekit: {verdict}</title><style>{_STYLE}</style></head><body><main>"
    yield f'<h1>judgekit: <span class="{"good" if passed else "bad"}">{verdict}</span></h1>'
    yield f'<p class="soft">{_text(savings_line(report))}</p>'
    yield from _overview(report)
    yield from _findings(report.decision.findings)
    yield from _misses(report.misses)
    yield from _unused(report.unused)
    for run in report.runs:
        yield from _eval(run, is_open=not report.decision.eval_passed(run.name))
    yield "</main></body></html>"


def _overview(report: Report) -> Iterator[str]:
    heads = ("eval", "gate", "score", "threshold", "cases", "errors", "subject", "prompt")
    rows = [
        [
            _cell(run.name),
            _cell("passed", "good")
            if report.decision.eval_passed(run.name)
            else _cell("failed", "bad"),
            _cell(number(run.score), "figure"),
            _cell(number(run.threshold), "figure"),
            _cell(str(len(run.cases)), "figure"),
            _cell(str(run.errors), "figure"),
            _cell(run.subject),
            _cell(run.prompt_version),
        ]
        for run in report.runs
    ]
    yield from _table(heads, rows)


def _findings(findings: Iterable[Finding]) -> Iterator[str]:
    rows = [
        [
            _cell(finding.kind.value, "bad" if finding.blocking else "warn"),
            _cell("blocks" if finding.blocking else "informs"),
            _cell(finding.eval if finding.scorer is None else f"{finding.eval} / {finding.scorer}"),
            _cell(_figure(finding.actual), "figure"),
            _cell(_figure(finding.baseline), "figure"),
            f"<td>{_text(finding.detail)}{_behind(finding.cases)}</td>",
        ]
        for finding in findings
    ]
    if rows:
        yield "<h2>Findings</h2>"
        heads = ("finding", "effect", "where", "actual", "held against", "detail")
        yield from _table(heads, rows)


def _figure(figure: Figure) -> str:
    return figure if isinstance(figure, str) else number(figure)


def _behind(cases: tuple[str, ...]) -> str:
    """Return the cases behind a finding, folded away where they are many."""
    if not cases:
        return ""
    listed = ", ".join(_text(case) for case in cases[:CASES_SHOWN])
    more = f", … and {len(cases) - CASES_SHOWN} more" if len(cases) > CASES_SHOWN else ""
    if len(cases) <= 5:
        return f'<p class="said">{listed}</p>'
    return f"<details><summary>{len(cases)} cases</summary>{listed}{more}</details>"


def _misses(misses: tuple[MissNote, ...]) -> Iterator[str]:
    if not misses:
        return
    yield f"<h2>{len(misses)} cassette {'misses' if len(misses) > 1 else 'miss'}</h2><ul>"
    for miss in misses:
        why = f"{', '.join(miss.changed)} changed" if miss.changed else "never recorded"
        where = _text(f"{miss.eval} / {miss.scorer} / {miss.case}")
        yield f"<li>{where}: {_text(why)} (key {_text(miss.key[:10])})"
        if miss.diff:
            yield f"<details><summary>what changed</summary><pre>{_text(miss.diff)}</pre></details>"
        yield "</li>"
    yield "</ul>"
    for command in dict.fromkeys(miss.command for miss in misses):
        yield f"<p>Record them: <code>{_text(command)}</code></p>"


def _unused(paths: tuple[str, ...]) -> Iterator[str]:
    if not paths:
        return
    yield f"<details><summary>Recordings that nothing asked for: {len(paths)}</summary><ul>"
    yield from (f"<li><code>{_text(path)}</code></li>" for path in paths[:_UNUSED_SHOWN])
    if len(paths) > _UNUSED_SHOWN:
        yield f"<li>… and {len(paths) - _UNUSED_SHOWN} more</li>"
    yield "</ul></details>"


def _eval(run: EvalRun, *, is_open: bool) -> Iterator[str]:
    yield f"<h2>{_text(run.name)}</h2>"
    yield from _scorers(run)
    for waiver in run.waivers:
        yield f'<p><span class="warn">waiver</span> {_text(waiver)}</p>'
    yield f'<p class="soft">{_text(endings(run))}.</p>'
    yield f"<details{' open' if is_open else ''}><summary>{len(run.cases)} cases</summary>"
    shown = sorted(run.cases, key=_severity)[:CASES_SHOWN]
    names = [scorer.name for scorer in run.scorers]
    rows = [
        [
            f'<th scope="row">{_text(case.id)}</th>',
            _cell(case.exit_class),
            *(_grade(case.grades[name]) for name in names),
        ]
        for case in shown
    ]
    yield from _table(("case", "ended", *names), rows)
    if len(run.cases) > len(shown):
        left = len(run.cases) - len(shown)
        yield f"<p>… and {left} more cases; the JSON report holds them all.</p>"
    yield "</details>"


def _scorers(run: EvalRun) -> Iterator[str]:
    rows = []
    for scorer in run.scorers:
        passed, graded, errors = passes(run, scorer.name)
        rows.append(
            [
                _cell(scorer.name),
                _cell(scorer.grader),
                _cell(", ".join(scorer.judges) or "–"),
                _cell(scorer.rubric or "–"),
                _cell(number(run.scorer_mean(scorer.name)), "figure"),
                _cell(f"{passed}/{graded}", "figure"),
                _cell(str(errors), "figure"),
            ]
        )
    yield from _table(("scorer", "grader", "judge", "rubric", "mean", "passed", "errors"), rows)


def _severity(case: CaseResult) -> int:
    """Return 0 for a case with an error, 1 for one that failed, 2 for one that passed."""
    statuses = {grade.status for grade in case.grades.values()}
    return 0 if "error" in statuses else 1 if "failed" in statuses else 2


def _grade(grade: GradeRecord) -> str:
    measured = number(grade.score) if grade.cause is None else _text(grade.cause)
    said = f'<p class="said">{_text(grade.reason)}</p>' if grade.reason.strip() else ""
    return f'<td><span class="{grade.status}">{grade.status}</span> {measured}{said}</td>'


def _table(heads: Iterable[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f'<th scope="col">{_text(head)}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    yield from (f"<tr>{''.join(row)}</tr>" for row in rows)
    yield "</tbody></table></div>"


def _cell(text: str, style: str = "") -> str:
    return f'<td class="{style}">{_text(text)}</td>' if style else f"<td>{_text(text)}</td>"


def _text(text: str) -> str:
    """Return text as the page shows it: no markup, and nothing that hides or turns text around."""
    if not text.isprintable():
        text = "".join(map(_seen, text.replace("\r\n", "\n")))
    return escape(text)


def _seen(character: str) -> str:
    if character.isprintable() or character in _KEPT or category(character) == "Zs":
        return character
    return ascii(character)[1:-1]
