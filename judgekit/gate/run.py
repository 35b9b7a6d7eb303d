"""An eval run as data: what was graded, by which scorers, with what result.

The same types are stored (`judgekit run --format json`), compared with the baseline, and shown in
reports. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Literal

RUN_FORMAT = "judgekit-run/1"


@dataclass(frozen=True, slots=True)
class GradeRecord:
    """One grade in a run.

    Attributes:
        status: ``passed``, ``failed`` or ``error``.
        score: in [0, 1]; None exactly when `status` is ``error``.
        reason: one line for people.
        cause: why it is in error (``miss``, ``malformed-verdict``, …); None otherwise.
        details: measured values beside the score.
    """

    status: Literal["passed", "failed", "error"]
    score: float | None
    reason: str
    cause: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case with its grades, by scorer name.

    Attributes:
        digest: SHA-256 (hex) of the case's content without its output: input, expected, metadata.
        cluster: cases with one cluster are not independent (say, one conversation).
        exit_class: how producing the output ended; orthogonal to passing.
    """

    id: str
    digest: str
    grades: Mapping[str, GradeRecord]
    cluster: str | None = None
    exit_class: str = "unknown"

    @property
    def passed(self) -> bool:
        """Whether every scorer passed the case."""
        return bool(self.grades) and all(g.status == "passed" for g in self.grades.values())


@dataclass(frozen=True, slots=True)
class ScorerInfo:
    """A scorer of the run.

    Attributes:
        judges: the judge models that it asks, in order; empty for deterministic scorers.
        rubric: id of its rubric, if it has one; `rubric_digest` is the digest of its meaning.
        wilson_floor: least Wilson lower bound of its pass rate, in [0, 1].
    """

    name: str
    grader: str
    judges: tuple[str, ...] = ()
    rubric: str | None = None
    rubric_digest: str | None = None
    wilson_floor: float | None = None


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How a run is held against its baseline.

    Attributes:
        mode: ``strict`` blocks on any drop; ``statistical`` on a significant or too large one.
        alpha: significance level, in (0, 1).
        max_drop: largest drop of a mean score that statistical mode lets through, in [0, 1].
        allowed_errors: how many grades in error do not block.
        confidence: of every interval, in (0, 1); two-sided.
    """

    mode: Literal["strict", "statistical"] = "strict"
    alpha: float = 0.05
    max_drop: float = 0.0
    allowed_errors: int = 0
    confidence: float = 0.95


@dataclass(frozen=True, slots=True)
class Usage:
    """What judging took.

    Attributes:
        calls: judge calls whose answer counted.
        input_tokens: prompt tokens over all calls.
        output_tokens: completion tokens over all calls.
        cost_usd: price of all calls in US dollars; None where any call has no price.
        latency_s: seconds that the live calls took when they were recorded.
        replayed: how many of `calls` came from cassettes.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0
    replayed: int = 0


@dataclass(frozen=True, slots=True)
class EvalRun:
    """One run of one eval.

    Attributes:
        prompt_version: immutable id of the prompt that made the outputs.
        subject: the subject model's name, or ``human``.
        threshold: least score that may pass, in [0, 1].
        cases: in dataset order; every case of the dataset, none left out.
    """

    name: str
    prompt_version: str
    subject: str
    threshold: float
    scorers: tuple[ScorerInfo, ...]
    cases: tuple[CaseResult, ...]
    wilson_floor: float | None = None
    gate: GateSettings = field(default_factory=GateSettings)
    usage: Usage = field(default_factory=Usage)
    waivers: tuple[str, ...] = ()

    def scorer_mean(self, scorer: str) -> float | None:
        """Return the mean score of `scorer` over its grades not in error; None without any."""
        scores = [s for c in self.cases if (s := c.grades[scorer].score) is not None]
        return fmean(scores) if scores else None

    @property
    def score(self) -> float | None:
        """The mean of the scorers' means; None if any scorer graded nothing."""
        means = [self.scorer_mean(scorer.name) for scorer in self.scorers]
        known = [mean for mean in means if mean is not None]
        return fmean(known) if known and len(known) == len(means) else None

    @property
    def errors(self) -> int:
        """How many grades are in error."""
        return sum(g.status == "error" for c in self.cases for g in c.grades.values())
