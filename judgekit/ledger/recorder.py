"""Enters a recording's judge calls into the ledger, and can never break the recording."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from judgekit.errors import JudgekitError
from judgekit.judges.recording import Progress, RecordingEvent
from judgekit.ledger.spend_store import SpendStore
from judgekit.ledger.spending import Price, Source, Spend, priced

GIVE_UP_AFTER = 3
"""After so many entries in a row that could not be made, no more is tried."""


class SpendRecorder:
    """Turns the events of a recording into entries of a ledger. Thread-safe.

    A call that gave an answer is entered as asked, also where the answer was no verdict or could
    not be kept; one that a recording served, as replayed; one that found no judge, not at all.

    Args:
        store: takes the entries.
        prices: of judges' tokens, by judge name.
        now: the time to enter, ISO 8601, UTC.
    """

    def __init__(
        self, store: SpendStore, prices: Mapping[str, Price], now: Callable[[], str]
    ) -> None:
        self._store = store
        self._prices = prices
        self._now = now
        self._lock = threading.Lock()
        self._failed_in_a_row = 0
        self._first_problem = ""
        self.lost = 0

    @property
    def problem(self) -> str:
        """What kept calls out of the ledger, in one line; empty where none was."""
        if not self.lost:
            return ""
        calls = "1 judge call is" if self.lost == 1 else f"{self.lost} judge calls are"
        return f"{calls} not in the spend ledger: {self._first_problem}"

    def observe(self, event: RecordingEvent) -> None:
        """Enter one event; whatever goes wrong is kept for `problem`, and never raised."""
        source = _source(event)
        if source is None:
            return
        with self._lock:
            if self._failed_in_a_row >= GIVE_UP_AFTER:
                self.lost += 1
                return
            try:
                self._store.record_spend(self._spend(event, source))
                self._failed_in_a_row = 0
            except (JudgekitError, OSError) as error:
                self._failed_in_a_row += 1
                self.lost += 1
                self._first_problem = self._first_problem or str(error)

    def _spend(self, event: RecordingEvent, source: Source) -> Spend:
        origin, usage = event.request.origin, event.usage
        spend = Spend(
            when=self._now(),
            eval=origin.eval,
            scorer=origin.scorer,
            judge=event.judge,
            source=source,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            wall_s=event.latency_s,
        )
        return priced(spend, self._prices.get(event.judge))


def _source(event: RecordingEvent) -> Source | None:
    if event.what is Progress.SERVED:
        return "replayed"
    answered = event.what is Progress.FAILED and event.answered
    return "asked" if event.what is Progress.RECORDED or answered else None
