"""The types that graders' options share: each refuses what would make a grader pass on nothing."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from judgekit.graders.candidate import has_non_finite, unfit


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _json_value(value: Any) -> Any:
    fault = unfit(value)
    if fault is not None:
        raise ValueError(fault.replace("the candidate", "the value"))
    if has_non_finite(value):
        raise ValueError("must not hold NaN or an infinity")
    return value


NonBlankText = Annotated[str, AfterValidator(_not_blank)]
"""Text with at least one character that is not white space."""

Terms = Annotated[tuple[NonBlankText, ...], Field(min_length=1, strict=False)]
"""One or more texts, none of them blank."""

JsonOption = Annotated[Any, AfterValidator(_json_value)]
"""Any JSON value that a candidate could be, with finite numbers only."""

Share = Annotated[float, Field(gt=0, le=1)]
"""A threshold in (0, 1]; at zero a grader would pass on anything."""
