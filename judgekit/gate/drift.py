"""What changed between a run and its baseline besides the scores."""

from __future__ import annotations

from collections.abc import Iterator

from .baseline import BaselineEntry, BlessedScorer
from .finding import Figure, Finding, Kind, RunSummary, ScorerSummary, counted
from .limits import is_below
from .run import GateSettings

_BLESS = "if it is meant, bless the run"


def drift_findings(run: RunSummary, entry: BaselineEntry) -> Iterator[Finding]:
    """Yield every change of prompt, subject, limits, cases, scorers, judges and rubrics."""
    yield from _identity(run, entry)
    yield from _lowered(run.name, None, run.threshold, entry.threshold, "threshold")
    yield from _lowered(run.name, None, run.wilson_floor, entry.wilson_floor, "Wilson floor")
    if entry.gate is not None:
        for what in _eased(run.gate, entry.gate):
            yield _gate_changed(run, entry.gate, what)
    yield from _cases(run, entry)
    for name, prior in sorted(entry.scorers.items()):
        now = run.scorers.get(name)
        if now is None:
            detail = f"the baseline has this scorer and the run does not; {_BLESS}."
            yield Finding(Kind.MISSING_SCORER, run.name, name, None, prior.mean, detail)
        else:
            yield from _scorer(run.name, name, now, prior)
    for name, now in sorted(run.scorers.items()):
        if name not in entry.scorers:
            detail = "a new scorer, not held against anything until it is blessed."
            yield Finding(Kind.NEW_SCORER, run.name, name, now.mean, None, detail, blocking=False)


def _identity(run: RunSummary, entry: BaselineEntry) -> Iterator[Finding]:
    for kind, what, now, prior in (
        (Kind.PROMPT_VERSION_CHANGED, "prompt version", run.prompt_version, entry.prompt_version),
        (Kind.SUBJECT_CHANGED, "subject", run.subject, entry.subject),
    ):
        if now != prior:
            detail = (
                f"the {what} is another than the baseline's; its scores are held against the old "
                "one's, and blessing makes it the new mark."
            )
            yield Finding(kind, run.name, None, now, prior, detail, blocking=False)


def _lowered(
    name: str, scorer: str | None, now: float | None, prior: float | None, what: str
) -> Iterator[Finding]:
    if prior is not None and (now is None or is_below(now, prior)):
        detail = f"the {what} is lower than the baseline's; raise it again, or {_BLESS}."
        yield Finding(Kind.LOWERED_THRESHOLD, name, scorer, now, prior, detail)


def _eased(now: GateSettings, prior: GateSettings) -> Iterator[str]:
    """Yield the names of settings that may let through what the blessed ones did not.

    The two modes are not ordered: strict holds a mean that new cases may prop up, where statistical
    looks at the shared cases.
    """
    if now.mode != prior.mode:
        yield "mode"
    elif now.mode == "statistical":
        if now.alpha != prior.alpha:
            yield "alpha"
        capless = 0 in (now.max_drop, prior.max_drop)
        if now.max_drop != prior.max_drop and (capless or now.max_drop > prior.max_drop):
            yield "max_drop"
    if now.allowed_errors > prior.allowed_errors:
        yield "allowed_errors"
    if now.confidence < prior.confidence:
        yield "confidence"


def _gate_changed(run: RunSummary, prior: GateSettings, what: str) -> Finding:
    detail = (
        f"the gate's {what} is another than the baseline's, and may let through what it did not; "
        f"put it back, or {_BLESS}."
    )
    now, then = getattr(run.gate, what), getattr(prior, what)
    return Finding(Kind.GATE_CHANGED, run.name, None, now, then, detail)


def _scorer(name: str, scorer: str, now: ScorerSummary, prior: BlessedScorer) -> Iterator[Finding]:
    info = now.info
    yield from _lowered(name, scorer, info.wilson_floor, prior.wilson_floor, "Wilson floor")
    kappa = None if info.calibration is None else info.calibration.min_kappa
    yield from _lowered(name, scorer, kappa, prior.min_kappa, "least kappa")

    def changed(kind: Kind, what: str, actual: Figure, baseline: Figure) -> Finding:
        detail = f"{what}, so its scores are no longer the same measure; {_BLESS}."
        return Finding(kind, name, scorer, actual, baseline, detail)

    if info.grader != prior.grader:
        yield changed(Kind.SCORER_CHANGED, "another grader", info.grader, prior.grader)
    elif prior.config_digest not in (None, info.config_digest):
        yield changed(Kind.SCORER_CHANGED, "other options", info.config_digest, prior.config_digest)
    if info.judges != prior.judges:
        yield changed(
            Kind.JUDGE_CHANGED, "another judge", _listed(info.judges), _listed(prior.judges)
        )
    rubric, blessed = info.rubric_digest or info.rubric, prior.rubric_digest or prior.rubric
    if rubric != blessed:
        yield changed(Kind.RUBRIC_CHANGED, "the rubric means something else", rubric, blessed)


def _listed(judges: tuple[str, ...]) -> str | None:
    return ", ".join(judges) or None


def _cases(run: RunSummary, entry: BaselineEntry) -> Iterator[Finding]:
    present = {case.id for case in run.cases}
    gone = [id_ for id_ in entry.cases if id_ not in present]
    new = [case.id for case in run.cases if case.id not in entry.cases]
    edited = [
        case.id
        for case in run.cases
        if (prior := entry.cases.get(case.id)) is not None and prior.digest != case.digest
    ]
    counts = len(run.cases), len(entry.cases)
    fewer = counts[0] < counts[1]
    if fewer:
        detail = f"{counted(len(gone), 'case')} of the baseline gone; put back, or {_BLESS}."
        yield Finding(Kind.FEWER_CASES, run.name, None, *counts, detail, tuple(sorted(gone)))
    replaced = [] if fewer else gone
    if edited or replaced:
        detail = (
            f"{counted(len(edited), 'case')} with other contents, {len(replaced)} replaced, so the "
            f"scores are not of the same cases; {_BLESS}."
        )
        names = (*edited, *sorted(replaced))
        yield Finding(Kind.CHANGED_CASES, run.name, None, *counts, detail, names)
    if new:
        detail = f"{counted(len(new), 'new case')}; blessing adds what is new to the baseline."
        yield Finding(Kind.NEW_CASES, run.name, None, *counts, detail, tuple(new), blocking=False)
