"""Shows a recording as it goes: counts, rate, tokens, time left, and what is in flight."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Sequence
from types import TracebackType

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from judgekit.judges.port import JudgeRequest
from judgekit.judges.recording import Progress as Step
from judgekit.judges.recording import RecordingEvent

_IN_FLIGHT_SHOWN = 3


class _Bar(Progress):
    """A bar with a line below it that says what is in flight."""

    flight = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return the bar and the line."""
        yield from super().get_renderables()
        yield Text(self.flight, no_wrap=True, overflow="ellipsis")


class RecordingProgress:
    """Counts a recording's events and draws them on standard error.

    Args:
        due: the requests that have no recording yet. One that an earlier recording already staged
            is due too, and counts as done without being asked.
    """

    def __init__(self, due: Sequence[JudgeRequest]) -> None:
        self.due = len(due)
        self.recorded = 0
        self.staged_before = 0
        self._due = {_question(request) for request in due}
        self.readable = 0
        self.tokens = 0
        self.judge_s = 0.0
        self.failures: list[str] = []
        self.problems: list[str] = []
        self._in_flight: dict[str, str] = {}
        self._lock = threading.Lock()
        self._bar = _Bar(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[tokens]:,} tokens"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=self.due, rate="", tokens=0)

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
            elif event.what is Step.SERVED:
                if event.attempt == 0 and _question(event.request) in self._due:
                    self.staged_before += 1
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
        if not event.problem:
            self.readable += 1
        else:
            self.problems.append(f"{where}: attempt {event.attempt + 1}: {event.problem}")

    def _draw(self) -> None:
        flight = list(self._in_flight.values())
        shown = ", ".join(flight[:_IN_FLIGHT_SHOWN])
        more = len(flight) - _IN_FLIGHT_SHOWN
        self._bar.flight = f"asking {shown}{f' and {more} more' if more > 0 else ''}"
        rate = f"{60 * self.recorded / self.judge_s:.0f}/min" if self.judge_s else ""
        self._bar.update(
            self._task, completed=self.staged_before + self.recorded, rate=rate, tokens=self.tokens
        )


def _question(request: JudgeRequest) -> Hashable:
    """Return what tells one due request from the others."""
    return request.origin, request.model, request.messages, request.sample_index
