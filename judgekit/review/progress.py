"""What a reviewer still has to look at, what has been decided, and how far reviewers agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from judgekit.gate.statistics.agreement import cohen_kappa
from judgekit.review.comparison import Comparison, PassFail, Place
from judgekit.review.labels import Label
from judgekit.review.queue import Decision

_LABELS: tuple[PassFail, PassFail] = ("pass", "fail")


def standing(decisions: Iterable[Decision]) -> dict[tuple[str, Place, str], Decision]:
    """Return each reviewer's last word on each output, by reviewer, place and output digest."""
    return {(each.reviewer, each.place, each.output_digest): each for each in decisions}


def pending(
    queue: Iterable[Comparison],
    decisions: Iterable[Decision],
    reviewer: str,
    *,
    skipped: bool = False,
) -> tuple[Comparison, ...]:
    """Return what `reviewer` has not decided yet, in the queue's order.

    A decision on an earlier output of the case does not count: the output to read is another one.

    Args:
        queue: as `consolidated` gives it.
        skipped: whether what the reviewer skipped is to be shown again.
    """
    done = standing(decisions)

    def is_pending(comparison: Comparison) -> bool:
        decision = done.get((reviewer, comparison.place, comparison.output_digest))
        return decision is None or (skipped and decision.answer == "skip")

    return tuple(filter(is_pending, queue))


def labels(queue: Iterable[Comparison], decisions: Iterable[Decision]) -> tuple[Label, ...]:
    """Return what reviewers said of the outputs in the queue, for calibrating a rubric.

    Skipped ones are no labels, and neither is what was said of an output that is no longer the
    case's. Sorted by eval, scorer, case and reviewer.

    Args:
        queue: as `consolidated` gives it.
    """
    outputs = {comparison.place: comparison.output_digest for comparison in queue}
    found = [
        Label(
            case=each.case,
            eval=each.eval,
            scorer=each.scorer,
            label=each.answer,
            reviewer=each.reviewer,
            note=each.note,
        )
        for each in standing(decisions).values()
        if each.answer != "skip" and outputs.get(each.place) == each.output_digest
    ]
    return tuple(sorted(found, key=lambda each: (each.eval, each.scorer, each.case, each.reviewer)))


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two reviewers agree on what both have labelled.

    Attributes:
        both: how many outputs both labelled.
        same: how many of those they labelled alike.
        kappa: Cohen's kappa, in [-1, 1]; None where it is not defined.
    """

    first: str
    second: str
    both: int
    same: int
    kappa: float | None

    @property
    def share(self) -> float:
        """The share labelled alike, in [0, 1]."""
        return self.same / self.both


def agreement(decisions: Iterable[Decision]) -> tuple[PairAgreement, ...]:
    """Return the agreement of each pair of reviewers who labelled at least one output both."""
    by_reviewer: dict[str, dict[tuple[Place, str], str]] = {}
    for (reviewer, place, digest), decision in standing(decisions).items():
        if decision.answer != "skip":
            by_reviewer.setdefault(reviewer, {})[place, digest] = decision.answer
    return tuple(_pairs(sorted(by_reviewer.items())))


def _pairs(
    reviewers: Sequence[tuple[str, dict[tuple[Place, str], str]]],
) -> Iterator[PairAgreement]:
    for (first, ours), (second, theirs) in combinations(reviewers, 2):
        pairs = [(ours[output], theirs[output]) for output in ours if output in theirs]
        if pairs:
            table = [[pairs.count((row, column)) for column in _LABELS] for row in _LABELS]
            yield PairAgreement(first, second, len(pairs), table[0][0] + table[1][1], _kappa(table))


def _kappa(table: list[list[int]]) -> float | None:
    try:
        return cohen_kappa(table).value
    except ValueError:
        return None
