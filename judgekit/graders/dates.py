"""The grader of a date or a time, however it is written: `date_match`."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Literal

from pydantic import Field, field_validator, model_validator

from judgekit.graders.calendar_dates import DateNotation
from judgekit.graders.candidate import clip
from judgekit.graders.grade import Grade, Json
from judgekit.graders.registry import GraderConfig, deterministic

MAX_TEXT = 65_536
"""Most characters of a candidate that is read for dates."""


class DateMatchConfig(GraderConfig):
    """Options of `date_match`."""

    expected: str = Field(
        description="The right date (`2024-03-15`), or the right time (`2024-03-15T09:30:00Z`)."
    )
    tolerance_days: float = Field(0.0, ge=0, le=1e6, description="Days that it may be off.")
    tolerance_s: float = Field(
        0.0, ge=0, le=1e9, description="Seconds that it may be off, besides."
    )
    read: Literal["whole", "only", "last"] = Field(
        "whole",
        description="Which date: the candidate is nothing else, it is the only one in the text, or "
        "it is the last one.",
    )
    numeric_order: Literal["day-first", "month-first"] | None = Field(
        None, description="What 03/04/2024 means; left out, a date that could be two fails."
    )

    @field_validator("expected")
    @classmethod
    def _iso(cls, text: str) -> str:
        moment(text)
        return text

    @model_validator(mode="after")
    def _check(self) -> DateMatchConfig:
        if self.tolerance_s and not isinstance(moment(self.expected), datetime):
            raise ValueError("tolerance_s: `expected` has no time of day")
        return self


def moment(text: str) -> date | datetime:
    """Return the ISO 8601 date or time that `text` is.

    Raises:
        ValueError: it is none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("must be an ISO 8601 date or time, such as 2024-03-15") from None


@deterministic(
    "date_match",
    example={"config": {"expected": "2024-03-15"}, "candidate": "March 15th, 2024"},
)
def date_match(config: DateMatchConfig, candidate: Json) -> Grade:
    """The candidate's date or time is `expected`, within the tolerance."""
    found = _read(config, candidate)
    if isinstance(found, Grade):
        return found
    expected = moment(config.expected)
    off = _apart(expected, found)
    if off is None:
        return Grade.of(
            False, f"found {found.isoformat()}, which has not the parts of {config.expected}"
        )
    passed = off <= timedelta(days=config.tolerance_days, seconds=config.tolerance_s)
    return Grade.of(passed, f"found {found.isoformat()}, expected {config.expected}: off by {off}")


def _apart(expected: date | datetime, found: date | datetime) -> timedelta | None:
    """Return how far apart the two are, or None when one has a time or a zone and one has not."""
    if isinstance(expected, datetime) and isinstance(found, datetime):
        if (expected.utcoffset() is None) is not (found.utcoffset() is None):
            return None
        return abs(expected - found)
    if isinstance(expected, datetime):
        return None
    return abs(expected - (found.date() if isinstance(found, datetime) else found))


def _read(config: DateMatchConfig, candidate: Json) -> date | datetime | Grade:
    if not isinstance(candidate, str):
        return Grade.of(False, "the candidate is not text")
    if len(candidate) > MAX_TEXT:
        return Grade.of(False, f"the candidate has over {MAX_TEXT:,} characters")
    notation = DateNotation(config.numeric_order)
    whole = config.read == "whole"
    found = [notation.whole(candidate)] if whole else notation.within(candidate)
    if config.read == "only" and len(found) > 1:
        return Grade.of(False, f"{len(found)} dates stand in the candidate, not one")
    if not found or found[-1] is None:
        return Grade.of(False, f"no date, or none that means one day: {clip(candidate)}")
    return found[-1]
