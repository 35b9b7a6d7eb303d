from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgekit.bias.guard import check_panel
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import BiasGuardRefused, Cause, JudgeUnreachable
from judgekit.graders.grade import Grade, Status
from judgekit.graders.judging import ConfiguredJudge, Judging
from judgekit.graders.registry import grade
from judgekit.judges.port import JudgeRequest, Origin, Sampling, Verdict
from judgekit.judges.replay import ReplayJudge
from judgekit.judges.survey import SurveyJudge

ORIGIN = Origin(eval="e", scorer="s", case="c")


class Scripted:
    """A judge that says given scores, sample by sample; an exception is raised instead."""

    def __init__(self, *scores: float | Exception) -> None:
        self.scores = scores
        self.requests: list[JudgeRequest] = []

    def evaluate(self, request: JudgeRequest) -> Verdict:
        self.requests.append(request)
        said = self.scores[request.sample_index % len(self.scores)]
        if isinstance(said, Exception):
            raise said
        if request.rubric.kind == "pass_fail":
            return Verdict(outcome="pass" if said > 0.5 else "fail", score=float(said > 0.5))
        return Verdict(outcome="scored", score=said)


def judging_by(temperature: float = 0.0, **judges: Scripted) -> Judging:
    sampling = Sampling(temperature=temperature)
    seats = {n: ConfiguredJudge(n, f"model-{n}", j, sampling) for n, j in judges.items()}
    return Judging(seats, ORIGIN)


def poll(config: dict[str, Any], judging: Judging, grader: str = "llm_judge") -> Grade:
    return grade(grader, {"rubric": "Is it right?", **config}, "text", judging=judging)


@pytest.mark.parametrize(
    ("aggregate", "scores", "passed"),
    [
        ("majority", (1, 1, 0), True),
        ("majority", (1, 0, 0), False),
        ("majority", (1, 0), False),
        ("unanimous", (1, 1, 1), True),
        ("unanimous", (1, 1, 0), False),
        ("any", (0, 0, 1), True),
        ("any", (0, 0, 0), False),
        ("mean", (1, 1, 0), True),
        ("mean", (1, 0), False),
    ],
)
def test_votes_are_counted_and_ties_fail(
    aggregate: str, scores: tuple[float, ...], passed: bool
) -> None:
    judges = {f"j{number}": Scripted(score) for number, score in enumerate(scores)}
    result = poll({"judges": list(judges), "aggregate": aggregate}, judging_by(**judges))
    assert result.passed is passed
    assert len(result.details["votes"]) == len(scores)  # type: ignore[arg-type]


def test_a_mean_of_scores_is_held_to_the_pass_mark() -> None:
    judging = judging_by(a=Scripted(0.6), b=Scripted(0.8))
    config = {"judges": ["a", "b"], "aggregate": "mean", "min_score": 0.7}
    result = poll(config, judging, "llm_score")
    assert (result.passed, result.score) == (True, pytest.approx(0.7))
    assert result.details["spread"] == pytest.approx(0.2)


def test_samples_have_requests_of_their_own_and_show_instability() -> None:
    judge = Scripted(1, 0, 1)
    result = poll({"samples": 3}, judging_by(0.7, only=judge))
    assert [request.sample_index for request in judge.requests] == [0, 1, 2]
    assert result.passed
    assert result.details["unstable"] == ["only"]
    assert "2 of 3 verdicts pass" in result.reason
    assert "unstable: only" in result.reason


def test_samples_at_temperature_zero_are_refused_before_any_call() -> None:
    judge = Scripted(1)
    result = poll({"samples": 3}, judging_by(0.0, only=judge))
    assert result.cause is Cause.INVALID_CONFIG
    assert "temperature" in result.reason
    assert judge.requests == []


def test_one_error_is_an_error_of_all_but_everybody_is_asked() -> None:
    judges = {"a": Scripted(JudgeUnreachable("gone")), "b": Scripted(1), "c": Scripted(1)}
    result = poll({"judges": ["a", "b", "c"]}, judging_by(**judges))
    assert (result.status, result.cause) == (Status.ERROR, Cause.JUDGE_UNREACHABLE)
    assert [len(judge.requests) for judge in judges.values()] == [1, 1, 1]


@pytest.mark.parametrize(
    "config",
    [
        {"judge": "a", "judges": ["a", "b"]},
        {"judges": ["a"]},
        {"judges": ["a", "a"]},
        {"judges": ["a", "nobody"]},
        {"aggregate": "mean"},
        {"samples": 0},
        {"samples": 26},
        {"samples": True},
        {"judges": ["a", "b"], "aggregate": "best"},
    ],
)
def test_an_invalid_panel_spends_no_call(config: dict[str, Any]) -> None:
    judges = {"a": Scripted(1), "b": Scripted(1)}
    result = poll(config, judging_by(0.7, **judges))
    assert result.cause is Cause.INVALID_CONFIG
    assert all(judge.requests == [] for judge in judges.values())


def test_a_survey_finds_every_question_of_a_panel(tmp_path: Path) -> None:
    survey = SurveyJudge(ReplayJudge(CassetteStore(tmp_path)))
    sampling = Sampling(temperature=0.7)
    seats = {n: ConfiguredJudge(n, f"model-{n}", survey, sampling) for n in ("a", "b")}
    config = {"criteria": "Which is right?", "baseline": "x", "judges": ["a", "b"], "samples": 3}
    grade("llm_pairwise", config, "text", judging=Judging(seats, ORIGIN))
    assert len(survey.found) == 2 * 3 * 2
    assert len({found.miss.key for found in survey.found if found.miss}) == 12


def test_a_panel_of_one_family_is_refused() -> None:
    check_panel(["llama3.1:8b", "qwen2.5:7b"])
    check_panel(["llama3.1:8b"])
    with pytest.raises(BiasGuardRefused, match="all of one family"):
        check_panel(["llama3.1:8b", "meta-llama/Llama-3.3-70B"])
