"""Graders of text as it stands: `exact_match`, `contains` and `not_contains`."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from judgekit.graders.candidate import as_text, clip, readings
from judgekit.graders.equality import WHITE_SPACE, difference, fold_case, nfc
from judgekit.graders.grade import Grade, Json
from judgekit.graders.option_types import JsonOption, Terms
from judgekit.graders.registry import GraderConfig, deterministic


class ExactMatchConfig(GraderConfig):
    """Options of `exact_match`."""

    expected: JsonOption = Field(description="The right answer: text, or any JSON value.")
    case_sensitive: bool = Field(False, description="Whether case counts, in text at any depth.")
    remove_punctuation: bool = Field(
        False, description="Drop punctuation from both; `expected` and the candidate must be text."
    )
    verbatim: bool = Field(
        False,
        description="Compare text as it is: not trimmed, not folded, not composed; "
        "`expected` must be text.",
    )

    @model_validator(mode="after")
    def _check(self) -> ExactMatchConfig:
        if self.verbatim and (self.case_sensitive or self.remove_punctuation):
            raise ValueError("verbatim stands alone: drop case_sensitive and remove_punctuation")
        if not (self.verbatim or self.remove_punctuation):
            return self
        option = "verbatim" if self.verbatim else "remove_punctuation"
        if not isinstance(self.expected, str):
            raise ValueError(f"{option} is for text, and `expected` is not text")
        if self.remove_punctuation and not _without_punctuation(self.expected):
            raise ValueError("remove_punctuation leaves nothing of `expected`")
        return self

    def normal(self, text: str) -> str:
        """Return `text` as it is compared."""
        if self.verbatim:
            return text
        if self.remove_punctuation:
            text = _without_punctuation(text)
        return nfc(text) if self.case_sensitive else fold_case(text)


@deterministic("exact_match", example={"config": {"expected": "Paris"}, "candidate": " paris\n"})
def exact_match(config: ExactMatchConfig, candidate: Json) -> Grade:
    """The candidate equals `expected`, whatever its case and the white space around it."""
    expected, found = config.expected, candidate
    if config.remove_punctuation and not isinstance(found, str):
        return Grade.of(False, "remove_punctuation is for text, and the candidate is not text")
    if not config.verbatim:
        expected, found = _trimmed(expected), _trimmed(found)
    differs = difference(expected, found, config.normal)
    return Grade.of(differs is None, differs or "equal to `expected`")


def _trimmed(value: Json) -> Json:
    return value.strip(WHITE_SPACE) if isinstance(value, str) else value


def _without_punctuation(text: str) -> str:
    kept = (letter for letter in text if not _is_punctuation(letter))
    return "".join(kept).strip(WHITE_SPACE)


def _is_punctuation(letter: str) -> bool:
    return letter in string.punctuation or unicodedata.category(letter).startswith("P")


def _as_fragment(value: str | int | float) -> str:
    if isinstance(value, str):
        if not value.strip():
            raise ValueError("must not be blank")
        return value
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return str(int(value)) if whole else as_text(value)


Fragment = Annotated[str | int | float, AfterValidator(_as_fragment)]
Fragments = Annotated[tuple[Fragment, ...], Field(min_length=1, strict=False)]


class ContainsConfig(GraderConfig):
    """Options of `contains`."""

    fragments: Fragments = Field(
        description="Every one of these must stand in the candidate; a number is read as its text."
    )
    case_sensitive: bool = Field(True, description="Whether case counts.")


class NotContainsConfig(GraderConfig):
    """Options of `not_contains`."""

    fragments: Terms = Field(description="None of these may stand in the candidate.")
    case_sensitive: bool = Field(True, description="Whether case counts.")


@deterministic(
    "contains",
    example={
        "config": {"fragments": ["refund", "14 days"]},
        "candidate": "A refund takes 14 days.",
    },
)
def contains(config: ContainsConfig, candidate: Json) -> Grade:
    """All of `fragments` stand in the candidate."""
    places = _places(config.fragments, candidate, config.case_sensitive)
    lacking = [fragment for fragment, offset in places if offset < 0]
    if lacking:
        return Grade.of(False, f"not found: {', '.join(map(clip, lacking))}")
    return Grade.of(True, f"found: {_listed(places)}")


@deterministic(
    "not_contains",
    example={"config": {"fragments": ["as an AI"]}, "candidate": "A refund takes 14 days."},
)
def not_contains(config: NotContainsConfig, candidate: Json) -> Grade:
    """None of `fragments` stands in the candidate."""
    found = [
        (fragment, offset)
        for text in readings(candidate)
        for fragment, offset in _places(config.fragments, text, config.case_sensitive)
        if offset >= 0
    ]
    if found:
        return Grade.of(False, f"found: {_listed(list(dict(found).items()))}")
    return Grade.of(True, f"none of {len(config.fragments)} fragments found")


def _places(
    fragments: Sequence[str | int | float], candidate: Json, case_sensitive: bool
) -> list[tuple[str, int]]:
    normal = nfc if case_sensitive else fold_case
    text = normal(as_text(candidate))
    return [(str(item), text.find(normal(str(item)))) for item in fragments]


def _listed(places: list[tuple[str, int]]) -> str:
    return ", ".join(f"{clip(fragment)} at character {offset}" for fragment, offset in places)
