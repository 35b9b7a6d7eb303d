"""A run held against its own limits: threshold, Wilson floors, allowed errors, calibration."""

from __future__ import annotations

from collections.abc import Iterator

from .baseline import EPS
from .exit_codes import NEVER_ALLOWED
from .finding import Finding, Kind, RunSummary, ScorerSummary, counted, in_error
from .statistics.proportions import cases_for_floor, wilson_lower_bound

_PLACES = 9


def rounded(value: float) -> float:
    """Round a figure that went through a logarithm or a root, so that it is the same everywhere."""
    return round(value, _PLACES)


def apart(first: float, second: float) -> tuple[str, str]:
    """Return two figures as text, with as few digits as still tell them apart."""
    for digits in (4, 6, 9):
        pair = f"{first:.{digits}g}", f"{second:.{digits}g}"
        if pair[0] != pair[1]:
            break
    return pair


def is_below(value: float, limit: float) -> bool:
    """Whether `value` is under `limit` by more than rounding. NaN is below everything."""
    return not value + EPS >= limit


def limit_findings(run: RunSummary) -> Iterator[Finding]:
    """Yield what `run` fails without any baseline."""
    yield from _errors(run)
    yield from _threshold(run)
    yield from _wilson_floors(run)
    for name, scorer in run.scorers.items():
        yield from _calibration(run.name, name, scorer)


def errors_block(run: RunSummary) -> bool:
    """Whether grades in error fail the run.

    They do where they are more than allowed, where one has a cause that is never allowed, and where
    a scorer graded nothing.
    """
    too_many = run.error_count > run.gate.allowed_errors
    return too_many or bool(_unforgiven(run)) or (run.error_count > 0 and run.score is None)


def _unforgiven(run: RunSummary) -> list[str]:
    return sorted(cause for cause in run.errors if cause in NEVER_ALLOWED)


def _errors(run: RunSummary) -> Iterator[Finding]:
    if not run.error_count:
        return
    causes = ", ".join(f"{count} {cause}" for cause, count in sorted(run.errors.items()))
    allowed = run.gate.allowed_errors
    if not errors_block(run):
        advice = f"within the {allowed} allowed; they are in no mean"
    elif run.error_count > allowed:
        advice = f"{allowed} allowed; mend what caused them, since an error is not a score"
    elif _unforgiven(run):
        advice = f"{' and '.join(_unforgiven(run))} is never allowed; mend what caused it"
    else:
        advice = "and a scorer graded nothing at all; mend what caused them"
    cases = tuple(c.id for c in run.cases if any(map(in_error, c.grades.values())))
    yield Finding(
        kind=Kind.ERRORS,
        eval=run.name,
        scorer=None,
        actual=run.error_count,
        baseline=allowed,
        detail=f"{counted(run.error_count, 'grade')} in error ({causes}), {advice}.",
        cases=cases,
        blocking=errors_block(run),
    )


def _threshold(run: RunSummary) -> Iterator[Finding]:
    if run.score is None:
        if run.error_count:
            return
        detail = "the score cannot be computed, because a scorer graded no case; run it again."
    elif not is_below(run.score, run.threshold):
        return
    else:
        score, threshold = apart(run.score, run.threshold)
        detail = f"score {score} is below the threshold {threshold}; mend the failing cases."
    failing = tuple(c.id for c in run.cases if any(g.status == "failed" for g in c.grades.values()))
    yield Finding(Kind.BELOW_THRESHOLD, run.name, None, run.score, run.threshold, detail, failing)


def _wilson_floors(run: RunSummary) -> Iterator[Finding]:
    if run.wilson_floor is not None:
        passed, n = run.case_passes()
        yield from _wilson(run, None, run.wilson_floor, passed, n)
    for name, scorer in run.scorers.items():
        if scorer.info.wilson_floor is not None:
            yield from _wilson(run, name, scorer.info.wilson_floor, scorer.passed, scorer.n)


def _wilson(
    run: RunSummary, scorer: str | None, floor: float, passed: int, n: int
) -> Iterator[Finding]:
    confidence = run.gate.confidence
    bound = wilson_lower_bound(passed, n, confidence)
    if not is_below(bound, floor):
        return
    needed = cases_for_floor(floor, passed / n if n else 1.0, confidence) if floor < 1 else None
    advice = (
        f"{counted(needed, 'case')} at this pass rate would do"
        if needed is not None
        else "no number of cases would do at this pass rate"
    )
    low, limit = apart(bound, floor)
    yield Finding(
        kind=Kind.WILSON_BELOW_FLOOR,
        eval=run.name,
        scorer=scorer,
        actual=rounded(bound),
        baseline=floor,
        detail=(
            f"{passed} of {n} passed: the two-sided {confidence:.4g} Wilson lower bound {low} "
            f"is below the floor {limit}; {advice}."
        ),
    )


def _calibration(name: str, scorer: str, summary: ScorerSummary) -> Iterator[Finding]:
    needed = summary.info.calibration
    if needed is None:
        return
    if needed.kappa_low is None and needed.labels:
        detail = (
            f"its {counted(needed.labels, 'label')} hold one class only, or a labelled case has no "
            "verdict, so that kappa is unknown; label outputs that pass and outputs that fail."
        )
    elif needed.kappa_low is None:
        detail = "its judge was never held against human labels; calibrate the rubric first."
    elif is_below(needed.kappa_low, needed.min_kappa):
        low, limit = apart(needed.kappa_low, needed.min_kappa)
        detail = (
            f"kappa's lower bound {low} over {needed.labels} labels is below {limit}; improve the "
            "rubric, take a better judge, or label more cases."
        )
    else:
        return
    yield Finding(Kind.UNCALIBRATED_JUDGE, name, scorer, needed.kappa_low, needed.min_kappa, detail)
