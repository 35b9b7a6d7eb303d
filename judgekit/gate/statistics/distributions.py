"""Distribution functions and quantiles of the normal, Student's t, and binomial distributions."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

_STANDARD = NormalDist()
_TINY = 1e-300
_EXACT_TRIALS = 1024


class Interval(NamedTuple):
    """A confidence interval, both ends included."""

    low: float
    high: float


def normal_cdf(x: float) -> float:
    """Return P(Z <= x) for a standard normal Z."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def normal_quantile(p: float) -> float:
    """Return the x with P(Z <= x) = p, for p in (0, 1).

    Source: M. J. Wichura, 1988, Algorithm AS 241 (the standard library's ``inv_cdf``).
    """
    if not 0 < p < 1:
        raise ValueError(f"a normal quantile needs p in (0, 1), not {p!r}")
    return _STANDARD.inv_cdf(p)


@lru_cache(maxsize=64)
def two_sided_z(confidence: float) -> float:
    """Return z such that P(-z <= Z <= z) = `confidence`; 0.95 gives 1.959963984540054."""
    check_confidence(confidence)
    return normal_quantile(0.5 + confidence / 2)


def check_confidence(confidence: float) -> None:
    """Refuse a confidence outside (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be in (0, 1), not {confidence!r}")


def regularised_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), for x in [0, 1], a and b > 0.

    Source: DLMF 8.17.22 (continued fraction), evaluated by W. J. Lentz's method (1976) as modified
    by I. J. Thompson and A. R. Barnett (1986); symmetry 8.17.4 keeps it in its fast half.
    """
    if not (0 <= x <= 1 and a > 0 and b > 0):
        raise ValueError(f"the incomplete beta function is not defined at {x!r}, {a!r}, {b!r}")
    if x in (0.0, 1.0):
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - regularised_beta(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    log_front += a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) / (a * _beta_fraction(x, a, b))


def _beta_fraction(x: float, a: float, b: float) -> float:
    fraction, c, d = 1.0, 1.0, 0.0
    for term in range(1, 20_000):
        m = term // 2
        if term % 2 == 0:
            numerator = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            numerator = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _away_from_zero(1 + numerator * d)
        c = _away_from_zero(1 + numerator / c)
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            return fraction
    raise ValueError(f"the incomplete beta function did not converge at {x!r}, {a!r}, {b!r}")


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def t_cdf(t: float, df: float) -> float:
    """Return P(T <= t) for Student's t with `df` > 0 degrees of freedom.

    Source: Abramowitz and Stegun, 1964, 26.7.1 with 26.5.27.
    """
    if not df > 0:
        raise ValueError(f"Student's t needs more than 0 degrees of freedom, not {df!r}")
    if math.isinf(t):
        return 0.0 if t < 0 else 1.0
    square = t * t
    if square < 1:  # near the middle the tail's argument is near 1, where digits are lost
        return 0.5 + math.copysign(0.5, t) * regularised_beta(square / (df + square), 0.5, df / 2)
    tail = 0.5 * regularised_beta(df / (df + square), df / 2, 0.5)
    return tail if t < 0 else 1 - tail


def t_two_sided_p(t: float, df: float) -> float:
    """Return P(|T| >= |t|) for Student's t with `df` degrees of freedom."""
    return min(1.0, 2 * t_cdf(-abs(t), df))


@lru_cache(maxsize=256)
def t_quantile(p: float, df: float) -> float:
    """Return the t with P(T <= t) = p, for p in (0, 1), by bisection on `t_cdf`."""
    if not 0 < p < 1:
        raise ValueError(f"a t quantile needs p in (0, 1), not {p!r}")
    if p == 0.5:
        return 0.0
    if p > 0.5:
        return -t_quantile(1 - p, df)
    low, high = -1.0, 0.0
    while t_cdf(low, df) > p:
        low, high = 2 * low, low
    while True:
        middle = (low + high) / 2
        if not low < middle < high or high - low <= 1e-14 * abs(low):
            return middle
        if t_cdf(middle, df) > p:
            high = middle
        else:
            low = middle


def binomial_cdf(successes: int, n: int, p: float = 0.5) -> float:
    """Return P(X <= successes) for X binomial over `n` trials with chance `p`.

    Exact integer arithmetic at p = 1/2 up to 1,024 trials, else by the incomplete beta function
    (Abramowitz and Stegun, 1964, 26.5.24).
    """
    if n < 0 or not 0 <= p <= 1:
        raise ValueError(f"no binomial distribution has n = {n!r}, p = {p!r}")
    if successes < 0:
        return 0.0
    if successes >= n:
        return 1.0
    if p == 0.5 and n <= _EXACT_TRIALS:
        outcomes: int = sum(math.comb(n, k) for k in range(successes + 1))
        return outcomes / (1 << n)
    return regularised_beta(1 - p, n - successes, successes + 1)
