"""Scorecards of trials and ablations: for the terminal, as Markdown, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from judgekit.documents.document import one_line
from judgekit.gate.statistics.trials import TrialEstimate
from judgekit.trials.ablation import AblationScorecard, Contribution, Interaction
from judgekit.trials.figures import PassFigures, pass_rate_interval
from judgekit.trials.record import TrialRecord
from judgekit.trials.reports import SuiteReport, TaskReport

Row = tuple[str, ...]

NONE = "—"
"""What stands in the place of a figure that could not be measured."""


def suite_text(report: SuiteReport) -> str:
    """Return a suite's scorecard for the terminal."""
    return "\n".join([_head(report), *_table(_suite_rows(report)), *_notes(report)]) + "\n"


def suite_markdown(report: SuiteReport) -> str:
    """Return a suite's scorecard as Markdown, for the summary of a CI run."""
    notes = [f"- {_escaped(note)}" for note in _notes(report)]
    lines = [f"### {_escaped(_head(report))}", "", *_markdown(_suite_rows(report)), "", *notes]
    return "\n".join(lines).rstrip() + "\n"


def suite_json(report: SuiteReport) -> str:
    """Return a suite's report as JSON; the same trials give the same bytes, however they ran."""
    value = {
        "format": "judgekit-trials-report/1",
        "name": report.name,
        "k": report.k,
        "seed": report.seed,
        "flags": dict(sorted(report.flags.items())),
        "passed": report.passed,
        "errors": report.errors,
        "flaky": list(report.flaky),
        "faults": dict(report.faults),
        "waivers": list(report.waivers),
        "figures": _figures(report.figures),
        "by_suite": {suite.value: _figures(each) for suite, each in report.by_suite.items()},
        "tasks": [_task(task) for task in report.tasks],
    }
    return _json(value)


def ablation_text(scorecard: AblationScorecard) -> str:
    """Return an ablation's scorecard for the terminal."""
    parts = [_table(rows) for rows in _ablation_tables(scorecard)]
    lines = [line for part in parts for line in ("", *part)]
    return "\n".join([_ablation_head(scorecard), *lines]) + "\n"


def ablation_markdown(scorecard: AblationScorecard) -> str:
    """Return an ablation's scorecard as Markdown."""
    parts = [_markdown(rows) for rows in _ablation_tables(scorecard)]
    lines = [line for part in parts for line in ("", *part)]
    return "\n".join([f"### {_escaped(_ablation_head(scorecard))}", *lines]) + "\n"


def ablation_json(scorecard: AblationScorecard) -> str:
    """Return an ablation's scorecard as JSON."""
    value = {
        "format": "judgekit-ablation/1",
        "design": scorecard.design.value,
        "trials": scorecard.trials,
        "subsystems": list(scorecard.subsystems),
        "baseline_pass_at_1": scorecard.baseline_pass_at_1,
        "errors": scorecard.errors,
        "cells": [
            {
                "variant": cell.variant,
                "flags": dict(cell.flags),
                "pass_at_1": cell.pass_at_1,
                "errors": cell.report.errors,
                "figures": _figures(cell.report.figures),
            }
            for cell in scorecard.cells
        ],
        "contributions": [
            {"subsystem": each.subsystem, **_effect(each)} for each in scorecard.contributions
        ],
        "interactions": [
            {"subsystems": list(each.subsystems), **_effect(each)}
            for each in scorecard.interactions
        ],
    }
    return _json(value)


def _head(report: SuiteReport) -> str:
    verdict = "passed" if report.passed else "failed"
    most = max(len(task.trials) for task in report.tasks)
    return f"{report.name}: {verdict}; {len(report.tasks)} tasks, {most} trials each"


def _suite_rows(report: SuiteReport) -> list[Row]:
    k = report.k
    head = ("task", "suite", "passed", "errors", "pass@1", f"pass@{k}", f"pass^{k}", "score")
    rows = [head, *(_task_row(task) for task in report.tasks)]
    for suite, figures in report.by_suite.items():
        rows.append((f"mean of {suite.value}", suite.value, "", "", *_shown(figures), ""))
    rows.append(("mean of all", "", "", str(report.errors), *_shown(report.figures), ""))
    return rows


def _task_row(task: TaskReport) -> Row:
    return (
        task.task.id,
        task.task.suite.value,
        f"{task.passed} of {task.graded}",
        str(task.errors),
        *_shown(task.figures),
        _number(task.mean_score),
    )


def _shown(figures: PassFigures | None) -> tuple[str, str, str]:
    if figures is None:
        return (NONE, NONE, NONE)
    estimates = (figures.pass_at_1, figures.pass_at_k, figures.pass_pow_k)
    first, second, third = (_with_interval(each) for each in estimates)
    return (first, second, third)


