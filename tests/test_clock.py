from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest

from judgekit.clock import FixedClock, SequencedClock, SystemClock
from judgekit.errors import ConfigError

FIRST = datetime(2026, 11, 3, 12, tzinfo=UTC)


def test_the_system_clock_tells_utc_and_never_runs_backwards() -> None:
    clock = SystemClock()
    before = datetime.now(UTC)
    assert before <= clock.now() <= datetime.now(UTC)
    assert clock.now().tzinfo is UTC
    assert clock.monotonic_s() <= clock.monotonic_s()


def test_a_fixed_clock_stands_still_in_utc() -> None:
    clock = FixedClock(datetime(2026, 11, 3, 14, tzinfo=timezone(timedelta(hours=2))))
    assert [clock.now(), clock.now()] == [FIRST, FIRST]
    assert clock.now().tzinfo is UTC
    assert clock.monotonic_s() == clock.monotonic_s() == 0.0


def test_a_sequenced_clock_shows_its_instants_and_stays_at_the_last() -> None:
    instants = [FIRST, FIRST + timedelta(seconds=5), FIRST + timedelta(seconds=9)]
    clock = SequencedClock(instants)
    assert clock.monotonic_s() == 0.0
    assert [clock.now() for _ in range(5)] == [*instants, instants[-1], instants[-1]]
    assert clock.monotonic_s() == 9.0


def test_threads_share_a_sequence_without_showing_an_instant_twice() -> None:
    instants = [FIRST + timedelta(seconds=n) for n in range(1000)]
    clock = SequencedClock(instants)
    with ThreadPoolExecutor(8) as pool:
        shown = list(pool.map(lambda _: clock.now(), range(1000)))
    assert sorted(shown) == instants


def test_a_clock_without_instants_or_time_zone_is_refused() -> None:
    with pytest.raises(ConfigError, match="needs at least one instant"):
        SequencedClock([])
    with pytest.raises(ConfigError, match="carries no time zone"):
        SequencedClock([FIRST.replace(tzinfo=None)])
    with pytest.raises(ConfigError, match="carries no time zone"):
        FixedClock(FIRST.replace(tzinfo=None))
