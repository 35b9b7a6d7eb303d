"""Making runs the new baseline: which may, how they merge, and what a reviewer is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields

from .baseline import EPS, Baseline, BaselineEntry, BlessedCase, BlessedGrade, BlessedScorer
from .comparison import summarise
from .errors import BlessRefused, one_line
from .finding import RunSummary, ScorerSummary
from .limits import limit_findings
from .run import CaseResult, EvalRun, GateSettings

_NAMED_CASES = 20


def bless_requested(bless: str | None, *, in_ci: bool) -> bool:
    """Whether the environment's ``BLESS`` asks to bless: exactly ``1``, and never in CI."""
    return bless == "1" and not in_ci


def assert_eligible(run: EvalRun | RunSummary) -> None:
    """Refuse a run that may not become the baseline.

    Raises:
        BlessRefused: in one line: no cases or scorers, a figure that is missing or not in [0, 1],
            or any finding of `limit_findings` that blocks (score below the threshold, grades in
            error beyond the allowed number, a Wilson floor missed, an uncalibrated judge).
    """
    summary = RunSummary.of(run) if isinstance(run, EvalRun) else run
    where = f"eval {summary.name!r} cannot be blessed"
    if not summary.cases or not summary.scorers:
        raise BlessRefused(f"{where}: it has no {'cases' if summary.scorers else 'scorers'}")
    blocking = [f for f in limit_findings(summary) if f.blocking]
    if blocking:
        first = blocking[0]
        at = f" ({first.scorer})" if first.scorer else ""
        raise BlessRefused(f"{where}: {first.kind}{at}: {first.detail}")
    figures = {"score": summary.score, "threshold": summary.threshold} | {
        f"mean of {name}": scorer.mean for name, scorer in summary.scorers.items()
    }
    for what, value in figures.items():
        if value is None or not 0 <= value <= 1:
            raise BlessRefused(f"{where}: its {what} is {value!r}, which is not in [0, 1]")


def merge(baseline: Baseline | None, runs: Sequence[EvalRun | RunSummary]) -> Baseline:
    """Return the baseline with the entry of each run replaced whole; other evals keep theirs.

    Raises:
        BlessRefused: any run is not eligible; nothing is merged then.
        InvalidRun: there is no run, or two runs have one name.
    """
    summaries = summarise(runs)
    for run in summaries:
        assert_eligible(run)
    kept = {} if baseline is None else dict(baseline.evals)
    evals = kept | {run.name: _entry(run) for run in summaries}
    return Baseline(dict(sorted(evals.items())))


def _entry(run: RunSummary) -> BaselineEntry:
    assert run.score is not None
    return BaselineEntry(
        prompt_version=run.prompt_version,
        subject=run.subject,
        threshold=float(run.threshold),
        wilson_floor=run.wilson_floor,
        gate=run.gate,
        score=float(run.score),
        scorers={name: _scorer(run.scorers[name]) for name in sorted(run.scorers)},
        cases={case.id: _case(case) for case in sorted(run.cases, key=lambda case: case.id)},
    )


def _scorer(summary: ScorerSummary) -> BlessedScorer:
    assert summary.mean is not None
    info = summary.info
    return BlessedScorer(
        mean=float(summary.mean),
        n=summary.n,
        grader=info.grader,
        judges=info.judges,
        rubric=info.rubric,
        rubric_digest=info.rubric_digest,
        config_digest=info.config_digest,
        wilson_floor=info.wilson_floor,
        min_kappa=None if info.calibration is None else float(info.calibration.min_kappa),
    )


def _case(case: CaseResult) -> BlessedCase:
    grades = {
        name: None
        if grade.score is None
        else BlessedGrade(grade.status == "passed", float(grade.score))
        for name, grade in sorted(case.grades.items())
    }
    return BlessedCase(case.digest, grades)


def describe_changes(old: Baseline | None, new: Baseline) -> tuple[str, ...]:
    """Return what blessing would change, a line each, for a person to review; empty for nothing."""
    before = {} if old is None else old.evals
    lines: list[str] = []
    for name in sorted(before.keys() | new.evals.keys()):
        prior, now = before.get(name), new.evals.get(name)
        if prior is None and now is not None:
            scorers = ", ".join(f"{s} {_shown(b.mean)}" for s, b in sorted(now.scorers.items()))
            lines.append(f"+ {name}: score {_shown(now.score)}, {len(now.cases)} cases ({scorers})")
        elif now is None:
            lines.append(f"- {name}: removed")
        elif prior is not None and prior != now:
            lines += (f"~ {name}: {change}" for change in _entry_changes(prior, now))
    return tuple(map(one_line, lines))


def _entry_changes(prior: BaselineEntry, now: BaselineEntry) -> Iterator[str]:
    yield from _field_changes(prior, now, ("scorers", "cases", "gate"))
    if prior.gate is not None and now.gate is not None:
        yield from (f"gate {change}" for change in _field_changes(prior.gate, now.gate))
    elif prior.gate != now.gate:
        yield f"gate {_shown(prior.gate)} → {_shown(now.gate)}"
    for name in sorted(prior.scorers.keys() | now.scorers.keys()):
        before, after = prior.scorers.get(name), now.scorers.get(name)
        if after is None:
            yield f"scorer {name}: removed"
        elif before is None:
            yield f"scorer {name}: added, mean {_shown(after.mean)} of {after.n}"
        else:
            yield from (f"scorer {name}: {change}" for change in _field_changes(before, after))
            yield from (f"scorer {name}: {turn}" for turn in _turns(prior, now, name))
    yield from _case_changes(prior, now)


def _field_changes(prior: object, now: object, skip: Iterable[str] = ()) -> Iterator[str]:
    for item in fields(prior):  # type: ignore[arg-type]
        before, after = getattr(prior, item.name), getattr(now, item.name)
        if item.name not in skip and before != after:
            yield f"{item.name} {_shown(before)} → {_shown(after)}"


def _turns(prior: BaselineEntry, now: BaselineEntry, scorer: str) -> Iterator[str]:
    turned: dict[str, list[str]] = {"newly fails": [], "newly passes": [], "other score": []}
    for id_, case in sorted(now.cases.items()):
        before = prior.cases[id_].grades.get(scorer) if id_ in prior.cases else None
        after = case.grades.get(scorer)
        if before is None or after is None:
            continue
        if before.passed != after.passed:
            turned["newly passes" if after.passed else "newly fails"].append(id_)
        elif abs(before.score - after.score) > EPS:
            turned["other score"].append(id_)
    for what, ids in turned.items():
        if ids:
            yield f"{what}: {_listed(ids)}"


def _case_changes(prior: BaselineEntry, now: BaselineEntry) -> Iterator[str]:
    shared = prior.cases.keys() & now.cases.keys()
    for what, ids in (
        ("removed", prior.cases.keys() - shared),
        ("added", now.cases.keys() - shared),
        ("edited", {i for i in shared if prior.cases[i].digest != now.cases[i].digest}),
    ):
        if ids:
            yield f"cases {what}: {_listed(sorted(ids))}"


def _listed(ids: Sequence[str]) -> str:
    rest = len(ids) - _NAMED_CASES
    return ", ".join(ids[:_NAMED_CASES]) + (f" and {rest} more" if rest > 0 else "")


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, GateSettings):
        return ", ".join(f"{f.name} {_shown(getattr(value, f.name))}" for f in fields(value))
    return "none" if value is None else str(value)
