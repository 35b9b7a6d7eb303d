"""How far the judges of a panel agree beyond chance: a panel that always agrees adds nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from judgekit.bias.observation import CONFIDENCE, Observation, Row, Seat
from judgekit.bias.settling import Settled, needed_at, recording, settled, unknown_row
from judgekit.gate.statistics.agreement import ensemble_agreement, krippendorff_alpha
from judgekit.gate.statistics.distributions import Interval
from judgekit.gate.statistics.proportions import wilson_interval
from judgekit.gate.statistics.resampling import bootstrap_interval
from judgekit.judges.rubric import Kind

FLEISS = "panel: Fleiss' kappa"
ALPHA = "panel: Krippendorff's alpha"

Values = Sequence[float | str | None]


def panel_agreement(observations: Sequence[Observation], seats: Sequence[Seat]) -> Iterator[Row]:
    """Yield the agreement of one scorer's judges; nothing where it has one judge only.

    Args:
        observations: of the scorer, all judges.
        seats: the scorer's.
    """
    if len(seats) < 2:
        return
    panel = Seat(
        seats[0].eval, seats[0].scorer, ", ".join(s.judge for s in seats), "", seats[0].kind
    )
    said = [settled([o for o in observations if o.judge == seat.judge]) for seat in seats]
    cases = list(dict.fromkeys(case for own in said for case in own))
    table = [[own.get(case) for own in said] for case in cases]
    whole = [[each for each in row if each is not None] for row in table]
    full = [[each.label for each in row] for row in whole if len(row) == len(seats)]
    score = panel.kind is Kind.SCORE
    yield _row(FLEISS, panel, full, ensemble_agreement, "judged by all of them")
    units = [[_value(each, score) for each in row] for row in table]
    paired = [row for row in units if sum(value is not None for value in row) > 1]
    metric = "interval" if score else "nominal"
    yield _row(
        ALPHA,
        panel,
        paired,
        lambda rows: krippendorff_alpha(rows, metric),  # type: ignore[arg-type]
        "judged by two of them",
    )


def _value(each: Settled | None, score: bool) -> float | str | None:
    if each is None:
        return None
    return each.value if score else each.label


def _row(
    measure: str,
    panel: Seat,
    rows: Sequence[Values],
    figure: Callable[[Sequence[Values]], float],
    wanted: str,
) -> Row:
    if not rows:
        return unknown_row(measure, panel, f"no case is {wanted}", recording(panel))
    if len({value for row in rows for value in row if value is not None}) < 2:
        why = f"all of them say one thing on every case ({len(rows)} of them)"
        return unknown_row(measure, panel, why, n=len(rows))
    estimate = figure(rows)
    interval = _full_agreement(rows) if estimate > 1 - 1e-12 else _interval(rows, figure)
    return Row(
        measure,
        where=f"{panel.eval} / {panel.scorer}",
        judge=panel.judge,
        estimate=estimate,
        interval=interval,
        n=len(rows),
        needed=None if interval is None else needed_at(len(rows), interval),
    )


def _interval(
    rows: Sequence[Values], figure: Callable[[Sequence[Values]], float]
) -> Interval | None:
    def defined(drawn: Sequence[Values]) -> float:
        if len({value for row in drawn for value in row if value is not None}) < 2:
            raise ValueError("every judge says one thing on these cases")
        return figure(drawn)

    try:
        return bootstrap_interval(rows, defined, confidence=CONFIDENCE)
    except ValueError:
        return None


def _full_agreement(rows: Sequence[Values]) -> Interval:
    """Return the interval where all agree: Wilson's of the share of agreement, beyond chance.

    Chance is taken as it was seen, as `kappa_lower_bound` does for two labellers.
    """
    totals = Counter(value for row in rows for value in row if value is not None)
    chance = math.fsum((count / totals.total()) ** 2 for count in totals.values())
    low = (wilson_interval(len(rows), len(rows), CONFIDENCE).low - chance) / (1 - chance)
    return Interval(max(-1.0, low), 1.0)
