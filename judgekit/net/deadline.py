"""One deadline for a whole HTTP call, held by every wait in it.

A client's time-outs bound each wait by itself; a server that sends a byte now and then is never
late by them. Here each connect, read and write of a call gets what is left of the call's time.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore


class CallClock(threading.local):
    """How much time the call that this thread is making has left.

    The synchronous httpcore does all waiting of a call in the thread that makes it, so that a
    pooled connection always meets the deadline of its present user.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._ends: float | None = None

    def end_after(self, seconds: float | None) -> float | None:
        """Return the moment `seconds` from now; None where there is no limit."""
        return None if seconds is None else self._monotonic() + seconds

    @contextmanager
    def until(self, ends: float | None) -> Iterator[None]:
        """Hold every wait of this thread inside the block to the moment `ends`."""
        before, self._ends = self._ends, ends
        try:
            yield
        finally:
            self._ends = before

    def left(self, timeout: float | None, late: type[Exception]) -> float | None:
        """Return the seconds that a wait may take: its own time-out, or less.

        Raises:
            Exception: of type `late`; the call's time is over.
        """
        if self._ends is None:
            return timeout
        left = self._ends - self._monotonic()
        if left <= 0:
            raise late("the deadline for the whole call has passed")
        return left if timeout is None else min(timeout, left)


class DeadlineStream(httpcore.NetworkStream):
    """A connection whose every wait ends by the deadline of the call that uses it."""

    def __init__(self, stream: httpcore.NetworkStream, clock: CallClock) -> None:
        self._stream = stream
        self._clock = clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return up to `max_bytes` bytes; none at the end of the stream."""
        return self._stream.read(max_bytes, self._clock.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of `buffer`."""
        self._stream.write(buffer, self._clock.left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Return the connection under TLS; it keeps the deadline."""
        left = self._clock.left(timeout, httpcore.ConnectTimeout)
        return DeadlineStream(
            self._stream.start_tls(ssl_context, server_hostname, left), self._clock
        )

    def get_extra_info(self, info: str) -> Any:
        """Return what the connection knows of itself, such as its peer's address."""
        return self._stream.get_extra_info(info)
