"""Mean differences whose interval must not vanish where no case moved, and two groups compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .distributions import Interval, normal_cdf, t_quantile, t_two_sided_p, two_sided_z


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference with its interval.

    Attributes:
        p_value: two-sided, of the difference being 0.
    """

    value: float
    interval: Interval
    p_value: float


def bounded_mean_interval(differences: Sequence[float], confidence: float = 0.95) -> Interval:
    """Return an interval of the mean of paired differences in [-1, 1], also where all are 0.

    One difference of +1 and one of -1 are added before Wald's interval is taken. For differences
    that are -1, 0 or 1 this is Bonett and Price's interval for paired rates: 1 gained and 7 lost of
    21 give (-0.5084, -0.0134). For scores it is wider than need be, and never vanishes.

    Source: D. G. Bonett and R. M. Price, 2012, Journal of Educational and Behavioral Statistics 37,
    479–488; compared in M. W. Fagerland, S. Lydersen and P. Laake, 2014, Statistics in Medicine 33,
    2850–2875.

    Raises:
        ValueError: there is no difference, or one is outside [-1, 1].
    """
    mean, error = _with_both_ends(differences)
    half = two_sided_z(confidence) * error
    return Interval(max(-1.0, mean - half), min(1.0, mean + half))


def bounded_mean_spread(differences: Sequence[float]) -> float:
    """Return the variance that `bounded_mean_interval` reckons with."""
    return _with_both_ends(differences)[1] ** 2 * (len(differences) + 2)


def bounded_two_sample(
    first: Sequence[float], second: Sequence[float], confidence: float = 0.95
) -> Difference:
    """Return mean(first) - mean(second) of values in [-1, 1], each group with both ends added.

    The interval is the normal one of two means that `bounded_mean_interval` would give; it holds
    where one group does not vary at all. The estimate is the plain difference of means.

    Source: A. Agresti and B. Caffo, 2000, The American Statistician 54, 280–288, who add as much to
    two rates; for paired differences D. G. Bonett and R. M. Price, 2012.

    Raises:
        ValueError: a group is empty, or a value is outside [-1, 1].
    """
    (mean_1, error_1), (mean_2, error_2) = map(_with_both_ends, (first, second))
    centre, error = mean_1 - mean_2, math.hypot(error_1, error_2)
    half = two_sided_z(confidence) * error
    interval = Interval(max(-2.0, centre - half), min(2.0, centre + half))
    p_value = min(1.0, 2 * normal_cdf(-abs(centre) / error))
    return Difference(fmean(first) - fmean(second), interval, p_value)


def _with_both_ends(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard error after adding one value at each end of [-1, 1]."""
    if not values or not all(-1 <= value <= 1 for value in values):
        raise ValueError("needs at least one difference, and each within -1 to 1")
    n = len(values) + 2
    mean = math.fsum(values) / n
    spread = (math.fsum(value * value for value in values) + 2) / n - mean * mean
    return mean, math.sqrt(spread / n)


def welch(first: Sequence[float], second: Sequence[float], confidence: float = 0.95) -> Difference:
    """Return mean(first) - mean(second) of independent groups of unequal spread.

    Source: B. L. Welch, 1947, Biometrika 34, 28–35.

    Raises:
        ValueError: a group has fewer than two values, or neither varies.
    """
    if min(len(first), len(second)) < 2:
        raise ValueError("Welch's test needs at least two values in each group")
    parts = [variance(group) / len(group) for group in (first, second)]
    if not any(parts):
        raise ValueError("Welch's test needs values that vary")
    squared = math.fsum(parts)
    freedom = squared**2 / math.fsum(
        part**2 / (len(group) - 1) for part, group in zip(parts, (first, second), strict=True)
    )
    difference, error = fmean(first) - fmean(second), math.sqrt(squared)
    half = t_quantile(0.5 + confidence / 2, freedom) * error
    interval = Interval(difference - half, difference + half)
    return Difference(difference, interval, t_two_sided_p(difference / error, freedom))


def fisher_exact(table: Sequence[Sequence[int]]) -> float:
    """Return the exact two-sided p-value that two rates are one; rows the groups, columns yes/no.

    Sums every table of the same margins that is no likelier than the one seen.

    Source: R. A. Fisher, 1934, Statistical Methods for Research Workers, 5th edition, 21.02.

    Raises:
        ValueError: it is no 2 by 2 table of counts.
    """
    (a, b), (c, d) = table
    if min(a, b, c, d) < 0:
        raise ValueError("Fisher's test needs counts, none negative")
    yes, first, n = a + c, a + b, a + b + c + d
    low, high = max(0, yes - (n - first)), min(yes, first)
    weights = [math.comb(first, k) * math.comb(n - first, yes - k) for k in range(low, high + 1)]
    seen = weights[a - low]
    return min(1.0, sum(w for w in weights if w <= seen) / sum(weights))
