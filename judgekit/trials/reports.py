"""What trials gave, by task and by suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean

from judgekit.graders.grade import Status
from judgekit.trials.figures import Counts, PassFigures, pass_figures
from judgekit.trials.record import TrialRecord
from judgekit.trials.task import Suite, Task


@dataclass(frozen=True)
class TaskReport:
    """One task's trials.

    Attributes:
        task: the task itself.
        k: what pass@k and pass^k ask about; at most the number of trials.
        trials: every trial, in order; none is left out, whatever became of it.
        seed: of the bootstrap.
    """

    task: Task
    k: int
    trials: tuple[TrialRecord, ...]
    seed: int = 0

    @property
    def passed(self) -> int:
        """How many trials passed."""
        return sum(trial.passed for trial in self.trials)

    @property
    def graded(self) -> int:
        """How many trials have a score: those that passed or failed, run-errors among them."""
        return sum(trial.score is not None for trial in self.trials)

    @property
    def errors(self) -> int:
        """How many trials are in error, and so have no score."""
        return len(self.trials) - self.graded

    @property
    def counts(self) -> Counts:
        """Trials graded, and passed."""
        return self.graded, self.passed

    @property
    def pass_at_1(self) -> float | None:
        """The share of graded trials that passed; None where none was graded."""
        return self.passed / self.graded if self.graded else None

    @property
    def mean_score(self) -> float | None:
        """The mean score of the graded trials; None where none was graded."""
        scores = [trial.score for trial in self.trials if trial.score is not None]
        return fmean(scores) if scores else None

    @cached_property
    def figures(self) -> PassFigures | None:
        """pass@1, pass@k and pass^k; None where fewer than k trials were graded."""
        return pass_figures([self.counts], self.k, seed=self.seed)

    @property
    def is_flaky(self) -> bool:
        """Whether some trials passed and some failed."""
        return 0 < self.passed < self.graded

    @property
    def floor(self) -> float:
        """The least pass@1 that will do: the task's own, else 1 for a regression task, else 0."""
        if self.task.floor is not None:
            return self.task.floor
        return 1.0 if self.task.suite is Suite.REGRESSION else 0.0

    @property
    def fault(self) -> str | None:
        """Why the task does not do, in one line, or None where it does."""
        if self.errors:
            cause = next(trial.cause for trial in self.trials if trial.cause)
            return f"{self.errors} of {len(self.trials)} trials in error ({cause.value})"
        rate = self.pass_at_1
        if rate is None or (rate == 0 and self.task.floor is None):
            return f"passed none of {len(self.trials)} trials"
        if rate < self.floor:
            return f"passed {self.passed} of {self.graded} trials, under its floor {self.floor:g}"
        return None


@dataclass(frozen=True)
class SuiteReport:
    """What a run of several tasks gave.

    Attributes:
        name: the suite's name.
        k: what pass@k and pass^k ask about.
        tasks: in the order given; every task that was to run.
        flags: for each subsystem of an ablation, whether it was on.
        waivers: by which the family guard let judges through.
    """

    name: str
    k: int
    tasks: tuple[TaskReport, ...]
    seed: int = 0
    flags: Mapping[str, bool] = field(default_factory=dict)
    waivers: tuple[str, ...] = ()

    @cached_property
    def figures(self) -> PassFigures | None:
        """Macro-averages over all tasks; None where any task lacks its k graded trials."""
        return pass_figures([task.counts for task in self.tasks], self.k, seed=self.seed)

    @cached_property
    def by_suite(self) -> Mapping[Suite, PassFigures | None]:
        """The same for the tasks of each suite that there is."""
        return {
            suite: pass_figures([t.counts for t in tasks], self.k, seed=self.seed)
            for suite in Suite
            if (tasks := [task for task in self.tasks if task.task.suite is suite])
        }

    @property
    def flaky(self) -> tuple[str, ...]:
        """The tasks of which some trials passed and some failed."""
        return tuple(task.task.id for task in self.tasks if task.is_flaky)

    @property
    def faults(self) -> Mapping[str, str]:
        """Why tasks do not do, by id: no mean over others makes up for one of them."""
        return {task.task.id: fault for task in self.tasks if (fault := task.fault)}

    @property
    def errors(self) -> int:
        """How many trials are in error."""
        return sum(task.errors for task in self.tasks)

    @property
    def passed(self) -> bool:
        """Whether every task reaches its floor and no trial is in error."""
        return not self.faults

    def task(self, name: str) -> TaskReport:
        """Return the report of one task."""
        return next(task for task in self.tasks if task.task.id == name)

    @property
    def statuses(self) -> Mapping[str, tuple[Status, ...]]:
        """How each task's trials ended, in order."""
        return {each.task.id: tuple(t.status for t in each.trials) for each in self.tasks}
