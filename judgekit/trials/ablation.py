"""Ablation: what each subsystem contributes, measured by running without it."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, combinations
from random import Random
from statistics import fmean

from judgekit.errors import ConfigError
from judgekit.gate.statistics.distributions import Interval
from judgekit.gate.statistics.paired import percentiles
from judgekit.trials.figures import CONFIDENCE, Counts
from judgekit.trials.reports import SuiteReport
from judgekit.trials.runner import TrialOptions, run_suite
from judgekit.trials.task import Task

TRIALS = 3
MOST_SUBSYSTEMS = 8
"""Of a full factorial, which runs every task under 2 to this power settings."""

RESAMPLES = 2000

Setting = frozenset[str]
"""The subsystems that are on."""


class Design(StrEnum):
    """Which settings are run: all of them, or all on and each one off."""

    FACTORIAL = "factorial"
    LEAVE_ONE_OUT = "leave-one-out"


@dataclass(frozen=True, slots=True)
class AblationCell:
    """One setting of the subsystems and what it gave.

    Attributes:
        variant: ``full``, ``none``, or what is off: ``-verifier``.
        pass_at_1: macro-averaged over the tasks; None where a task had no graded trial.
    """

    variant: str
    flags: Mapping[str, bool]
    report: SuiteReport
    pass_at_1: float | None


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one subsystem adds to pass@1; below 0 where it does harm.

    Attributes:
        delta_pass_at_1: None where a setting that it needs was not measured.
        interval: bootstrap interval of the trials of each setting and task.
    """

    subsystem: str
    delta_pass_at_1: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Interaction:
    """How much more one subsystem adds with another one on than with it off."""

    subsystems: tuple[str, str]
    delta_pass_at_1: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class AblationScorecard:
    """What an ablation found.

    Attributes:
        cells: from all on to all off.
        interactions: of every pair; empty for leave-one-out, which can't tell them.
    """

    subsystems: tuple[str, ...]
    design: Design
    trials: int
    cells: tuple[AblationCell, ...]
    contributions: tuple[Contribution, ...]
    interactions: tuple[Interaction, ...] = ()

    @property
    def baseline_pass_at_1(self) -> float | None:
        """pass@1 with every subsystem on."""
        return self.cells[0].pass_at_1

    @property
    def errors(self) -> int:
        """How many trials are in error, over all settings."""
        return sum(cell.report.errors for cell in self.cells)


def run_ablation(
    tasks: Iterable[Task],
    subsystems: Sequence[str],
    options: TrialOptions | None = None,
    *,
    design: Design = Design.FACTORIAL,
    name: str = "ablation",
) -> AblationScorecard:
    """Run tasks under several settings of named subsystems and return what each contributes.

    Tasks read `TrialContext.is_on`; commands read ``JUDGEKIT_FLAG_<NAME>``, 1 or 0. All settings
    meet the same seeds.

    Args:
        subsystems: their names: letters, digits, ``_`` and ``-``.
        options: as for `run_suite`; 3 trials if None. `results` names a folder, with a file for
            each setting.
        name: the suite's name.

    Raises:
        ConfigError: there is no subsystem, two are alike, a name is unusable, a full factorial
            would be too large; and as `run_suite`.
    """
    options = options or TrialOptions(trials=TRIALS)
    names, chosen = _checked(subsystems, design), tuple(tasks)
    cells = []
    for on in settings(names, design):
        variant = variant_name(names, on)
        path = None if options.results is None else options.results / f"{variant}.jsonl"
        flags = {each: each in on for each in names}
        ran = run_suite(chosen, replace(options, flags=flags, results=path), name=name)
        cells.append(AblationCell(variant, flags, ran, _rate([t.counts for t in ran.tasks])))
    return _scorecard(names, design, options, tuple(cells))


def settings(subsystems: Sequence[str], design: Design = Design.FACTORIAL) -> Iterator[Setting]:
    """Yield the settings that a design runs, from all on downwards."""
    most_off = len(subsystems) if design is Design.FACTORIAL else 1
    for count in range(most_off + 1):
        for off in combinations(subsystems, count):
            yield frozenset(subsystems) - set(off)


def variant_name(subsystems: Sequence[str], on: Setting) -> str:
    """Return what a setting is called: ``full``, ``none``, or what is off."""
    if not on:
        return "none"
    return "".join(f"-{each}" for each in subsystems if each not in on) or "full"


