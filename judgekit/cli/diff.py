"""``judgekit diff``: what changed between two runs, by case and scorer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from judgekit.cli.state import stored_runs
from judgekit.cli.tables import plain_table
from judgekit.errors import ConfigError
from judgekit.gate.errors import one_line
from judgekit.gate.run import EvalRun, GradeRecord
from judgekit.ledger.difference import Change, Difference, difference

_SHOWN = 20
_REASON_SHOWN = 200


@click.command()
@click.argument("before")
@click.argument("after")
@click.option("--format", "form", type=click.Choice(["console", "json"]), default="console")
@click.option("--all", "whole", is_flag=True, help="Show every change, not only the first 20.")
def command(before: str, after: str, form: str, whole: bool) -> None:
    """Show what changed from one run to another: settings, scores, and each grade.

    A run is an id that `judgekit history` shows, or a file of `judgekit run --format json`. This
    shows and judges nothing: it exits with 0 however much changed. `judgekit gate` judges.
    """
    old, new = stored_runs(before), stored_runs(after)
    differences = [difference(*pair) for pair in _pairs(old, new)]
    if form == "json":
        records = [_record(each) for each in differences]
        click.echo(json.dumps(records, ensure_ascii=False, indent=2))
        return
    for line in _unpaired(old, new):
        click.echo(line)
    for each in differences:
        for line in _lines(each, None if whole else _SHOWN):
            click.echo(line)


def _pairs(old: Sequence[EvalRun], new: Sequence[EvalRun]) -> list[tuple[EvalRun, EvalRun]]:
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    by_name = {run.name: run for run in old}
    pairs = [(by_name[run.name], run) for run in new if run.name in by_name]
    if not pairs:
        raise ConfigError("the two have no eval in common; name two runs of one eval")
    return pairs


def _unpaired(old: Sequence[EvalRun], new: Sequence[EvalRun]) -> Iterator[str]:
    before, after = {run.name for run in old}, {run.name for run in new}
    for name in sorted(before - after):
        yield f"eval {name}: only in the first"
    for name in sorted(after - before):
        yield f"eval {name}: only in the second"


def _lines(found: Difference, limit: int | None) -> Iterator[str]:
    yield found.eval
    for setting in found.settings:
        yield f"  {setting.what}: {one_line(setting.before)} → {one_line(setting.after)}"
    heads = ["scorer", "before", "after", "change"]
    rows = [
        [
            "(whole eval)" if shift.scorer is None else shift.scorer,
            _number(shift.before),
            _number(shift.after),
            "–" if shift.change is None else f"{shift.change:+.4g}",
        ]
        for shift in found.shifts
    ]
    for line in plain_table(heads, rows, figures=3):
        yield f"  {line}"
    for what in ("added", "removed", "edited"):
        if names := getattr(found, what):
            yield f"  cases {what}: {_some(names, limit)}"
    for change in found.changes[:limit]:
        yield from _change(change)
    hidden = len(found.changes) - len(found.changes[:limit])
    if hidden:
        yield f"  … and {hidden:,} more (--all shows them)"
    yield f"  {len(found.changes):,} of {len(found.changes) + found.unchanged:,} grades changed"


def _change(change: Change) -> Iterator[str]:
    edited = " (the case was edited)" if change.edited else ""
    where = one_line(f"{change.case} / {change.scorer}")
    before, after = _grade(change.before), _grade(change.after)
    yield f"  {change.kind}: {where}: {before} → {after}{edited}"
    yield f"    - {_reason(change.before)}"
    yield f"    + {_reason(change.after)}"


def _some(names: Sequence[str], limit: int | None) -> str:
    shown = ", ".join(map(one_line, names[:limit]))
    hidden = len(names) - len(names[:limit])
    return f"{shown} and {hidden:,} more" if hidden else shown


def _grade(grade: GradeRecord) -> str:
    return grade.status if grade.score is None else f"{grade.status} {grade.score:.4g}"


def _reason(grade: GradeRecord) -> str:
    reason = one_line(grade.reason)
    return reason if len(reason) <= _REASON_SHOWN else f"{reason[: _REASON_SHOWN - 1]}…"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _record(found: Difference) -> dict[str, object]:
    return {
        "eval": found.eval,
        "settings": [asdict(setting) for setting in found.settings],
        "shifts": [asdict(shift) for shift in found.shifts],
        "changes": [_change_record(change) for change in found.changes],
        "added": list(found.added),
        "removed": list(found.removed),
        "edited": list(found.edited),
        "unchanged": found.unchanged,
    }


def _change_record(change: Change) -> dict[str, object]:
    return {
        "kind": change.kind,
        "case": change.case,
        "scorer": change.scorer,
        "edited": change.edited,
        "before": _grade_record(change.before),
        "after": _grade_record(change.after),
    }


def _grade_record(grade: GradeRecord) -> dict[str, object]:
    return {"status": grade.status, "score": grade.score, "reason": grade.reason}
