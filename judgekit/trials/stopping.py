"""Running a task's function within a time limit, in a thread that can be given up."""

from __future__ import annotations

import inspect
import threading
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from judgekit.clock import Clock

STEP_S = 0.05
"""Seconds between two looks at whether to stop."""

GRACE_S = 2.0
"""Seconds that an asynchronous task has to end once it is cancelled."""


class Stopped(Exception):
    """The run was stopped (Ctrl-C) while this trial ran; the trial counts for nothing."""


class Stop:
    """Tells every running trial to stop; safe between threads."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Ask for the stop."""
        self._event.set()

    def is_set(self) -> bool:
        """Whether it was asked for."""
        return self._event.is_set()


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a task gave no outcome.

    Attributes:
        reason: one line.
        trace: the traceback, where there is one.
        timed_out: whether it ran out of time.
        error: what was raised, where anything was.
    """

    reason: str
    trace: str = ""
    timed_out: bool = False
    error: BaseException | None = None


@dataclass(slots=True)
class _Work:
    """What the thread of a call says to the thread that waits for it."""

    call: Callable[[], Any]
    limit_s: float | None
    stop: Stop
    result: Any = None
    is_async: bool = False
    ended: threading.Event = field(default_factory=threading.Event)

    def __call__(self) -> None:
        try:
            value = self.call()
            if inspect.isawaitable(value):
                import anyio

                self.is_async = True
                value = anyio.run(_supervised, value, self.limit_s, self.stop)
            self.result = value
        except BaseException as error:  # noqa: BLE001 - foreign code; SystemExit stays in here too
            self.result = raised(error)
        finally:
            self.ended.set()


def within(call: Callable[[], Any], limit_s: float | None, stop: Stop, clock: Clock) -> Any:
    """Return what `call` returns, awaited where it is awaitable, or the `Fault` that ended it.

    An asynchronous task is cancelled when its time is over. A plain function can't be: its thread
    is given up, and ends with the process at the latest; a command is the safe form of such work.

    Raises:
        Stopped: `stop` was set first.
    """
    work = _Work(call, limit_s, stop)
    begun = clock.monotonic_s()
    threading.Thread(target=work, name="judgekit-trial", daemon=True).start()
    while not work.ended.wait(STEP_S):
        if stop.is_set():
            work.ended.wait(GRACE_S if work.is_async else 0)
            raise Stopped
        grace_s = GRACE_S if work.is_async else 0
        if limit_s is not None and clock.monotonic_s() - begun > limit_s + grace_s:
            return out_of_time(limit_s)
    if stop.is_set() and isinstance(work.result, Fault):
        raise Stopped
    return work.result


async def _supervised(value: Awaitable[Any], limit_s: float | None, stop: Stop) -> Any:
    """Await `value` until its time is over or the run is stopped."""
    import anyio

    results: list[Any] = []

    async def watch(scope: anyio.CancelScope) -> None:
        while not stop.is_set():
            await anyio.sleep(STEP_S)
        scope.cancel()

    with anyio.move_on_after(limit_s):
        async with anyio.create_task_group() as group:
            group.start_soon(watch, group.cancel_scope)
            try:
                results.append(await value)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
                results.append(raised(error))
            group.cancel_scope.cancel()
    if results:
        return results[0]
    return Fault("stopped") if limit_s is None or stop.is_set() else out_of_time(limit_s)


def out_of_time(limit_s: float) -> Fault:
    """Return the fault of a trial that had no time left."""
    return Fault(f"gave no outcome within {limit_s:g} s", timed_out=True)


def raised(error: BaseException) -> Fault:
    """Return the fault of a task that raised `error`."""
    trace = "".join(traceback.format_exception(error))
    return Fault(f"{type(error).__name__}: {error}".removesuffix(": "), trace, error=error)
