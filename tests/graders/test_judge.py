"""Model-graded graders: what they ask, refuse to ask, and make of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from judgekit.errors import CassetteMiss, Cause, ConfigError, JudgekitError
from judgekit.graders.grade import Grade, Status
from judgekit.graders.judging import ConfiguredJudge, Judging
from judgekit.graders.registry import find_grader, grade, graders
from judgekit.judges.port import JudgeRequest, Origin, Sampling, Verdict
from judgekit.judges.replies import read_reply, response_schema
from judgekit.judges.rubric import Kind, Rubric, Scale

ORIGIN = Origin(eval="answers", scorer="clarity", case="paris")
CONFIGS: dict[str, dict[str, Any]] = {
    "llm_judge": {"rubric": "Is it right?"},
    "llm_score": {"rubric": "How clear is it?"},
    "llm_category": {
        "prompt": "Tone?",
        "categories": ["safe", "unsafe"],
        "passing_categories": ["safe"],
    },
    "llm_pairwise": {"baseline": "Berlin.", "criteria": "Which is right?"},
    "llm_answer_match": {"expected": "Paris"},
}


@dataclass
class Scripted:
    """Answers with prepared replies or errors, and keeps what it was asked."""

    replies: list[str | JudgekitError]
    asked: list[JudgeRequest] = field(default_factory=list)

    def evaluate(self, request: JudgeRequest) -> Verdict:
        self.asked.append(request)
        reply = self.replies[len(self.asked) - 1]
        if isinstance(reply, JudgekitError):
            raise reply
        reading = read_reply(reply, request.rubric)
        if reading.outcome is None or reading.score is None:
            raise reading.as_error(request.model)
        return Verdict(
            outcome=reading.outcome,
            score=reading.score,
            rationale=reading.rationale,
            repairs=reading.repairs,
        )


@dataclass
class Fixed:
    """Answers with one verdict, whatever is asked."""

    verdict: Verdict

    def evaluate(self, request: JudgeRequest) -> Verdict:
        return self.verdict


def judging_for(
    judge: Scripted | Fixed, rubrics: Mapping[str, Rubric] | None = None, **more: Any
) -> Judging:
    configured = ConfiguredJudge(
        name="local", model="judge-1", judge=judge, sampling=Sampling(seed=7)
    )
    return Judging(
        judges={"local": configured}, origin=ORIGIN, rubric=lambda ref: (rubrics or {})[ref], **more
    )


def graded(name: str, replies: list[str | JudgekitError], **options: Any) -> tuple[Grade, Scripted]:
    judge = Scripted(replies)
    config = {**CONFIGS[name], **options}
    return grade(name, config, "Paris.", judging=judging_for(judge)), judge


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_the_registered_example_passes(name: str) -> None:
    spec = find_grader(name)
    judge = Scripted(list(spec.example["replies"]))
    result = grade(
        name, spec.example["config"], spec.example["candidate"], judging=judging_for(judge)
    )
    assert result.passed, result.reason
    assert len(judge.asked) == len(spec.example["replies"])
    assert spec.model_graded


def test_the_five_judge_graders_are_registered_as_one_kind_of_evidence() -> None:
    assert {n for n, spec in graders().items() if spec.evidence == "judge"} == set(CONFIGS)


def test_the_request_carries_everything_that_the_judge_needs() -> None:
    _, judge = graded("llm_judge", ["PASS"])
    (request,) = judge.asked
    assert request.model == "judge-1"
    assert request.origin == ORIGIN
    assert request.sampling.seed == 7
    assert request.rubric.criteria == "Is it right?"
    assert request.response_schema == response_schema(request.rubric)
    assert "Paris." in request.messages[0].content
    assert "INPUT" not in request.messages[0].content


def test_the_input_is_shown_and_values_that_are_no_text_are_shown_as_json() -> None:
    judge = Scripted(["PASS"])
    judging = judging_for(judge, input={"question": "Capital?"})
    assert grade("llm_judge", CONFIGS["llm_judge"], {"city": "Paris"}, judging=judging).passed
    content = judge.asked[0].messages[0].content
    assert '{"question":"Capital?"}' in content
    assert '{"city":"Paris"}' in content


@pytest.mark.parametrize(
    ("min_score", "reply", "passed"),
    [(0.7, 0.7, True), (0.7, 0.6999, False), (None, 0.5, True), (None, 0.49, False), (0, 0, True)],
)
def test_a_score_passes_at_the_minimum_itself(
    min_score: float | None, reply: float, passed: bool
) -> None:
    result, _ = graded("llm_score", [f'{{"reason": "x", "score": {reply}}}'], min_score=min_score)
    assert result.passed is passed
    assert result.score == reply


def test_a_score_on_a_scale_passes_at_the_minimum_despite_rounding() -> None:
    rubric = Rubric(kind=Kind.SCORE, criteria="x", scale=Scale(minimum=1, maximum=5), min_score=0.7)
    judging = judging_for(Scripted(['{"reason": "x", "score": 3.8}']), {"clear.md": rubric})
    result = grade("llm_score", {"rubric": "clear.md"}, "x", judging=judging)
    assert result.passed
    assert result.score == pytest.approx(0.7)


def test_changing_the_minimum_changes_nothing_that_the_judge_is_sent() -> None:
    _, strict = graded("llm_score", ["SCORE: 1"], min_score=0.9)
    _, lax = graded("llm_score", ["SCORE: 1"], min_score=0.1)
    assert strict.asked[0].messages == lax.asked[0].messages


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_a_malformed_verdict_is_an_error_and_not_a_fail(name: str) -> None:
    result, judge = graded(name, ["no comment"] * 2)
    assert result.status is Status.ERROR
    assert result.cause is Cause.MALFORMED_VERDICT
    assert result.score is None
    assert len(judge.asked) == (2 if name == "llm_pairwise" else 1)


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_a_miss_and_a_refusal_keep_their_causes(name: str) -> None:
    assert graded(name, [CassetteMiss("never recorded")] * 2)[0].cause is Cause.MISS
    assert graded(name, ["I'm sorry, I can't help."] * 2)[0].cause is Cause.REFUSAL


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("llm_judge", Verdict(outcome="maybe", score=0.5)),
        ("llm_score", Verdict(outcome="pass", score=0.5)),
        ("llm_category", Verdict(outcome="sports", score=1)),
        ("llm_pairwise", Verdict(outcome="C", score=1)),
        ("llm_answer_match", Verdict(outcome="pass", score=1)),
    ],
)
def test_an_outcome_that_the_rubric_does_not_know_is_malformed(name: str, verdict: Verdict) -> None:
    result = grade(name, CONFIGS[name], "x", judging=judging_for(Fixed(verdict)))
    assert result.cause is Cause.MALFORMED_VERDICT


@pytest.mark.parametrize(
    ("replies", "passed", "score", "outcome", "consistent"),
    [
        (["A", "B"], True, 1.0, "candidate", True),
        (["TIE", "TIE"], True, 0.5, "tie", True),
        (["B", "A"], False, 0.0, "baseline", True),
        (["A", "A"], False, 0.5, "inconsistent", False),
        (["B", "B"], False, 0.5, "inconsistent", False),
        (["A", "TIE"], True, 0.75, "inconsistent", False),
        (["TIE", "B"], True, 0.75, "inconsistent", False),
        (["TIE", "A"], False, 0.25, "inconsistent", False),
        (["B", "TIE"], False, 0.25, "inconsistent", False),
    ],
)
def test_pairwise_passes_only_if_the_baseline_never_wins(
    replies: list[str], passed: bool, score: float, outcome: str, consistent: bool
) -> None:
    result, judge = graded("llm_pairwise", [f"WINNER: {winner}" for winner in replies])
    assert result.passed is passed
    assert result.score == score
    assert result.details["outcome"] == outcome
    assert result.details["position_consistent"] is consistent
    first, second = (request.messages[0].content for request in judge.asked)
    assert first.index("Paris.") < first.index("Berlin.")
    assert second.index("Berlin.") < second.index("Paris.")


def test_a_position_preference_is_named() -> None:
    result, _ = graded("llm_pairwise", ["WINNER: A", "WINNER: A"])
    assert result.reason.startswith("position-inconsistent: the one shown first wins")


def test_one_unreadable_order_is_an_error_after_both_were_asked() -> None:
    result, judge = graded("llm_pairwise", ["WINNER: A", "unclear"])
    assert result.status is Status.ERROR
    assert len(judge.asked) == 2


def test_repairs_are_listed_in_the_grade() -> None:
    result, _ = graded("llm_judge", ['{"reason": "x", "passed": true,}'])
    assert result.details["repairs"] == ["trailing comma dropped"]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("llm_judge", {"rubric": " \n"}),
        ("llm_judge", {"rubric": "\u200b\u00a0"}),
        ("llm_judge", {"rubric": ["x"]}),
        ("llm_judge", {"rubrik": "x"}),
        ("llm_judge", {"judge": "nobody"}),
        ("llm_score", {"min_score": 1.5}),
        ("llm_score", {"min_score": -0.1}),
        ("llm_score", {"min_score": float("nan")}),
        ("llm_score", {"min_score": True}),
        ("llm_score", {"min_score": "0.5"}),
        ("llm_category", {"categories": ["safe"]}),
        ("llm_category", {"categories": ["safe", "Safe", "unsafe"]}),
        ("llm_category", {"categories": ["safe", " "]}),
        ("llm_category", {"categories": ["safe", "un\nsafe"]}),
        ("llm_category", {"categories": "safe"}),
        ("llm_category", {"passing_categories": []}),
        ("llm_category", {"passing_categories": ["safe", "calm"]}),
        ("llm_category", {"prompt": "tone.md"}),
        ("llm_pairwise", {"baseline": " "}),
        ("llm_pairwise", {"criteria": None}),
        ("llm_answer_match", {"expected": "\t"}),
        ("llm_answer_match", {"expected": 5}),
    ],
)
def test_an_invalid_option_never_spends_a_judge_call(name: str, options: dict[str, Any]) -> None:
    result, judge = graded(name, ["PASS"], **options)
    assert result.status is Status.ERROR
    assert result.cause is Cause.INVALID_CONFIG
    assert judge.asked == []


def test_a_passing_category_may_be_spelt_with_another_case() -> None:
    result, _ = graded("llm_category", ["CATEGORY: SAFE"], passing_categories=["Safe"])
    assert result.passed
    assert result.details["outcome"] == "safe"


def test_a_rubric_file_brings_its_categories_and_its_pass_rule() -> None:
    rubric = Rubric(
        id="tone",
        kind=Kind.CATEGORY,
        criteria="Tone?",
        categories=("warm", "cold"),
        passing_categories=("warm",),
    )
    judge = Scripted(["CATEGORY: warm"])
    judging = judging_for(judge, {"tone.md": rubric})
    assert grade("llm_category", {"prompt": "tone.md"}, "x", judging=judging).passed
    assert judge.asked[0].rubric == rubric


def test_a_rubric_file_of_another_kind_is_refused_before_any_call() -> None:
    judge = Scripted([])
    judging = judging_for(judge, {"r.md": Rubric(kind=Kind.PAIRWISE, criteria="x")})
    result = grade("llm_judge", {"rubric": "r.md"}, "x", judging=judging)
    assert result.cause is Cause.INVALID_CONFIG
    assert "pairwise" in result.reason
    assert judge.asked == []


def test_a_rubric_file_that_cannot_be_loaded_is_refused_before_any_call() -> None:
    def missing(reference: str) -> Rubric:
        raise ConfigError(f"rubrics/{reference}: no such file")

    judge = Scripted([])
    judging = replace(judging_for(judge), rubric=missing)
    result = grade("llm_judge", {"rubric": "gone.md"}, "x", judging=judging)
    assert (result.cause, judge.asked) == (Cause.INVALID_CONFIG, [])
