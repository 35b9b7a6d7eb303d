from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Iterator
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.trials.board import Board
from judgekit.trials.board_records import DependencyCycle
from judgekit.trials.statuses import TaskStatus, can_transition

PROCESSES = 8
JOBS = 40


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    with Board(tmp_path / "board") as board:
        yield board


def test_the_second_claim_loses_and_the_log_says_so(board: Board) -> None:
    board.create("t")
    assert board.claim("t", "ann", "laptop").ok
    assert board.claim("t", "bob").reason == "conflict"
    found = board.task("t")
    assert found is not None
    assert (found.status, found.assignee, found.runtime) == ("in_progress", "ann", "laptop")
    assert [event.data for event in board.events("claim_conflict")] == [{"assignee": "bob"}]


def test_a_claim_of_what_is_not_there_is_told_apart(board: Board) -> None:
    assert board.claim("nope", "ann").reason == "not_found"
    assert board.count_events() == 0


@pytest.mark.parametrize("status", [s for s in TaskStatus if s is not TaskStatus.TODO])
def test_only_what_waits_in_todo_can_be_claimed(board: Board, status: TaskStatus) -> None:
    board.create("t", status=status)
    assert board.claim("t", "ann").reason == "conflict"


def test_a_released_task_has_no_owner_and_no_verdict_and_can_be_claimed_again(board: Board) -> None:
    board.create("t")
    board.claim("t", "ann", "laptop")
    board.set_verdict("t", {"status": "fail"})
    assert board.release("t").ok
    found = board.task("t")
    assert found is not None
    assert (found.assignee, found.runtime, found.verdict) == (None, None, None)
    assert board.claim("t", "bob").ok


def test_what_is_not_in_progress_cannot_be_released(board: Board) -> None:
    board.create("t", status=TaskStatus.IN_REVIEW)
    assert board.release("t").reason == "illegal_transition"
    assert board.release("nope").reason == "not_found"


@given(st.lists(st.sampled_from(TaskStatus), max_size=12))
def test_moves_follow_the_state_machine_whatever_is_asked(
    tmp_path_factory: pytest.TempPathFactory, targets: list[TaskStatus]
) -> None:
    with Board(tmp_path_factory.mktemp("board") / "board") as board:
        board.create("t")
        status = TaskStatus.TODO
        for target in targets:
            legal = can_transition(status, target)
            assert board.move("t", target).ok is legal
            status = target if legal else status
            found = board.task("t")
            assert found is not None
            assert found.status is status


def test_a_failing_verdict_bars_the_way_to_done_until_a_named_person_overrides(
    board: Board,
) -> None:
    board.create("t", status=TaskStatus.IN_REVIEW)
    board.set_verdict("t", {"status": "fail"})
    assert board.move("t", TaskStatus.DONE).reason == "verification_required"
    assert board.move("t", TaskStatus.DONE, override="eve").ok
    assert [event.data for event in board.events("verification_overridden")] == [{"by": "eve"}]


def test_a_task_without_verdict_or_with_a_passing_one_can_be_done(board: Board) -> None:
    for name, verdict in (("a", None), ("b", {"status": "pass"})):
        board.create(name, status=TaskStatus.IN_REVIEW)
        if verdict:
            board.set_verdict(name, verdict)
        assert board.move(name, TaskStatus.DONE).ok


def test_a_dependency_holds_a_task_until_it_is_done(board: Board) -> None:
    for name in "abc":
        board.create(name)
    board.depend("c", "a")
    board.depend("c", "b")
    board.depend("c", "b")
    assert board.ready() == ("a", "b")
    for name in "ab":
        board.claim(name, "ann")
        board.move(name, TaskStatus.DONE)
    assert board.ready() == ("c",)


@pytest.mark.parametrize("edge", [("a", "a"), ("a", "b"), ("a", "c")])
def test_a_dependency_that_closes_a_cycle_is_refused(board: Board, edge: tuple[str, str]) -> None:
    for name in "abc":
        board.create(name)
    board.depend("b", "a")
    board.depend("c", "b")
    with pytest.raises(DependencyCycle, match="cycle"):
        board.depend(*edge)
    assert board.ready() == ("a",)


@pytest.mark.parametrize("end", ["cancel", "drop"])
def test_whoever_waits_for_a_dead_blocker_is_told(board: Board, end: str) -> None:
    for name in "abcd":
        board.create(name)
    board.depend("b", "a")
    board.depend("c", "b")
    if end == "cancel":
        board.move("a", TaskStatus.CANCELLED)
    else:
        board.drop("a")
    assert [(e.task, e.data) for e in board.events("task_stalled")] == [
        ("b", {"blocker": "a"}),
        ("c", {"blocker": "a"}),
    ]
    assert board.dead_blockers("c") == ("a",)
    board.depend("d", "a")
    assert board.count_events("task_stalled", "d") == 1


def test_a_dropped_task_that_was_done_blocks_nobody(board: Board) -> None:
    board.create("a", status=TaskStatus.DONE)
    board.create("b")
    board.depend("b", "a")
    board.drop("a")
    assert board.dead_blockers("b") == ()
    assert board.ready() == ("b",)


def test_cancelling_dependents_leaves_alone_what_has_begun(board: Board) -> None:
    for name in "abcd":
        board.create(name)
    for name in "bcd":
        board.depend(name, "a")
    board.claim("c", "ann")
    assert board.cancel_dependents("a") == ("b", "d")
    assert [task.status for task in board.tasks()] == [
        "todo",
        "cancelled",
        "in_progress",
        "cancelled",
    ]


