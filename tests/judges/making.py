"""Makes judge requests for tests."""

from __future__ import annotations

from typing import Any

from judgekit.judges.port import JudgeRequest, Message, Origin, Sampling
from judgekit.judges.rubric import Kind, Rubric, Scale

PASS = '{"reason": "It answers the question.", "passed": true}'
FAIL = '{"reason": "It does not.", "passed": false}'


def make_request(text: str = "Judge: hello", *, case: str = "c1", **changes: Any) -> JudgeRequest:
    fields: dict[str, Any] = {
        "model": "test-judge",
        "rubric": Rubric(id="helpful", kind=Kind.PASS_FAIL, criteria="Does it answer?"),
        "messages": (Message(role="user", content=text),),
        "origin": Origin(eval="support", scorer="helpful", case=case),
        "sampling": Sampling(temperature=0.0, seed=7, max_tokens=200),
        "parts": {"output": "aaaa", "rubric": "bbbb"},
    }
    return JudgeRequest(**{**fields, **changes})


def score_rubric(minimum: float = 0.0, maximum: float = 1.0) -> Rubric:
    scale = Scale(minimum=minimum, maximum=maximum)
    return Rubric(id="tone", kind=Kind.SCORE, criteria="How kind is it?", scale=scale)
