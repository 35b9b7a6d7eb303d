"""How two measurements of the same cases go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .distributions import Interval, t_two_sided_p, two_sided_z


@dataclass(frozen=True, slots=True)
class Association:
    """A rank correlation in [-1, 1] with its interval and two-sided p-value."""

    value: float
    interval: Interval
    p_value: float


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found, start = [0.0] * len(values), 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for index in order[start:end]:
            found[index] = (start + end + 1) / 2
        start = end
    return found


def spearman(
    first: Sequence[float], second: Sequence[float], confidence: float = 0.95
) -> Association:
    """Return Spearman's rank correlation.

    Source: C. Spearman, 1904, American Journal of Psychology 15, 72–101; p by Student's t with
    n - 2 degrees of freedom; interval: D. G. Bonett and T. A. Wright, 2000, Psychometrika 65,
    23–28, Fisher's z with variance (1 + r² / 2) / (n - 3).

    Raises:
        ValueError: lengths differ, there are fewer than four cases, or one side never varies.
    """
    n = len(first)
    if n != len(second) or n < 4:
        raise ValueError(f"a rank correlation needs at least four cases with both values, not {n}")
    r = _correlation(ranks(first), ranks(second))
    if abs(r) >= 1 - 1e-12:
        r = math.copysign(1.0, r)
    p_value = 0.0 if abs(r) == 1 else t_two_sided_p(r * math.sqrt((n - 2) / (1 - r * r)), n - 2)
    return Association(r, _fisher_interval(r, n, confidence), p_value)


def _fisher_interval(r: float, n: int, confidence: float) -> Interval:
    """Return the interval on Fisher's z; a correlation of ±1 is taken as what rounds to it.

    z of 1 is infinite, so the correlation is first drawn in by what one pair of neighbours with
    swapped ranks would take from it: 12 / (n³ - n).
    """
    inside = min(abs(r), 1 - 12 / (n**3 - n))
    z = math.atanh(math.copysign(inside, r))
    half = two_sided_z(confidence) * math.sqrt((1 + r * r / 2) / (n - 3))
    low, high = math.tanh(z - half), math.tanh(z + half)
    return Interval(min(low, r), max(high, r))


def _correlation(first: Sequence[float], second: Sequence[float]) -> float:
    mean_1, mean_2 = math.fsum(first) / len(first), math.fsum(second) / len(second)
    off_1, off_2 = [x - mean_1 for x in first], [y - mean_2 for y in second]
    spread = math.fsum(x * x for x in off_1) * math.fsum(y * y for y in off_2)
    if spread == 0:
        raise ValueError("a rank correlation needs values that vary on both sides")
    return math.fsum(x * y for x, y in zip(off_1, off_2, strict=True)) / math.sqrt(spread)
