from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import ConfigError
from judgekit.graders.grade import Grade, Status
from judgekit.trials.board import Board
from judgekit.trials.environment import BoardEnvironment
from judgekit.trials.evidence import (
    board_state,
    event_budget,
    file_exists,
    file_matches,
    graded_answer,
    log_parse,
    outcome,
    ready,
)
from judgekit.trials.runner import run_task
from judgekit.trials.statuses import TaskStatus
from judgekit.trials.task import TrialContext, TrialGrader, TrialOutcome
from tests.trials.making import make_task


def graded(grader: TrialGrader, fill: Callable[[TrialContext], Any]) -> Grade:
    def run(context: TrialContext) -> TrialOutcome:
        fill(context)
        return TrialOutcome(data={"id": "t"})

    task = make_task(grader, run=run, environment=BoardEnvironment())
    return run_task(task).trials[0].grades[grader.name]


def on_board(*changes: Callable[[Board], Any]) -> Callable[[TrialContext], None]:
    def fill(context: TrialContext) -> None:
        for change in changes:
            change(context.board)

    return fill


def test_a_status_is_held_to_those_expected() -> None:
    fill = on_board(lambda board: board.create("t", status=TaskStatus.DONE))
    assert graded(board_state("t", ["done", "cancelled"]), fill).passed
    grade = graded(board_state("t", [TaskStatus.TODO]), fill)
    assert grade.reason == 'board task "t" is done, expected todo'


def test_a_board_task_can_be_found_by_the_outcome() -> None:
    fill = on_board(lambda board: board.create("t"))
    assert graded(board_state(lambda found: str(found.data["id"]), ["todo"]), fill).passed


@pytest.mark.parametrize("drop", [True, False])
def test_a_board_task_that_is_dropped_or_was_never_there_is_missing(drop: bool) -> None:
    changes = [lambda board: board.create("t"), lambda board: board.drop("t")] if drop else []
    grade = graded(board_state("t", list(TaskStatus)), on_board(*changes))
    assert (grade.passed, grade.details["status"]) == (False, "missing")


@pytest.mark.parametrize("expect", [[], ["finished"], [None]])
def test_statuses_that_are_none_are_refused(expect: Any) -> None:
    with pytest.raises(ConfigError, match="board_state: expect"):
        board_state("t", expect)


def test_readiness_is_graded_both_ways_and_a_missing_task_passes_neither() -> None:
    fill = on_board(
        lambda board: board.create("a"),
        lambda board: board.create("t"),
        lambda board: board.depend("t", "a"),
    )
    assert graded(ready("a"), fill).passed
    assert graded(ready("t", expect=False), fill).passed
    assert not graded(ready("t"), fill).passed
    assert not graded(ready("nope", expect=False), fill).passed


def test_a_task_that_can_never_be_ready_is_told() -> None:
    fill = on_board(
        lambda board: board.create("a"),
        lambda board: board.create("t"),
        lambda board: board.depend("t", "a"),
        lambda board: board.move("a", TaskStatus.CANCELLED),
    )
    grade = graded(ready("t"), fill)
    assert grade.reason == 'board task "t" is not ready, and never will be: it waits for "a"'
    assert grade.details["dead_blockers"] == ["a"]


def test_events_are_found_by_kind_task_and_least_count() -> None:
    fill = on_board(*[lambda board: board.record("step", "t")] * 2)
    assert graded(log_parse("step", 2), fill).passed
    assert not graded(log_parse("step", 3), fill).passed
    assert graded(log_parse("step", task="t"), fill).passed
    assert not graded(log_parse("step", task="u"), fill).passed
    assert not graded(log_parse("Step"), fill).passed


@pytest.mark.parametrize("count", [0, -1, True, 1.0])
def test_a_least_count_under_one_is_refused(count: Any) -> None:
    with pytest.raises(ConfigError, match="min_count"):
        log_parse("step", count)


def test_a_budget_is_held_by_kind_and_by_task() -> None:
    fill = on_board(
        lambda board: board.record("step", "t"),
        lambda board: board.record("step", "u"),
        lambda board: board.record("talk", "u"),
    )
    assert graded(event_budget(3), fill).passed
    assert not graded(event_budget(2), fill).passed
    assert graded(event_budget(2, kind="step"), fill).passed
    assert not graded(event_budget(1, task="u"), fill).passed
    assert graded(event_budget(0, kind="scream"), fill).passed


