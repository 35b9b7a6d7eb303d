"""One finished trial as data: its grades, what they make together, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from judgekit.errors import Cause
from judgekit.graders.grade import Grade, Status
from judgekit.trials.task import Scoring, Task

RUN_ERROR = "run-error"
"""The grade of a trial that gave no outcome: in place of all other grades."""

ENVIRONMENT = "environment"
"""The grade in error of a trial whose environment could not be made or removed."""

SUMMARY_KEPT = 2000
"""Characters of an outcome's summary that a record keeps, for people."""


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One trial of one task.

    Attributes:
        trial: which one, from 0.
        status: passed, failed, or in error. An error is not a score: it tells that the trial was
            not graded, by no fault of the agent.
        score: weighted mean of its grades, in [0, 1]; None exactly when it is in error.
        grades: by grader name.
        exit_class: how the run ended: ``success``, ``error`` or ``timeout``.
        trace: the traceback of what was raised, or what a command said last.
        duration_s: seconds from making its environment to removing it.
    """

    task: str
    trial: int
    seed: int
    status: Status
    score: float | None
    grades: Mapping[str, Grade]
    exit_class: str = "success"
    summary: str | None = None
    trace: str = ""
    duration_s: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the trial passed; one in error did not."""
        return self.status is Status.PASSED

    @property
    def cause(self) -> Cause | None:
        """Why the trial is in error: the cause of its first grade in error."""
        return next((grade.cause for grade in self.grades.values() if grade.cause), None)


def result_of(
    grades: Sequence[Grade],
    scoring: Scoring,
    threshold: float,
    weights: Sequence[float] | None = None,
) -> tuple[Status, float | None]:
    """Return what the grades of one trial make together.

    Any grade in error puts the trial in error. Binary scoring passes when every grade passed;
    weighted scoring when the weighted mean score is above 0 and reaches `threshold`. No grades at
    all fail under both.

    Args:
        weights: one a grade, above 0; all alike if None.
    """
    if any(grade.status is Status.ERROR for grade in grades):
        return Status.ERROR, None
    score = _weighted_mean(grades, weights)
    if scoring is Scoring.BINARY:
        passed = bool(grades) and all(grade.passed for grade in grades)
    else:
        passed = score > 0 and score >= threshold
    return (Status.PASSED if passed else Status.FAILED), score


def _weighted_mean(grades: Sequence[Grade], weights: Sequence[float] | None) -> float:
    scores = [grade.score or 0.0 for grade in grades]
    if not scores:
        return 0.0
    # Dividing an exact sum can land one rounding outside of what was averaged.
    return min(max(scores), max(min(scores), fmean(scores, weights)))


def graded(task: Task, grades: Mapping[str, Grade]) -> tuple[Status, float | None]:
    """Return what `grades` make of a trial of `task`."""
    weights = {grader.name: grader.weight for grader in task.graders}
    ordered = [weights.get(name, 1.0) for name in grades]
    return result_of(tuple(grades.values()), task.scoring, task.threshold, ordered)
