from __future__ import annotations

import threading

import pytest

from judgekit.engines.local import LocalEngine
from judgekit.errors import ConfigError


@pytest.mark.parametrize("jobs", [1, 2, 16])
def test_results_stand_in_the_order_of_the_items(jobs: int) -> None:
    assert LocalEngine(jobs).map(lambda n: n * n, range(200)) == [n * n for n in range(200)]


def test_as_many_items_as_jobs_are_worked_on_at_once() -> None:
    together = threading.Barrier(3)
    assert LocalEngine(3).map(lambda _: together.wait(10) >= 0, range(3)) == [True] * 3


def test_one_job_starts_no_thread() -> None:
    names = LocalEngine().map(lambda _: threading.current_thread().name, range(3))
    assert set(names) == {threading.current_thread().name}


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_failure_is_raised_and_no_further_item_is_begun(jobs: int) -> None:
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        if item == 0:
            raise KeyError("first")
        if jobs > 1:
            threading.Event().wait(0.02)

    with pytest.raises(KeyError, match="first"):
        LocalEngine(jobs).map(work, range(1000))
    assert len(begun) < 500


def test_no_jobs_at_all_are_refused() -> None:
    with pytest.raises(ConfigError, match="jobs must be 1 or more, not 0"):
        LocalEngine(0)
