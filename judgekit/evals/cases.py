"""A case: one input with its output, what is expected of it, and its digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

import rfc8785
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from judgekit.documents import Document
from judgekit.errors import ConfigError

ID_LIMIT = 200
"""The most characters of a case id."""
OUTPUT_LIMIT = 4_000_000
"""The most characters of a case's input, output, expected or metadata, as JSON."""


class EvalModel(BaseModel):
    """Strict, closed and immutable; finite numbers only."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False
    )


class ExitSignal(EvalModel):
    """What is known of how producing an output ended; kept as data for the exit class.

    Attributes:
        error: the message of what was raised.
        timed_out: whether it ran out of time.
        budget_exhausted: whether it ran out of tokens, calls or money.
        stop_reason: the subject model's stop reason, in its server's words.
    """

    error: str | None = None
    timed_out: bool = False
    budget_exhausted: bool = False
    stop_reason: str | None = None


class Case(EvalModel):
    """One case of a dataset.

    Attributes:
        id: any text that is not blank, unique in its eval.
        input: what the subject model was given: any JSON value.
        output: what it answered: text or any JSON value; None where a task makes it.
        expected: what graders compare with, by reference from a scorer's config.
        metadata: anything else that belongs to the case.
        cluster: cases of one cluster are not independent (say, one conversation).
        exit: how producing the output ended.
    """

    id: Annotated[str, Field(min_length=1, max_length=ID_LIMIT, pattern=r"\S")]
    input: Any = None
    output: Any = None
    expected: Any = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    cluster: Annotated[str, Field(min_length=1, pattern=r"\S")] | None = None
    exit: ExitSignal | None = None


def case_digest(case: Case) -> str:
    """Return the SHA-256 (hex) of what `case` asks: input, expected and metadata, not its output.

    The bytes are canonical JSON (RFC 8785); a value with whole numbers beyond ±(2^53 - 1), which
    that has no form for, is taken as JSON with sorted keys instead.
    """
    asked = {"input": case.input, "expected": case.expected, "metadata": case.metadata}
    try:
        canonical = rfc8785.dumps(asked)
    except rfc8785.IntegerDomainError:
        canonical = json.dumps(
            asked, sort_keys=True, ensure_ascii=False, separators=(",", ":")
        ).encode()
    return hashlib.sha256(canonical).hexdigest()


def read_case(document: Document, location: tuple[str | int, ...] = ()) -> Case:
    """Return the case that stands at `location` of `document`.

    Raises:
        ConfigError: a key is unknown or a value wrong, or one is too large.
    """
    try:
        case = Case.model_validate(document.at(location))
    except ValidationError as error:
        raise document.rejected(error.errors(include_url=False), Case, location) from None
    for name in ("input", "output", "expected", "metadata"):
        size = _size(getattr(case, name))
        if size > OUTPUT_LIMIT:
            raise document.fault(
                (*location, name),
                f"has {size:,} characters, over the limit of {OUTPUT_LIMIT:,}; cut it down",
            )
    return case


def checked_cases(
    documents: Iterable[tuple[Document, tuple[str | int, ...]]], *, made_by_task: bool
) -> tuple[Case, ...]:
    """Return the cases that stand in `documents`, in order.

    Args:
        documents: each with the location of a case in it.
        made_by_task: whether a task makes the outputs; else every case must have one.

    Raises:
        ConfigError: there is none, two have one id, one is invalid, or has no output (or has one
            beside a task).
    """
    lines: dict[str, int | None] = {}
    cases: list[Case] = []
    for document, location in documents:
        case = read_case(document, location)
        if case.id in lines:
            raise _twice(document, location, case.id, lines[case.id])
        if made_by_task and case.output is not None:
            message = "is recorded, and the eval has a task that makes it; remove one of the two"
            raise document.fault((*location, "output"), f"case {case.id!r}: {message}")
        if not made_by_task and case.output is None:
            message = "has no output; record one (or name a task that makes it)"
            raise document.fault(location, f"case {case.id!r} {message}")
        lines[case.id] = document.line(location)
        cases.append(case)
    return tuple(cases)


def _twice(
    document: Document, location: tuple[str | int, ...], case: str, first: int | None
) -> ConfigError:
    where = f", first in line {first}" if first else ""
    return document.fault((*location, "id"), f"two cases have the id {case!r}{where}; rename one")


def _size(value: Any) -> int:
    """Return how many characters `value` has as JSON, roughly; exactly for text."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(key) + _size(item) for key, item in value.items())
    return sum(map(_size, value)) if isinstance(value, list) else 1
