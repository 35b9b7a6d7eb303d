"""A judge's verdict and a person's on one output, and which of those that differ to look at."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from judgekit.errors import ConfigError
from judgekit.gate.statistics.agreement import flags_disagreement

PassFail = Literal["pass", "fail"]
Place = tuple[str, str, str]
"""Eval, scorer and case: where a verdict belongs."""

_UNKNOWN_DISTANCE = 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a judge and a person said of one case's output.

    Attributes:
        input: what the subject model was given, as text.
        output: what it answered, as text.
        judge: the judge model; empty where it is not known.
        score: the judge's, in [0, 1]; None where there is none.
        pass_mark: least passing score, in [0, 1]; None where there is none.
        rationale: the judge's reason.
        human: who labelled it; empty where it is not known.
        note: what the person wrote beside the label.
        when: ISO 8601, UTC; empty where it is not known.

    Raises:
        ConfigError: a verdict is neither pass nor fail, a name is blank, or a number out of range.
    """

    eval: str
    scorer: str
    case: str
    input: str
    output: str
    judge_verdict: PassFail
    human_verdict: PassFail
    judge: str = ""
    score: float | None = None
    pass_mark: float | None = None
    rationale: str = ""
    human: str = ""
    note: str = ""
    when: str = ""

    def __post_init__(self) -> None:
        for name in ("eval", "scorer", "case"):
            if not getattr(self, name).strip():
                raise ConfigError(f"comparison: {name} must not be blank")
        for name in ("judge_verdict", "human_verdict"):
            check_verdict(f"case {self.case!r}: {name}", getattr(self, name))
        for name in ("score", "pass_mark"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ConfigError(f"case {self.case!r}: {name} must be in [0, 1], not {value!r}")

    @property
    def place(self) -> Place:
        """Where it belongs."""
        return (self.eval, self.scorer, self.case)

    @property
    def output_digest(self) -> str:
        """SHA-256 (hex) of the output: a label is good for exactly the output that was read."""
        return hashlib.sha256(self.output.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def disagrees(self) -> bool:
        """Whether judge and person differ."""
        return flags_disagreement(self.judge_verdict, self.human_verdict)

    @property
    def distance(self) -> float:
        """How far the judge's score is from its pass mark, in [0, 1]; near ones tell most.

        A judge that was nearly of the other mind shows where a rubric is unclear. 1 where score or
        pass mark is not known.
        """
        if self.score is None or self.pass_mark is None:
            return _UNKNOWN_DISTANCE
        return round(abs(self.score - self.pass_mark), 9)


def check_verdict(where: str, verdict: str) -> None:
    """Refuse what is neither ``pass`` nor ``fail``.

    Raises:
        ConfigError: it is neither.
    """
    if verdict not in get_args(PassFail):
        raise ConfigError(f"{where} must be pass or fail, not {verdict!r}")


def consolidated(
    captures: Iterable[Comparison],
    *,
    eval: str | None = None,  # noqa: A002
    limit: int | None = None,
) -> tuple[Comparison, ...]:
    """Return what to look at: the latest capture of each case, the most informative first.

    Of two that are equally informative, the one whose case was captured first comes first, however
    often it was captured since. Nothing is changed or taken out.

    Args:
        eval: only this one's.
        limit: the most to return, 0 or more; all if None.

    Raises:
        ConfigError: the limit is negative.
    """
    if limit is not None and limit < 0:
        raise ConfigError(f"limit must be 0 or more, not {limit}")
    latest: dict[Place, Comparison] = {}
    for capture in captures:
        if eval in (None, capture.eval):
            latest[capture.place] = capture
    return tuple(sorted(latest.values(), key=lambda each: each.distance)[:limit])
