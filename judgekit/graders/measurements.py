"""Measured values of a request: its status, latency, cost and tokens.

A measurement must be there, finite, not negative, and a number: an absent one is no zero, and
neither a boolean nor a text is a number. Null counts as absent. A record that gives one measurement
under two names contradicts itself where they differ: the highest is held to a ceiling, and two
statuses are an error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from judgekit.errors import Cause
from judgekit.graders.candidate import as_json
from judgekit.graders.grade import Grade, Json
from judgekit.graders.registry import GraderConfig, deterministic

Ceiling = Annotated[float, Field(ge=0)]
Status = Annotated[int, Field(ge=100, le=599)]

PERCENTILE = ("p95_ms",)
LATENCY = ("latency_ms", "duration_ms")
"""Another figure than the percentile: read only where that is absent."""

COST = ("cost_usd", "total_cost_usd")
TOKENS = ("tokens", "total_tokens", "usage.total_tokens")
STATUS = ("status", "status_code")


class StatusConfig(GraderConfig):
    """Options of `http_status`."""

    status: Status | Annotated[tuple[Status, ...], Field(min_length=1, strict=False)] = Field(
        description="The status that the response must have, or several that it may."
    )


class LatencyConfig(GraderConfig):
    """Options of `latency_threshold`."""

    p95_ms: Ceiling = Field(description="Most milliseconds that pass.")


class CostConfig(GraderConfig):
    """Options of `cost_threshold`."""

    max_usd: Ceiling = Field(description="Most US dollars that pass.")


class TokenConfig(GraderConfig):
    """Options of `token_threshold`."""

    max_tokens: Ceiling = Field(description="Most tokens that pass.")


@deterministic("http_status", example={"config": {"status": 200}, "candidate": {"status": 200}})
def http_status(config: StatusConfig, candidate: Json) -> Grade:
    """The response's `status` (or `status_code`) is the expected one."""
    found = _measured(candidate, STATUS)
    if isinstance(found, Grade):
        return found
    if len(set(found.values())) > 1:
        return _missing(f"{_listed(found)}: they contradict each other")
    value = next(iter(found.values()))
    allowed = (config.status,) if isinstance(config.status, int) else config.status
    return Grade.of(value in allowed, f"status {value:g}, expected {', '.join(map(str, allowed))}")


@deterministic(
    "latency_threshold", example={"config": {"p95_ms": 800}, "candidate": {"p95_ms": 640.5}}
)
def latency_threshold(config: LatencyConfig, candidate: Json) -> Grade:
    """The measured latency (`p95_ms`, `latency_ms` or `duration_ms`) is within the ceiling."""
    return _within(candidate, (PERCENTILE, LATENCY), config.p95_ms, "ms")


@deterministic(
    "cost_threshold", example={"config": {"max_usd": 0.02}, "candidate": {"cost_usd": 0.013}}
)
def cost_threshold(config: CostConfig, candidate: Json) -> Grade:
    """The measured cost (`cost_usd` or `total_cost_usd`) is within the ceiling."""
    return _within(candidate, (COST,), config.max_usd, "USD")


@deterministic(
    "token_threshold", example={"config": {"max_tokens": 500}, "candidate": {"total_tokens": 321}}
)
def token_threshold(config: TokenConfig, candidate: Json) -> Grade:
    """The measured tokens (`tokens`, `total_tokens` or `usage.total_tokens`) are within it."""
    return _within(candidate, (TOKENS,), config.max_tokens, "tokens")


def _within(candidate: Json, choices: Sequence[Sequence[str]], ceiling: float, unit: str) -> Grade:
    """Hold the highest of what the first choice measures, of those that are there, to a ceiling."""
    found = _measured(candidate, *choices)
    if isinstance(found, Grade):
        return found
    value = max(found.values())
    shown = f"{value:g}" if len(set(found.values())) == 1 else f"the higher of {_listed(found)}"
    return Grade.of(
        value <= ceiling,
        f"{shown} {unit}, ceiling {ceiling:g}",
        details={"measured": value},
    )


def _measured(candidate: Json, *choices: Sequence[str]) -> dict[str, float] | Grade:
    """Return what is there of the names of the first choice that has any, or the grade in error."""
    record = as_json(candidate)
    if isinstance(record, Grade):
        return record
    wanted = " or ".join(name for names in choices for name in names)
    if not isinstance(record, dict):
        return _missing(f"the candidate is no object with {wanted}")
    for names in choices:
        found = {name: value for name in names if (value := _at(record, name)) is not None}
        fault = next(filter(None, (_fault(*item) for item in found.items())), None)
        if fault is not None:
            return _missing(fault)
        if found:
            return found  # type: ignore[return-value]
    return _missing(f"the candidate has no {wanted}")


def _at(record: Json, name: str) -> Json:
    for part in name.split("."):
        record = record.get(part) if isinstance(record, dict) else None
    return record


def _fault(name: str, value: Json) -> str | None:
    """Return why a value is no measurement, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{name} is no number"
    if not math.isfinite(value) or value < 0:
        return f"{name} is {value!r}: it must be finite and not negative"
    return None


def _listed(found: Mapping[str, float]) -> str:
    return " and ".join(f"{name} {value:g}" for name, value in found.items())


def _missing(reason: str) -> Grade:
    return Grade.error(Cause.MISSING_MEASUREMENT, reason)
