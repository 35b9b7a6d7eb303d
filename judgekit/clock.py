"""The clock as a port: nothing else in judgekit reads the time.

Reports, baselines and cassettes are the same bytes whenever they are made; what does carry a time
is given it by one of these.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from judgekit.errors import ConfigError


class Clock(Protocol):
    """Something that tells the time. Implementations are thread-safe."""

    def now(self) -> datetime:
        """Return the date and time, in UTC."""
        ...

    def monotonic_s(self) -> float:
        """Return seconds from a fixed but unknown start; only differences mean anything."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the machine's date and time, in UTC."""
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        """Return the machine's monotonic seconds."""
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still.

    Attributes:
        instant: what it shows; must carry a time zone.
    """

    instant: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "instant", _utc(self.instant))

    def now(self) -> datetime:
        """Return the instant, in UTC."""
        return self.instant

    def monotonic_s(self) -> float:
        """Return 0: no time passes."""
        return 0.0


class SequencedClock:
    """A clock that shows given instants one after another, then stays at the last.

    >>> from datetime import UTC, datetime
    >>> clock = SequencedClock([datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)])
    >>> [clock.now().day for _ in range(3)]
    [1, 2, 2]

    Args:
        instants: at least one; each must carry a time zone.

    Raises:
        ConfigError: there is none, or one carries no time zone.
    """

    def __init__(self, instants: Iterable[datetime]) -> None:
        self._instants = tuple(_utc(instant) for instant in instants)
        if not self._instants:
            raise ConfigError("a sequenced clock needs at least one instant")
        self._next = 0
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """Return the next instant, in UTC."""
        with self._lock:
            shown = self._instants[self._next]
            self._next = min(self._next + 1, len(self._instants) - 1)
            return shown

    def monotonic_s(self) -> float:
        """Return the seconds from the first instant to the next one, without moving on."""
        with self._lock:
            return (self._instants[self._next] - self._instants[0]).total_seconds()


def _utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise ConfigError(f"the instant {instant.isoformat()} carries no time zone; give it one")
    return instant.astimezone(UTC)