def _with_interval(estimate: TrialEstimate) -> str:
    low, high = estimate.interval
    return f"{_number(estimate.value)} [{_number(low)}, {_number(high)}]"


def _notes(report: SuiteReport) -> list[str]:
    faults = [f"{task}: {fault}" for task, fault in report.faults.items()]
    flaky = [f"{task}: flaky, some trials passed and some failed" for task in report.flaky]
    reasons = [
        f"{task.task.id}, trial {trial.trial + 1}: {name}: {one_line(grade.reason)}"
        for task in report.tasks
        for trial in task.trials
        for name, grade in trial.grades.items()
        if not grade.passed
    ]
    waivers = [f"waiver: {waiver}" for waiver in report.waivers]
    return [*faults, *flaky, *reasons, *waivers]


def _ablation_head(scorecard: AblationScorecard) -> str:
    errors = f"; {scorecard.errors} trials in error" if scorecard.errors else ""
    return (
        f"ablation ({scorecard.design.value}): pass@1 with everything on "
        f"{_number(scorecard.baseline_pass_at_1)}; {scorecard.trials} trials a setting{errors}"
    )


def _ablation_tables(scorecard: AblationScorecard) -> Iterable[list[Row]]:
    k = scorecard.cells[0].report.k
    cells = [
        (cell.variant, _number(cell.pass_at_1), _shown(cell.report.figures)[2])
        for cell in scorecard.cells
    ]
    yield [("variant", "pass@1", f"pass^{k}"), *cells]
    effects = [(each.subsystem, *_effect_row(each)) for each in scorecard.contributions]
    yield [("subsystem", "adds to pass@1", "95 % interval"), *effects]
    if scorecard.interactions:
        pairs = [
            (" × ".join(each.subsystems), *_effect_row(each)) for each in scorecard.interactions
        ]
        yield [("pair", "interaction", "95 % interval"), *pairs]


def _effect_row(effect: Contribution | Interaction) -> tuple[str, str]:
    if effect.delta_pass_at_1 is None or effect.interval is None:
        return (NONE, NONE)
    low, high = effect.interval
    return (_signed(effect.delta_pass_at_1), f"[{_signed(low)}, {_signed(high)}]")


def _effect(effect: Contribution | Interaction) -> dict[str, Any]:
    interval = None if effect.interval is None else [_plain(end) for end in effect.interval]
    return {"delta_pass_at_1": _plain(effect.delta_pass_at_1), "interval": interval}


def _task(task: TaskReport) -> dict[str, Any]:
    return {
        "id": task.task.id,
        "suite": task.task.suite.value,
        "kind": task.task.kind.value,
        "digest": task.task.digest,
        "smoke": task.task.smoke,
        "trials": len(task.trials),
        "graded": task.graded,
        "passed": task.passed,
        "errors": task.errors,
        "flaky": task.is_flaky,
        "fault": task.fault,
        "mean_score": _plain(task.mean_score),
        "pass_at_1_wilson": list(pass_rate_interval(*task.counts)),
        "figures": _figures(task.figures),
        "results": [_trial(trial) for trial in task.trials],
    }


def _trial(trial: TrialRecord) -> dict[str, Any]:
    """Return a trial without what changes from run to run: times, traces and folder names."""
    return {
        "trial": trial.trial,
        "seed": trial.seed,
        "status": trial.status.value,
        "score": trial.score,
        "exit_class": trial.exit_class,
        "grades": {
            name: {
                "status": grade.status.value,
                "score": grade.score,
                "cause": None if grade.cause is None else grade.cause.value,
                "reason": grade.reason,
            }
            for name, grade in trial.grades.items()
        },
    }


def _figures(figures: PassFigures | None) -> dict[str, Any] | None:
    if figures is None:
        return None
    return {
        "k": figures.k,
        "pass_at_1": _estimate(figures.pass_at_1),
        "pass_at_k": _estimate(figures.pass_at_k),
        "pass_pow_k": _estimate(figures.pass_pow_k),
        "naive_pass_pow_k": _plain(figures.naive_pass_pow_k),
    }


def _estimate(estimate: TrialEstimate) -> dict[str, Any]:
    return {
        "value": _plain(estimate.value),
        "interval": [_plain(end) for end in estimate.interval],
    }


def _plain(value: float | None) -> float | None:
    """Return a figure without the last digits, which rounding in sums decides, nor minus zero."""
    return None if value is None else round(value, 12) + 0.0


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"


def _signed(value: float) -> str:
    return f"{round(value, 9) + 0.0:+.3f}"


def _table(rows: Sequence[Row]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _markdown(rows: Sequence[Row]) -> list[str]:
    head, *rest = [f"| {' | '.join(_escaped(cell) or ' ' for cell in row)} |" for row in rows]
    return [head, "|" + "---|" * len(rows[0]), *rest]


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is: what an agent wrote must not draw the report."""
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]<>#|!~&" else letter for letter in text)