def test_a_dropped_task_leaves_the_list_but_keeps_its_comments(board: Board) -> None:
    board.create("t")
    board.comment("t", "hi", "ann")
    assert board.drop("t").ok
    assert board.tasks() == ()
    assert [task.id for task in board.tasks(dropped=True)] == ["t"]
    assert [(c.author, c.text) for c in board.comments("t")] == [("ann", "hi")]
    assert board.claim("t", "ann").reason == "conflict"


@pytest.mark.parametrize("change", ["comment", "drop", "set_verdict", "move"])
def test_a_change_to_what_is_not_there_is_refused_and_not_logged(board: Board, change: str) -> None:
    last = {"comment": ("hi",), "drop": (), "set_verdict": ({},), "move": (TaskStatus.DONE,)}
    assert getattr(board, change)("nope", *last[change]).reason == "not_found"
    assert board.count_events() == 0


@pytest.mark.parametrize("name", ["t", "", "  "])
def test_an_id_that_is_taken_or_blank_is_refused(board: Board, name: str) -> None:
    board.create("t")
    with pytest.raises(ValueError, match=r"already|blank"):
        board.create(name)
    assert len(board.tasks()) == 1


def test_a_parent_or_dependency_that_is_not_there_is_refused(board: Board) -> None:
    board.create("t")
    with pytest.raises(ValueError, match="no task 'nope'"):
        board.create("u", parent="nope")
    with pytest.raises(ValueError, match="no task 'nope'"):
        board.depend("t", "nope")


def test_children_are_found_by_their_parent(board: Board) -> None:
    board.create("p")
    board.create("a", parent="p")
    board.create("b")
    assert [task.id for task in board.tasks(parent="p")] == ["a"]


def test_events_are_counted_to_the_last_one_and_found_by_kind_and_task(board: Board) -> None:
    board.create("t")
    for place in range(5100):
        board.record("step", "t" if place % 2 else None, place=place)
    assert board.count_events("step") == 5100
    assert board.count_events("step", "t") == 2550
    assert board.events("step")[-1].data == {"place": 5099}


def test_a_board_is_the_same_when_it_is_opened_again(tmp_path: Path) -> None:
    with Board(tmp_path / "board") as board:
        board.create("t", title="Write")
        board.claim("t", "ann")
        before = board.tasks(), board.events()
    with Board(tmp_path / "board") as again:
        assert (again.tasks(), again.events()) == before


def test_a_change_that_fails_half_way_changes_nothing(board: Board) -> None:
    board.create("t")
    with pytest.raises(TypeError):
        board.set_verdict("t", {"status": object()})
    found = board.task("t")
    assert found is not None
    assert found.verdict is None
    assert board.claim("t", "ann").ok


def _claim_all(path: Path, agent: str, together: Barrier) -> int:
    with Board(path) as board:
        together.wait(60)
        return sum(board.claim(f"job-{i}", agent).ok for i in range(JOBS))


def _worker(path: Path, agent: str, together: Barrier, results: multiprocessing.Queue[int]) -> None:
    results.put(_claim_all(path, agent, together))


def test_of_eight_processes_exactly_one_wins_each_claim(tmp_path: Path) -> None:
    path, spawn = tmp_path / "board", multiprocessing.get_context("spawn")
    with Board(path) as board:
        for i in range(JOBS):
            board.create(f"job-{i}")
        together, results = spawn.Barrier(PROCESSES), spawn.Queue()
        workers = [
            spawn.Process(target=_worker, args=(path, f"agent-{i}", together, results))
            for i in range(PROCESSES)
        ]
        for worker in workers:
            worker.start()
        won = [results.get(timeout=120) for _ in workers]
        for worker in workers:
            worker.join(60)
        results.close()
        assert [worker.exitcode for worker in workers] == [0] * PROCESSES
        assert sum(won) == JOBS
        assert board.count_events("task_claimed") == JOBS
        assert board.count_events("claim_conflict") == JOBS * (PROCESSES - 1)
        assert {task.status for task in board.tasks()} == {TaskStatus.IN_PROGRESS}


def _create_many(path: Path, agent: str, together: Barrier) -> None:
    with Board(path) as board:
        together.wait(60)
        for i in range(JOBS):
            board.create(f"{agent}-{i}", parent="root")


def test_changes_that_read_before_they_write_do_not_lock_each_other_out(tmp_path: Path) -> None:
    path, spawn = tmp_path / "board", multiprocessing.get_context("spawn")
    together = spawn.Barrier(4)
    with Board(path) as board:
        board.create("root")
        workers = [
            spawn.Process(target=_create_many, args=(path, f"agent-{i}", together))
            for i in range(4)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
        assert [worker.exitcode for worker in workers] == [0] * 4
        assert len(board.tasks(parent="root")) == 4 * JOBS


def _create_board(path: Path, together: Barrier) -> None:
    together.wait(60)
    with Board(path) as board:
        board.record("opened")


def test_several_processes_may_make_the_same_board_at_once(tmp_path: Path) -> None:
    path, spawn = tmp_path / "board", multiprocessing.get_context("spawn")
    together = spawn.Barrier(4)
    workers = [spawn.Process(target=_create_board, args=(path, together)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4
    with Board(path) as board:
        assert board.count_events("opened") == 4


def test_what_is_no_board_is_an_error_and_not_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "board"
    path.write_bytes(b"not a database at all, but long enough to look like one" * 40)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        Board(path)
