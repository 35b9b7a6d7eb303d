"""How sure a pass rate is: intervals, floors, differences, and exact tests of a rate."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Literal

from .distributions import (
    Interval,
    binomial_cdf,
    check_confidence,
    normal_quantile,
    two_sided_z,
)

Sides = Literal["two-sided", "one-sided"]

MOST_CASES = 10**12
"""More cases than this are as good as none that would do."""


def check_counts(successes: float, n: float) -> None:
    """Refuse counts that no sample has: negative, not finite, or more successes than trials."""
    if not (0 <= successes <= n < math.inf):
        raise ValueError(f"{successes!r} successes of {n!r} is not a count")


def z_of(confidence: float = 0.95, sides: Sides = "two-sided") -> float:
    """Return the normal quantile of a bound: two-sided 0.95 gives 1.96, one-sided 1.645."""
    if sides == "two-sided":
        return two_sided_z(confidence)
    check_confidence(confidence)
    return normal_quantile(confidence)


def wilson(successes: float, n: float, z: float) -> Interval:
    """Return Wilson's score interval at the normal quantile `z`; (0, 1) when `n` is 0.

    Source: E. B. Wilson, 1927, JASA 22, 209–212.
    """
    check_counts(successes, n)
    if not (0 <= z < math.inf):
        raise ValueError(f"z must be finite and at least 0, not {z!r}")
    if n == 0:
        return Interval(0.0, 1.0)
    rate, z2 = successes / n, z * z
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high)


def wilson_interval(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """Return Wilson's two-sided interval of a rate; 95 of 100 gives (0.888250, 0.978456)."""
    return wilson(successes, n, two_sided_z(confidence))


def wilson_lower_bound(
    successes: float, n: float, confidence: float = 0.95, sides: Sides = "two-sided"
) -> float:
    """Return Wilson's lower bound of a rate: 3 of 3 gives 0.4385, 0 of 0 gives 0.

    Args:
        sides: ``two-sided`` takes the lower end of the two-sided interval; ``one-sided`` puts all
            of 1 - `confidence` below the bound.
    """
    return wilson(successes, n, z_of(confidence, sides)).low


def cases_for_floor(
    floor: float, rate: float = 1.0, confidence: float = 0.95, sides: Sides = "two-sided"
) -> int | None:
    """Return the least number of cases whose Wilson bound reaches `floor` at pass rate `rate`.

    Wilson's bound solved for n (it grows with n at a fixed rate): with p the rate and f the floor,
    n = z² f (1 - f) / (p - f)².

    Returns:
        The number of cases, or None when none would do: `rate` is not above `floor`, or so little
        that more than `MOST_CASES` were needed, where rounding drowns what one case more adds.
    """
    if not (0 <= floor <= 1 and 0 <= rate <= 1):
        raise ValueError(f"floor and rate must be in [0, 1], not {floor!r} and {rate!r}")
    if floor == 0:
        return 1
    if rate <= floor:
        return None
    z = z_of(confidence, sides)
    estimate = z * z * floor * (1 - floor) / (rate - floor) / (rate - floor)
    if estimate > MOST_CASES:
        return None
    n = max(1, math.ceil(estimate - 1e-9))
    while wilson(rate * n, n, z).low < floor:
        n += 1
    return n


def failures_allowed(
    floor: float, n: int, confidence: float = 0.95, sides: Sides = "two-sided"
) -> int | None:
    """Return how many of `n` cases may fail with the Wilson bound still at `floor` or above.

    Returns:
        The number of cases; None when `n` are too few even if all pass.
    """
    z = z_of(confidence, sides)
    if wilson(n, n, z).low < floor:
        return None
    return bisect_left(range(n), True, key=lambda failed: wilson(n - failed - 1, n, z).low < floor)


def cases_for_half_width(half_width: float, rate: float = 0.5, confidence: float = 0.95) -> int:
    """Return the cases needed for an interval of ± `half_width` about `rate`: z² p (1 - p) / h²."""
    if not 0 < half_width < 1:
        raise ValueError(f"half_width must be in (0, 1), not {half_width!r}")
    z = two_sided_z(confidence)
    return max(1, math.ceil(z * z * rate * (1 - rate) / half_width**2 - 1e-9))


def cases_for_wilson_half_width(
    half_width: float, rate: float = 0.5, confidence: float = 0.95
) -> int:
    """Return the cases needed for a Wilson interval of at most ± `half_width` at `rate`.

    Also at a rate of 0 or 1, where `cases_for_half_width` finds that one case would do.
    """
    if not (0 < half_width < 0.5 and 0 <= rate <= 1):
        raise ValueError(f"no half width of {half_width!r} at a rate of {rate!r} can be reached")
    z = two_sided_z(confidence)

    def wide(n: int) -> bool:
        low, high = wilson(rate * n, n, z)
        return high - low > 2 * half_width

    most = 1
    while wide(most):
        most *= 2
    return bisect_left(range(most), True, key=lambda n: n > 0 and not wide(n))


def newcombe_difference(
    successes_1: int, n_1: int, successes_2: int, n_2: int, confidence: float = 0.95
) -> Interval:
    """Return the interval of p1 - p2 for two independent rates; 56/70 - 48/80: (0.0524, 0.3339).

    Source: R. G. Newcombe, 1998, Statistics in Medicine 17, 873–890, method 10.
    """
    if n_1 < 1 or n_2 < 1:
        raise ValueError("a difference of rates needs at least one case on each side")
    first, second = successes_1 / n_1, successes_2 / n_2
    low_1, high_1 = wilson_interval(successes_1, n_1, confidence)
    low_2, high_2 = wilson_interval(successes_2, n_2, confidence)
    below = math.hypot(first - low_1, high_2 - second)
    above = math.hypot(high_1 - first, second - low_2)
    return Interval(first - second - below, first - second + above)


def binomial_test(successes: int, n: int, p: float = 0.5) -> float:
    """Return the exact two-sided p-value that the chance is `p`; 1.0 when `n` is 0.

    Sums every outcome that is no likelier than the one seen (the method of small p-values, as in
    R's ``binom.test``). At p = 1/2 it is the doubled smaller tail.
    """
    check_counts(successes, n)
    if n == 0:
        return 1.0
    if p == 0.5:
        return min(1.0, 2 * binomial_cdf(min(successes, n - successes), n))
    seen = _log_mass(successes, n, p) + 1e-7
    likely = [k for k in range(n + 1) if _log_mass(k, n, p) > seen]
    if not likely:
        return 1.0
    inside = binomial_cdf(likely[-1], n, p) - binomial_cdf(likely[0] - 1, n, p)
    return min(1.0, max(0.0, 1 - inside))


def _log_mass(k: int, n: int, p: float) -> float:
    if p in (0.0, 1.0):
        return 0.0 if k == n * p else -math.inf
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return choose + k * math.log(p) + (n - k) * math.log1p(-p)


def sign_test(positive: int, negative: int) -> float:
    """Return the exact two-sided p-value of the sign test; ties are left out by the caller.

    Source: J. Arbuthnot, 1710; W. J. Dixon and A. M. Mood, 1946.
    """
    return binomial_test(positive, positive + negative)
