"""All measures of bias over recorded verdicts, in one order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from judgekit.bias.families import FamilyTable
from judgekit.bias.family_preference import family_preference
from judgekit.bias.layout import layout
from judgekit.bias.observation import Measure, Observation, Row, Seat, corrected
from judgekit.bias.panel_agreement import ALPHA, FLEISS, panel_agreement
from judgekit.bias.position import CONSISTENCY, FIRST, SAME, position
from judgekit.bias.scale_use import COMPRESSION, TIES, scale_use
from judgekit.bias.stability import stability
from judgekit.bias.verbosity import verbosity
from judgekit.judges.rubric import Kind

MEASURES: Final[tuple[Measure, ...]] = (position, verbosity, layout, scale_use, stability)
"""Of one judge of one scorer."""

_ONLY_OF = (
    ((CONSISTENCY, FIRST, SAME), "no scorer compares two answers", "add one with `llm_pairwise`"),
    ((COMPRESSION, TIES), "no scorer gives scores", "add one with `llm_score`"),
    ((FLEISS, ALPHA), "no scorer asks a panel", "give one `judges: [a, b]`"),
)


def measured(
    observations: Sequence[Observation],
    seats: Sequence[Seat],
    families: FamilyTable | None = None,
) -> tuple[Row, ...]:
    """Return every measure of every judge, what can't be told among them.

    The rows do not depend on the order of the observations.

    Args:
        seats: every judge of every scorer, whether anything is recorded of it or not.
        families: the project's own entries.
    """
    ordered = sorted(observations, key=_order)
    places = sorted(seats, key=lambda seat: (seat.eval, seat.scorer))
    return corrected([*_rows(ordered, places, families)])


def _order(observation: Observation) -> tuple[str, str, str, str, str, int, bool]:
    o = observation
    return (o.eval, o.scorer, o.judge, o.variant, o.case, o.sample, o.swapped)


def _rows(
    observations: Sequence[Observation], seats: Sequence[Seat], families: FamilyTable | None
) -> Iterator[Row]:
    by_seat: dict[tuple[str, str, str], list[Observation]] = {}
    for each in observations:
        by_seat.setdefault((each.eval, each.scorer, each.judge), []).append(each)
    for measure in MEASURES:
        for seat in seats:
            yield from measure(by_seat.get((seat.eval, seat.scorer, seat.judge), ()), seat)
    for where in dict.fromkeys((seat.eval, seat.scorer) for seat in seats):
        own = [seat for seat in seats if (seat.eval, seat.scorer) == where]
        said = [o for seat in own for o in by_seat.get((*where, seat.judge), ())]
        yield from panel_agreement(said, own)
    yield from family_preference(observations, seats, families)
    yield from _inapplicable(seats)


def _inapplicable(seats: Sequence[Seat]) -> Iterator[Row]:
    """Yield a row for every measure that no scorer here allows, so that none is passed over."""
    kinds = {seat.kind for seat in seats}
    scorers = [(seat.eval, seat.scorer) for seat in seats]
    allowed = (Kind.PAIRWISE in kinds, Kind.SCORE in kinds, len(set(scorers)) < len(scorers))
    for is_allowed, (measures, why, remedy) in zip(allowed, _ONLY_OF, strict=True):
        if not is_allowed:
            for measure in measures:
                yield Row(measure, where="", judge="", why_not=why, remedy=remedy)
