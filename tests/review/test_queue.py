from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import ConfigError
from judgekit.review.queue import MemoryQueue, ReviewQueue, SqliteQueue, capture_disagreement
from tests.review.making import comparison, decision

QUEUES: dict[str, Callable[[Path], ReviewQueue]] = {
    "memory": lambda folder: MemoryQueue(),
    "sqlite": lambda folder: SqliteQueue(folder / ".judgekit" / "review.sqlite"),
}


@pytest.fixture(params=QUEUES)
def queue(request: pytest.FixtureRequest, tmp_path: Path) -> ReviewQueue:
    return QUEUES[request.param](tmp_path)


def test_only_what_differs_is_queued(queue: ReviewQueue) -> None:
    assert capture_disagreement(queue, comparison("a")) is True
    assert capture_disagreement(queue, comparison("b", human_verdict="pass")) is False
    other_way = comparison("c", judge_verdict="fail", human_verdict="pass", score=None)
    assert capture_disagreement(queue, other_way) is True
    assert queue.captures() == (comparison("a"), other_way)


def test_everything_comes_back_as_it_went_in_and_in_order(queue: ReviewQueue) -> None:
    hard = comparison("é\n\x00\x1b[31m\u202e", output="x" * 100_000, pass_mark=None, judge="")
    decisions = [decision(hard, "skip"), decision(hard, "pass", note="nötig\n", reviewer="bo")]
    queue.enqueue(hard)
    queue.enqueue(hard)
    for each in decisions:
        queue.decide(each)
    assert queue.captures() == (hard, hard)
    assert queue.decisions() == tuple(decisions)


def test_an_empty_queue_is_no_error(queue: ReviewQueue, tmp_path: Path) -> None:
    assert queue.captures() == ()
    assert queue.decisions() == ()
    assert list(tmp_path.iterdir()) == []


def test_threads_lose_nothing(queue: ReviewQueue) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: queue.enqueue(comparison(f"c{i}")), range(64)))
    assert {each.case for each in queue.captures()} == {f"c{i}" for i in range(64)}


@pytest.mark.parametrize(
    ("field", "value"), [("answer", "maybe"), ("reviewer", " "), ("output_digest", "")]
)
def test_a_decision_that_cannot_be_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ConfigError, match="decision"):
        decision(comparison(), **{field: value})


def write_as(writer: int, path: Path, count: int) -> None:
    queue = SqliteQueue(path)
    for number in range(count):
        one = comparison(f"{writer}-{number}")
        capture_disagreement(queue, one)
        queue.decide(decision(one, reviewer=f"r{writer}"))


def test_eight_writing_processes_lose_nothing_and_keep_their_order(tmp_path: Path) -> None:
    path = tmp_path / ".judgekit" / "review.sqlite"
    with ProcessPoolExecutor(8, multiprocessing.get_context("spawn")) as pool:
        for done in [pool.submit(write_as, writer, path, 25) for writer in range(8)]:
            done.result(120)
    queue = SqliteQueue(path)
    for writer in range(8):
        whole = [f"{writer}-{number}" for number in range(25)]
        assert [c.case for c in queue.captures() if c.case.startswith(f"{writer}-")] == whole
        assert [d.case for d in queue.decisions() if d.reviewer == f"r{writer}"] == whole
    assert len(queue.captures()) == len(queue.decisions()) == 200


CAPTURE_FOREVER = """
import sys
from pathlib import Path
from judgekit.review.queue import SqliteQueue, capture_disagreement
from tests.review.making import comparison
queue = SqliteQueue(Path(sys.argv[1]))
for number in range(1_000_000):
    capture_disagreement(queue, comparison(str(number), output="x" * 5_000))
    print(number, flush=True)
"""


@pytest.mark.parametrize("kept_before", [1, 20, 150])
def test_a_kill_loses_nothing_that_was_kept(tmp_path: Path, kept_before: int) -> None:
    path = tmp_path / "review.sqlite"
    process = subprocess.Popen(
        [sys.executable, "-c", CAPTURE_FOREVER, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    with process.stdout as told:
        for _ in range(kept_before):
            told.readline()
        process.send_signal(signal.SIGKILL)
        count = kept_before + told.read().count("\n")
    process.wait(30)
    queue = SqliteQueue(path)
    kept = [each.case for each in queue.captures()]
    assert kept == [str(number) for number in range(len(kept))]
    assert count <= len(kept) <= count + 1
    queue.enqueue(comparison("after"))
    assert queue.captures()[-1].case == "after"
