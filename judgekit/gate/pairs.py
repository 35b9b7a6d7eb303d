"""The same cases before and after: who turned, and the paired tests of it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from itertools import count

from .baseline import EPS, BaselineEntry
from .finding import RunSummary, counted
from .statistics.distributions import Interval
from .statistics.paired import clustered_t, holm, mcnemar_exact


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One paired test of one scorer.

    Attributes:
        what: ``pass rate`` or ``mean score``.
        drop: how far it fell over the shared cases; negative when it rose.
        interval: two-sided confidence interval of `drop`.
        p_value: two-sided; adjusted by Holm's method once it comes out of `adjusted`.
        n: independent units (cases, or clusters); `changed` of them moved at all.
        cases: the shared cases.
    """

    what: str
    method: str
    drop: float
    interval: Interval
    p_value: float
    n: int
    changed: int
    cases: int

    @property
    def told(self) -> str:
        """The test as a clause for people."""
        return (
            f"{self.what} fell by {self.drop:.4f} over {counted(self.cases, 'shared case')}, "
            f"{self.method} adjusted p = {self.p_value:.4f}"
        )

    def more_cases(self, alpha: float, max_drop: float, family: int) -> int | None:
        """Return how many more cases would tell this drop from noise; None when these do.

        Without a `max_drop`, cases are too few when not even a change for the worse in every one
        that changed could be significant: family · 2 · (1/2)^changed > alpha (the sign test's
        least p-value, times Holm's largest factor). With one, they are too few when the interval
        of the drop reaches beyond it; the width shrinks with the root of the number of cases.
        """
        if max_drop > 0:
            half = self.interval.high - self.drop
            if self.interval.high <= max_drop + EPS:
                return None
            room = max(max_drop - self.drop, max_drop / 100)
            wanted = self.cases * max(4.0, (half / room) ** 2 if math.isfinite(half) else 4.0)
            return math.ceil(wanted - self.cases - EPS)
        least = max(1, math.ceil(1 + math.log2(family / alpha) - EPS))
        if self.changed >= least:
            return None
        return math.ceil(self.cases * least / max(1, self.changed) - EPS) - self.cases


@dataclass(frozen=True, slots=True)
class Pairs:
    """The shared cases of one scorer: same id, same contents, graded both times.

    Attributes:
        fallen: ids whose score fell or that newly fail, in dataset order.
        pass_changes: for each case -1 (newly fails), 0 or 1; `score_changes`: now minus before.
        clusters: one for each case; cases without a cluster are each their own.
        graded: whether any score was neither 0 nor 1, nor other than its pass.
    """

    newly_failing: tuple[str, ...]
    newly_passing: tuple[str, ...]
    fallen: tuple[str, ...]
    pass_changes: tuple[int, ...]
    score_changes: tuple[float, ...]
    clusters: tuple[Hashable, ...]
    graded: bool

    @property
    def n(self) -> int:
        """How many cases are shared."""
        return len(self.pass_changes)

    def tests(self, confidence: float) -> tuple[PairedTest, ...]:
        """Return the test of the pass rate, and of the mean score where scores are graded."""
        if not self.n:
            return ()
        rate = self._test("pass rate", self.pass_changes, confidence)
        if not self.graded:
            return (rate,)
        return (rate, self._test("mean score", self.score_changes, confidence))

    def _test(self, what: str, changes: tuple[float, ...], confidence: float) -> PairedTest:
        sums: dict[Hashable, float] = {}
        for cluster, change in zip(self.clusters, changes, strict=True):
            sums[cluster] = sums.get(cluster, 0.0) + change
        changed = sum(abs(total) > EPS for total in sums.values())
        drop = -math.fsum(changes) / self.n
        if len(sums) < 2:
            unknown = Interval(-math.inf, math.inf)
            return PairedTest(what, "untestable:", drop, unknown, 1.0, len(sums), changed, self.n)
        test = clustered_t(changes, self.clusters, confidence)
        interval = Interval(-test.interval.high, -test.interval.low)
        method, p_value = test.method, test.p_value
        if what == "pass rate" and len(sums) == self.n:
            method = "McNemar"
            p_value = mcnemar_exact(len(self.newly_failing), len(self.newly_passing))
        return PairedTest(what, method, drop, interval, p_value, len(sums), changed, self.n)


def pair_up(run: RunSummary, entry: BaselineEntry, scorer: str) -> Pairs:
    """Return the shared cases of `scorer` in `run` and `entry`."""
    failing, passing, fallen = [], [], []
    passes: list[int] = []
    scores: list[float] = []
    clusters: list[Hashable] = []
    alone, graded = count(), False
    for case in run.cases:
        before, now = entry.cases.get(case.id), case.grades.get(scorer)
        if before is None or before.digest != case.digest or now is None or now.score is None:
            continue
        prior = before.grades.get(scorer)
        if prior is None:
            continue
        passed = now.status == "passed"
        graded = graded or now.score != float(passed) or prior.score != float(prior.passed)
        passes.append(int(passed) - int(prior.passed))
        scores.append(now.score - prior.score)
        clusters.append(next(alone) if case.cluster is None else case.cluster)
        if prior.passed and not passed:
            failing.append(case.id)
        elif passed and not prior.passed:
            passing.append(case.id)
        if now.score < prior.score - EPS or (prior.passed and not passed):
            fallen.append(case.id)
    return Pairs(
        tuple(failing),
        tuple(passing),
        tuple(fallen),
        tuple(passes),
        tuple(scores),
        tuple(clusters),
        graded,
    )


def adjusted(
    tests: Mapping[str, tuple[PairedTest, ...]],
) -> dict[str, tuple[PairedTest, ...]]:
    """Return the tests of all scorers with Holm's adjusted p-values."""
    values = iter(holm([test.p_value for own in tests.values() for test in own]))
    return {
        name: tuple(replace(test, p_value=next(values)) for test in own)
        for name, own in tests.items()
    }
