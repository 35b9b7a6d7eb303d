"""Whether a run's scores fell below the baseline's, and whether that is more than noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .baseline import EPS, BaselineEntry
from .finding import Finding, Kind, RunSummary, counted
from .limits import apart, is_below
from .pairs import PairedTest, Pairs, adjusted, pair_up


@dataclass(frozen=True, slots=True)
class _Judgement:
    """What one scorer's drop comes to in statistical mode."""

    kind: Kind
    why: str
    blocking: bool


def regression_findings(run: RunSummary, entry: BaselineEntry) -> Iterator[Finding]:
    """Yield drops of the eval's score and of its scorers, then cases whose result turned."""
    shared = [name for name in sorted(entry.scorers) if name in run.scorers]
    pairs = {name: pair_up(run, entry, name) for name in shared}
    tests = adjusted({name: pairs[name].tests(run.gate.confidence) for name in shared})
    yield from _score(run, entry, tests)
    for name in shared:
        yield from _scorer(run, entry, name, pairs[name], tests)
    for name in shared:
        yield from _turned(run.name, name, pairs[name])


def _score(
    run: RunSummary, entry: BaselineEntry, tests: Mapping[str, tuple[PairedTest, ...]]
) -> Iterator[Finding]:
    if (run.score is None and run.error_count) or (
        run.score is not None and not is_below(run.score, entry.score)
    ):
        return
    score = math.nan if run.score is None else run.score
    now, prior = apart(score, entry.score)
    testable = math.isfinite(score) and bool(tests) and all(tests.values())
    if run.gate.mode == "statistical" and testable:
        blocking = _over_cap(entry.score - score, run.gate.max_drop)
        advice = "more than max_drop" if blocking else "the scorers' tests tell whether it is noise"
    else:
        blocking, advice = True, "mend what fell, or bless the run if it is meant"
    yield Finding(
        Kind.SCORE_REGRESSION,
        run.name,
        None,
        run.score,
        entry.score,
        f"score {now} is below the baseline's {prior}; {advice}.",
        blocking=blocking,
    )


def _scorer(
    run: RunSummary,
    entry: BaselineEntry,
    name: str,
    pairs: Pairs,
    tests: Mapping[str, tuple[PairedTest, ...]],
) -> Iterator[Finding]:
    mean, prior = run.scorers[name].mean, entry.scorers[name].mean
    if mean is None and run.error_count:
        return
    actual = math.nan if mean is None else mean
    fell, own = is_below(actual, prior), tests[name]
    statistical = run.gate.mode == "statistical" and math.isfinite(actual) and bool(own)
    if not fell and not (statistical and any(test.drop > EPS for test in own)):
        return
    judgement = (
        _judge(run, own, sum(map(len, tests.values())))
        if statistical
        else _Judgement(Kind.SCORER_REGRESSION, _told(own), True)
    )
    now, then = apart(actual, prior)
    if fell:
        what = f"mean {now} is below the baseline's {then}"
    else:
        what = f"mean {now} holds against the baseline's {then}, but a paired figure fell"
    yield Finding(
        judgement.kind,
        run.name,
        name,
        mean,
        prior,
        f"{what}; {judgement.why}.",
        pairs.fallen,
        judgement.blocking,
    )


def _told(tests: tuple[PairedTest, ...]) -> str:
    told = "; ".join(test.told for test in tests if test.drop > EPS)
    advice = "mend what fell, or bless the run if it is meant"
    return f"{told}; {advice}" if told else advice


def _over_cap(drop: float, cap: float) -> bool:
    return cap > 0 and drop > cap + EPS


def _judge(run: RunSummary, tests: tuple[PairedTest, ...], family: int) -> _Judgement:
    """Weigh a scorer's tests: significant or over the cap blocks; too few cases is inconclusive."""
    settings = run.gate
    fallen = [test for test in tests if test.drop > EPS]
    for test in fallen:
        if test.p_value < settings.alpha:
            why = f"a significant drop at alpha {settings.alpha:.4g} ({test.told})"
            return _Judgement(Kind.SCORER_REGRESSION, why, True)
        if _over_cap(test.drop, settings.max_drop):
            why = f"a drop of more than max_drop {settings.max_drop:.4g} ({test.told})"
            return _Judgement(Kind.SCORER_REGRESSION, why, True)
    for test in fallen:
        more = test.more_cases(settings.alpha, settings.max_drop, family)
        if more is not None:
            why = (
                f"too few cases to tell a drop from noise ({test.told}); about {more} more would do"
            )
            return _Judgement(Kind.INCONCLUSIVE, why, True)
    told = "; ".join(test.told for test in fallen) or "the shared cases did not fall"
    return _Judgement(Kind.SCORER_REGRESSION, f"not more than noise ({told})", False)


def _turned(name: str, scorer: str, pairs: Pairs) -> Iterator[Finding]:
    for kind, cases, word in (
        (Kind.NEWLY_FAILING, pairs.newly_failing, "fail"),
        (Kind.NEWLY_PASSING, pairs.newly_passing, "pass"),
    ):
        if cases:
            detail = (
                f"{len(cases)} of {counted(pairs.n, 'shared case')} now {word} and did not before."
            )
            yield Finding(kind, name, scorer, len(cases), pairs.n, detail, cases, blocking=False)
