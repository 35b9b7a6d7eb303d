"""Model-graded graders on scripted judges: what the judge says is what the grade is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from judgekit.bias.guard import check_family
from judgekit.errors import BiasGuardRefused, MalformedVerdict
from judgekit.graders.grade import Grade, Status
from judgekit.graders.judging import ConfiguredJudge, Judging
from judgekit.graders.registry import grade
from judgekit.judges.port import Judge, JudgeRequest, Origin, Verdict
from judgekit.judges.replies import read_reply
from tests.cases.loading import load_cases

JUDGE_MODEL = "judge-under-test"


@dataclass
class ScriptedJudge:
    """Reads prepared raw replies, one a call; a call too many is a fault of the grader."""

    replies: list[str]
    asked: list[JudgeRequest] = field(default_factory=list)

    def evaluate(self, request: JudgeRequest) -> Verdict:
        reading = read_reply(self.replies[len(self.asked)], request.rubric, "stop")
        self.asked.append(request)
        if reading.status != "ok":
            raise reading.as_error(request.model)
        assert reading.outcome is not None
        assert reading.score is not None
        return Verdict(
            outcome=reading.outcome,
            score=reading.score,
            rationale=reading.rationale,
            repairs=reading.repairs,
        )


@dataclass
class StatedJudge:
    """Answers with the fields of a verdict, which the port's own model checks."""

    verdict: str
    score: float
    rationale: str = ""

    def evaluate(self, request: JudgeRequest) -> Verdict:
        try:
            return Verdict(outcome=self.verdict, score=self.score, rationale=self.rationale)
        except ValidationError as error:
            raise MalformedVerdict(f"{request.model}: {error.errors()[0]['msg']}") from None


def judging_for(judge: Judge, model: str) -> Judging:
    configured = ConfiguredJudge(name="scripted", model=model, judge=judge)
    return Judging(
        judges={"scripted": configured}, origin=Origin(eval="cases", scorer="judge", case="one")
    )


def guarded(row: dict[str, Any], model: str) -> Grade | None:
    """Return the family guard's refusal for a row that names its subject model."""
    subject = row.get("context", {}).get("subject_model")
    if subject is None:
        return None
    try:
        check_family([model], subject, today=date(2026, 12, 1))
    except BiasGuardRefused as error:
        return Grade.from_error(error)
    return None


@pytest.mark.parametrize("row", load_cases("judge_replies.jsonl"))
def test_each_scripted_case_grades_as_its_row_says(row: dict[str, Any]) -> None:
    config = dict(row["config"])
    model = config.pop("model", JUDGE_MODEL)
    judge = ScriptedJudge(row["raw_replies"])
    result = guarded(row, model) or grade(
        row["grader"], config, row["candidate"], judging=judging_for(judge, model)
    )
    expected = row["expected"]
    assert result.passed is expected["passed"], result.reason
    if "calls" in expected:
        assert len(judge.asked) == expected["calls"]
    if "score" in expected:
        assert result.score == expected["score"]


def judge_rows() -> list[Any]:
    rows = load_cases("graders.jsonl")
    return [row for row in rows if row.values[0].get("grader", "judge") == "judge"]


@pytest.mark.parametrize("row", judge_rows())
def test_each_stated_verdict_grades_as_its_row_says(row: dict[str, Any]) -> None:
    config = dict(row["config"])
    stated = config.pop("judge_verdict", None)
    judge = StatedJudge(**stated) if stated else ScriptedJudge([])
    config.setdefault("rubric", "Is it right?")
    result = grade("llm_judge", config, row["candidate"], judging=judging_for(judge, JUDGE_MODEL))
    if row["expected"].get("raises"):
        assert result.status is Status.ERROR
        return
    assert result.passed is row["expected"]["passed"]
    if "score" in row["expected"]:
        assert result.score == row["expected"]["score"]
