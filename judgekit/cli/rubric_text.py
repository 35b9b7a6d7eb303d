"""How trials, calibrations, differences and flips of rubrics are shown: as text, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from judgekit.documents.document import printable
from judgekit.evals.rubric_asking import Tried
from judgekit.evals.rubric_versions import Cost, Flips
from judgekit.gate.run import GradeRecord
from judgekit.gate.statistics.distributions import Interval
from judgekit.judges.rubric import Rubric
from judgekit.report.report import counted
from judgekit.rubrics.calibration import CalibrationReport, Correction, Measured
from judgekit.rubrics.difference import Change

_COLOURS = {"passed": "green", "failed": "red", "error": "yellow"}


def print_trial(found: Sequence[Tried]) -> None:
    """Show each verdict beside the last recorded one, then which cases flipped."""
    for each in found:
        mark = "  FLIPPED" if each.flipped else ""
        click.echo(f"{each.scorer} / {printable(each.case)}{mark}")
        if each.before is None:
            click.echo("  was  nothing is recorded for this output")
        else:
            since = f"  ({', '.join(each.changed)} changed since)" if each.changed else ""
            click.echo(f"  was  {_grade(each.before)}{since}")
        click.secho(f"  now  {_grade(each.now)}", fg=_COLOURS[each.now.status])
    flipped = [each.case for each in found if each.flipped]
    compared = sum(each.before is not None and each.now.status != "error" for each in found)
    errors = sum(each.now.status == "error" for each in found)
    passes = sum(each.now.status == "passed" for each in found)
    click.echo(
        f"{counted(len(found), 'verdict')}: {passes} passed, "
        f"{len(found) - passes - errors} failed, {counted(errors, 'error')}; "
        f"of {compared} compared, {len(flipped)} flipped"
        f"{': ' + ', '.join(map(printable, flipped)) if flipped else ''}; nothing was recorded"
    )


def trial_as_json(found: Sequence[Tried]) -> dict[str, Any]:
    """Return a trial as a JSON object."""
    return {
        "verdicts": [{**asdict(each), "flipped": each.flipped} for each in found],
        "flipped": [each.case for each in found if each.flipped],
    }


def print_flips(found: Flips) -> None:
    """Show for each rewording how many verdicts turned."""
    for each in found.by_rewording:
        errors = f", {counted(each.errors, 'error')}" if each.errors else ""
        click.echo(
            f"{each.rewording.name:<10}{len(each.cases)} of {each.n} turned "
            f"({_between(each.interval)}){errors}: {each.rewording.what}"
        )
        if each.cases:
            click.echo(f"          {', '.join(map(printable, each.cases))}")
    if not found.total:
        click.echo("no verdict could be compared")
        return
    click.echo(
        f"{found.stable} of {found.total} verdicts stayed: stability "
        f"{found.stable / found.total:.3f} ({_between(found.interval)}); nothing was recorded"
    )


def flips_as_json(found: Flips) -> dict[str, Any]:
    """Return flips as a JSON object."""
    return {
        "rewordings": [
            {
                "name": each.rewording.name,
                "what": each.rewording.what,
                "criteria": each.rewording.rubric.criteria,
                "n": each.n,
                "turned": list(each.cases),
                "interval": list(each.interval),
                "errors": each.errors,
            }
            for each in found.by_rewording
        ],
        "stable": found.stable,
        "total": found.total,
        "interval": list(found.interval),
    }


def print_difference(
    old: Rubric, new: Rubric, found: Sequence[Change], cost: Cost, uses: Sequence[str]
) -> None:
    """Show what changed in meaning and what that costs."""
    click.echo(f"{old.id} {old.digest[:10]} -> {new.id} {new.digest[:10]}")
    for change in found:
        click.echo(f"{change.field}:{'' if change.told else ' (the judge is not shown it)'}")
        for line in change.lines:
            click.secho(f"  {line}", fg="red" if line.startswith("-") else "green")
    if not found:
        click.echo("the same in meaning")
    click.echo(f"used by: {', '.join(uses) or 'no scorer'}")
    for eval_name, scorer, case in cost.lost:
        click.echo(f"loses its recording: {eval_name} / {scorer} / {printable(case)}")
    _print_cost(cost)
    if found and not cost.lost:
        click.echo("no recording is lost; the gate asks for a bless, since another rubric decides")


def _print_cost(cost: Cost) -> None:
    estimate = cost.estimate
    click.echo(
        f"recordings: {counted(len(cost.lost), 'case')} lost, {counted(cost.kept, 'request')} "
        f"kept, {cost.missing} never made"
    )
    if estimate.calls:
        basis = "by what is recorded" if estimate.measured else "by rules of thumb"
        price = "" if cost.usd is None else f", {cost.usd:.4f} USD"
        click.echo(
            f"recording them: {counted(estimate.calls, 'call')}, about {estimate.tokens:,} tokens "
            f"and {estimate.minutes} minutes{price} ({basis})"
        )


def difference_as_json(
    old: Rubric, new: Rubric, found: Sequence[Change], cost: Cost
) -> dict[str, Any]:
    """Return a difference as a JSON object."""
    return {
        "old": {"id": old.id, "digest": old.digest},
        "new": {"id": new.id, "digest": new.digest},
        "changes": [asdict(change) for change in found],
        "lost": [dict(zip(("eval", "scorer", "case"), place, strict=True)) for place in cost.lost],
        "kept": cost.kept,
        "missing": cost.missing,
        "estimate": {**asdict(cost.estimate), "usd": cost.usd},
    }


def print_calibration(report: CalibrationReport, *, where: str) -> None:
    """Show a calibration, its plain sentence last."""
    measured = report.measured
    click.echo(f"{report.rubric} held to people, in {where}: {counted(measured.n, 'label')}\n")
    _print_table(report.by_category or measured)
    _print_measured(measured)
    if report.by_category is not None and report.by_category.kappa is not None:
        own = report.by_category
        click.echo(f"  over categories    {own.agree} of {own.n} agree, {_kappa(own)}")
    if report.alpha is not None:
        click.echo(f"  scores             Krippendorff's alpha {report.alpha:.3f} (interval)")
    for name, part in report.slices.items():
        click.echo(
            f"  {printable(name)[:18]:<18} {part.agree} of {part.n} agree "
            f"({_between(part.interval)}), {_kappa(part)}"
        )
    _print_people(report)
    _print_pass_rate(report)
    _print_disagreements(report)
    click.echo(f"\n{report.sentence}")


def calibration_as_json(report: CalibrationReport) -> dict[str, Any]:
    """Return a calibration as a JSON object."""
    shown = asdict(report)
    for name, measured in (("measured", report.measured), ("by_category", report.by_category)):
        if measured is not None:
            shown[name] |= _derived(measured)
    shown["slices"] = {name: asdict(part) | _derived(part) for name, part in report.slices.items()}
    return {**shown, "may_gate": report.may_gate, "sentence": report.sentence}


def _derived(measured: Measured) -> dict[str, Any]:
    return {
        "accuracy": measured.accuracy,
        "labels_for_half_width": measured.labels_for_half_width,
    }


def _print_table(measured: Measured) -> None:
    names = [printable(name)[:14] for name in measured.classes]
    width = max(8, *(len(name) + 2 for name in names))
    click.echo(f"  {'':<18} " + "".join(f"{'judge':>{width}}" for _ in names[:1]))
    click.echo(f"  {'people':<18} " + "".join(f"{name:>{width}}" for name in names))
    for name, row in zip(names, measured.table, strict=True):
        click.echo(f"  {name:<18} " + "".join(f"{count:>{width}}" for count in row))
    click.echo()


def _print_measured(measured: Measured) -> None:
    click.echo(
        f"  accuracy           {measured.accuracy:.3f} ({_between(measured.interval)}); "
        f"{measured.labels_for_half_width} labels would give it to ±0.05"
    )
    click.echo(f"  Cohen's kappa      {_kappa(measured).removeprefix('kappa ')}")
    if measured.balanced is not None:
        click.echo(f"  balanced accuracy  {measured.balanced:.3f}")
    click.echo(
        f"  a constant judge   {measured.constant:.3f} (one that always says the commonest label)"
    )


def _kappa(measured: Measured) -> str:
    if measured.kappa is None or measured.kappa_interval is None:
        return "kappa unknown: labels of one class only"
    if any(sum(column) == measured.n for column in zip(*measured.table, strict=True)):
        return f"kappa {measured.kappa:.3f}: the judge says one thing only"
    return f"kappa {measured.kappa:.3f} ({_between(measured.kappa_interval)})"


def _print_people(report: CalibrationReport) -> None:
    people = report.people
    if people is not None:
        kappa = (
            ""
            if people.kappa is None or people.kappa_interval is None
            else f", kappa {people.kappa:.3f} ({_between(people.kappa_interval)})"
        )
        click.echo(
            f"  people             agree on {people.agree} of {people.pairs} pairs "
            f"({_between(people.interval)}), alpha {people.alpha:.3f}{kappa}; "
            f"{people.reviewers} reviewers, {counted(people.cases, 'case')}"
        )
    if report.split:
        click.echo(
            f"  left out           {counted(len(report.split), 'case')} on which people are split: "
            f"{', '.join(map(printable, report.split))}"
        )
    for each in report.errors:
        click.echo(f"  no verdict         {printable(each.case)}: {printable(each.reason)}")


def _print_pass_rate(report: CalibrationReport) -> None:
    click.echo(
        f"\n  pass rate by people, labelled cases          {report.human_rate:.3f} "
        f"({_between(report.human_interval)})"
    )
    click.echo(f"  pass rate by the judge, all cases            {report.pass_rate:.3f}")
    if not report.judged:
        click.echo(f"  not corrected: {report.rogan_gladen.why_not}")
        return
    over = counted(report.judged, "unlabelled case")
    _print_correction(f"corrected (Rogan-Gladen), {over}", report.rogan_gladen)
    _print_correction(f"prediction-powered, {over}", report.prediction_powered)


def _print_correction(name: str, correction: Correction) -> None:
    if correction.corrected is None:
        click.echo(f"  {name}: none: {correction.why_not}")
        return
    low, high = (min(1.0, max(0.0, end)) for end in correction.corrected.interval)
    estimate = min(1.0, max(0.0, correction.corrected.estimate))
    click.echo(f"  {name:<44} {estimate:.3f} ({_between(Interval(low, high))})")


def _print_disagreements(report: CalibrationReport) -> None:
    if report.disagreements:
        click.echo(f"\n{counted(len(report.disagreements), 'disagreement')}:")
    for each in report.disagreements:
        click.echo(f"  {printable(each.case)}: people say {each.human}, the judge {each.judge}")
        click.echo(f"    judge:  {printable(each.judge_reason)}")
        if each.human_reason:
            click.echo(f"    people: {printable(each.human_reason)}")


def _grade(grade: GradeRecord) -> str:
    score = "" if grade.score is None else f" {grade.score:.3g}"
    return f"{grade.status}{score}: {printable(grade.reason)}"


def _between(interval: Interval) -> str:
    return f"{interval.low:.3f} to {interval.high:.3f}"