@pytest.mark.parametrize("most", [-1, True, 2.5])
def test_a_budget_that_is_no_count_is_refused(most: Any) -> None:
    with pytest.raises(ConfigError, match="max_events"):
        event_budget(most)


@pytest.mark.parametrize(
    ("answer", "passed", "score", "reason"),
    [
        (True, True, 1.0, "x: holds"),
        (False, False, 0.0, "x: does not hold"),
        (1, True, 1.0, "x: scored 1"),
        (0.99, False, 0.99, "x: scored 0.99"),
        (7, True, 1.0, "x: scored 1 (answered above that, and held)"),
        (-3, False, 0.0, "x: scored 0 (answered below that, and held)"),
        pytest.param(10**5000, True, 1.0, "x: scored 1 (answered above that, and held)", id="huge"),
        (math.inf, True, 1.0, "x: scored 1 (answered above that, and held)"),
    ],
)
def test_an_answer_is_a_score_and_what_was_held_back_is_told(
    answer: Any, passed: bool, score: float, reason: str
) -> None:
    grade = graded_answer("x", answer)
    assert (grade.passed, grade.score, grade.reason) == (passed, score, reason)


@pytest.mark.parametrize("answer", [None, "yes", math.nan, [], object()])
def test_an_answer_that_is_no_score_is_an_error(answer: Any) -> None:
    assert graded_answer("x", answer).status is Status.ERROR


@given(st.integers() | st.floats(allow_nan=False))
def test_every_number_gives_a_score_in_range(answer: float) -> None:
    grade = graded_answer("x", answer)
    assert grade.score is not None
    assert 0 <= grade.score <= 1
    assert grade.passed is (answer >= 1)


def test_a_predicate_may_be_awaited() -> None:
    async def later(found: TrialOutcome, context: TrialContext) -> bool:
        return found.data["id"] == "t" and context.trial == 0

    assert graded(outcome("later", later), lambda _: None).passed


def write(context: TrialContext) -> None:
    (context.folder / "deep").mkdir()
    (context.folder / "deep" / "file").write_text("The answer is 42.\n")
    (context.folder / "bytes").write_bytes(b"\xff\xfe")
    (context.folder / "huge").write_text("x" * (1024 * 1024 + 1))
    (context.folder / "inner").symlink_to("deep/file")
    (context.folder / "outer").symlink_to(Path(__file__))
    (context.folder / "loop").symlink_to("loop")
    os.mkfifo(context.folder / "pipe")


@pytest.mark.parametrize(
    ("path", "passed", "said"),
    [
        ("deep/file", True, "exists"),
        ("./deep//file", True, "exists"),
        ("inner", True, "exists"),
        ("nope", False, "does not exist"),
        ("loop", False, "does not exist"),
        ("deep", False, "is no file"),
        ("pipe", False, "is no file"),
        ("outer", False, "leads outside"),
    ],
)
def test_only_a_regular_file_inside_the_folder_exists(path: str, passed: bool, said: str) -> None:
    grade = graded(file_exists(path), write)
    assert grade.passed is passed
    assert said in grade.reason


@pytest.mark.parametrize(
    ("path", "pattern", "passed", "said"),
    [
        ("deep/file", r"answer is \d+", True, "matched"),
        ("deep/file", r"^\d+$", False, "matches nowhere"),
        ("bytes", "x", False, "not UTF-8"),
        ("huge", "x", False, "larger than"),
        ("outer", "pytest", False, "leads outside"),
        ("nope", "x", False, "does not exist"),
    ],
)
def test_the_text_of_a_file_is_matched(path: str, pattern: str, passed: bool, said: str) -> None:
    grade = graded(file_matches(path, pattern), write)
    assert grade.passed is passed
    assert said in grade.reason


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", ".", "a\0b", "a\\..\\b"])
def test_a_path_that_is_absolute_or_leads_out_is_refused(path: str) -> None:
    with pytest.raises(ConfigError, match="must lead from the trial's folder"):
        file_exists(path)


def test_a_pattern_that_is_malformed_is_refused() -> None:
    with pytest.raises(ConfigError, match="pattern"):
        file_matches("file", "(")
