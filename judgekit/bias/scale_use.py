"""How much of its scale a judge uses: compressed scores and ties tell answers apart badly.

Source: Y. Liu et al., 2023, G-Eval, 3.3 (one digit dominates the scores of a direct judge).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import pvariance

from judgekit.bias.observation import CONFIDENCE, Observation, Row, Seat
from judgekit.bias.settling import needed_at, place, rate_row, recording, settled, unknown_row
from judgekit.gate.statistics.distributions import Interval, two_sided_z
from judgekit.gate.statistics.proportions import wilson_interval
from judgekit.judges.rubric import Kind

COMPRESSION = "scale: share of the commonest score"
TIES = "scale: share of tied pairs"
TIED_VERDICTS = "scale: share of ties"


def scale_use(observations: Sequence[Observation], seat: Seat) -> Iterator[Row]:
    """Yield how far scores are compressed, and how often two are tied."""
    values = list(settled(observations).values())
    if seat.kind is Kind.PAIRWISE:
        if values:
            ties = sum(each.label == "tie" for each in values)
            yield rate_row(TIED_VERDICTS, seat, ties, len(values))
        else:
            why = "no case is recorded in both orders"
            yield unknown_row(TIED_VERDICTS, seat, why, recording(seat))
    elif seat.kind is Kind.SCORE:
        yield from _scores([round(each.value, 9) for each in values], seat)


def _scores(scores: Sequence[float], seat: Seat) -> Iterator[Row]:
    if not scores:
        why = "no score is recorded"
        yield unknown_row(COMPRESSION, seat, why, recording(seat))
        yield unknown_row(TIES, seat, why, recording(seat))
        return
    counts = Counter(scores)
    score, times = min(counts.items(), key=lambda item: (-item[1], item[0]))
    distinct = "score" if len(counts) == 1 else "scores"
    note = (
        f"{len(counts)} {distinct} used, {min(scores):.3g} to {max(scores):.3g}; "
        f"the commonest is {score:.3g}"
    )
    yield rate_row(COMPRESSION, seat, times, len(scores), note=note)
    if len(scores) < 2:
        yield unknown_row(TIES, seat, "there is one score only", recording(seat), n=1)
        return
    share, interval = tied_pairs(scores)
    n = len(scores)
    yield Row(
        TIES,
        place(seat),
        seat.judge,
        estimate=share,
        interval=interval,
        n=n,
        needed=needed_at(n, interval),
    )


def tied_pairs(scores: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, Interval]:
    """Return the share of pairs of cases with one score, and its interval; two cases or more.

    The variance of a mean over pairs is (4 (n - 2) v1 + 2 v2) / (n (n - 1)), with v1 the variance
    of each case's own mean and v2 that of a single pair. Where no pair or every pair is tied both
    are 0; then the interval is Wilson's of the n / 2 pairs that share no case.

    Source: W. Hoeffding, 1948, Annals of Mathematical Statistics 19, 293–325, eq. 5.13.
    """
    n, counts = len(scores), Counter(scores)
    own = [(counts[score] - 1) / (n - 1) for score in scores]
    share = math.fsum(own) / n
    if share in (0.0, 1.0):
        return share, wilson_interval(share * (n // 2), n // 2, confidence)
    spread = 4 * (n - 2) * pvariance(own) + 2 * share * (1 - share)
    half = two_sided_z(confidence) * math.sqrt(spread / (n * (n - 1)))
    return share, Interval(max(0.0, share - half), min(1.0, share + half))
