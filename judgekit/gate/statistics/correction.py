"""The true pass rate behind an imperfect judge, from a few human labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .distributions import Interval, two_sided_z


@dataclass(frozen=True, slots=True)
class Corrected:
    """An estimate corrected for the judge's errors, with its confidence interval."""

    estimate: float
    interval: Interval


def rogan_gladen(
    pass_rate: float,
    n: int,
    specificity: float,
    n_failing: int,
    sensitivity: float,
    n_passing: int,
    confidence: float = 0.95,
) -> Corrected:
    """Return the pass rate corrected for a judge's known error rates.

    Args:
        pass_rate: share that the judge passed of `n` unlabelled cases, in [0, 1].
        specificity: share that it failed of the `n_failing` cases that people fail.
        sensitivity: share that it passed of the `n_passing` cases that people pass.

    Returns:
        The estimate and interval, clipped to [0, 1]. 0.4 of 1,000 with 0.7 of 200 and 0.9 of 200
        gives 0.166667 and (0.056351, 0.262733).

    Source: W. J. Rogan and B. Gladen, 1978, American Journal of Epidemiology 107, 71–76; interval:
    C. Lee et al., 2025, How to Correctly Report LLM-as-a-Judge Evaluations, after Z. Lang and
    J. Reiczigel, 2014, Preventive Veterinary Medicine 113, 13–22.

    Raises:
        ValueError: a count is below 1, a rate is outside [0, 1], or the judge is no better than
            chance (`specificity` + `sensitivity` is at most 1).
    """
    if min(n, n_failing, n_passing) < 1:
        raise ValueError("the correction needs judged cases and labels of both classes")
    if not all(0 <= rate <= 1 for rate in (pass_rate, specificity, sensitivity)):
        raise ValueError("rates must be in [0, 1]")
    if specificity + sensitivity <= 1:
        raise ValueError("the judge is no better than chance, so nothing can be corrected by it")
    estimate = (pass_rate + specificity - 1) / (specificity + sensitivity - 1)
    z = two_sided_z(confidence)
    p, size = (n * pass_rate + z * z / 2) / (n + z * z), n + z * z
    q0, m0 = (n_failing * specificity + 1) / (n_failing + 2), n_failing + 2
    q1, m1 = (n_passing * sensitivity + 1) / (n_passing + 2), n_passing + 2
    gain = q0 + q1 - 1
    if gain <= 0:
        return Corrected(_clip(estimate), Interval(0.0, 1.0))
    theta = (p + q0 - 1) / gain
    noise_0, noise_1 = q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    shift = 2 * z * z * (theta * noise_1 - (1 - theta) * noise_0)
    spread = p * (1 - p) / size + (1 - theta) ** 2 * noise_0 + theta**2 * noise_1
    half = z * math.sqrt(spread) / gain
    interval = Interval(_clip(theta + shift - half), _clip(theta + shift + half))
    return Corrected(_clip(estimate), interval)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def prediction_powered_mean(
    human: Sequence[float],
    judge_labelled: Sequence[float],
    judge_unlabelled: Sequence[float],
    *,
    weight: float | None = 1.0,
    confidence: float = 0.95,
) -> Corrected:
    """Return a mean estimated from many judged cases, debiased by a few that people labelled too.

    Args:
        human: people's values of the labelled cases.
        judge_labelled: the judge's values of the same cases, in the same order.
        judge_unlabelled: the judge's values of the other cases.
        weight: how much the judge counts; 1 is plain prediction-powered inference, 0 uses the
            people's labels alone, None takes the weight of least variance, within [0, 1].

    Source: A. N. Angelopoulos et al., 2023, Science 382, 669–674, algorithm 1; weight: A. N.
    Angelopoulos, J. C. Duchi and T. Zrnic, 2023, PPI++, proposition 2.

    Raises:
        ValueError: fewer than two labelled or unlabelled cases, or unequal lengths.
    """
    n, more = len(human), len(judge_unlabelled)
    if n != len(judge_labelled) or min(n, more) < 2:
        raise ValueError("needs two or more labelled cases (both values each) and two unlabelled")
    if weight is None:
        weight = _least_variance_weight(human, judge_labelled, judge_unlabelled)
    rectifier = [y - weight * f for y, f in zip(human, judge_labelled, strict=True)]
    estimate = weight * fmean(judge_unlabelled) + fmean(rectifier)
    spread = weight**2 * variance(judge_unlabelled) / more + variance(rectifier) / n
    half = two_sided_z(confidence) * math.sqrt(spread)
    return Corrected(estimate, Interval(estimate - half, estimate + half))


def _least_variance_weight(
    human: Sequence[float], judge_labelled: Sequence[float], judge_unlabelled: Sequence[float]
) -> float:
    n, more = len(human), len(judge_unlabelled)
    mean_y, mean_f = fmean(human), fmean(judge_labelled)
    pairs = zip(human, judge_labelled, strict=True)
    covariance = math.fsum((y - mean_y) * (f - mean_f) for y, f in pairs) / (n - 1)
    spread = variance([*judge_labelled, *judge_unlabelled])
    return _clip(covariance / ((1 + n / more) * spread)) if spread > 0 else 0.0
