"""A suite's report as an eval run, so that the same baseline gate holds trials too."""

from __future__ import annotations

import hashlib

from judgekit.cassettes.canonical import canonical_bytes
from judgekit.errors import Cause
from judgekit.gate.run import CaseResult, EvalRun, GateSettings, GradeRecord, ScorerInfo
from judgekit.graders.grade import Json
from judgekit.trials.figures import pass_rate_interval
from judgekit.trials.judging import TrialJudges
from judgekit.trials.reports import SuiteReport, TaskReport


def as_eval_run(
    report: SuiteReport,
    *,
    prompt_version: str,
    subject: str,
    threshold: float = 0.0,
    gate: GateSettings | None = None,
    judges: TrialJudges | None = None,
) -> EvalRun:
    """Return the run that the gate compares with the baseline: a case a task, scored by pass^k.

    The score of a task is its unbiased pass^k, so that the run's score is the macro-average. A
    task passes when it reaches its floor. One with trials in error is a grade in error, and so is
    one with fewer than k graded trials.

    Args:
        prompt_version: immutable id of what drives the agents.
        subject: the model that drives them, or ``human``.
        threshold: least macro-averaged pass^k, in [0, 1].
        gate: how the run is held against its baseline.
        judges: those that the trials were judged by.
    """
    name = f"pass^{report.k}"
    models = _models(report, judges)
    scorer = ScorerInfo(
        name=name, grader="trials", judges=models, config_digest=_config_digest(report, judges)
    )
    return EvalRun(
        name=report.name,
        prompt_version=prompt_version,
        subject=subject,
        threshold=threshold,
        scorers=(scorer,),
        cases=tuple(
            CaseResult(
                id=task.task.id,
                digest=task.task.digest,
                grades={name: _grade(task)},
                exit_class=_exit_class(task),
            )
            for task in report.tasks
        ),
        gate=gate or GateSettings(),
        waivers=report.waivers,
    )


def _models(report: SuiteReport, judges: TrialJudges | None) -> tuple[str, ...]:
    """Return the judge models of all graders of all tasks, each once, in order."""
    if judges is None:
        return ()
    asked = [model for t in report.tasks for m in judges.models(t.task).values() for model in m]
    return tuple(dict.fromkeys(asked))


def _config_digest(report: SuiteReport, judges: TrialJudges | None) -> str:
    """Return the digest of how the figure is made; fewer trials are another measure."""
    judged = {} if judges is None else {t.task.id: judges.measure(t.task) for t in report.tasks}
    parts = {
        "k": report.k,
        "trials": [len(task.trials) for task in report.tasks],
        "flags": dict(report.flags),
        "judged": judged,
    }
    return hashlib.sha256(canonical_bytes(parts)).hexdigest()


def _grade(task: TaskReport) -> GradeRecord:
    figures, fault = task.figures, task.fault
    if task.errors or figures is None:
        cause = next((trial.cause for trial in task.trials if trial.cause), None)
        why = fault or f"only {task.graded} trials were graded, and pass^{task.k} needs {task.k}"
        return GradeRecord("error", None, why, (cause or Cause.MISSING_MEASUREMENT).value)
    estimate, wilson = figures.pass_pow_k, pass_rate_interval(*task.counts)
    details: dict[str, Json] = {
        "trials": task.graded,
        "passed": task.passed,
        "interval": [estimate.interval.low, estimate.interval.high],
        "pass_at_1": figures.pass_at_1.value,
        "pass_at_1_wilson": [wilson.low, wilson.high],
        "naive_pass_pow_k": figures.naive_pass_pow_k,
    }
    said = f"passed {task.passed} of {task.graded} trials"
    status = "passed" if fault is None else "failed"
    return GradeRecord(status, estimate.value, fault or said, details=details)  # type: ignore[arg-type]


def _exit_class(task: TaskReport) -> str:
    """Return how the runs ended, where all ended alike."""
    classes = {trial.exit_class for trial in task.trials}
    return classes.pop() if len(classes) == 1 else "unknown"
