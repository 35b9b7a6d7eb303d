"""Position bias: whether a comparison's verdict follows the order in which answers are shown.

Source: L. Zheng et al., 2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena, 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgekit.bias.observation import Observation, Row, Seat
from judgekit.bias.probes import SAME_ANSWER
from judgekit.bias.settling import (
    change,
    place,
    points,
    probing,
    rate_row,
    recording,
    settled,
    unknown_row,
)
from judgekit.gate.statistics.distributions import Interval
from judgekit.judges.rubric import Kind

CONSISTENCY = "position: consistency"
FIRST = "position: preference for the first"
SAME = "position: one answer shown twice"


def position(observations: Sequence[Observation], seat: Seat) -> Iterator[Row]:
    """Yield how consistent a judge is over both orders, and which place it prefers."""
    if seat.kind is not Kind.PAIRWISE:
        return
    both = list(settled(observations).values())
    if both:
        consistent = sum(each.label != "inconsistent" for each in both)
        note = f"{consistent} of {len(both)} verdicts are the same in both orders"
        yield rate_row(CONSISTENCY, seat, consistent, len(both), note=note)
        turned = [2 * (each.first or 0.0) - 1 for each in both]
        yield _preference(FIRST, seat, turned, "")
    else:
        why = "no case is recorded in both orders"
        yield unknown_row(CONSISTENCY, seat, why, recording(seat))
        yield unknown_row(FIRST, seat, why, recording(seat))
    same = [
        2 * points(each) - 1
        for each in observations
        if each.variant == SAME_ANSWER.name and not each.swapped
    ]
    if same:
        yield _preference(SAME, seat, same, f"{same.count(0.0)} of {len(same)} called a tie")
    else:
        why = "no answer is recorded as A and as B at once"
        yield unknown_row(SAME, seat, why, probing(seat, "position"))


def _preference(measure: str, seat: Seat, turned: Sequence[float], note: str) -> Row:
    """Return the share that the first place took; `turned` is its lead over the last, -1 to 1."""
    found = change([(lead, str(i)) for i, lead in enumerate(turned)], discrete=True)
    low, high = found.interval
    return Row(
        measure,
        place(seat),
        seat.judge,
        estimate=0.5 + found.mean / 2,
        interval=Interval(0.5 + low / 2, 0.5 + high / 2),
        n=len(turned),
        needed=-(-found.needed // 4),
        neutral=0.5,
        p_value=found.p_value,
        note=note,
        above="prefers what is shown first",
        below="prefers what is shown last",
    )
