"""Makes comparisons and decisions for tests."""

from __future__ import annotations

from typing import Any

from judgekit.review.comparison import Comparison
from judgekit.review.queue import Decision

WHEN = "2026-12-01T10:00:00Z"


def comparison(case: str = "c1", **changes: Any) -> Comparison:
    fields: dict[str, Any] = {
        "eval": "support",
        "scorer": "helpful",
        "case": case,
        "input": "Where is my order?",
        "output": "On its way.",
        "judge_verdict": "pass",
        "human_verdict": "fail",
        "judge": "test-judge",
        "score": 0.75,
        "pass_mark": 0.5,
        "rationale": "It answers.",
        "human": "ann",
        "note": "No date.",
        "when": WHEN,
    }
    return Comparison(**{**fields, **changes})


def decision(
    on: Comparison, answer: Any = "fail", reviewer: str = "ann", **changes: Any
) -> Decision:
    fields: dict[str, Any] = {
        "eval": on.eval,
        "scorer": on.scorer,
        "case": on.case,
        "output_digest": on.output_digest,
        "reviewer": reviewer,
        "answer": answer,
        "when": WHEN,
    }
    return Decision(**{**fields, **changes})
