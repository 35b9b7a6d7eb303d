"""What a measure of bias is taken from, and what it says: frozen data in, frozen data out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from judgekit.bias.guard import HUMAN
from judgekit.gate.statistics.distributions import Interval
from judgekit.gate.statistics.paired import holm
from judgekit.judges.rubric import Kind

CONFIDENCE: Final = 0.95
ALPHA: Final = 0.05
HALF_WIDTH: Final = 0.05
"""The half width that `Row.needed` tells the cases for."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One recorded verdict of one judge.

    Attributes:
        scorer: the eval's scorer, also of a probe.
        judge: the judge's name in the configuration; `model` is what it was asked for.
        rubric: digest of what it judged by; `rubric_id` names it.
        families: of the judge model.
        subject: the model that made the output, or ``human``.
        own_family: whether the judge model shares a family with the subject model.
        variant: name of the probe's variant; empty for the case as it is.
        sample: tells repeated questions apart, from 0.
        outcome: the verdict's; ``A``, ``B`` or ``TIE`` of a comparison.
        score: the verdict's, in [0, 1].
        passed: whether it passes by the rubric's pass rule; of a comparison: whether A wins.
        swapped: whether a comparison showed the baseline first.
        length: characters of the judged output; None where it is no text.
        baseline_length: characters of what a comparison compares with.
        marked: whether the output carries Markdown; `baseline_marked` the other one.
        human: whether people pass the output; None where they did not say, or are split.
    """

    eval: str
    scorer: str
    judge: str
    model: str
    kind: Kind
    rubric: str
    case: str
    outcome: str
    score: float
    passed: bool
    rubric_id: str = "inline"
    families: frozenset[str] = frozenset()
    subject: str = HUMAN
    own_family: bool = False
    cluster: str | None = None
    variant: str = ""
    sample: int = 0
    swapped: bool = False
    length: int | None = None
    baseline_length: int | None = None
    marked: bool = False
    baseline_marked: bool = False
    human: bool | None = None


@dataclass(frozen=True, slots=True)
class Seat:
    """One judge of one scorer, whether or not anything is recorded of it."""

    eval: str
    scorer: str
    judge: str
    model: str
    kind: Kind


Direction = Literal["above", "below"]


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of one judge.

    Attributes:
        measure: what is measured, in words.
        where: the scorer that it was measured on, as ``eval / scorer``; empty over several.
        judge: the judge's name, or several of a panel.
        estimate: None where it can't be told; then `why_not` says why.
        interval: of `estimate`, at 95 %; None where the estimate has none.
        n: cases that it rests on.
        unit: what `n` counts.
        needed: cases for an interval of ± 0.05; None where that can't be told either.
        neutral: what a judge without the bias would give; None where there is no such value.
        p_value: two-sided, of the neutral value.
        adjusted: `p_value` after Holm's correction over all rows of a report.
        causal: whether a deviation is the judge's doing; False where the outputs themselves may
            differ with what is measured.
        above: what an estimate over the neutral value says of the judge; `below` one under it.
        remedy: what makes it measurable.
        note: what else is to know.
    """

    measure: str
    where: str
    judge: str
    estimate: float | None = None
    interval: Interval | None = None
    n: int = 0
    unit: str = "case"
    needed: int | None = None
    neutral: float | None = None
    p_value: float | None = None
    adjusted: float | None = None
    causal: bool = True
    above: str = ""
    below: str = ""
    why_not: str = ""
    remedy: str = ""
    note: str = ""

    @property
    def finding(self) -> str:
        """``unknown``, ``measured`` (nothing to hold it against), ``none``, ``bias``, ``goes``.

        ``goes`` is a deviation that need not be the judge's doing: quality may go with it.
        """
        if self.estimate is None:
            return "unknown"
        if self.neutral is None or self.adjusted is None:
            return "measured"
        if self.adjusted > ALPHA:
            return "none"
        return "bias" if self.causal else "goes"

    @property
    def says(self) -> str:
        """What the row says of the judge, in words."""
        if self.estimate is None:
            remedy = f"; {self.remedy}" if self.remedy else ""
            return f"cannot be told from these recordings, because {self.why_not}{remedy}"
        finding = self.finding
        if finding == "measured":
            return self.note
        if finding == "none":
            said = "no bias shown" if self.causal else "no association shown"
        else:
            direction = self.above if self.estimate > (self.neutral or 0.0) else self.below
            said = f"BIAS: {direction}" if finding == "bias" else f"{direction}"
        return f"{said}; {self.note}" if self.note else said


Measure = Callable[[Sequence[Observation], Seat], Iterable[Row]]


def corrected(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows with p-values held to the number of tests in the report.

    Forty rows at 5 % would accuse a judge without any bias of two; Holm's correction keeps the
    chance of a single false accusation in the whole report at 5 %.

    Source: S. Holm, 1979, Scandinavian Journal of Statistics 6, 65–70.
    """
    tested = [i for i, row in enumerate(rows) if row.p_value is not None]
    adjusted = holm([p for row in rows if (p := row.p_value) is not None])
    by_place = dict(zip(tested, adjusted, strict=True))
    return tuple(
        replace(row, adjusted=by_place[i]) if i in by_place else row for i, row in enumerate(rows)
    )
