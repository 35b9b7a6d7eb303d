"""One value a case from its verdicts, and rows from such values: what the measures share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Any

from judgekit.bias.observation import CONFIDENCE, HALF_WIDTH, Observation, Row, Seat
from judgekit.gate.statistics.differences import bounded_mean_interval, bounded_mean_spread
from judgekit.gate.statistics.distributions import Interval, two_sided_z
from judgekit.gate.statistics.paired import clustered_t
from judgekit.gate.statistics.proportions import (
    cases_for_wilson_half_width,
    sign_test,
    wilson_interval,
)
from judgekit.judges.rubric import Kind

_POINTS = {"A": 1.0, "TIE": 0.5, "B": 0.0}


@dataclass(frozen=True, slots=True)
class Settled:
    """What one judge's verdicts on one case come to.

    Attributes:
        value: in [0, 1]: 1 for a pass, the score, or the candidate's share of a comparison in both
            orders.
        label: the verdict in one word, that two verdicts can be held to each other by: whether it
            passes, the category, or who wins a comparison.
        first: of a comparison, the share of both orders that the one shown first took.
        shown: the verdict that the texts' lengths and marks are read from.
    """

    case: str
    value: float
    label: str
    shown: Observation
    first: float | None = None


def settled(
    observations: Iterable[Observation], variant: str = "", sample: int = 0
) -> dict[str, Settled]:
    """Return what a judge's verdicts come to, by case, in the order of the cases.

    A comparison counts once both orders are recorded.
    """
    found: dict[str, dict[bool, Observation]] = {}
    for each in observations:
        if each.variant == variant and each.sample == sample:
            found.setdefault(each.case, {})[each.swapped] = each
    values: dict[str, Settled] = {}
    for case, orders in found.items():
        straight = orders.get(False)
        if straight is None:
            continue
        if straight.kind is not Kind.PAIRWISE:
            values[case] = _alone(straight)
        elif True in orders:
            values[case] = _compared(straight, orders[True])
    return values


def _alone(verdict: Observation) -> Settled:
    label = "pass" if verdict.passed else "fail"
    if verdict.kind is Kind.CATEGORY:
        label = verdict.outcome
    value = verdict.score if verdict.kind is Kind.SCORE else float(verdict.passed)
    return Settled(verdict.case, value, label, verdict)


def _compared(straight: Observation, swapped: Observation) -> Settled:
    one, other = _POINTS[straight.outcome], _POINTS[swapped.outcome]
    label = {1.0: "candidate", 0.5: "tie", 0.0: "baseline"}[one]
    if one != 1 - other:
        label = "inconsistent"
    return Settled(straight.case, (one + 1 - other) / 2, label, straight, (one + other) / 2)


def points(verdict: Observation) -> float:
    """Return what A took of one comparison: 1, one half for a tie, or 0."""
    return _POINTS[verdict.outcome]


@dataclass(frozen=True, slots=True)
class Change:
    """How a value moved over cases, on the scale of the differences."""

    mean: float
    interval: Interval
    p_value: float
    needed: int


def change(moves: Sequence[tuple[float, str]], *, discrete: bool) -> Change:
    """Return the mean of differences within -1 to 1, each with the cluster of its case.

    Scores are held to a t-test over clusters; verdicts of few values to Bonett and Price's interval
    and the exact sign test, both of which hold for few cases that hardly move. So are scores that
    all moved alike.
    """
    differences = [difference for difference, _ in moves]
    if not discrete and len({cluster for _, cluster in moves}) > 1 and _varies(differences):
        test = clustered_t(differences, [cluster for _, cluster in moves], CONFIDENCE)
        spread = variance(differences)
        return Change(test.difference, test.interval, test.p_value, _needed(spread))
    rose = sum(difference > 0 for difference in differences)
    fell = sum(difference < 0 for difference in differences)
    mean = fmean(differences)
    low, high = bounded_mean_interval(differences, CONFIDENCE)
    interval = Interval(min(low, mean), max(high, mean))
    spread = bounded_mean_spread(differences)
    return Change(mean, interval, sign_test(rose, fell), _needed(spread))


def _varies(values: Sequence[float]) -> bool:
    return max(values) - min(values) > 1e-9


def _needed(spread: float) -> int:
    return max(1, math.ceil(two_sided_z(CONFIDENCE) ** 2 * spread / HALF_WIDTH**2 - 1e-9))


def moves_between(
    before: Mapping[str, Settled], after: Mapping[str, Settled]
) -> list[tuple[float, str]]:
    """Return how far each case moved that has both values, with its cluster."""
    return [(after[case].value - before[case].value, cluster(before[case])) for case in after
            if case in before]  # fmt: skip


def cluster(value: Settled) -> str:
    """Return what a case is independent of the others by: its cluster, or itself."""
    shown = value.shown
    return f"case {value.case}" if shown.cluster is None else f"cluster {shown.cluster}"


def place(seat: Seat) -> str:
    """Return where a row was measured, in words."""
    return f"{seat.eval} / {seat.scorer}"


def rate_row(measure: str, seat: Seat, successes: int, n: int, **fields: Any) -> Row:
    """Return the row of a share of cases with Wilson's interval; `n` is at least 1."""
    return Row(
        measure,
        place(seat),
        seat.judge,
        estimate=successes / n,
        interval=wilson_interval(successes, n, CONFIDENCE),
        n=n,
        needed=cases_for_wilson_half_width(HALF_WIDTH, successes / n, CONFIDENCE),
        **fields,
    )


def change_row(measure: str, seat: Seat, moves: Sequence[tuple[float, str]], **fields: Any) -> Row:
    """Return the row of a mean change; there is at least one."""
    found = change(moves, discrete=seat.kind is not Kind.SCORE)
    return Row(
        measure,
        place(seat),
        seat.judge,
        estimate=found.mean,
        interval=found.interval,
        n=len(moves),
        needed=found.needed,
        neutral=0.0,
        p_value=found.p_value,
        **fields,
    )


def unknown_row(measure: str, seat: Seat, why_not: str, remedy: str = "", n: int = 0) -> Row:
    """Return the row of what can't be told."""
    return Row(measure, place(seat), seat.judge, why_not=why_not, remedy=remedy, n=n)


def needed_at(n: int, interval: Interval, half_width: float = HALF_WIDTH) -> int:
    """Return the cases that ± `half_width` takes, since an interval narrows with the root of n."""
    half = (interval.high - interval.low) / 2
    return max(1, math.ceil(n * (half / half_width) ** 2 - 1e-9))


def probing(seat: Seat, kind: str) -> str:
    """Return the words that say how to record a probe."""
    return f"record it with `judgekit bias probe {seat.eval} --kind {kind}`"


def recording(seat: Seat) -> str:
    """Return the words that say how to record the eval's own verdicts."""
    return f"record it with `judgekit record {seat.eval}`"
