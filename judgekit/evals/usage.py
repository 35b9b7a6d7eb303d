"""Counting what a run's judge calls took."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from judgekit.gate.run import Usage
from judgekit.judges.port import Judge, JudgeRequest, Verdict
from judgekit.ledger.spending import Price


@dataclass(slots=True)
class _Tally:
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    replayed: int = 0
    latencies_s: list[float] = field(default_factory=list)


class Ledger:
    """Adds up verdicts by judge; the sum does not depend on their order. Thread-safe."""

    def __init__(self) -> None:
        self._tallies: dict[str, _Tally] = {}
        self._lock = threading.Lock()

    def add(self, judge: str, verdict: Verdict) -> None:
        """Count one verdict of the judge of that name."""
        with self._lock:
            tally = self._tallies.setdefault(judge, _Tally())
            tally.calls += 1
            tally.input_tokens += verdict.usage.input_tokens
            tally.output_tokens += verdict.usage.output_tokens
            tally.replayed += verdict.replayed
            tally.latencies_s.append(verdict.latency_s)

    def usage(self, prices: Mapping[str, Price]) -> Usage:
        """Return the sum over all judges; without a cost where one that was asked has no price.

        Args:
            prices: by judge name.
        """
        with self._lock:
            tallies = dict(sorted(self._tallies.items()))
        return Usage(
            calls=sum(tally.calls for tally in tallies.values()),
            input_tokens=sum(tally.input_tokens for tally in tallies.values()),
            output_tokens=sum(tally.output_tokens for tally in tallies.values()),
            cost_usd=_cost_usd(tallies, prices),
            latency_s=math.fsum(s for tally in tallies.values() for s in tally.latencies_s),
            replayed=sum(tally.replayed for tally in tallies.values()),
        )


def _cost_usd(tallies: Mapping[str, _Tally], prices: Mapping[str, Price]) -> float | None:
    if not all(judge in prices for judge in tallies):
        return None
    return math.fsum(
        (
            tally.input_tokens * prices[judge].input_usd_per_million
            + tally.output_tokens * prices[judge].output_usd_per_million
        )
        / 1_000_000
        for judge, tally in tallies.items()
    )


@dataclass(frozen=True, slots=True)
class CountingJudge:
    """A judge whose verdicts are counted in a ledger.

    Attributes:
        name: the judge's name in the ledger.
        judge: the judge that answers.
    """

    name: str
    judge: Judge
    ledger: Ledger

    def evaluate(self, request: JudgeRequest) -> Verdict:
        """Return the verdict of `judge`, counted; what it raises is passed on and not counted."""
        verdict = self.judge.evaluate(request)
        self.ledger.add(self.name, verdict)
        return verdict
