"""A rubric: what a judge is asked to judge by, as frozen data."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, ClassVar

import rfc8785
from pydantic import BaseModel, ConfigDict, Field, model_validator

NonBlank = Annotated[str, Field(min_length=1, pattern=r"\S")]


class Kind(StrEnum):
    """What a verdict under a rubric says."""

    PASS_FAIL = "pass_fail"  # noqa: S105 - not a password
    SCORE = "score"
    CATEGORY = "category"
    PAIRWISE = "pairwise"
    ANSWER_MATCH = "answer_match"


class Frozen(BaseModel):
    """Strict, closed and immutable."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        populate_by_name=True,
    )


class Anchor(Frozen):
    """What one point of a scale means."""

    score: float
    meaning: NonBlank


class Scale(Frozen):
    """The scale that a judge scores on; verdicts are mapped linearly from it to [0, 1].

    Attributes:
        whole: whether only whole numbers are scores. Small models keep to few points better, and
            servers that constrain replies enforce the ends of whole numbers only.
    """

    minimum: float = 0.0
    maximum: float = 1.0
    whole: bool = False
    anchors: tuple[Anchor, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Scale:
        if not self.minimum < self.maximum:
            raise ValueError("minimum must be less than maximum")
        if self.whole and not (self.minimum.is_integer() and self.maximum.is_integer()):
            raise ValueError("minimum and maximum must be whole numbers where `whole` is set")
        return self


class Example(Frozen):
    """A worked example shown to the judge: an output and the right verdict on it.

    Attributes:
        verdict: in the words of the rubric's kind: ``pass`` or ``fail``, a number on the scale, a
            category, ``A``, ``B`` or ``TIE``, ``yes`` or ``no``.
    """

    output: NonBlank
    verdict: str | float
    why: str = ""
    input: str | None = None


class LintIgnore(Frozen):
    """A lint finding that a rubric's author silences, and why."""

    code: NonBlank
    reason: NonBlank


CRITERIA_LIMIT = 4000
"""The most characters of a rubric's criteria: a small judge must still see the case beside them."""


class Rubric(Frozen):
    """What a judge judges by.

    Attributes:
        id: names the rubric in evals and reports; ``inline`` for a rubric written in a scorer.
        criteria: the text that the judge reads.
        scale: of a score rubric, else None.
        min_score: pass rule of a score rubric, in [0, 1] after mapping: a case passes at or above.
        categories: of a category rubric: the labels that the judge may choose from.
        passing_categories: pass rule of a category rubric: the labels that pass.
        changelog: one line a change, newest first; part of no verdict and of no digest.
        lint_ignore: silenced findings of `judgekit rubric lint`; part of no digest either.
    """

    id: NonBlank = "inline"
    kind: Kind
    criteria: NonBlank = Field(max_length=CRITERIA_LIMIT)
    scale: Scale | None = None
    min_score: float = Field(default=0.5, ge=0, le=1)
    categories: tuple[NonBlank, ...] = ()
    passing_categories: tuple[NonBlank, ...] = ()
    examples: tuple[Example, ...] = ()
    changelog: tuple[NonBlank, ...] = ()
    lint_ignore: tuple[LintIgnore, ...] = Field(default=(), alias="lint-ignore")

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of what the rubric means: white space between words does not count."""
        without = {"id", "changelog", "lint_ignore"}
        meaning = _single_spaced(self.model_dump(mode="json", exclude=without))
        return hashlib.sha256(rfc8785.dumps(meaning)).hexdigest()


def _single_spaced(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, dict):
        return {key: _single_spaced(item) for key, item in value.items()}
    return [_single_spaced(item) for item in value] if isinstance(value, list) else value
