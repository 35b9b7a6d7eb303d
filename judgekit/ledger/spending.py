"""What judge calls took, as data: entries of the spend ledger, their prices and their sums."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from judgekit.database import LARGEST_INTEGER
from judgekit.errors import ConfigError
from judgekit.gate.run import EvalRun

Source = Literal["asked", "replayed"]
Column = Literal["eval", "scorer", "judge"]

SOURCES = ("asked", "replayed")
COLUMNS: tuple[Column, ...] = ("eval", "scorer", "judge")
NANO = 1_000_000_000
"""Nano-dollars in a US dollar."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a judge's tokens cost, in US dollars per million."""

    input_usd_per_million: float
    output_usd_per_million: float

    def nano_usd(self, input_tokens: int, output_tokens: int) -> int:
        """Return what these tokens cost, in whole nano-dollars (1e-9 USD).

        Whole numbers add up to the same sum in any order.
        """
        usd = (
            input_tokens * self.input_usd_per_million + output_tokens * self.output_usd_per_million
        ) / 1_000_000
        return round(usd * NANO)


@dataclass(frozen=True, slots=True)
class Spend:
    """One entry of the ledger: what one judge call took, or the calls of a run together.

    Attributes:
        when: ISO 8601, UTC.
        scorer: empty for an entry of a whole run; so is `judge`.
        source: ``asked`` of a live judge, or ``replayed`` from a cassette and so saved.
        calls: how many judge calls it stands for.
        cost_nano_usd: price in whole nano-dollars (1e-9 USD), never a fraction; None where a call
            has no price.
        wall_s: seconds that the live calls took, when they were made.

    Raises:
        ConfigError: a count or price is negative or no whole number, or a text is blank.
    """

    when: str
    eval: str
    scorer: str = ""
    judge: str = ""
    source: Source = "asked"
    calls: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    cost_nano_usd: int | None = None
    wall_s: float = 0.0

    def __post_init__(self) -> None:
        for name in ("when", "eval"):
            if not getattr(self, name).strip():
                raise ConfigError(f"spend: {name} must not be blank")
        if self.source not in SOURCES:
            raise ConfigError(f"spend: source must be asked or replayed, not {self.source!r}")
        for name in ("calls", "input_tokens", "output_tokens", "cost_nano_usd"):
            _check_whole(name, getattr(self, name))
        if not (math.isfinite(self.wall_s) and self.wall_s >= 0):
            raise ConfigError(f"spend: wall_s must be 0 or more seconds, not {self.wall_s!r}")


def _check_whole(name: str, value: int | None) -> None:
    if value is None and name == "cost_nano_usd":
        return
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and value is not None and 0 <= value <= LARGEST_INTEGER):
        raise ConfigError(f"spend: {name} must be a whole number, 0 or more, not {value!r}")


def run_spend(run: EvalRun, when: str) -> Spend | None:
    """Return what the replayed calls of a run saved, as one entry; None where nothing was asked.

    Raises:
        ConfigError: some of its calls were made live: the recording has entered those one by one.
    """
    usage = run.usage
    if usage.calls == 0:
        return None
    if usage.replayed != usage.calls:
        raise ConfigError(
            f"eval {run.name!r}: {usage.calls - usage.replayed} of its judge calls were live; only "
            "a replayed run is entered as a whole"
        )
    return Spend(
        when=when,
        eval=run.name,
        source="replayed",
        calls=usage.calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_nano_usd=None if usage.cost_usd is None else round(usage.cost_usd * NANO),
        wall_s=usage.latency_s,
    )


@dataclass(frozen=True, slots=True)
class Sum:
    """What some calls took together.

    Attributes:
        unpriced: how many of `calls` have no price, and so are not in `cost_nano_usd`.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_nano_usd: int = 0
    unpriced: int = 0
    wall_s: float = 0.0

    @property
    def cost_usd(self) -> float | None:
        """The price in US dollars; None where no call has one."""
        return None if self.unpriced == self.calls else self.cost_nano_usd / NANO


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a sum: what was spent and what replay saved.

    Attributes:
        key: the values of the columns that were summed by, in their order.
    """

    key: tuple[str, ...]
    asked: Sum = Sum()
    replayed: Sum = Sum()


def summed(spends: Iterable[Spend], by: Iterable[Column] = COLUMNS) -> tuple[Line, ...]:
    """Return the sums of entries by eval, scorer or judge, sorted; the same in any order of entry.

    Args:
        by: the columns; none gives one line for everything.
    """
    columns = tuple(by)
    groups: dict[tuple[str, ...], dict[str, list[Spend]]] = {}
    for spend in spends:
        key = tuple(getattr(spend, column) for column in columns)
        groups.setdefault(key, {source: [] for source in SOURCES})[spend.source].append(spend)
    return tuple(
        Line(key, _sum(parts["asked"]), _sum(parts["replayed"]))
        for key, parts in sorted(groups.items())
    )


def _sum(spends: list[Spend]) -> Sum:
    return Sum(
        calls=sum(s.calls for s in spends),
        input_tokens=sum(s.input_tokens for s in spends),
        output_tokens=sum(s.output_tokens for s in spends),
        cost_nano_usd=sum(s.cost_nano_usd or 0 for s in spends),
        unpriced=sum(s.calls for s in spends if s.cost_nano_usd is None),
        wall_s=math.fsum(s.wall_s for s in spends),
    )


def priced(spend: Spend, price: Price | None) -> Spend:
    """Return the entry with its cost at `price`; without a cost where there is none."""
    cost = None if price is None else price.nano_usd(spend.input_tokens, spend.output_tokens)
    return replace(spend, cost_nano_usd=cost)
