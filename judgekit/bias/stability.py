"""How stable a verdict is: over samples of one question, and over edits that should not matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from judgekit.bias.observation import Observation, Row, Seat
from judgekit.bias.probes import CLOSED, RENAMED, REWRAPPED, SAMPLED
from judgekit.bias.settling import Settled, probing, rate_row, settled, unknown_row
from judgekit.gate.statistics.agreement import counterfactual_stability

SAMPLES = "stability: all samples agree"
ALL_EDITS = "stability: no irrelevant edit turns the verdict"

EDITS = (RENAMED, CLOSED, REWRAPPED)


def edit_measure(what: str) -> str:
    """Return the measure of one irrelevant edit."""
    return f"stability: the verdict stays with {what}"


def stability(observations: Sequence[Observation], seat: Seat) -> Iterator[Row]:
    """Yield how often samples agree, and how often irrelevant edits leave a verdict as it was."""
    yield _samples(observations, seat)
    base = settled(observations)
    edited = {edit.name: settled(observations, edit.name) for edit in EDITS}
    yield _all_edits(base, edited, seat)
    for edit in EDITS:
        verdicts = edited[edit.name]
        both = [case for case in verdicts if case in base]
        if both:
            stayed = sum(verdicts[case].label == base[case].label for case in both)
            yield rate_row(edit_measure(edit.what), seat, stayed, len(both))


def _all_edits(
    base: Mapping[str, Settled], edited: Mapping[str, Mapping[str, Settled]], seat: Seat
) -> Row:
    """Return the share of cases whose verdict no edit turned: one observation a case."""
    held = {
        case: counterfactual_stability(value.label, variants)
        for case, value in base.items()
        if (variants := [own[case].label for own in edited.values() if case in own])
    }
    if not held:
        why = "no irrelevant edit is recorded beside its own case"
        return unknown_row(ALL_EDITS, seat, why, probing(seat, "counterfactual"))
    stayed = sum(each.agree == each.total for each in held.values())
    agree, total = (sum(getattr(e, name) for e in held.values()) for name in ("agree", "total"))
    note = f"{agree} of {total} edits left the verdict as it was"
    return rate_row(ALL_EDITS, seat, stayed, len(held), note=note)


def _samples(observations: Sequence[Observation], seat: Seat) -> Row:
    """Return the share of cases whose samples say the same; the probe's, if it has any."""
    probed = _sampled(observations, SAMPLED.name)
    by_case = probed or _sampled(observations, "")
    if not by_case:
        why = "no case is recorded with more than one sample"
        return unknown_row(SAMPLES, seat, why, probing(seat, "samples"))
    same = sum(len({each.label for each in samples}) == 1 for samples in by_case.values())
    sizes = sorted({len(samples) for samples in by_case.values()})
    spreads = [max(v) - min(v) for v in ([s.value for s in each] for each in by_case.values())]
    counts = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    note = f"{counts} samples a case, mean spread {sum(spreads) / len(spreads):.3g}"
    return rate_row(SAMPLES, seat, same, len(by_case), note=note)


def _sampled(observations: Sequence[Observation], variant: str) -> dict[str, list[Settled]]:
    own = [each for each in observations if each.variant == variant]
    found: dict[str, list[Settled]] = {}
    for sample in sorted({each.sample for each in own}):
        for case, value in settled(own, variant, sample).items():
            found.setdefault(case, []).append(value)
    return {case: values for case, values in found.items() if len(values) > 1}
