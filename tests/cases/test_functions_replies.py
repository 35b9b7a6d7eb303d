"""Reply-reading functions of other systems: their names, our reading, the same right values."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.judges.replies import extract_json_block, read_reply
from judgekit.judges.rubric import Kind, Rubric, Scale
from tests.cases.loading import load_cases

DEFAULT_THRESHOLD = 0.6


def rows_of(function: str) -> list[Any]:
    rows = load_cases("functions.jsonl")
    return [row for row in rows if row.values[0].get("function", function) == function]


@pytest.mark.parametrize("row", rows_of("drive_structured_judge"))
def test_a_structured_judge_reply_is_parsed_or_not_as_its_row_says(row: dict[str, Any]) -> None:
    rubric = Rubric(kind=Kind.SCORE, criteria="x", scale=Scale(minimum=0, maximum=10))
    reading = read_reply(row["args"]["text"], rubric)
    assert ("parsed" if reading.status == "ok" else "unparseable") == row["expected"]["status"]


@pytest.mark.parametrize("row", rows_of("extract_json_block"))
def test_the_json_block_of_a_reply_is_what_its_row_says(row: dict[str, Any]) -> None:
    assert extract_json_block(row["args"]["text"]) == row["expected"]


@pytest.mark.parametrize("row", rows_of("llm_judge_grader"))
def test_a_reply_without_a_verdict_never_passes_and_a_verdict_keeps_its_score(
    row: dict[str, Any],
) -> None:
    threshold = row["args"].get("threshold", DEFAULT_THRESHOLD)
    rubric = Rubric(kind=Kind.SCORE, criteria="x", scale=Scale(), min_score=threshold)
    reading = read_reply(row["args"]["text"], rubric)
    passed = reading.score is not None and reading.score >= threshold
    assert passed is row["expected"]["passed"]
    # Where the other system scores an unreadable reply 0, judgekit has an error and no score.
    if reading.status == "ok":
        assert reading.score == row["expected"]["score"]
    else:
        assert row["expected"]["score"] == 0
        assert reading.score is None
