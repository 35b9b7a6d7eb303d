"""Makes runs and baselines for the gate's tests."""

from __future__ import annotations

from dataclasses import replace

from judgekit.gate.baseline import Baseline
from judgekit.gate.bless import merge
from judgekit.gate.run import CaseResult, EvalRun, GateSettings, GradeRecord, ScorerInfo


def grade(value: bool | float | str) -> GradeRecord:
    """Make a grade: a bool passes or fails, a float scores (0.5 passes), a text is a cause."""
    if isinstance(value, str):
        return GradeRecord("error", None, value, cause=value)
    score = float(value)
    return GradeRecord("passed" if score >= 0.5 else "failed", score, "as made")


def run_of(
    grades: dict[str, list[bool | float | str]],
    *,
    name: str = "qa",
    threshold: float = 0.0,
    ids: list[str] | None = None,
    digests: dict[str, str] | None = None,
    clusters: list[str] | None = None,
    scorers: tuple[ScorerInfo, ...] | None = None,
    prompt_version: str = "v1",
    subject: str = "human",
    wilson_floor: float | None = None,
    gate: GateSettings | None = None,
) -> EvalRun:
    """Make a run from one list of grades for each scorer."""
    count = len(next(iter(grades.values())))
    ids = ids or [f"c{i}" for i in range(count)]
    cases = tuple(
        CaseResult(
            id=ids[i],
            digest=(digests or {}).get(ids[i], "d0"),
            grades={scorer: grade(values[i]) for scorer, values in grades.items()},
            cluster=clusters[i] if clusters else None,
        )
        for i in range(count)
    )
    return EvalRun(
        name=name,
        prompt_version=prompt_version,
        subject=subject,
        threshold=threshold,
        scorers=scorers or tuple(ScorerInfo(s, "exact_match") for s in grades),
        cases=cases,
        wilson_floor=wilson_floor,
        gate=gate or GateSettings(),
    )


def blessed(*runs: EvalRun, gate: GateSettings | None = None) -> Baseline:
    """Make the baseline of runs, under other settings of the gate where some are given."""
    return merge(None, [run if gate is None else replace(run, gate=gate) for run in runs])
