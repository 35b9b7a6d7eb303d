"""Trends: how the scores of an eval and of its scorers went from run to run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judgekit.ledger.history import KeptRun

_BARS = "▁▂▃▄▅▆▇█"
_GAP = "·"


@dataclass(frozen=True, slots=True)
class Series:
    """The scores of one eval, or of one of its scorers, in the order of the runs.

    Attributes:
        scorer: None for the eval as a whole.
        values: one for each run, in [0, 1]; None where it was not graded in that run.
    """

    scorer: str | None
    values: tuple[float | None, ...]

    @property
    def known(self) -> tuple[float, ...]:
        """The values that there are."""
        return tuple(value for value in self.values if value is not None)

    @property
    def change(self) -> float | None:
        """The last value less the one before it; None with fewer than two."""
        known = self.known
        return known[-1] - known[-2] if len(known) > 1 else None


@dataclass(frozen=True, slots=True)
class Trend:
    """The runs of one eval, oldest first, with the series that they make: its own one first."""

    eval: str
    runs: tuple[KeptRun, ...]
    series: tuple[Series, ...]


def trends(runs: Iterable[KeptRun]) -> tuple[Trend, ...]:
    """Return the trend of each eval among `runs`, sorted by name.

    A scorer that came or went has gaps. Scorers stand in the order of the newest run, then those
    that it no longer has.
    """
    by_eval: dict[str, list[KeptRun]] = {}
    for run in sorted(runs, key=lambda run: run.id):
        by_eval.setdefault(run.eval, []).append(run)
    return tuple(_trend(name, by_eval[name]) for name in sorted(by_eval))


def _trend(name: str, runs: Sequence[KeptRun]) -> Trend:
    means = [{figure.scorer: figure.mean for figure in run.scorers} for run in runs]
    scorers = dict.fromkeys(scorer for each in reversed(means) for scorer in each)
    series = [Series(None, tuple(run.score for run in runs))]
    series += [Series(s, tuple(each.get(s) for each in means)) for s in scorers]
    return Trend(name, tuple(runs), tuple(series))


def sparkline(values: Sequence[float | None]) -> str:
    """Return one bar for each value, from the least to the greatest of them; a dot for a gap.

    >>> sparkline([0.5, 0.75, None, 1.0])
    '▁▅·█'
    >>> sparkline([0.9, 0.9])
    '▄▄'
    """
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    return "".join(_GAP if value is None else _bar(value, low, high) for value in values)


def _bar(value: float, low: float, high: float) -> str:
    if high <= low:
        return _BARS[3]
    return _BARS[round((value - low) / (high - low) * (len(_BARS) - 1))]
