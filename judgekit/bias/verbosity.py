"""Verbosity bias: whether a judge prefers the longer answer because it is longer.

Recorded verdicts show only that length and verdict go together; a longer answer may be a better
one. The padding probe changes nothing but the length.

Source: L. Zheng et al., 2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena, 3.3; length
as a covariate: Y. Dubois et al., 2024, Length-Controlled AlpacaEval, 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from judgekit.bias.observation import CONFIDENCE, HALF_WIDTH, Observation, Row, Seat
from judgekit.bias.probes import PADDED
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
from judgekit.gate.statistics.association import spearman
from judgekit.gate.statistics.logistic import logistic_regression
from judgekit.gate.statistics.proportions import sign_test
from judgekit.judges.rubric import Kind

LONGER_WINS = "verbosity: the longer one wins"
WIN_ODDS = "verbosity: log-odds of winning per doubling of length"
PASS_ODDS = "verbosity: log-odds of passing per doubling of length"  # noqa: S105 - no password
SCORES = "verbosity: rank correlation of score and length"
PADDING = "verbosity: change by padding"

ODDS_HALF_WIDTH = 4 * HALF_WIDTH
"""± 0.05 of a rate at one half, as log-odds (A. Gelman and J. Hill, 2007, 5.2, divide by 4)."""


def verbosity(observations: Sequence[Observation], seat: Seat) -> Iterator[Row]:
    """Yield how verdicts go with length, and how they change by padding."""
    base = settled(observations)
    values = [each for each in base.values() if each.shown.length is not None]
    if seat.kind is Kind.PAIRWISE:
        yield from _comparisons(values, seat)
    elif seat.kind is Kind.SCORE:
        yield _scores(values, seat)
    else:
        yield _pass_odds(values, seat)
    moves = moves_between(base, settled(observations, PADDED.name))
    if moves:
        yield change_row(
            PADDING,
            seat,
            moves,
            above="prefers the padded answer",
            below="marks padding down",
        )
    else:
        why = "no padded answer is recorded beside its own"
        yield unknown_row(PADDING, seat, why, probing(seat, "padding"))


def _comparisons(values: Sequence[Settled], seat: Seat) -> Iterator[Row]:
    decided = [
        each
        for each in values
        if each.value != 0.5
        and each.shown.baseline_length is not None
        and each.shown.length != each.shown.baseline_length
    ]
    if not decided:
        why, remedy = "no case is recorded in both orders", recording(seat)
        if values:
            why = (
                f"none of {len(values)} comparisons of unequal length has a winner over both orders"
            )
            remedy = ""
        yield unknown_row(LONGER_WINS, seat, why, remedy)
        yield unknown_row(WIN_ODDS, seat, why, remedy)
        return
    won = sum((each.value > 0.5) is (_doublings(each) > 0) for each in decided)
    yield rate_row(
        LONGER_WINS,
        seat,
        won,
        len(decided),
        neutral=0.5,
        p_value=sign_test(won, len(decided) - won),
        causal=False,
        above="the longer answer wins more often",
        below="the shorter answer wins more often",
    )
    outcomes = [each.value > 0.5 for each in decided]
    lengths = [[_doublings(each)] for each in decided]
    yield _odds(WIN_ODDS, seat, outcomes, lengths, "win")


def _doublings(value: Settled) -> float:
    """Return by how many doublings the candidate is longer than the baseline."""
    shown = value.shown
    return math.log2(max(1, shown.length or 0) / max(1, shown.baseline_length or 0))


def _pass_odds(values: Sequence[Settled], seat: Seat) -> Row:
    if not values:
        return unknown_row(PASS_ODDS, seat, "no verdict on a text is recorded", recording(seat))
    labelled = [each for each in values if each.shown.human is not None]
    people = {each.shown.human for each in labelled}
    if len(labelled) >= 10 and len(people) > 1:
        held = [[_length(each), float(each.shown.human or False)] for each in labelled]
        outcomes = [each.value > 0.5 for each in labelled]
        row = _odds(PASS_ODDS, seat, outcomes, held, "pass", note="people's verdict held equal")
        if row.estimate is not None:
            return row
    outcomes = [each.value > 0.5 for each in values]
    return _odds(PASS_ODDS, seat, outcomes, [[_length(each)] for each in values], "pass")


def _length(value: Settled) -> float:
    return math.log2(max(1, value.shown.length or 0))


def _odds(
    measure: str,
    seat: Seat,
    outcomes: Sequence[bool],
    covariates: Sequence[Sequence[float]],
    word: str,
    note: str = "",
) -> Row:
    """Return the row of the first covariate's coefficient."""
    n = len(outcomes)
    if len(set(outcomes)) < 2:
        said = f"every verdict is a {word}" if outcomes[0] else f"no verdict is a {word}"
        return unknown_row(measure, seat, f"{said} ({n} of them)", n=n)
    if len({row[0] for row in covariates}) < 2:
        return unknown_row(measure, seat, "all lengths are the same", n=n)
    try:
        slope = logistic_regression(outcomes, covariates, CONFIDENCE)[1]
    except ValueError:
        why = f"length alone parts every {word} from the rest, so that the odds have no bound"
        return unknown_row(measure, seat, why, n=n)
    return Row(
        measure,
        place(seat),
        seat.judge,
        estimate=slope.value,
        interval=slope.interval,
        n=n,
        needed=needed_at(n, slope.interval, ODDS_HALF_WIDTH),
        neutral=0.0,
        p_value=slope.p_value,
        causal=False,
        above=f"longer answers {word} more often",
        below=f"shorter answers {word} more often",
        note=note,
    )


def _scores(values: Sequence[Settled], seat: Seat) -> Row:
    lengths = [float(each.shown.length or 0) for each in values]
    try:
        found = spearman(lengths, [each.value for each in values], CONFIDENCE)
    except ValueError as error:
        remedy = "" if values else recording(seat)
        return unknown_row(SCORES, seat, str(error), remedy, n=len(values))
    return Row(
        SCORES,
        place(seat),
        seat.judge,
        estimate=found.value,
        interval=found.interval,
        n=len(values),
        needed=needed_at(len(values), found.interval),
        neutral=0.0,
        p_value=found.p_value,
        causal=False,
        above="longer answers score higher",
        below="shorter answers score higher",
    )
