from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import Cause, ConfigError
from judgekit.graders.grade import Grade, Status
from judgekit.trials.evidence import board_state, outcome
from judgekit.trials.record import result_of
from judgekit.trials.runner import run_task
from judgekit.trials.task import Command, Scoring, TrialContext, TrialGrader, TrialOutcome
from tests.trials.making import HOLDS, make_task, nothing

GRADES = st.builds(
    lambda passed, score: Grade.of(passed, "x", score=score), st.booleans(), st.floats(0, 1)
)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": ""}, "id must"),
        ({"id": "../x"}, "id must"),
        ({"id": "x" * 101}, "id must"),
        ({"graders": ()}, "has no grader"),
        ({"graders": (HOLDS, HOLDS)}, "two graders are named 'holds'"),
        ({"command": Command(("x",)), "run": nothing}, "`run` or `command`"),
        ({"run": None}, "`run` or `command`"),
        ({"threshold": 0.0}, "threshold must be a number in"),
        ({"threshold": math.nan}, "threshold must be a number in"),
        ({"threshold": 1.01}, "threshold must be a number in"),
        ({"floor": -0.1}, "floor must be a number in"),
        ({"floor": math.nan}, "floor must be a number in"),
        ({"timeout_s": 0.0}, "timeout_s must be above 0"),
        ({"timeout_s": math.nan}, "timeout_s must be above 0"),
        ({"timeout_s": math.inf}, "timeout_s must be above 0"),
    ],
)
def test_a_task_that_makes_no_sense_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make_task(**changes)


@pytest.mark.parametrize("weight", [0, -1.0, math.inf, math.nan, True])
def test_a_weight_must_be_above_zero(weight: float) -> None:
    with pytest.raises(ConfigError, match="weight must be above 0"):
        outcome("x", lambda _, __: True, weight=weight)


def test_a_command_always_has_a_time_limit() -> None:
    assert make_task(command=Command(("x",))).limit_s == 300.0
    assert make_task(command=Command(("x",)), timeout_s=2.0).limit_s == 2.0
    assert make_task().limit_s is None


def test_no_grades_fail_under_every_scoring_and_threshold() -> None:
    for scoring in Scoring:
        assert result_of((), scoring, 0.0) == (Status.FAILED, 0.0)


def test_a_weighted_score_of_zero_fails_even_at_threshold_zero() -> None:
    failed = Grade.of(False, "x")
    assert result_of((failed,), Scoring.WEIGHTED, 0.0) == (Status.FAILED, 0.0)


def test_weighted_scoring_passes_at_the_threshold_and_binary_asks_all() -> None:
    grades = (Grade.of(True, "x"), Grade.of(False, "y"))
    assert result_of(grades, Scoring.WEIGHTED, 0.5) == (Status.PASSED, 0.5)
    assert result_of(grades, Scoring.WEIGHTED, 0.51) == (Status.FAILED, 0.5)
    assert result_of(grades, Scoring.BINARY, 0.5) == (Status.FAILED, 0.5)
    assert result_of(grades, Scoring.WEIGHTED, 0.7, (3.0, 1.0)) == (Status.PASSED, 0.75)


def test_binary_scoring_asks_whether_grades_passed_and_not_how_high_they_are() -> None:
    low = Grade.of(True, "x", score=0.1)
    assert result_of((low,), Scoring.BINARY, 0.7) == (Status.PASSED, 0.1)


@given(st.lists(GRADES, min_size=1), st.sampled_from(Scoring), st.floats(0, 1))
def test_a_score_lies_between_the_least_and_the_greatest_grade(
    grades: list[Grade], scoring: Scoring, threshold: float
) -> None:
    _, score = result_of(grades, scoring, threshold)
    scores = [grade.score for grade in grades if grade.score is not None]
    assert score is not None
    assert min(scores) <= score <= max(scores)


@given(st.lists(GRADES), st.integers(0, 5), st.sampled_from(Scoring), st.floats(0, 1))
def test_one_grade_in_error_puts_the_trial_in_error(
    grades: list[Grade], place: int, scoring: Scoring, threshold: float
) -> None:
    grades.insert(place, Grade.error(Cause.MISS, "never recorded"))
    assert result_of(grades, scoring, threshold) == (Status.ERROR, None)


def test_weights_count_in_a_trial() -> None:
    task = make_task(
        outcome("much", lambda _, __: True, weight=3.0),
        outcome("little", lambda _, __: False),
        scoring=Scoring.WEIGHTED,
    )
    (trial,) = run_task(task).trials
    assert (trial.passed, trial.score) == (True, 0.75)


def test_a_digest_tells_what_is_asked_and_graded_and_not_whose_code_runs() -> None:
    def other(context: TrialContext) -> TrialOutcome:
        return TrialOutcome(summary=str(context.trial))

    task, rewritten = make_task(), make_task(run=other)
    assert task.digest == rewritten.digest
    assert task.run_digest != rewritten.run_digest
    for changed in (
        make_task(threshold=0.8),
        make_task(board_state("t", ["done"])),
        make_task(floor=0.5),
        make_task(outcome("holds", lambda found, _: found.summary is None)),
        make_task(outcome("holds", lambda _, __: True, weight=2.0)),
    ):
        assert changed.digest != task.digest


def test_a_function_that_closes_over_other_values_is_another_function() -> None:
    def made(number: int) -> Any:
        return lambda _: TrialOutcome(summary=str(number))

    assert make_task(run=made(1)).run_digest == make_task(run=made(1)).run_digest
    assert make_task(run=made(1)).run_digest != make_task(run=made(2)).run_digest


def test_options_that_are_no_json_are_told() -> None:
    grader = TrialGrader("g", "g", HOLDS.grade, {"option": object()})
    with pytest.raises(ConfigError, match="must be JSON values"):
        _ = make_task(grader).digest
