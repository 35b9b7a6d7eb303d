"""An eval run as data: what was graded, by which scorers, with what result.

The same types are stored (`judgekit run --format json`), compared with the baseline, and shown in
reports. Standard library only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Literal

from .errors import InvalidRun
from .exit_codes import EXIT_OF_CAUSE

RUN_FORMAT = "judgekit-run/1"
STATUSES = ("passed", "failed", "error")


def _check_share(what: str, value: float | None) -> None:
    """Refuse a share that is neither None nor in [0, 1]; NaN is in no range."""
    if value is not None and not 0 <= value <= 1:
        raise InvalidRun(f"{what} must be a finite number in [0, 1], not {value!r}")


def _check_distinct(what: str, names: list[str]) -> None:
    if not names:
        raise InvalidRun(f"{what}: there is none; add at least one")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InvalidRun(f"{what}: {twice!r} stands twice; rename one")


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

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InvalidRun(f"status must be passed, failed or error, not {self.status!r}")
        in_error = self.status == "error"
        if in_error is (self.score is not None):
            raise InvalidRun("a grade has a score exactly when it is not in error")
        if self.cause not in EXIT_OF_CAUSE if in_error else self.cause is not None:
            raise InvalidRun(
                f"a grade has a known cause exactly when it is in error, not {self.cause!r}"
            )
        if isinstance(self.score, bool):
            raise InvalidRun(f"score must be a number, not {self.score!r}")
        _check_share("score", self.score)


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
class Calibration:
    """How far a scorer's judge was held against human labels, and how far it must be.

    Attributes:
        min_kappa: least lower confidence bound of Cohen's kappa, in [-1, 1].
        kappa_low: the bound that was measured, in [-1, 1]; None when it never was.
        labels: how many labelled cases it was measured on.
    """

    min_kappa: float
    kappa_low: float | None = None
    labels: int = 0

    def __post_init__(self) -> None:
        for bound in (self.min_kappa, self.kappa_low):
            if bound is not None and not -1 <= bound <= 1:
                raise InvalidRun(f"a kappa must be a finite number in [-1, 1], not {bound!r}")


@dataclass(frozen=True, slots=True)
class ScorerInfo:
    """A scorer of the run.

    Attributes:
        judges: the judge models that it asks, in order; empty for deterministic scorers.
        rubric: id of its rubric, if it has one; `rubric_digest` is the digest of its meaning.
        wilson_floor: least Wilson lower bound of its pass rate, in [0, 1].
        config_digest: SHA-256 (hex) of its options, so that an eased one is noticed.
        calibration: what its judge must reach, where the eval asks for it.
    """

    name: str
    grader: str
    judges: tuple[str, ...] = ()
    rubric: str | None = None
    rubric_digest: str | None = None
    wilson_floor: float | None = None
    config_digest: str | None = None
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InvalidRun("a scorer's name must not be blank")
        _check_share(f"scorer {self.name!r}: wilson_floor", self.wilson_floor)


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How a run is held against its baseline.

    Attributes:
        mode: ``strict`` blocks on any drop; ``statistical`` on a significant or too large one.
        alpha: significance level, in (0, 1).
        max_drop: largest drop of a mean score that statistical mode lets through, in [0, 1]; 0
            sets no cap of its own: significance alone decides.
        allowed_errors: how many grades in error do not block.
        confidence: of every interval, in (0, 1); two-sided.
    """

    mode: Literal["strict", "statistical"] = "strict"
    alpha: float = 0.05
    max_drop: float = 0.0
    allowed_errors: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.mode not in ("strict", "statistical"):
            raise InvalidRun(f"gate.mode must be strict or statistical, not {self.mode!r}")
        for what, value in (("alpha", self.alpha), ("confidence", self.confidence)):
            if not 0 < value < 1:
                raise InvalidRun(f"gate.{what} must be in (0, 1), not {value!r}")
        _check_share("gate.max_drop", self.max_drop)
        if self.allowed_errors < 0:
            raise InvalidRun(f"gate.allowed_errors must be 0 or more, not {self.allowed_errors!r}")


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

    def __post_init__(self) -> None:
        where = f"eval {self.name!r}"
        for what in ("name", "prompt_version", "subject"):
            if not getattr(self, what).strip():
                raise InvalidRun(f"{where}: {what} must not be blank")
        _check_share(f"{where}: threshold", self.threshold if self.threshold is not None else -1)
        _check_share(f"{where}: wilson_floor", self.wilson_floor)
        _check_distinct(f"{where}: scorers", [scorer.name for scorer in self.scorers])
        _check_cases(where, self.cases, {scorer.name for scorer in self.scorers})

    def scorer_mean(self, scorer: str) -> float | None:
        """Return the mean score of `scorer` over its grades not in error; None without any."""
        scores = [s for c in self.cases if (s := c.grades[scorer].score) is not None]
        return mean_score(scores)

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


def _check_cases(where: str, cases: tuple[CaseResult, ...], scorers: set[str]) -> None:
    ids: set[str] = set()
    for case in cases:
        if case.grades.keys() != scorers:
            raise InvalidRun(
                f"{where}: case {case.id!r} must have one grade of every scorer and of no other"
            )
        ids.add(case.id)
    if not cases:
        raise InvalidRun(f"{where}: cases: there is none; add at least one")
    if len(ids) < len(cases):
        twice = next(id_ for id_, times in Counter(c.id for c in cases).items() if times > 1)
        raise InvalidRun(f"{where}: cases: {twice!r} stands twice; rename one")


def mean_score(scores: list[float]) -> float | None:
    """Return the mean of `scores`, each in [0, 1]; None of none.

    Dividing an exact sum can land one rounding above 1 or below the least score; the result is
    held between the least and the greatest.
    """
    return min(max(scores), max(min(scores), fmean(scores))) if scores else None
