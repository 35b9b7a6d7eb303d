"""What grading one case with one grader gives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from judgekit.documents.document import one_line
from judgekit.errors import Cause, JudgekitError
from judgekit.graders.masking import ADDRESSES, MARGIN, cut, masked

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A JSON value as Python holds it: what a candidate (the judged output) may be."""

REASON_LIMIT = 500
"""The most characters that a grade's reason has; longer ones are cut with an ellipsis. It is one
printable line, without secrets and personal data of a known form: a judge's words must not move a
terminal or command a CI log, and a report is no place for a key."""


class Status(StrEnum):
    """The three things that a grade can be. An error is not a score."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Grade:
    """The result of one grader on one case.

    Attributes:
        status: passed, failed, or in error.
        score: in [0, 1]; None exactly when the grade is in error.
        reason: what was found and where, in at most `REASON_LIMIT` characters.
        cause: why the grade is in error; None exactly when it is not.
        details: further measured values by name (JSON values), such as ``line_f1``.
    """

    status: Status
    score: float | None
    reason: str
    cause: Cause | None = None
    details: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        in_error = self.status is Status.ERROR
        if in_error is (self.cause is None):
            raise ValueError("a grade has a cause exactly when it is in error")
        if in_error is not (self.score is None):
            raise ValueError("a grade has a score exactly when it is not in error")
        if self.score is not None and not (math.isfinite(self.score) and 0 <= self.score <= 1):
            raise ValueError(f"a grade's score must be finite and in [0, 1], not {self.score!r}")
        spared = ADDRESSES if in_error else frozenset()
        reason = masked(self.reason[: REASON_LIMIT + MARGIN], spared=spared)
        if not (reason.isascii() and reason.isprintable()):
            reason = one_line(reason)
        object.__setattr__(self, "reason", cut(reason, REASON_LIMIT))

    @property
    def passed(self) -> bool:
        """Whether the case passed; a grade in error did not."""
        return self.status is Status.PASSED

    @classmethod
    def of(
        cls,
        passed: bool,
        reason: str,
        *,
        score: float | None = None,
        details: Mapping[str, Json] | None = None,
    ) -> Grade:
        """Return a passed or failed grade; `score` defaults to 1.0 or 0.0."""
        return cls(
            status=Status.PASSED if passed else Status.FAILED,
            score=(1.0 if passed else 0.0) if score is None else score,
            reason=reason,
            details=details or {},
        )

    @classmethod
    def error(cls, cause: Cause, reason: str) -> Grade:
        """Return a grade in error."""
        return cls(status=Status.ERROR, score=None, reason=reason, cause=cause)

    @classmethod
    def from_error(cls, error: JudgekitError) -> Grade:
        """Return the grade in error that `error` stands for."""
        return cls.error(error.cause, str(error))
