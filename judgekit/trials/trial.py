"""Performing one trial: clean environment, run, grade, and removal whatever happened."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from judgekit.clock import Clock, SystemClock
from judgekit.documents.document import one_line
from judgekit.errors import Cause, JudgekitError
from judgekit.graders.candidate import unfit
from judgekit.graders.grade import Grade
from judgekit.trials.command import run_command
from judgekit.trials.environment import TemporaryFolder
from judgekit.trials.judging import TrialJudges
from judgekit.trials.record import ENVIRONMENT, RUN_ERROR, SUMMARY_KEPT, TrialRecord, graded
from judgekit.trials.stopping import Fault, Stop, Stopped, raised, within
from judgekit.trials.task import Task, TrialContext, TrialGrader, TrialOutcome
from judgekit.trials.workspace import Workplace, Workspace

GRADING_S = 600.0
"""Seconds that the grading of one trial may take."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is the same for every trial of a run.

    Attributes:
        flags: for each subsystem of an ablation, whether it is on.
        project: the project's folder.
    """

    seed: int = 0
    flags: Mapping[str, bool] = field(default_factory=dict)
    judges: TrialJudges | None = None
    project: Path | None = None
    clock: Clock = field(default_factory=SystemClock)
    stop: Stop = field(default_factory=Stop)


@dataclass(frozen=True, slots=True)
class _Given:
    """What one trial gave before it was scored."""

    grades: Mapping[str, Grade]
    summary: str | None = None
    exit_class: str = "success"
    trace: str = ""


def trial_seed(seed: int, task: str, trial: int) -> int:
    """Return the seed of one trial, in [0, 2**32): the same for the same run, task and trial.

    It does not depend on an ablation's flags, so that variants meet the same luck.
    """
    digest = hashlib.sha256(f"{seed}\0{task}\0{trial}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def perform(task: Task, trial: int, workspace: Workspace, setting: Setting) -> TrialRecord:
    """Run and grade one trial.

    Whatever the task raises is one failing `run-error` grade; an environment that can't be made or
    removed, and an error of judgekit's own inside the task (a cassette miss of a replayed model,
    say), is a grade in error.

    Raises:
        Stopped: the run was stopped while the trial ran.
    """
    begun = setting.clock.monotonic_s()
    given: _Given | None = None
    try:
        with workspace.workplace() as place:
            given = _in_environment(task, trial, place, setting)
    except (Stopped, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - whatever an environment of the project's own raises
        given = _unusable(error, given)
    status, score = graded(task, given.grades)
    return TrialRecord(
        task=task.id,
        trial=trial,
        seed=trial_seed(setting.seed, task.id, trial),
        status=status,
        score=score,
        grades=given.grades,
        exit_class=given.exit_class,
        summary=given.summary and given.summary[:SUMMARY_KEPT],
        trace=given.trace,
        duration_s=round(setting.clock.monotonic_s() - begun, 3),
    )


def _unusable(error: Exception, given: _Given | None) -> _Given:
    """Return the result of a trial whose environment failed; grades made before it are kept."""
    fault = raised(error)
    cause = error.cause if isinstance(error, JudgekitError) else Cause.TASK_FAILED
    grade = Grade.error(cause, f"environment: {one_line(fault.reason)}")
    before = {} if given is None else given.grades
    return _Given({**before, ENVIRONMENT: grade}, exit_class="error", trace=fault.trace)


def _in_environment(task: Task, trial: int, place: Workplace, setting: Setting) -> _Given:
    context = TrialContext(
        task=task.id,
        trial=trial,
        seed=trial_seed(setting.seed, task.id, trial),
        folder=place.work,
        home=place.home,
        flags=setting.flags,
        project=setting.project,
    )
    environment = task.environment or TemporaryFolder()
    with environment.open(context) as opened:
        ran = _ran(task, opened, place, setting)
        if isinstance(ran, Fault):
            return _run_error(ran)
        grades = {each.name: _grade(each, opened, ran, setting) for each in task.graders}
    return _Given(grades, ran.summary)


def _ran(
    task: Task, context: TrialContext, place: Workplace, setting: Setting
) -> TrialOutcome | Fault:
    if task.command is not None:
        return run_command(task.command, context, place, task.limit_s, setting.stop, setting.clock)
    run = task.run
    assert run is not None  # `Task` has the one or the other
    result = within(lambda: run(context), task.limit_s, setting.stop, setting.clock)
    if isinstance(result, TrialOutcome):
        fault = unfit(dict(result.data)) or _not_text(result.summary)
        return result if fault is None else Fault(fault.replace("candidate", "outcome"))
    if isinstance(result, Fault):
        return result
    return Fault(f"returned {type(result).__name__} and not a TrialOutcome")


def _not_text(summary: object) -> str | None:
    fits = summary is None or isinstance(summary, str)
    return None if fits else f"the candidate's summary is {type(summary).__name__} and not text"


def _run_error(fault: Fault) -> _Given:
    """Return the one grade of a run that gave no outcome."""
    if isinstance(fault.error, JudgekitError):
        grade = Grade.from_error(fault.error)
    else:
        grade = Grade.of(False, one_line(fault.reason))
    exit_class = "timeout" if fault.timed_out else "error"
    return _Given({RUN_ERROR: grade}, exit_class=exit_class, trace=fault.trace)


def _grade(
    grader: TrialGrader, context: TrialContext, outcome: TrialOutcome, setting: Setting
) -> Grade:
    result = within(
        lambda: grader.grade(context, outcome, setting.judges),
        GRADING_S,
        setting.stop,
        setting.clock,
    )
    if isinstance(result, Grade):
        return result
    if not isinstance(result, Fault):
        result = Fault(f"returned {type(result).__name__} and not a Grade")
    if isinstance(result.error, JudgekitError):
        return Grade.from_error(result.error)
    return Grade.error(
        Cause.MISSING_MEASUREMENT,
        f"grader {grader.name}: {one_line(result.reason)}; the outcome lacks what it measures, or "
        "the grader is wrong",
    )
