"""A bias report as text, Markdown and JSON; each is a pure function of the rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.bias.observation import CONFIDENCE, HALF_WIDTH, Row, Seat
from judgekit.errors import Cause
from judgekit.gate.errors import one_line
from judgekit.report.report import counted

FORM = "judgekit-bias/1"
TITLE = "judgekit bias report"

HEADS = ("measure", "where", "judge", "estimate", "95 % interval", "n", "for ±0.05", "says")


@dataclass(frozen=True, slots=True)
class Unread:
    """Verdicts that an eval asks for and that could not be read."""

    where: str
    judge: str
    cause: Cause
    count: int
    problem: str


@dataclass(frozen=True, slots=True)
class BiasReport:
    """Everything that a bias report shows.

    Attributes:
        verdicts: how many recorded verdicts it rests on.
    """

    evals: tuple[str, ...]
    seats: tuple[Seat, ...]
    rows: tuple[Row, ...]
    unread: tuple[Unread, ...]
    verdicts: int


def cells(row: Row) -> tuple[str, ...]:
    """Return a row as the cells below `HEADS`; a dash where there is no figure."""
    estimate = "–" if row.estimate is None else f"{row.estimate:.3f}"
    interval = "–"
    if row.interval is not None:
        interval = f"{row.interval.low:.3f} to {row.interval.high:.3f}"
    needed = "–" if row.needed is None else f"{row.needed:,}"
    n = "–" if row.estimate is None and not row.n else str(row.n)
    return (row.measure, row.where, row.judge or "–", estimate, interval, n, needed, row.says)


def told(report: BiasReport) -> list[Row]:
    """Return the rows with an estimate."""
    return [row for row in report.rows if row.estimate is not None]


def untold(report: BiasReport) -> list[Row]:
    """Return the rows without one."""
    return [row for row in report.rows if row.estimate is None]


def summary(report: BiasReport) -> str:
    """Return the sentence that a report closes with."""
    biased = [row for row in report.rows if row.finding == "bias"]
    shown = told(report)
    line = (
        f"{counted(report.verdicts, 'recorded verdict')}: {counted(len(shown), 'measure')} told, "
        f"{len(report.rows) - len(shown)} cannot be told; {len(biased)} of them a bias"
    )
    tests = sum(row.p_value is not None for row in report.rows)
    return f"{line} (Holm's correction over {counted(tests, 'test')})"


def unread_lines(report: BiasReport) -> Iterator[str]:
    """Yield a line for every kind of verdict that could not be read."""
    for each in report.unread:
        judge = f" / {each.judge}" if each.judge else ""
        why = "not recorded" if each.cause is Cause.MISS else one_line(each.problem)
        yield f"{each.where}{judge}: {each.count} left out ({each.cause.value}): {why}"


def to_markdown(report: BiasReport) -> str:
    """Return the report as Markdown."""
    lines = [f"# {TITLE}: {', '.join(report.evals)}", ""]
    shown = told(report)
    if shown:
        lines += [_line(HEADS), _line(["---"] * 3 + ["---:"] * 4 + ["---"])]
        lines += [_line([_escaped(cell) for cell in cells(row)]) for row in shown]
        lines.append("")
    if untold(report):
        lines += ["Not told:", ""]
        lines += [f"- {_escaped(line)}" for line in untold_lines(report)]
        lines.append("")
    left_out = list(unread_lines(report))
    if left_out:
        lines += ["Left out:", "", *(f"- {_escaped(line)}" for line in left_out), ""]
    return "\n".join([*lines, summary(report), ""])


def untold_lines(report: BiasReport) -> Iterator[str]:
    """Yield what can't be told: a line for every measure and reason, with all whom it concerns."""
    groups: dict[tuple[str, str], list[str]] = {}
    for row in untold(report):
        place = ", ".join(part for part in (row.where, row.judge) if part)
        groups.setdefault((row.measure, row.says), []).append(place)
    for (measure, says), places in groups.items():
        named = "; ".join(place for place in places if place)
        yield f"{measure}{f' ({named})' if named else ''}: {says}"


def _line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _escaped(text: str) -> str:
    plain = one_line(text)
    for mark in ("\\", "|", "<", ">", "*", "_", "["):
        plain = plain.replace(mark, "\\" + mark)
    return plain


def to_json(report: BiasReport) -> str:
    """Return the report as JSON: the same bytes for the same recordings."""
    value = {
        "format": FORM,
        "confidence": CONFIDENCE,
        "half_width": HALF_WIDTH,
        "evals": list(report.evals),
        "verdicts": report.verdicts,
        "judges": [
            {
                "eval": seat.eval,
                "scorer": seat.scorer,
                "judge": seat.judge,
                "model": seat.model,
                "kind": seat.kind.value,
            }
            for seat in report.seats
        ],
        "rows": [_row(row) for row in report.rows],
        "unread": [
            {
                "where": each.where,
                "judge": each.judge,
                "cause": each.cause.value,
                "count": each.count,
                "problem": each.problem,
            }
            for each in report.unread
        ],
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _row(row: Row) -> dict[str, Any]:
    interval = None if row.interval is None else [_rounded(end) for end in row.interval]
    return {
        "measure": row.measure,
        "where": row.where,
        "judge": row.judge,
        "estimate": _rounded(row.estimate),
        "interval": interval,
        "n": row.n,
        "unit": row.unit,
        "needed": row.needed,
        "neutral": row.neutral,
        "p_value": _rounded(row.p_value),
        "adjusted_p_value": _rounded(row.adjusted),
        "finding": row.finding,
        "says": row.says,
        "remedy": row.remedy,
    }


def _rounded(value: float | None) -> float | None:
    """Round to what is the same on every machine: libraries differ in the last digits."""
    return None if value is None else float(f"{value:.9g}")
