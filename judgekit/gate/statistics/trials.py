"""Repeated trials of one task: the chance that any of k passes, and that all of k do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from .distributions import Interval
from .paired import percentiles


@dataclass(frozen=True, slots=True)
class TrialEstimate:
    """An estimate over tasks with its bootstrap interval."""

    value: float
    interval: Interval


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the unbiased chance that at least one of `k` trials passes: 1 - C(n-c, k) / C(n, k).

    Args:
        n: trials run; c: of these, how many passed; k: trials asked about, 1 to n.

    Source: M. Chen et al., 2021, Evaluating Large Language Models Trained on Code, eq. 1.
    """
    _check(n, c, k)
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def pass_pow_k(n: int, c: int, k: int) -> float:
    """Return the unbiased chance that all of `k` trials pass: C(c, k) / C(n, k).

    Source: S. Yao et al., 2024, τ-bench, section 4.
    """
    _check(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def naive_pass_pow_k(n: int, c: int, k: int) -> float:
    """Return (c / n) to the power k, which is biased upwards; shown beside `pass_pow_k` only."""
    _check(n, c, k)
    return (c / n) ** k


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"{c} of {n} trials passed is not a count")
    if not 1 <= k <= n:
        raise ValueError(f"k = {k} needs at least {max(k, 1)} trials and k of 1 or more; {n} ran")


def macro_average(
    tasks: Sequence[tuple[int, int]],
    k: int,
    estimator: Callable[[int, int, int], float] = pass_pow_k,
    *,
    seed: int = 0,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> TrialEstimate:
    """Return the mean of `estimator` over tasks, each as (n, c), with a bootstrap interval.

    Trials are redrawn within each task, since the tasks themselves are the ones that matter, so
    the interval tells how much another n trials of the same tasks would move the figure.

    Source: B. Efron and R. J. Tibshirani, 1993, An Introduction to the Bootstrap, 13.3.
    """
    if not tasks:
        raise ValueError("an average over tasks needs at least one task")
    value = fmean(estimator(n, c, k) for n, c in tasks)
    tables = [[estimator(n, passed, k) for passed in range(n + 1)] for n, _ in tasks]
    draw, means = Random(seed).random, []  # noqa: S311 - not a secret
    for _ in range(resamples):
        drawn = (sum(draw() * n < c for _ in range(n)) for n, c in tasks)
        means.append(fmean(table[passed] for table, passed in zip(tables, drawn, strict=True)))
    means.sort()
    return TrialEstimate(value, percentiles(means, confidence))
