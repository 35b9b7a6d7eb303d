"""The grader of a number, however it is written: `numeric_match`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, field_validator

from judgekit.graders.candidate import as_text, clip
from judgekit.graders.grade import Grade, Json
from judgekit.graders.masking import masked
from judgekit.graders.numerals import Numerals, exact
from judgekit.graders.registry import GraderConfig, deterministic

MAX_TEXT = 65_536
"""Most characters of a candidate that is read for numbers."""

Factor = Annotated[float, Field(gt=0)]


class NumericMatchConfig(GraderConfig):
    """Options of `numeric_match`."""

    expected: int | float = Field(description="The right number.")
    tolerance: float = Field(0.0, ge=0, description="Largest difference that passes.")
    relative_tolerance: float = Field(
        0.0, ge=0, lt=1, description="The same as a share of `expected`; the wider one counts."
    )
    read: Literal["whole", "only", "last"] = Field(
        "whole",
        description="Which number: the candidate is nothing else, it is the only one in the text, "
        "or it is the last one.",
    )
    units: dict[str, Factor] = Field(
        default_factory=dict,
        description="Units that may stand beside the number, each with its factor to the unit of "
        'expected: {"km": 1000, "m": 1}. One of them must stand there, unless "" is listed too.',
    )
    decimal_comma: bool = Field(False, description="Read `1.234,5` and not `1,234.5`.")

    @field_validator("expected", mode="before")
    @classmethod
    def _no_boolean(cls, value: object) -> object:
        if isinstance(value, bool):
            raise ValueError("must be a number, not a boolean")
        if isinstance(value, int) and value.bit_length() > 1023:
            raise ValueError("must be in the range of a double")
        return value


@deterministic(
    "numeric_match",
    example={
        "config": {"expected": 1234.5, "tolerance": 0.05, "units": {"$": 1, "": 1}},
        "candidate": "$1,234.50",
    },
)
def numeric_match(config: NumericMatchConfig, candidate: Json) -> Grade:
    """The candidate's number ("1,234.5", "12%", "3/4" or the like) is near `expected`."""
    found = _number(config, candidate)
    if isinstance(found, Grade):
        return found
    expected = exact(config.expected)
    allowed = max(exact(config.tolerance), exact(config.relative_tolerance) * abs(expected))
    off = abs(found - expected)
    passed = off <= allowed
    text = as_text(candidate)
    held = f"{'within' if passed else 'over'} the tolerance of {_shown(allowed)}"
    if masked(text) != text:  # a number may be a card's, or a telephone's
        return Grade.of(passed, f"found a number among personal data or secrets, {held}")
    return Grade.of(
        passed,
        f"found {_shown(found)}, expected {config.expected}: off by {_shown(off)}, {held}",
    )


def _number(config: NumericMatchConfig, candidate: Json) -> Fraction | Grade:
    if isinstance(candidate, bool) or not isinstance(candidate, int | float | str):
        return Grade.of(False, "the candidate is neither a number nor text")
    if not isinstance(candidate, str):
        return _plain_number(config, candidate)
    if len(candidate) > MAX_TEXT:
        return Grade.of(False, f"the candidate has over {MAX_TEXT:,} characters")
    numerals = Numerals(decimal_comma=config.decimal_comma, units=config.units)
    if config.read == "whole":
        found = numerals.whole(candidate)
        return Grade.of(False, f"not a number: {clip(candidate)}") if found is None else found
    return _one_of(config, numerals.within(candidate))


def _plain_number(config: NumericMatchConfig, number: int | float) -> Fraction | Grade:
    if not math.isfinite(number):
        return Grade.of(False, "the candidate is not a finite number")
    if config.units and "" not in config.units:
        return Grade.of(False, "the candidate is a number without a unit")
    return exact(number)


def _one_of(config: NumericMatchConfig, found: list[Fraction | None]) -> Fraction | Grade:
    if not found:
        return Grade.of(False, "no number stands in the candidate")
    if config.read == "only" and len(found) > 1:
        return Grade.of(False, f"{len(found)} numbers stand in the candidate, not one")
    chosen = found[-1]
    return (
        Grade.of(False, "the number is malformed or lacks its unit") if chosen is None else chosen
    )


def _shown(value: Fraction) -> str:
    return f"{float(value):.12g}"
