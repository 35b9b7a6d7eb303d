"""Whether judges favour what models of their own family wrote.

Two measures. With people's labels: of the outputs that people pass, does the judge pass more of its
own family's? Without: do two judges differ in how they see each other's families? What an output is
worth cancels out of that difference, since both judges saw the same ones.

Source: equality of opportunity, M. Hardt, E. Price and N. Srebro, 2016, NeurIPS, definition 2.2; as
self-preference of judges, K. Wataoka, T. Takahashi and R. Ri, 2024, Self-Preference Bias in
LLM-as-a-Judge, eq. 3. The gap of gaps is a difference in differences, J. D. Angrist and J.-S.
Pischke, 2009, Mostly Harmless Econometrics, 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from judgekit.bias.families import FamilyTable, model_families
from judgekit.bias.guard import HUMAN
from judgekit.bias.observation import CONFIDENCE, Observation, Row, Seat
from judgekit.bias.settling import Settled, needed_at, settled
from judgekit.gate.statistics.differences import bounded_two_sample, fisher_exact, welch
from judgekit.gate.statistics.proportions import newcombe_difference
from judgekit.judges.rubric import Kind

SELF = "self-preference: equal-opportunity difference"
GAPS = "family preference: gap of gaps"

_LABELS = "give --labels FILE, or --labels-from-eval"


def family_preference(
    observations: Sequence[Observation],
    seats: Sequence[Seat],
    families: FamilyTable | None = None,
) -> Iterator[Row]:
    """Yield the self-preference of each judge, and the gap of gaps of each two of them."""
    judges = dict.fromkeys(seat.judge for seat in seats)
    for judge in judges:
        yield from _self_preference(judge, [o for o in observations if o.judge == judge])
    if len(judges) < 2:
        yield Row(
            GAPS,
            where="",
            judge=", ".join(judges),
            why_not="it takes two judges of different families that judge the same outputs",
            remedy="seat a panel, and record it with `judgekit record`",
        )
    for one, other in combinations(judges, 2):
        yield from _gap_of_gaps(one, other, observations, families)


def _self_preference(judge: str, observations: Sequence[Observation]) -> Iterator[Row]:
    unknown = ""
    found = False
    for rubric in dict.fromkeys(o.rubric for o in observations):
        own = [o for o in observations if o.rubric == rubric]
        row, why = _equal_opportunity(judge, own)
        if row is not None:
            found = True
            yield row
        unknown = unknown or why
    if not found:
        why, _, remedy = (unknown or "it has judged nothing yet; record it").partition("; ")
        yield Row(SELF, where="", judge=judge, why_not=why, remedy=remedy)


def _equal_opportunity(judge: str, observations: Sequence[Observation]) -> tuple[Row | None, str]:
    """Return the row over one rubric's outputs, or why there is none and what to do."""
    values = _by_output(observations)
    if not any(each.shown.own_family for each in values):
        families = ", ".join(sorted(observations[0].families)) or "of no known family"
        return None, (
            f"it has judged no output of its own family ({families}); "
            "record an eval whose subject model is of it, under a waiver"
        )
    if all(each.shown.own_family for each in values):
        return (
            None,
            "it has judged outputs of its own family only; record others by the same rubric",
        )
    if all(each.shown.human is None for each in values):
        return None, f"no label of people says which outputs are good; {_LABELS}"
    good = [each for each in values if each.shown.human]
    groups = [[e.value for e in good if e.shown.own_family is own] for own in (True, False)]
    if not all(groups):
        which = "its own family's" if not groups[0] else "other"
        return None, f"people pass none of the labelled {which} outputs; label more"
    passes = [sum(_passes(e) for e in good if e.shown.own_family is own) for own in (True, False)]
    (own_n, other_n), (own_passes, other_passes) = map(len, groups), passes
    interval = newcombe_difference(own_passes, own_n, other_passes, other_n, CONFIDENCE)
    shown = good[0].shown
    return (
        Row(
            SELF,
            where=f"rubric {shown.rubric_id}",
            judge=judge,
            estimate=own_passes / own_n - other_passes / other_n,
            interval=interval,
            n=len(good),
            unit="output that people pass",
            needed=needed_at(len(good), interval),
            neutral=0.0,
            p_value=fisher_exact(
                [[own_passes, own_n - own_passes], [other_passes, other_n - other_passes]]
            ),
            above="passes more of its own family's good outputs",
            below="passes fewer of its own family's good outputs",
            note=f"own {own_passes} of {own_n}, other {other_passes} of {other_n}",
        ),
        "",
    )


