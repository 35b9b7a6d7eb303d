from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from judgekit.trials.board import Board
from judgekit.trials.builtin import (
    ABLATION_TASKS,
    ALL_TASKS,
    CAPABILITY_TASKS,
    REGRESSION_TASKS,
    SMOKE_TASKS,
    STRUCTURED_STATE,
    VERIFIER,
)
from judgekit.trials.runner import TrialOptions, run_suite
from judgekit.trials.statuses import TaskStatus
from judgekit.trials.task import Suite, Task


def test_every_builtin_task_passes_every_time() -> None:
    report = run_suite(ALL_TASKS, TrialOptions(trials=5, jobs=4))
    assert dict(report.faults) == {}
    assert [task.passed for task in report.tasks] == [5] * 7


def test_there_are_four_guarantees_and_three_capabilities_all_smoke() -> None:
    assert [task.id for task in REGRESSION_TASKS] == [
        "reg-claim-409-no-retry",
        "reg-dep-gate",
        "reg-report-up",
        "reg-state-machine",
    ]
    assert [task.id for task in CAPABILITY_TASKS] == [
        "cap-cross-runtime-resume",
        "cap-verification-catches-bug",
        "cap-delegation-fanout",
    ]
    assert {task.suite for task in REGRESSION_TASKS} == {Suite.REGRESSION}
    assert {task.suite for task in CAPABILITY_TASKS} == {Suite.CAPABILITY}
    assert SMOKE_TASKS == ALL_TASKS
    assert ABLATION_TASKS == CAPABILITY_TASKS
    assert all(task.description for task in ALL_TASKS)


@pytest.mark.parametrize(
    ("off", "fails"),
    [(VERIFIER, "cap-verification-catches-bug"), (STRUCTURED_STATE, "cap-cross-runtime-resume")],
)
def test_each_subsystem_carries_one_capability(off: str, fails: str) -> None:
    report = run_suite(ALL_TASKS, TrialOptions(flags={off: False}))
    assert list(report.faults) == [fails]


def named(name: str) -> Task:
    return next(task for task in ALL_TASKS if task.id == name)


def claim_over(board: Board, task: str, assignee: str, runtime: str | None = None) -> Any:
    move = board_claim(board, task, assignee, runtime)
    return move if move.ok else board_claim(board, task, assignee, runtime)


board_claim = Board.claim
board_move = Board.move
board_comment = Board.comment


def all_ready(board: Board) -> tuple[str, ...]:
    return tuple(task.id for task in board.tasks() if task.status is TaskStatus.TODO)


def free_move(board: Board, task: str, target: TaskStatus, *, override: str | None = None) -> Any:
    with board._changing() as connection:
        connection.execute("UPDATE task SET status = ? WHERE id = ?", (target.value, task))
    return board_move(board, task, target, override=override)


@pytest.mark.parametrize(
    ("task", "method", "broken"),
    [
        ("reg-claim-409-no-retry", "claim", claim_over),
        ("reg-dep-gate", "ready", all_ready),
        ("reg-report-up", "comment", lambda *_: None),
        ("reg-state-machine", "move", free_move),
        ("cap-cross-runtime-resume", "comment", lambda *_: None),
        ("cap-delegation-fanout", "ready", lambda _: ()),
    ],
)
def test_a_board_that_lost_a_guarantee_fails_its_task(
    monkeypatch: pytest.MonkeyPatch, task: str, method: str, broken: Callable[..., Any]
) -> None:
    monkeypatch.setattr(Board, method, broken)
    report = run_suite([replace(named(task), floor=None)])
    assert list(report.faults) == [task]
