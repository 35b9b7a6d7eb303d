"""``judgekit gate --plan``: how many cases a Wilson floor needs, before any is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from judgekit.errors import ConfigError
from judgekit.evals.definition import EvalDefinition
from judgekit.gate.finding import counted
from judgekit.gate.statistics.proportions import cases_for_floor, failures_allowed

CONFIDENCE = 0.95
RATES = (1.0, 0.99, 0.95, 0.9, 0.8, 0.7)
"""The pass rates that a wished floor is planned for when none is given."""


def wished_floor(floor: float, confidence: float, rate: float | None) -> Iterator[str]:
    """Yield lines that say how many cases the floor needs.

    Args:
        floor: the wished Wilson lower bound of the pass rate, in [0, 1).
        confidence: of the two-sided interval, in (0, 1).
        rate: the pass rate that is expected, in [0, 1]; several if None.

    Raises:
        ConfigError: a figure is out of range.
    """
    _check(floor, confidence, rate)
    yield f"a Wilson lower bound of {floor:g} ({_confidence(confidence)}) needs:"
    for each in (rate,) if rate is not None else (r for r in RATES if r > floor):
        yield f"  at a pass rate of {each:g}: {_needed(floor, each, confidence)}"


def floors_of(evals: Iterable[EvalDefinition], rate: float | None) -> Iterator[str]:
    """Yield what each Wilson floor of the evals needs, beside the cases that they have.

    Args:
        rate: the pass rate that is expected; all cases pass if None.
    """
    for definition in evals:
        confidence, n = definition.gate.confidence, len(definition.cases)
        floors = {definition.name: definition.wilson_floor} | {
            f"{definition.name} / {scorer.name}": scorer.wilson_floor
            for scorer in definition.scorers
        }
        for what, floor in floors.items():
            if floor is not None:
                yield f"{what}: floor {floor:g} ({_confidence(confidence)})"
                yield f"  with its {counted(n, 'case')}: {_allowed(floor, n, confidence)}"
                at = "if all pass" if rate is None else f"at a pass rate of {rate:g}"
                needed = _needed(floor, 1.0 if rate is None else rate, confidence)
                yield f"  {at}: {needed}"


def _needed(floor: float, rate: float, confidence: float) -> str:
    needed = cases_for_floor(floor, rate, confidence)
    if needed is None:
        return "no number of cases would do, since the bound stays below the rate"
    allowed = failures_allowed(floor, needed, confidence)
    failures = f"up to {allowed:,}" if allowed else "none"
    return f"{needed:,} case{'s' if needed != 1 else ''}, of which {failures} may fail"


def _allowed(floor: float, n: int, confidence: float) -> str:
    allowed = failures_allowed(floor, n, confidence)
    if allowed is None:
        return "too few to reach it, even if all pass"
    return f"reached if at most {allowed:,} of them fail" if allowed else "reached only if all pass"


def _confidence(confidence: float) -> str:
    return f"two-sided {confidence:.6g} confidence"


def _check(floor: float, confidence: float, rate: float | None) -> None:
    if not 0 <= floor < 1:
        raise ConfigError(
            f"--floor must be at least 0 and below 1, not {floor:g}: no number of cases proves 1"
        )
    if not 0 < confidence < 1:
        raise ConfigError(f"--confidence must be above 0 and below 1, not {confidence:g}")
    check_rate(rate)


def check_rate(rate: float | None) -> None:
    """Refuse a pass rate that is none.

    Raises:
        ConfigError: it is not in [0, 1].
    """
    if rate is not None and not 0 <= rate <= 1:
        raise ConfigError(f"--rate must be in [0, 1], not {rate:g}")
