from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import Cause
from judgekit.evals.baseline_file import bless, load_baseline
from judgekit.gate import gate
from judgekit.gate.run import EvalRun
from judgekit.graders.grade import Grade
from judgekit.trials.gating import as_eval_run
from judgekit.trials.runner import TrialOptions, run_suite
from judgekit.trials.task import TrialContext, TrialGrader, TrialOutcome
from tests.trials.making import make_task, passes_in


def run_of(passing: tuple[int, ...], *, trials: int = 4, k: int = 2, **changes: Any) -> EvalRun:
    tasks = [
        make_task(passes_in(*passing), id="a", floor=0.0),
        make_task(id="b", **changes),
    ]
    report = run_suite(tasks, TrialOptions(trials=trials, k=k), name="agents")
    return as_eval_run(report, prompt_version="agent/1", subject="human")


def digests_alike(run: EvalRun, other: EvalRun) -> EvalRun:
    """Return `run` with the case digests of `other`: these tasks differ by their graders alone."""
    kept = {case.id: case.digest for case in other.cases}
    return replace(run, cases=tuple(replace(c, digest=kept[c.id]) for c in run.cases))


def test_a_task_is_a_case_that_pass_pow_k_scores() -> None:
    run = run_of((0, 1, 2))
    assert [scorer.name for scorer in run.scorers] == ["pass^2"]
    scores = {case.id: case.grades["pass^2"].score for case in run.cases}
    assert scores == {"a": pytest.approx(0.5), "b": 1.0}
    assert run.score == pytest.approx(0.75)
    details = run.cases[0].grades["pass^2"].details
    assert (details["trials"], details["passed"], details["pass_at_1"]) == (4, 3, 0.75)
    assert details["interval"][0] < 0.5 < details["interval"][1]
    assert details["naive_pass_pow_k"] == 0.5625


def test_a_drop_of_pass_pow_k_blocks_the_gate_and_the_same_run_does_not(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    blessed = run_of((0, 1, 2))
    bless(path, [blessed])
    baseline = load_baseline(path)
    assert gate([run_of((0, 1, 2))], baseline=baseline).exit_code == 0
    worse = digests_alike(run_of((0, 1)), blessed)
    decision = gate([worse], baseline=baseline)
    assert decision.exit_code == 1
    assert decision.blocking


def test_other_graders_or_another_number_of_trials_are_another_measure(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    bless(path, [run_of((0, 1, 2))])
    baseline = load_baseline(path)
    assert gate([run_of((0, 1, 3))], baseline=baseline).exit_code == 1
    more = digests_alike(run_of((0, 1, 2), trials=5), run_of((0, 1, 2)))
    assert gate([more], baseline=baseline).exit_code == 1


def test_a_task_under_its_floor_is_a_failed_grade() -> None:
    run = run_of((0, 1, 2), graders=(passes_in(0),), floor=0.5)
    grade = run.cases[1].grades["pass^2"]
    assert (grade.status, grade.score) == ("failed", 0.0)
    assert grade.reason == "passed 1 of 4 trials, under its floor 0.5"
    assert not run.cases[1].passed


def test_trials_in_error_block_the_gate_whatever_the_others_did(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    blessed = run_of((0, 1, 2, 3))
    bless(path, [blessed])

    def grade(context: TrialContext, _: TrialOutcome, __: object) -> Grade:
        missed = Grade.error(Cause.MISS, "never recorded")
        return missed if context.trial == 3 else Grade.of(True, "x")

    run = run_of((0, 1, 2, 3), graders=(TrialGrader("g", "g", grade),))
    record = run.cases[1].grades["pass^2"]
    assert (record.status, record.score, record.cause) == ("error", None, "miss")
    decision = gate([digests_alike(run, blessed)], baseline=load_baseline(path))
    assert decision.exit_code == 3


def test_how_the_runs_ended_is_told_where_they_ended_alike() -> None:
    def fails(_: TrialContext) -> TrialOutcome:
        raise ValueError("no")

    def sometimes(context: TrialContext) -> TrialOutcome:
        return TrialOutcome() if context.trial else fails(context)

    classes = [run_of((), run=run).cases[1].exit_class for run in (fails, sometimes)]
    assert classes == ["error", "unknown"]
    assert run_of(()).cases[1].exit_class == "success"