def _by_output(observations: Sequence[Observation]) -> list[Settled]:
    """Return the values of every scorer's cases."""
    scorers = dict.fromkeys((o.eval, o.scorer) for o in observations)
    return [
        value
        for where in scorers
        for value in settled(o for o in observations if (o.eval, o.scorer) == where).values()
    ]


def _passes(value: Settled) -> bool:
    return value.value > 0.5 if value.shown.kind is Kind.PAIRWISE else value.shown.passed


def _gap_of_gaps(
    one: str, other: str, observations: Sequence[Observation], families: FamilyTable | None
) -> Iterator[Row]:
    own = [o for o in observations if o.judge in (one, other)]
    sides = {o.judge: o.families for o in own}
    pair, unknown = f"{one}, {other}", ""
    if len(sides) < 2 or sides[one] & sides[other]:
        why = "they share a family" if len(sides) == 2 else "one of them has judged nothing yet"
        yield Row(GAPS, where="", judge=pair, why_not=why)
        return
    found = False
    for rubric in dict.fromkeys(o.rubric for o in own):
        leads = _leads(one, other, [o for o in own if o.rubric == rubric], families)
        if all(leads):
            found = True
            shown = next(o for o in own if o.rubric == rubric)
            yield _gap_row(pair, shown, leads)
        else:
            unknown = "no outputs of both their families are judged by both, by one rubric"
    if not found:
        remedy = "record evals of both subject models by one panel"
        yield Row(GAPS, where="", judge=pair, why_not=unknown, remedy=remedy)


def _leads(
    one: str, other: str, observations: Sequence[Observation], families: FamilyTable | None
) -> tuple[list[float], list[float]]:
    """Return by how much `one` puts each output above `other`: of its own family, of the other's.

    An output of both families, or of neither, is no evidence.
    """
    values: dict[tuple[str, str], dict[str, Settled]] = {}
    for judge in (one, other):
        for each in _by_output([o for o in observations if o.judge == judge]):
            values.setdefault((each.shown.eval, each.case), {}).setdefault(judge, each)
    leads: tuple[list[float], list[float]] = ([], [])
    for both in values.values():
        if len(both) < 2:
            continue
        subject = both[one].shown.subject
        wrote = frozenset() if subject == HUMAN else model_families(subject, families)
        own = [bool(wrote & both[judge].shown.families) for judge in (one, other)]
        if own[0] is not own[1]:
            leads[own[1]].append(both[one].value - both[other].value)
    return leads


def _gap_row(pair: str, shown: Observation, leads: tuple[list[float], list[float]]) -> Row:
    try:
        if shown.kind is not Kind.SCORE:
            raise ValueError("verdicts of few values")
        found = welch(*leads, CONFIDENCE)
    except ValueError:
        found = bounded_two_sample(*leads, CONFIDENCE)
    n = len(leads[0]) + len(leads[1])
    return Row(
        GAPS,
        where=f"rubric {shown.rubric_id}",
        judge=pair,
        estimate=found.value,
        interval=found.interval,
        n=n,
        unit="output",
        needed=needed_at(n, found.interval),
        neutral=0.0,
        p_value=found.p_value,
        above="each puts its own family's outputs higher than the other does",
        below="each puts its own family's outputs lower than the other does",
        note=f"{len(leads[0])} of the first's family, {len(leads[1])} of the second's",
    )
