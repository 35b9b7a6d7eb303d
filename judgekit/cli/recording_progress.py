"""Shows a recording as it goes: counts, rate, tokens, time left, and what is in flight."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from judgekit.judges.recording import Progress as Step
from judgekit.judges.recording import RecordingEvent

_IN_FLIGHT_SHOWN = 3


class RecordingProgress:
    """Counts a recording's events and draws them on standard error.

    Args:
        due: how many requests have no recording yet.
    """

    def __init__(self, due: int) -> None:
        self.due = due
        self.recorded = 0
        self.tokens = 0
        self.judge_s = 0.0
        self.failures: list[str] = []
        self.problems: list[str] = []
        self._in_flight: dict[str, str] = {}
        self._lock = threading.Lock()
        self._bar = Progress(
            TextColumn("recording"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}  {task.fields[tokens]} tokens"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[flight]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=due, rate="", tokens=0, flight="")

    def __enter__(self) -> RecordingProgress:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def observe(self, event: RecordingEvent) -> None:
        """Take one event in; called from many threads."""
        origin = event.request.origin
        where = f"{origin.eval} / {origin.scorer} / {origin.case}"
        with self._lock:
            if event.what is Step.ASKED:
                self._in_flight[event.key] = where
            elif event.what is Step.RECORDED:
                self._note_recorded(event, where)
            elif event.what is Step.FAILED:
                self._in_flight.pop(event.key, None)
                self.failures.append(f"{where}: {event.problem}")
            self._draw()

    def _note_recorded(self, event: RecordingEvent, where: str) -> None:
        self._in_flight.pop(event.key, None)
        self.tokens += event.usage.input_tokens + event.usage.output_tokens
        self.judge_s += event.latency_s
        if event.attempt == 0:
            self.recorded += 1
        if event.problem:
            self.problems.append(f"{where}: attempt {event.attempt + 1}: {event.problem}")

    def _draw(self) -> None:
        flight = list(self._in_flight.values())
        shown = ", ".join(flight[:_IN_FLIGHT_SHOWN])
        more = (
            f" and {len(flight) - _IN_FLIGHT_SHOWN} more" if len(flight) > _IN_FLIGHT_SHOWN else ""
        )
        rate = f"{60 * self.recorded / self.judge_s:.0f}/min" if self.judge_s else ""
        self._bar.update(
            self._task,
            completed=self.recorded,
            rate=rate,
            tokens=self.tokens,
            flight=f"asking {shown}{more}" if flight else "",
        )
