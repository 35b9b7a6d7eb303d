"""Raw judge replies with known right readings."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.judges.replies import Reading, read_reply
from judgekit.judges.rubric import Kind, Rubric, Scale
from tests.cases.loading import load_cases

CATEGORIES = ("billing", "technical", "account", "other")


def rubric_of(row: dict[str, Any]) -> Rubric:
    kind = row["kind"]
    if kind == "llm_category":
        labels = tuple(row.get("categories") or CATEGORIES)
        passing = tuple(row.get("passing_categories") or labels[:1])
        return Rubric(
            kind=Kind.CATEGORY, criteria="x", categories=labels, passing_categories=passing
        )
    kinds = {
        "llm_score": Kind.SCORE,
        "llm_judge": Kind.PASS_FAIL,
        "llm_pairwise": Kind.PAIRWISE,
        "llm_answer_match": Kind.ANSWER_MATCH,
    }
    scale = Scale() if kind == "llm_score" else None
    return Rubric(kind=kinds[kind], criteria="x", scale=scale, min_score=0.5)


def passed(reading: Reading, rubric: Rubric) -> bool:
    assert reading.score is not None
    return reading.score >= (rubric.min_score if rubric.kind is Kind.SCORE else 1.0)


@pytest.mark.parametrize("row", load_cases("replies.jsonl"))
def test_each_reply_is_read_as_its_row_says(row: dict[str, Any]) -> None:
    rubric = rubric_of(row)
    reading = read_reply(row["raw"], rubric, row["finish_reason"])
    expected = row["expected"]
    assert reading.status == expected["status"], reading.problem
    if "score" in expected:
        assert reading.score == expected["score"]
    if "passed" in expected:
        assert passed(reading, rubric) is expected["passed"]
    if "winner" in expected:
        assert reading.outcome == expected["winner"]
    if "category" in expected:
        assert reading.outcome == expected["category"]
