"""Format bias: whether a judge prefers the same words in Markdown.

Source: X. Zhang et al., 2024, From Lists to Emojis: How Format Bias Affects Model Alignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from judgekit.bias.observation import CONFIDENCE, Observation, Row, Seat
from judgekit.bias.probes import BOLD, LISTED, PLAIN
from judgekit.bias.settling import (
    Settled,
    change_row,
    moves_between,
    needed_at,
    place,
    probing,
    rate_row,
    recording,
    settled,
    unknown_row,
)
from judgekit.gate.statistics.differences import bounded_two_sample, fisher_exact, welch
from judgekit.gate.statistics.proportions import newcombe_difference, sign_test
from judgekit.judges.rubric import Kind

MARKED = "format: Markdown against none"
MARKED_WINS = "format: the one with Markdown wins"
AS_LIST = "format: change by a bulleted list"
IN_BOLD = "format: change by bold"

BETTER_WITH = "answers with Markdown do better"
BETTER_WITHOUT = "answers without Markdown do better"


def layout(observations: Sequence[Observation], seat: Seat) -> Iterator[Row]:
    """Yield how verdicts go with Markdown, and how they change by it."""
    base = settled(observations)
    if seat.kind is Kind.PAIRWISE:
        yield _comparisons(list(base.values()), seat)
    else:
        yield _groups(list(base.values()), seat)
    plain = {**_unmarked(base), **settled(observations, PLAIN.name)}
    for measure, variant in ((AS_LIST, LISTED), (IN_BOLD, BOLD)):
        moves = moves_between(plain, settled(observations, variant.name))
        if moves:
            yield change_row(
                measure,
                seat,
                moves,
                above="prefers Markdown to the same words without",
                below="prefers plain text to the same words in Markdown",
            )
        else:
            why = f"no answer is recorded both plain and {variant.what}"
            yield unknown_row(measure, seat, why, probing(seat, "format"))


def _unmarked(base: Mapping[str, Settled]) -> dict[str, Settled]:
    """Return the cases that are plain as they are."""
    return {case: each for case, each in base.items() if not each.shown.marked}


def _comparisons(values: Sequence[Settled], seat: Seat) -> Row:
    unequal = [each for each in values if each.shown.marked is not each.shown.baseline_marked]
    decided = [each for each in unequal if each.value != 0.5]
    if not decided:
        remedy = "" if values else recording(seat)
        why = "no comparison of an answer with Markdown to one without has a winner"
        return unknown_row(MARKED_WINS, seat, why, remedy)
    won = sum((each.value > 0.5) is each.shown.marked for each in decided)
    return rate_row(
        MARKED_WINS,
        seat,
        won,
        len(decided),
        neutral=0.5,
        p_value=sign_test(won, len(decided) - won),
        causal=False,
        above=BETTER_WITH,
        below=BETTER_WITHOUT,
    )


def _groups(values: Sequence[Settled], seat: Seat) -> Row:
    marked = [each.value for each in values if each.shown.marked]
    plain = [each.value for each in values if not each.shown.marked]
    if not marked or not plain:
        what = "no verdict is recorded"
        if values:
            what = f"{'none' if not marked else 'each'} of the {len(values)} answers has Markdown"
        return unknown_row(MARKED, seat, what, recording(seat) if not values else "")
    if seat.kind is Kind.SCORE:
        try:
            found = welch(marked, plain, CONFIDENCE)
        except ValueError:
            found = bounded_two_sample(marked, plain, CONFIDENCE)
        estimate, interval, p_value = found.value, found.interval, found.p_value
    else:
        passes = [sum(value > 0.5 for value in group) for group in (marked, plain)]
        estimate = fmean(marked) - fmean(plain)
        interval = newcombe_difference(
            passes[0], len(marked), passes[1], len(plain), confidence=CONFIDENCE
        )
        p_value = fisher_exact(
            [[passes[0], len(marked) - passes[0]], [passes[1], len(plain) - passes[1]]]
        )
    return Row(
        MARKED,
        place(seat),
        seat.judge,
        estimate=estimate,
        interval=interval,
        n=len(values),
        needed=needed_at(len(values), interval),
        neutral=0.0,
        p_value=p_value,
        causal=False,
        note=f"{len(marked)} with, {len(plain)} without",
        above=BETTER_WITH,
        below=BETTER_WITHOUT,
    )
