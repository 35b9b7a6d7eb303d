"""The figures of repeated trials: pass@k, pass^k and their macro-averages, with intervals.

The estimators are the gate's (`judgekit.gate.statistics.trials`); here they meet tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from judgekit.gate.statistics.distributions import Interval
from judgekit.gate.statistics.proportions import wilson_interval
from judgekit.gate.statistics.trials import TrialEstimate, macro_average, pass_at_k, pass_pow_k

CONFIDENCE = 0.95

Counts = tuple[int, int]
"""Of one task: trials that were graded, and how many of these passed."""


@dataclass(frozen=True, slots=True)
class PassFigures:
    """The figures of one task or of several, macro-averaged.

    Attributes:
        k: how many trials the figures ask about.
        pass_at_1: chance that one trial passes.
        pass_at_k: chance that any of k does, unbiased.
        pass_pow_k: chance that all of k do, unbiased: the production bar.
        naive_pass_pow_k: pass@1 to the power k, which is biased; for comparison only.
    """

    k: int
    pass_at_1: TrialEstimate
    pass_at_k: TrialEstimate
    pass_pow_k: TrialEstimate
    naive_pass_pow_k: float


def naive_pass_pow_k(pass_at_1: float, k: int) -> float:
    """Return the trials seed's pass^k, which is pass@1 to the power k and biased.

    With 2 passes in 3 trials and k = 3 it says 0.296, where not all 3 passed and the unbiased
    estimate is 0.
    """
    if not (0 <= pass_at_1 <= 1 and k >= 1):
        raise ValueError(f"pass@1 must be in [0, 1] and k at least 1, not {pass_at_1!r} and {k!r}")
    return float(pass_at_1**k)


def pass_figures(tasks: Sequence[Counts], k: int, *, seed: int = 0) -> PassFigures | None:
    """Return the macro-averaged figures of tasks, with seeded bootstrap intervals.

    Returns:
        The figures; None where a task has fewer than `k` graded trials or there is no task, since
        a figure over fewer would be a guess.
    """
    if not tasks or any(n < k for n, _ in tasks):
        return None
    return PassFigures(
        k=k,
        pass_at_1=macro_average(tasks, 1, pass_at_k, seed=seed, confidence=CONFIDENCE),
        pass_at_k=macro_average(tasks, k, pass_at_k, seed=seed, confidence=CONFIDENCE),
        pass_pow_k=macro_average(tasks, k, pass_pow_k, seed=seed, confidence=CONFIDENCE),
        naive_pass_pow_k=fmean(naive_pass_pow_k(c / n, k) for n, c in tasks),
    )


def pass_rate_interval(n: int, passed: int) -> Interval:
    """Return Wilson's interval of one task's pass rate.

    A bootstrap of trials that all went alike has no width; this one still tells how few they were.
    """
    return wilson_interval(passed, n, CONFIDENCE)
