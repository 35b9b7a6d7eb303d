"""Logistic regression with a few covariates, for bias that grows with a measured difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .distributions import Interval, normal_cdf, two_sided_z

Matrix = list[list[float]]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient on the log-odds scale, with Wald's interval and two-sided p-value."""

    value: float
    standard_error: float
    interval: Interval
    p_value: float


def logistic_regression(
    outcomes: Sequence[bool],
    covariates: Sequence[Sequence[float]],
    confidence: float = 0.95,
) -> tuple[Coefficient, ...]:
    """Fit P(outcome) = 1 / (1 + exp(-(b0 + b1 x1 + …))) by maximum likelihood.

    Args:
        covariates: one row of finite numbers for each outcome.

    Returns:
        The intercept, then one coefficient for each column.

    Source: D. R. Cox, 1958, JRSS B 20, 215–242; Newton–Raphson on the log-likelihood.

    Raises:
        ValueError: lengths differ, a column is constant or a combination of others, or the
            outcomes are separated by the covariates, so that no finite estimate exists.
    """
    if not outcomes or len(outcomes) != len(covariates) or len({len(r) for r in covariates}) != 1:
        raise ValueError("logistic regression needs one row of covariates for each outcome")
    if not all(math.isfinite(x) for row in covariates for x in row):
        raise ValueError("logistic regression needs finite covariates")
    rows = [[1.0, *map(float, row)] for row in covariates]
    beta, inverse = _newton([float(y) for y in outcomes], rows)
    z = two_sided_z(confidence)
    fitted = []
    for index, value in enumerate(beta):
        error = math.sqrt(inverse[index][index])
        p_value = 2 * normal_cdf(-abs(value / error))
        fitted.append(
            Coefficient(value, error, Interval(value - z * error, value + z * error), p_value)
        )
    return tuple(fitted)


def _newton(outcomes: Sequence[float], rows: Matrix) -> tuple[list[float], Matrix]:
    size = len(rows[0])
    beta = [0.0] * size
    for _ in range(60):
        gradient, information = _derivatives(outcomes, rows, beta)
        inverse = _inverse(information)
        step = [math.fsum(a * b for a, b in zip(line, gradient, strict=True)) for line in inverse]
        shrink = min(1.0, 5.0 / max(1e-300, *map(abs, step)))
        beta = [b + shrink * s for b, s in zip(beta, step, strict=True)]
        if max(map(abs, step)) < 1e-11 * max(1.0, *map(abs, beta)):
            return beta, _inverse(_derivatives(outcomes, rows, beta)[1])
    raise ValueError("logistic regression did not converge: the covariates separate the outcomes")


def _derivatives(
    outcomes: Sequence[float], rows: Matrix, beta: Sequence[float]
) -> tuple[list[float], Matrix]:
    size = len(beta)
    gradient = [0.0] * size
    information = [[0.0] * size for _ in range(size)]
    for y, row in zip(outcomes, rows, strict=True):
        p = _logistic(math.fsum(b * x for b, x in zip(beta, row, strict=True)))
        for i in range(size):
            gradient[i] += (y - p) * row[i]
            for j in range(size):
                information[i][j] += p * (1 - p) * row[i] * row[j]
    return gradient, information


def _logistic(x: float) -> float:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(x) / (1 + math.exp(x))


def _inverse(matrix: Matrix) -> Matrix:
    """Invert by Gauss–Jordan elimination with partial pivoting."""
    size = len(matrix)
    work = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    scale = max(abs(x) for row in matrix for x in row)
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(work[r][i]))
        if abs(work[pivot][i]) <= 1e-13 * scale:
            raise ValueError(
                "logistic regression has no finite estimate: a covariate is constant or follows "
                "from the others, or the covariates separate the outcomes"
            )
        work[i], work[pivot] = work[pivot], work[i]
        head = work[i][i]
        work[i] = [x / head for x in work[i]]
        for r in range(size):
            if r != i and work[r][i] != 0:
                factor = work[r][i]
                work[r] = [x - factor * y for x, y in zip(work[r], work[i], strict=True)]
    return [row[size:] for row in work]
