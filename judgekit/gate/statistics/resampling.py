"""The bootstrap of any figure over cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from .distributions import Interval
from .paired import percentiles

CaseT = TypeVar("CaseT")


def bootstrap_interval(
    cases: Sequence[CaseT],
    figure: Callable[[Sequence[CaseT]], float],
    *,
    seed: int = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Interval:
    """Return the percentile interval of `figure` over whole cases drawn anew.

    The same seed gives the same interval anywhere. A draw on which the figure is not defined (it
    raises `ValueError`) is left out.

    Source: B. Efron and R. J. Tibshirani, 1993, An Introduction to the Bootstrap, 13.3.

    Raises:
        ValueError: there is no case, or the figure is defined on fewer than half of the draws.
    """
    if not cases:
        raise ValueError("a bootstrap needs at least one case")
    draw, size, found = Random(seed).random, len(cases), list[float]()  # noqa: S311 - no secret
    for _ in range(resamples):
        drawn = [cases[int(draw() * size)] for _ in range(size)]
        try:
            found.append(figure(drawn))
        except ValueError:
            continue
    if 2 * len(found) < resamples:
        raise ValueError("the figure is not defined on most draws: too few cases that differ")
    found.sort()
    return percentiles(found, confidence)
