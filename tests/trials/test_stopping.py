from __future__ import annotations

import threading

import anyio
import pytest

from judgekit.clock import SystemClock
from judgekit.trials.stopping import Stop, Stopped, within


def test_a_stop_cancels_an_asynchronous_task_and_waits_for_its_clean_up() -> None:
    stop, begun, cleaned = Stop(), threading.Event(), threading.Event()

    async def hang() -> None:
        begun.set()
        try:
            await anyio.sleep(600)
        finally:
            cleaned.set()

    def set_when_begun() -> None:
        begun.wait(60)
        stop.set()

    threading.Thread(target=set_when_begun).start()
    with pytest.raises(Stopped):
        within(hang, None, stop, SystemClock())
    assert cleaned.is_set()


def test_a_stop_gives_up_a_plain_function() -> None:
    stop, release = Stop(), threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        within(lambda: release.wait(600), None, stop, SystemClock())
    release.set()


def test_what_had_ended_before_the_stop_still_counts() -> None:
    assert within(lambda: 42, 5.0, Stop(), SystemClock()) == 42