def contribution(
    rates: Mapping[Setting, float], subsystem: str, subsystems: Sequence[str]
) -> float:
    """Return what a subsystem adds to pass@1, averaged over the settings of the others.

    Over those settings of which both forms were run, with and without the subsystem: all of them
    in a full factorial, where this is the main effect (of two subsystems: the mean of two drops,
    as in the trials seed), and only the one with all others on in leave-one-out.

    Source: G. E. P. Box, J. S. Hunter and W. G. Hunter, 2005, Statistics for Experimenters, 5.4.
    """
    others = [each for each in subsystems if each != subsystem]
    pairs = [
        (rates[on | {subsystem}], rates[on])
        for on in settings(others)
        if on in rates and on | {subsystem} in rates
    ]
    return fmean(with_it - without for with_it, without in pairs)


def interaction(
    rates: Mapping[Setting, float], pair: tuple[str, str], subsystems: Sequence[str]
) -> float:
    """Return how much more the first adds with the second on than off, over all other settings."""
    first, second = pair
    others = [each for each in subsystems if each not in pair]
    return fmean(
        (rates[on | {first, second}] - rates[on | {second}]) - (rates[on | {first}] - rates[on])
        for on in settings(others)
    )


def _checked(subsystems: Sequence[str], design: Design) -> tuple[str, ...]:
    if not subsystems:
        raise ConfigError("ablation: names no subsystem; name at least one")
    for each in subsystems:
        if not re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,49}[A-Za-z0-9])?", each):
            raise ConfigError(f"ablation: {each!r}: must have letters, digits, '_' and '-' inside")
    alike = [each.casefold().replace("-", "_") for each in subsystems]
    if len(set(alike)) < len(alike) or {"full", "none"} & set(alike):
        raise ConfigError("ablation: two subsystems are named alike, or one `full` or `none`")
    if design is Design.FACTORIAL and len(subsystems) > MOST_SUBSYSTEMS:
        raise ConfigError(
            f"ablation: {len(subsystems)} subsystems have {2 ** len(subsystems)} settings; "
            f"{MOST_SUBSYSTEMS} is the most, use leave-one-out"
        )
    return tuple(subsystems)


def _rate(tasks: Sequence[Counts]) -> float | None:
    if any(n == 0 for n, _ in tasks):
        return None
    return fmean(passed / n for n, passed in tasks)


def _scorecard(
    names: tuple[str, ...],
    design: Design,
    options: TrialOptions,
    cells: tuple[AblationCell, ...],
) -> AblationScorecard:
    measured = all(cell.pass_at_1 is not None for cell in cells)
    counts = {_on(cell): [task.counts for task in cell.report.tasks] for cell in cells}
    draws = list(_resampled(counts, options.seed)) if measured else []
    rates = {_on(cell): cell.pass_at_1 or 0.0 for cell in cells}
    pairs = tuple(combinations(names, 2)) if design is Design.FACTORIAL else ()
    return AblationScorecard(
        names,
        design,
        options.trials,
        cells,
        tuple(
            Contribution(
                each,
                contribution(rates, each, names) if measured else None,
                _interval([contribution(drawn, each, names) for drawn in draws]),
            )
            for each in names
        ),
        tuple(
            Interaction(
                pair,
                interaction(rates, pair, names) if measured else None,
                _interval([interaction(drawn, pair, names) for drawn in draws]),
            )
            for pair in pairs
        ),
    )


def _on(cell: AblationCell) -> Setting:
    return frozenset(name for name, is_on in cell.flags.items() if is_on)


def _resampled(
    cells: Mapping[Setting, Sequence[Counts]], seed: int
) -> Iterator[dict[Setting, float]]:
    """Yield pass@1 of every setting with the trials of each of its tasks drawn anew.

    Drawing n trials with replacement gives a binomial count, which is drawn by its inverse.
    """
    draw = Random(seed).random  # noqa: S311 - not a secret
    tables = {
        on: [(n, _cumulative(n, passed / n)) for n, passed in tasks] for on, tasks in cells.items()
    }
    for _ in range(RESAMPLES):
        yield {
            on: fmean(min(n, bisect_right(table, draw())) / n for n, table in tasks)
            for on, tasks in tables.items()
        }


def _cumulative(n: int, p: float) -> list[float]:
    return list(accumulate(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n)))


def _interval(values: Sequence[float]) -> Interval | None:
    return percentiles(sorted(values), CONFIDENCE) if values else None
