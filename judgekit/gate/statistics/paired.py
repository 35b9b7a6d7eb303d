"""Paired tests: did the same cases get worse, or is it noise?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from .distributions import Interval, t_quantile, t_two_sided_p
from .proportions import binomial_test, sign_test


@dataclass(frozen=True, slots=True)
class MeanTest:
    """A test that a mean difference is 0.

    Attributes:
        method: the test's name, for people.
        n: how many differences it is of.
        difference: the mean difference.
        standard_error: of `difference`; NaN where the method has none.
        interval: confidence interval of `difference`.
        p_value: two-sided.
    """

    method: str
    n: int
    difference: float
    standard_error: float
    interval: Interval
    p_value: float


def mcnemar_exact(newly_failing: int, newly_passing: int) -> float:
    """Return the exact two-sided p-value of McNemar's test from the two discordant counts.

    Source: Q. McNemar, 1947, Psychometrika 12, 153–157; exact: binomial with chance 1/2.
    12 and 4 give 0.076813.
    """
    return binomial_test(newly_failing, newly_failing + newly_passing)


def paired_t(differences: Sequence[float], confidence: float = 0.95) -> MeanTest:
    """Return Student's paired t-test of `differences` (two or more of them).

    Differences that are all alike have no spread for t to go by; then p is the sign test's.

    Source: Student (W. S. Gosset), 1908, Biometrika 6, 1–25.
    """
    return clustered_t(differences, range(len(differences)), confidence)


def clustered_t(
    differences: Sequence[float], clusters: Sequence[Hashable], confidence: float = 0.95
) -> MeanTest:
    """Return a t-test of a mean whose cases are independent only between clusters.

    The variance of the mean is G / (G - 1) · Σ_g (Σ_{i in g} (d_i - mean))² / n², with G - 1
    degrees of freedom; with one case a cluster this is the paired t-test.

    Source: K.-Y. Liang and S. L. Zeger, 1986, Biometrika 73, 13–22; small-sample factor: A. C.
    Cameron and D. L. Miller, 2015, Journal of Human Resources 50, eq. 12 with K = 1.

    Raises:
        ValueError: there are fewer than two clusters, or the sequences differ in length.
    """
    if len(differences) != len(clusters):
        raise ValueError("there must be one cluster for each difference")
    n, mean = len(differences), fmean(differences) if differences else math.nan
    sums: dict[Hashable, list[float]] = {}
    for difference, cluster in zip(differences, clusters, strict=True):
        sums.setdefault(cluster, []).append(difference - mean)
    groups = len(sums)
    if groups < 2:
        raise ValueError(f"a t-test needs at least two independent cases, not {groups}")
    spread = math.fsum(math.fsum(values) ** 2 for values in sums.values())
    error = math.sqrt(spread * groups / (groups - 1)) / n
    method = "paired t" if groups == n else "cluster-robust paired t"
    if error <= 1e-12:
        sign = 0 if abs(mean) <= 1e-12 else groups
        return MeanTest(method, n, mean, 0.0, Interval(mean, mean), sign_test(sign, 0))
    half = -t_quantile((1 - confidence) / 2, groups - 1) * error
    p_value = t_two_sided_p(mean / error, groups - 1)
    return MeanTest(method, n, mean, error, Interval(mean - half, mean + half), p_value)


def paired_bootstrap(
    differences: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    seed: int = 0,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> MeanTest:
    """Return a seeded bootstrap test of a mean difference: percentile interval, two-sided p.

    Whole clusters are drawn when given. The p-value is 2 (1 + the smaller count of resampled means
    on one side of 0) / (1 + `resamples`), at most 1. The same seed gives the same result anywhere:
    draws are ``floor(random() * n)`` of a Mersenne twister, in order.

    Source: B. Efron and R. J. Tibshirani, 1993, An Introduction to the Bootstrap, 13.3; the added
    one: A. C. Davison and D. V. Hinkley, 1997, eq. 4.11.
    """
    if not differences:
        raise ValueError("a bootstrap needs at least one difference")
    blocks = _blocks(differences, clusters)
    draw, size, means = Random(seed).random, len(blocks), []  # noqa: S311 - not a secret
    for _ in range(resamples):
        chosen = [blocks[int(draw() * size)] for _ in range(size)]
        means.append(math.fsum(s for s, _ in chosen) / sum(count for _, count in chosen))
    means.sort()
    mean = fmean(differences)
    error = math.sqrt(math.fsum((m - fmean(means)) ** 2 for m in means) / (resamples - 1))
    side = min(sum(m <= 0 for m in means), sum(m >= 0 for m in means))
    p_value = min(1.0, 2 * (1 + side) / (1 + resamples))
    return MeanTest(
        "paired bootstrap", len(differences), mean, error, percentiles(means, confidence), p_value
    )


def _blocks(
    differences: Sequence[float], clusters: Sequence[Hashable] | None
) -> list[tuple[float, int]]:
    if clusters is None:
        return [(d, 1) for d in differences]
    members: dict[Hashable, list[float]] = {}
    for difference, cluster in zip(differences, clusters, strict=True):
        members.setdefault(cluster, []).append(difference)
    return [(math.fsum(values), len(values)) for values in members.values()]


def percentiles(ordered: Sequence[float], confidence: float = 0.95) -> Interval:
    """Return the central `confidence` of sorted values, interpolating linearly between them.

    Source: R. J. Hyndman and Y. Fan, 1996, The American Statistician 50, definition 7.
    """
    tail = (1 - confidence) / 2
    return Interval(_quantile(ordered, tail), _quantile(ordered, 1 - tail))


def _quantile(ordered: Sequence[float], p: float) -> float:
    place = p * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the order given.

    Source: S. Holm, 1979, Scandinavian Journal of Statistics 6, 65–70.
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, worst = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = worst
    return adjusted
