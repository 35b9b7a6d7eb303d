from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.trials.statuses import (
    LEGAL_MOVES,
    TaskStatus,
    can_transition,
    is_locked,
    is_promotable,
    is_task_status,
    is_terminal,
    may_start_again,
)

STATUSES = st.sampled_from(TaskStatus)


@given(STATUSES)
def test_staying_is_always_legal(status: TaskStatus) -> None:
    assert can_transition(status, status)


@given(STATUSES, STATUSES)
def test_nothing_leaves_a_terminal_status(origin: TaskStatus, target: TaskStatus) -> None:
    if is_terminal(origin) and origin is not target:
        assert not can_transition(origin, target)


def test_done_and_cancelled_are_terminal_and_no_others() -> None:
    assert {each for each in TaskStatus if is_terminal(each)} == {"done", "cancelled"}


def test_work_reaches_done_only_from_progress_or_review() -> None:
    assert {o for o, targets in LEGAL_MOVES.items() if TaskStatus.DONE in targets} == {
        "in_progress",
        "in_review",
    }


def test_a_task_in_work_or_review_is_locked_and_no_other() -> None:
    assert {each for each in TaskStatus if is_locked(each)} == {"in_progress", "in_review"}


@given(STATUSES)
def test_no_status_is_a_dead_end_but_the_terminal_ones(status: TaskStatus) -> None:
    seen, waiting = {status}, [status]
    while waiting:
        new = LEGAL_MOVES[waiting.pop()] - seen
        seen |= new
        waiting += new
    assert is_terminal(status) or TaskStatus.DONE in seen


@pytest.mark.parametrize("value", [None, "", "Done", "done ", 1, ["done"], {}])
def test_only_the_exact_name_is_a_status(value: object) -> None:
    assert not is_task_status(value)
    assert is_task_status("done")


@pytest.mark.parametrize(
    "verdict",
    [
        None,
        {},
        {"status": "fail"},
        {"status": "PASS"},
        {"status": "completed_with_debt"},
        {"status": "completed_with_debt", "attempts": []},
        {"status": "completed_with_debt", "attempts": "passed"},
        {"status": "completed_with_debt", "attempts": [{"deterministic": {"passed": "true"}}]},
        {
            "status": "completed_with_debt",
            "attempts": [{"deterministic": {"passed": True}}, {"deterministic": {"passed": False}}],
        },
        {"status": "completed_with_debt", "attempts": [{"deterministic": {"passed": True}}, None]},
    ],
)
def test_a_verdict_that_is_not_clearly_a_pass_is_not_promotable(verdict: dict[str, object]) -> None:
    assert not is_promotable(verdict)


def test_debt_over_a_latest_check_that_passed_is_promotable() -> None:
    attempts = [{"deterministic": {"passed": False}}, {"deterministic": {"passed": True}}]
    assert is_promotable({"status": "completed_with_debt", "attempts": attempts})


@pytest.mark.parametrize(
    ("runs", "may"),
    [
        ([], True),
        (["running"], False),
        (["cancelled"], False),
        (["failed", "timed_out"], True),
        (["failed", "timed_out", "failed"], False),
        (["failed", "failed", "succeeded", "failed", "failed"], True),
        (["failed", "failed", "cancelled", "failed"], True),
        (["succeeded"], True),
    ],
)
def test_a_task_starts_again_until_it_failed_three_times_in_a_row(
    runs: list[str], may: bool
) -> None:
    assert may_start_again(runs) is may
