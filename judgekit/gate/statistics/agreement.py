"""How far judges, or a judge and people, agree beyond chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .distributions import Interval, two_sided_z
from .proportions import wilson_interval

Metric = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """An agreement coefficient with its standard error and interval.

    Attributes:
        n: how many cases were labelled by both.
        constant: the share of agreement that a judge would have who always gives the commonest
            label of the second labeller.
    """

    value: float
    standard_error: float
    interval: Interval
    n: int
    constant: float


def cohen_kappa(table: Sequence[Sequence[int]], confidence: float = 0.95) -> Agreement:
    """Return Cohen's kappa of a square table of counts; rows one labeller, columns the other.

    Source: J. Cohen, 1960, Educational and Psychological Measurement 20, 37–46; standard error:
    J. L. Fleiss, J. Cohen and B. S. Everitt, 1969, Psychological Bulletin 72, eq. 13.
    [[45, 15], [25, 15]] gives 0.130435 with standard error 0.098662.

    Raises:
        ValueError: the table is not square, holds a negative count or no case, or both labellers
            use one and the same label only (kappa is then 0 / 0).
    """
    size = len(table)
    if any(len(row) != size or min(row) < 0 for row in table) or not any(map(any, table)):
        raise ValueError("kappa needs a square table of counts with at least one case")
    n = sum(map(sum, table))
    share = [[count / n for count in row] for row in table]
    rows = [math.fsum(row) for row in share]
    columns = [math.fsum(row[j] for row in share) for j in range(size)]
    seen = math.fsum(share[i][i] for i in range(size))
    chance = math.fsum(r * c for r, c in zip(rows, columns, strict=True))
    if max(rows) == 1 and rows == columns:
        raise ValueError("kappa is not defined: both labellers use one label only")
    kappa = (seen - chance) / (1 - chance)
    error = math.sqrt(max(0.0, _kappa_variance(share, rows, columns, kappa, chance) / n))
    half = two_sided_z(confidence) * error
    interval = Interval(max(-1.0, kappa - half), min(1.0, kappa + half))
    return Agreement(kappa, error, interval, n, max(columns))


def kappa_lower_bound(table: Sequence[Sequence[int]], confidence: float = 0.95) -> float:
    """Return the lower confidence bound of Cohen's kappa, also where all cases agree.

    There the standard error is 0 however few cases there are. The bound is then Wilson's of the
    share of agreement, taken to kappa with the chance agreement as it was seen: 2 cases of 2 give
    -0.315 and 20 of 20 give 0.678, both at even labels. Elsewhere it is `cohen_kappa`'s.

    Source: J. Cohen, 1960, Educational and Psychological Measurement 20, 37–46, whose interval
    takes chance agreement as fixed too; E. B. Wilson, 1927, JASA 22, 209–212.

    Raises:
        ValueError: as `cohen_kappa`.
    """
    kappa = cohen_kappa(table, confidence)
    n = kappa.n
    if any(table[i][j] for i in range(len(table)) for j in range(len(table)) if i != j):
        return kappa.interval.low
    chance = math.fsum((table[i][i] / n) ** 2 for i in range(len(table)))
    return max(-1.0, (wilson_interval(n, n, confidence).low - chance) / (1 - chance))


def _kappa_variance(
    share: Sequence[Sequence[float]],
    rows: Sequence[float],
    columns: Sequence[float],
    kappa: float,
    chance: float,
) -> float:
    size = range(len(rows))
    rest = 1 - kappa
    diagonal = math.fsum(share[i][i] * (1 - (rows[i] + columns[i]) * rest) ** 2 for i in size)
    others = math.fsum(
        share[i][j] * (columns[i] + rows[j]) ** 2 for i in size for j in size if i != j
    )
    total = diagonal + rest**2 * others - (kappa - chance * rest) ** 2
    return total / (1 - chance) ** 2


def balanced_accuracy(table: Sequence[Sequence[int]]) -> float:
    """Return the mean share of each true class that was found; rows are the true classes.

    Source: K. H. Brodersen et al., 2010, ICPR, eq. 3, for any number of classes.

    Raises:
        ValueError: a row holds no case: with labels of one class only it says nothing.
    """
    if len(table) < 2 or any(len(row) != len(table) or sum(row) == 0 for row in table):
        raise ValueError("balanced accuracy needs at least one case of each of two classes")
    return math.fsum(row[i] / sum(row) for i, row in enumerate(table)) / len(table)


def fleiss_kappa(counts: Sequence[Sequence[int]]) -> float:
    """Return Fleiss' kappa; a row is a case, a column a category, a cell the number of judges.

    Judges who all use one category for every case agree fully: 1.0.

    Source: J. L. Fleiss, 1971, Psychological Bulletin 76, 378–382, eq. 7.

    Raises:
        ValueError: there is no case, fewer than two judges, or cases have unequal numbers of them.
    """
    judges = {sum(row) for row in counts}
    widths = {len(row) for row in counts}
    if len(judges) != 1 or len(widths) != 1 or min(judges) < 2:
        raise ValueError("Fleiss' kappa needs cases, each judged by the same two or more judges")
    if any(cell < 0 for row in counts for cell in row):
        raise ValueError("Fleiss' kappa needs counts of judges, none negative")
    m, n = judges.pop(), len(counts)
    totals = [sum(row[j] for row in counts) for j in range(widths.pop())]
    if max(totals) == n * m:
        return 1.0
    seen = sum(cell * (cell - 1) for row in counts for cell in row) / (n * m * (m - 1))
    chance = math.fsum((total / (n * m)) ** 2 for total in totals)
    return (seen - chance) / (1 - chance)


def ensemble_agreement(verdicts: Sequence[Sequence[Hashable]]) -> float:
    """Return Fleiss' kappa of raw verdicts: a row is a case, its items what each judge said."""
    labels = list(dict.fromkeys(verdict for row in verdicts for verdict in row))
    return fleiss_kappa([[Counter(row)[label] for label in labels] for row in verdicts])


