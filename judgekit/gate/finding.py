"""What the gate finds, and the figures of a run that it is found from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean
from typing import Any

from .run import CaseResult, EvalRun, GateSettings, GradeRecord, ScorerInfo, mean_score


class Kind(StrEnum):
    """What a finding says. Whether each blocks stands in `comparison`."""

    BELOW_THRESHOLD = "below-threshold"
    SCORE_REGRESSION = "score-regression"
    SCORER_REGRESSION = "scorer-regression"
    MISSING_SCORER = "missing-scorer"
    NEW_SCORER = "new-scorer"
    SCORER_CHANGED = "scorer-changed"
    MISSING_BASELINE = "missing-baseline"
    MISSING_RUN = "missing-run"
    LOWERED_THRESHOLD = "lowered-threshold"
    GATE_CHANGED = "gate-changed"
    FEWER_CASES = "fewer-cases"
    CHANGED_CASES = "changed-cases"
    NEW_CASES = "new-cases"
    PROMPT_VERSION_CHANGED = "prompt-version-changed"
    SUBJECT_CHANGED = "subject-changed"
    ERRORS = "errors"
    WILSON_BELOW_FLOOR = "wilson-below-floor"
    JUDGE_CHANGED = "judge-changed"
    RUBRIC_CHANGED = "rubric-changed"
    UNCALIBRATED_JUDGE = "uncalibrated-judge"
    INCONCLUSIVE = "inconclusive"
    NEWLY_FAILING = "newly-failing"
    NEWLY_PASSING = "newly-passing"


Figure = float | str | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the gate found.

    Attributes:
        scorer: the scorer that it is about; None when it is about the eval.
        actual: the run's figure or value; `baseline` is what it was held against.
        detail: one sentence that says what to do.
        cases: ids of the cases behind it, in dataset order.
        blocking: whether it fails the gate.
    """

    kind: Kind
    eval: str
    scorer: str | None
    actual: Figure
    baseline: Figure
    detail: str
    cases: tuple[str, ...] = ()
    blocking: bool = True

    def to_object(self) -> dict[str, Any]:
        """Return the finding as a JSON object, fields in fixed order."""
        return {
            "kind": self.kind.value,
            "eval": self.eval,
            "scorer": self.scorer,
            "actual": self.actual,
            "baseline": self.baseline,
            "detail": self.detail,
            "cases": list(self.cases),
            "blocking": self.blocking,
        }


@dataclass(frozen=True, slots=True)
class ScorerSummary:
    """A scorer's figures in a run.

    Attributes:
        mean: mean score over `n` grades; None when it graded nothing.
        passed: how many of the `n` passed.
    """

    info: ScorerInfo
    mean: float | None
    n: int
    passed: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run's figures, so that a run can be compared whose cases are summed up elsewhere.

    Attributes:
        score: the mean of the scorers' means; None when it cannot be computed.
        scorers: by scorer name.
        cases: every case; one may come without grades, then it is in no rate and no paired test.
        errors: how many grades are in error, by cause.
    """

    name: str
    prompt_version: str
    subject: str
    threshold: float
    score: float | None
    scorers: Mapping[str, ScorerSummary]
    cases: tuple[CaseResult, ...]
    errors: Mapping[str, int] = field(default_factory=dict)
    wilson_floor: float | None = None
    gate: GateSettings = field(default_factory=GateSettings)

    @property
    def error_count(self) -> int:
        """How many grades are in error."""
        return sum(self.errors.values())

    @classmethod
    def of(cls, run: EvalRun) -> RunSummary:
        """Return the figures of `run`, each computed once."""
        scorers = {info.name: _summary(info, run.cases) for info in run.scorers}
        means = [s.mean for s in scorers.values() if s.mean is not None]
        causes = Counter(
            g.cause for c in run.cases for g in c.grades.values() if g.cause is not None
        )
        return cls(
            name=run.name,
            prompt_version=run.prompt_version,
            subject=run.subject,
            threshold=run.threshold,
            score=fmean(means) if means and len(means) == len(scorers) else None,
            scorers=scorers,
            cases=run.cases,
            errors={str(cause): causes[cause] for cause in sorted(causes)},
            wilson_floor=run.wilson_floor,
            gate=run.gate,
        )

    def case_passes(self) -> tuple[int, int]:
        """Return how many cases passed every scorer, of how many that no grade in error touches."""
        graded = [c for c in self.cases if c.grades and not any(map(in_error, c.grades.values()))]
        return sum(c.passed for c in graded), len(graded)


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 case``, ``2 cases``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def in_error(grade: GradeRecord) -> bool:
    """Whether a grade is in error, and so no measurement."""
    return grade.score is None


def _summary(info: ScorerInfo, cases: Sequence[CaseResult]) -> ScorerSummary:
    grades = [case.grades[info.name] for case in cases]
    scores = [grade.score for grade in grades if grade.score is not None]
    passed = sum(grade.status == "passed" for grade in grades)
    return ScorerSummary(info, mean_score(scores), len(scores), passed)
