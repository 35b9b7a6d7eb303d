"""Requests that the real local judge is known to answer badly, and where its answers are kept."""

from __future__ import annotations

from pathlib import Path

from judgekit.judges.port import JudgeRequest, Message, Origin, Sampling
from judgekit.judges.replies import response_schema
from judgekit.judges.rubric import Kind, Rubric, Scale

FOLDER = Path(__file__).parent / "recorded"
MODEL = "gemma-3-270m-q4_k_m.gguf"
RUBRIC = Rubric(id="polite", kind=Kind.SCORE, criteria="How polite is it?", scale=Scale())


def _request(case: str, text: str, max_tokens: int) -> JudgeRequest:
    return JudgeRequest(
        model=MODEL,
        rubric=RUBRIC,
        messages=(Message(role="user", content=text),),
        origin=Origin(eval="known-faults", scorer="polite", case=case),
        response_schema=response_schema(RUBRIC),
        sampling=Sampling(temperature=0.0, seed=0, max_tokens=max_tokens),
    )


REQUESTS = {
    "impossible-score": _request(
        "impossible-score",
        "Score how polite this reply is from 0 to 1. Reply: 'Thanks for asking, I am glad to "
        "help!' Answer as JSON with reason and score.",
        200,
    ),
    "cut-reply": _request("cut-reply", "Tell at length why politeness matters, as JSON.", 12),
}