def krippendorff_alpha(
    units: Sequence[Sequence[float | str | None]], metric: Metric = "nominal"
) -> float:
    """Return Krippendorff's alpha; a row is a case, its items the judges' values, None missing.

    Values that never differ agree fully: 1.0.

    Source: K. Krippendorff, 2011, Computing Krippendorff's Alpha-Reliability, section C to E.

    Raises:
        ValueError: no case has two values, or a metric of numbers is asked of text.
    """
    rows = [[v for v in row if v is not None] for row in units]
    rows = [row for row in rows if len(row) > 1]
    if not rows:
        raise ValueError("alpha needs at least one case with two values")
    values = {value for row in rows for value in row}
    if metric != "nominal" and not all(isinstance(v, (int, float)) for v in values):
        raise ValueError(f"the {metric} metric needs numbers")
    ordered = sorted(values, key=lambda v: v if isinstance(v, (int, float)) else str(v))
    totals = Counter(value for row in rows for value in row)
    distance = _distances(ordered, totals, metric)
    n = totals.total()
    seen = math.fsum(_disagreement(Counter(row), distance) / (len(row) - 1) for row in rows)
    expected = _disagreement(totals, distance)
    return 1.0 if expected == 0 else 1 - (n - 1) * seen / expected


def _distances(
    ordered: Sequence[float | str], totals: Mapping[float | str, int], metric: Metric
) -> dict[tuple[float | str, float | str], float]:
    place, running = {}, 0.0
    for value in ordered:
        place[value] = running + totals[value] / 2
        running += totals[value]
    distance: dict[tuple[float | str, float | str], float] = {}
    for i, a in enumerate(ordered):
        for b in ordered[i + 1 :]:
            match metric:
                case "nominal":
                    gap = 1.0
                case "ordinal":
                    gap = (place[a] - place[b]) ** 2
                case _:
                    gap = (float(a) - float(b)) ** 2
            distance[a, b] = distance[b, a] = gap
    return distance


def _disagreement(
    counts: Mapping[float | str, int],
    distance: Mapping[tuple[float | str, float | str], float],
) -> float:
    return math.fsum(
        counts[a] * counts[b] * distance[a, b] for a in counts for b in counts if a != b
    )


@dataclass(frozen=True, slots=True)
class Stability:
    """How often irrelevant edits left a verdict as it was."""

    agree: int
    total: int

    @property
    def score(self) -> float:
        """The share of variants with the base verdict, in [0, 1]."""
        return self.agree / self.total


def counterfactual_stability(base: Hashable, variants: Sequence[Hashable]) -> Stability:
    """Count the variants whose verdict is that of the unedited case.

    Raises:
        ValueError: there is no variant, so nothing was measured.
    """
    if not variants:
        raise ValueError("counterfactual stability needs at least one variant")
    return Stability(sum(v == base for v in variants), len(variants))


def flags_disagreement(model: str, human: str) -> bool:
    """Whether a judge and a person differ, so that the case is worth a second look."""
    return model != human
