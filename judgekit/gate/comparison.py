"""Holding runs against the committed baseline: every finding of every eval, at once.

Whether a finding blocks, and why:

========================  ==========  =========================================================
kind                      blocks      because
========================  ==========  =========================================================
below-threshold           yes         the eval's own bar; NaN is below every bar
score-regression          yes [1]     the eval fell below what was committed
scorer-regression         yes [1]     one scorer fell, even where others hide it in the score
inconclusive              yes (6)     statistical mode: too few cases to tell a drop from noise
wilson-below-floor        yes         too few cases, or too low a rate, to rely on
errors                    yes [2]     an error is not a score
uncalibrated-judge        yes         the eval asks for a judge held against human labels
missing-baseline          yes         nothing to be held against; bless it first
missing-run               yes         a blessed eval did not run, though all were asked for
missing-scorer            yes         what is not measured cannot fail
scorer-changed            yes         another grader or other options: not the same measure
judge-changed             yes         another judge: not the same measure
rubric-changed            yes         another rubric: not the same measure
lowered-threshold         yes         the bar was lowered (threshold, Wilson floor or least kappa)
gate-changed              yes [3]     the gate's settings may now pass what they did not
fewer-cases               yes         a case that vanished cannot fail
changed-cases             yes         not the same cases: the scores do not compare
prompt-version-changed    no          the change that the gate is there to judge
subject-changed           no          as above
new-scorer, new-cases     no          they only add
newly-failing, -passing   no          names the cases behind the figures
========================  ==========  =========================================================

A change that is meant is accepted by blessing the run, never by an option.

[1] In statistical mode a drop blocks when it is significant (paired test at `alpha`, two-sided,
Holm over the eval's tests) or more than `max_drop` (where that is above 0); without shared cases to
pair, any drop blocks, as in strict mode.
[2] Beyond `allowed_errors`, or when a scorer graded nothing at all.
[3] More allowed errors, a lower confidence, another mode; in statistical mode also another alpha
(a lower one finds fewer drops significant, a higher one calls fewer of them inconclusive), and a
larger `max_drop` or one to or from 0. An entry that holds no settings is held to none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .baseline import Baseline, BaselineEntry
from .drift import drift_findings
from .errors import InvalidRun
from .finding import Finding, Kind, RunSummary
from .limits import limit_findings
from .regression import regression_findings
from .run import EvalRun


def compare(
    runs: Sequence[EvalRun | RunSummary],
    baseline: Baseline | None,
    *,
    whole_project: bool = False,
) -> tuple[Finding, ...]:
    """Return every finding of every run, by eval name, whatever the order of `runs`.

    Args:
        baseline: what is committed; None when there is no baseline file.
        whole_project: every eval was asked for, so a blessed eval that did not run is a finding.

    Raises:
        InvalidRun: there is no run, or two runs have one name.
    """
    summaries = summarise(runs)
    blessed = {} if baseline is None else baseline.evals
    found: list[Finding] = []
    for run in summaries:
        found += limit_findings(run)
        found += _against(run, blessed.get(run.name))
    if whole_project:
        ran = {run.name for run in summaries}
        found += (_missing_run(name, blessed[name]) for name in sorted(blessed) if name not in ran)
    return tuple(found)


def summarise(runs: Sequence[EvalRun | RunSummary]) -> tuple[RunSummary, ...]:
    """Return the figures of `runs`, sorted by eval name.

    Raises:
        InvalidRun: there is no run, or two runs have one name.
    """
    if not runs:
        raise InvalidRun("no eval ran, so there is nothing to gate; name an eval that exists")
    names = sorted(run.name for run in runs)
    for name, following in pairwise(names):
        if name == following:
            raise InvalidRun(f"two runs are named {name!r}; an eval's name must be its own")
    summaries = (RunSummary.of(run) if isinstance(run, EvalRun) else run for run in runs)
    return tuple(sorted(summaries, key=lambda run: run.name))


def _against(run: RunSummary, entry: BaselineEntry | None) -> Iterator[Finding]:
    if entry is None:
        detail = "no committed baseline for this eval; review the run, then bless it."
        yield Finding(Kind.MISSING_BASELINE, run.name, None, run.score, None, detail)
        return
    yield from drift_findings(run, entry)
    yield from regression_findings(run, entry)


def _missing_run(name: str, entry: BaselineEntry) -> Finding:
    detail = "the baseline has this eval, but it did not run; restore it, or remove its entry."
    return Finding(Kind.MISSING_RUN, name, None, None, entry.score, detail)
