"""Judges with planted bias, as observations."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from judgekit.bias.observation import Observation, Row, Seat
from judgekit.judges.rubric import Kind


def seat(kind: Kind, scorer: str = "s", judge: str = "j") -> Seat:
    return Seat("e", scorer, judge, f"{judge}-model", kind)


def seen(kind: Kind, case: object, outcome: str, score: float, **fields: object) -> Observation:
    base = Observation(
        eval="e",
        scorer="s",
        judge="j",
        model="j-model",
        kind=kind,
        rubric="r",
        case=str(case),
        outcome=outcome,
        score=score,
        passed=score > 0.5,
        length=100,
        baseline_length=100 if kind is Kind.PAIRWISE else None,
    )
    return replace(base, **fields)  # type: ignore[arg-type]


def passes(case: object, passed: bool, **fields: object) -> Observation:
    return seen(Kind.PASS_FAIL, case, "pass" if passed else "fail", float(passed), **fields)


def scores(case: object, score: float, **fields: object) -> Observation:
    return seen(Kind.SCORE, case, "scored", score, **fields)


def pair(case: object, straight: str, swapped: str, **fields: object) -> Iterator[Observation]:
    """Yield both orders of a comparison; each verdict is A, B or TIE as the judge said it."""
    for outcome, swap in ((straight, False), (swapped, True)):
        score = {"A": 1.0, "TIE": 0.5, "B": 0.0}[outcome]
        yield seen(Kind.PAIRWISE, case, outcome, score, swapped=swap, **fields)


def named(rows: tuple[Row, ...], measure: str) -> Row:
    found = [row for row in rows if row.measure == measure]
    assert len(found) == 1, f"{measure}: {len(found)} rows"
    return found[0]


def coin(seed: int) -> Callable[[], bool]:
    rng = random.Random(seed)
    return lambda: rng.random() < 0.5
