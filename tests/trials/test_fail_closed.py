"""Where the system that the trials were modelled on fails open: each shown to fail here."""

from __future__ import annotations

import pytest

from judgekit.errors import ConfigError
from judgekit.trials.board import Board
from judgekit.trials.environment import BoardEnvironment
from judgekit.trials.evidence import board_state, event_budget, outcome, ready
from judgekit.trials.registered import graded_by
from judgekit.trials.runner import TrialOptions, run_suite, run_task
from judgekit.trials.statuses import TaskStatus
from judgekit.trials.task import Scoring, TrialContext, TrialOutcome
from tests.trials.making import make_task, passes_in, python

# An unreadable judge reply at threshold 0 is in test_registered.py, with a real server and replay.


def test_weighted_scoring_at_threshold_zero_with_no_grader_or_none_passing_is_refused() -> None:
    fails = outcome("fails", lambda _, __: False)
    with pytest.raises(ConfigError, match="threshold"):
        make_task(fails, scoring=Scoring.WEIGHTED, threshold=0.0)
    with pytest.raises(ConfigError, match="no grader"):
        make_task(graders=(), scoring=Scoring.WEIGHTED, threshold=0.1)
    report = run_task(make_task(fails, scoring=Scoring.WEIGHTED, threshold=1e-9))
    assert report.passed == 0


def test_an_event_budget_counts_past_five_thousand_events() -> None:
    def run(context: TrialContext) -> TrialOutcome:
        board = context.board
        with board._changing() as connection:
            rows = (("step", "{}") for _ in range(20_000))
            connection.executemany("INSERT INTO event (kind, data) VALUES (?, ?)", rows)
        return TrialOutcome()

    task = make_task(event_budget(19_999), run=run, environment=BoardEnvironment())
    grade = run_task(task).trials[0].grades["event_budget"]
    assert (grade.passed, grade.details["count"]) == (False, 20_000)


def test_json_output_is_not_cut_at_a_brace_inside_of_text() -> None:
    code = """print('{"answer": "use } and { so", "last": {"n": 1}}')"""
    whole = {"answer": "use } and { so", "last": {"n": 1}}
    task = make_task(
        graded_by("exact_match", {"expected": whole}, on="$.json"), command=python(code)
    )
    assert run_task(task).passed == 1


def test_a_cancelled_blocker_is_told_by_the_log_by_the_board_and_by_the_grader() -> None:
    def run(context: TrialContext) -> TrialOutcome:
        board: Board = context.board
        board.create("first")
        board.create("second")
        board.depend("second", "first")
        board.move("first", TaskStatus.CANCELLED)
        told = [event.data["blocker"] for event in board.events("task_stalled", "second")]
        return TrialOutcome(data={"told": [*told], "dead": [*board.dead_blockers("second")]})

    told = outcome("told", lambda found, _: found.data["told"] == found.data["dead"] == ["first"])
    task = make_task(told, ready("second"), run=run, environment=BoardEnvironment())
    (trial,) = run_task(task).trials
    assert trial.grades["told"].passed
    assert "never will be" in trial.grades["ready"].reason


def test_trials_that_raise_or_run_out_of_time_stay_in_the_denominator() -> None:
    import time

    def run(context: TrialContext) -> TrialOutcome:
        if context.trial == 0:
            raise RuntimeError("no")
        if context.trial == 1:
            time.sleep(1)
        return TrialOutcome()

    report = run_task(make_task(run=run, timeout_s=0.2), TrialOptions(trials=4, k=2))
    assert (report.graded, report.passed, report.pass_at_1) == (4, 2, 0.5)
    assert report.mean_score == 0.5


def test_a_task_that_always_fails_fails_the_suite_however_high_the_mean() -> None:
    tasks = [make_task(id=f"good-{i}") for i in range(19)]
    bad = make_task(passes_in(), id="bad")
    report = run_suite([*tasks, bad], TrialOptions(trials=2))
    assert report.figures is not None
    assert report.figures.pass_at_1.value == pytest.approx(0.95)
    assert not report.passed
    assert list(report.faults) == ["bad"]


def test_a_task_with_a_broken_environment_is_no_silent_pass_of_its_graders() -> None:
    task = make_task(board_state("t", ["done"]), outcome("holds", lambda _, __: True))
    report = run_suite([task])
    assert not report.passed
    assert report.errors == 1
