"""Makes runs for tests."""

from __future__ import annotations

from typing import Any

from judgekit.gate.run import CaseResult, EvalRun, GradeRecord, ScorerInfo

WHEN = "2026-12-01T10:00:00Z"


def grade(score: float | None, reason: str = "because") -> GradeRecord:
    """Return a grade that passes from 0.5; None makes one in error."""
    if score is None:
        return GradeRecord("error", None, reason, "miss")
    return GradeRecord("passed" if score >= 0.5 else "failed", score, reason)


def run_of(
    scores: dict[str, dict[str, float | None]] | None = None, name: str = "support", **changes: Any
) -> EvalRun:
    """Return a run with the given scores, by case and scorer."""
    given = scores or {"c1": {"helpful": 1.0}}
    scorers = next(iter(given.values()))
    fields: dict[str, Any] = {
        "name": name,
        "prompt_version": "v1",
        "subject": "human",
        "threshold": 0.5,
        "scorers": tuple(ScorerInfo(s, "llm_judge", ("test-judge",)) for s in scorers),
        "cases": tuple(
            CaseResult(case, f"digest of {case}", {s: grade(v) for s, v in values.items()})
            for case, values in given.items()
        ),
    }
    return EvalRun(**{**fields, **changes})
