"""Two hundred generated runs and what the gate makes of them, as one text.

Imports only the standard library and a gate package handed in, so that the same module tells
whether another Python (Pyodide, in a browser) reaches the same findings and the same bytes:

    outcome(importlib.import_module("judgekit.gate"))   # or "gate", from the package's own folder
"""

from __future__ import annotations

import hashlib
import importlib
import json
from random import Random
from types import ModuleType
from typing import Any

RUNS = 200
CAUSES = ("miss", "malformed-verdict", "judge-unreachable", "task-failed")


def outcome(gate: ModuleType) -> str:
    """Return findings, decisions, run bytes and baseline bytes of all generated runs."""

    def part(name: str) -> Any:
        return importlib.import_module(f"{gate.__name__}.{name}")

    bless, decision, baseline = part("bless"), part("decision"), part("baseline")
    run_json, errors = part("run_json"), part("errors")
    told: list[str] = []
    for seed in range(RUNS):
        before, after = run(gate, Random(seed), 0), run(gate, Random(seed), 1 + seed % 4)
        committed = None
        try:
            committed = bless.merge(None, [before])
            told.append(baseline.baseline_to_json(committed))
            told.append("\n".join(bless.describe_changes(committed, bless.merge(None, [after]))))
        except errors.GateError as error:
            told.append(f"{type(error).__name__}: {error}")
        decided = decision.decide([after], committed, whole_project=True)
        told.append(json.dumps(decided.to_object(), ensure_ascii=False))
        text = run_json.run_to_json([after])
        assert run_json.parse_runs(text) == (after,)
        told.append(text)
    return "\n".join(told)


def digest(gate: ModuleType) -> str:
    """Return the SHA-256 (hex) of `outcome`."""
    return hashlib.sha256(outcome(gate).encode()).hexdigest()


def run(gate: ModuleType, rng: Random, drift: int) -> Any:
    """Make a run; the same generator state with a higher `drift` differs in more ways."""
    types = importlib.import_module(f"{gate.__name__}.run")
    names = ["faithful", "cites", "tone"][: 1 + int(rng.random() * 3)]
    count = 3 + int(rng.random() * 40)
    shift = Random(drift)
    cases = [_case(types, rng, shift, names, index, drift) for index in range(count)]
    if drift == 3:
        cases = cases[1:]
    return types.EvalRun(
        name=f"eval-{int(rng.random() * 1000)}",
        prompt_version="v2" if drift > 1 else "v1",
        subject="human",
        threshold=0.25 if drift == 4 else 0.3,
        scorers=tuple(
            types.ScorerInfo(
                name,
                "llm_score" if name != "cites" else "contains",
                judges=() if name == "cites" else (f"judge-{int(drift > 2)}",),
                rubric=None if name == "cites" else name,
                rubric_digest=None if name == "cites" else f"digest-{int(drift > 3)}",
                wilson_floor=0.5 if name == "tone" else None,
            )
            for name in names
        ),
        cases=tuple(cases),
        wilson_floor=0.1,
        gate=types.GateSettings(
            mode="statistical" if rng.random() < 0.5 else "strict",
            max_drop=0.0 if rng.random() < 0.5 else 0.1,
            allowed_errors=int(rng.random() * 4) + int(drift == 4),
        ),
    )


def _case(types: Any, rng: Random, shift: Random, names: list[str], index: int, drift: int) -> Any:
    grades = {}
    for name in names:
        score = round(rng.random() ** 0.3, 3) if name != "cites" else float(rng.random() < 0.8)
        if drift and shift.random() < 0.2:
            score = round(score * shift.random(), 3) if name != "cites" else 1.0 - score
        if rng.random() < 0.02:
            cause = CAUSES[int(rng.random() * len(CAUSES))]
            grades[name] = types.GradeRecord("error", None, "générated", cause=cause)
        else:
            status = "passed" if score >= 0.5 else "failed"
            grades[name] = types.GradeRecord(status, score, "ok", details={"raw": score})
    cluster = f"talk-{index % 5}" if index % 3 == 0 else None
    changed = drift == 2 and index == 1
    return types.CaseResult(f"c{index:03}", f"d{int(changed)}", grades, cluster, "success")
