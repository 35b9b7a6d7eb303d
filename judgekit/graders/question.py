"""One question to one judge: rendered, told apart by its sample, and asked."""

from __future__ import annotations

import hashlib

from judgekit.graders.candidate import as_text
from judgekit.graders.grade import Json
from judgekit.graders.judging import ConfiguredJudge, Judging
from judgekit.judges.port import JudgeRequest, Verdict
from judgekit.judges.prompts import TEMPLATE, render_messages
from judgekit.judges.replies import response_schema
from judgekit.judges.rubric import Rubric

PART_DIGITS = 12
"""Hex digits of the digests that name what a prompt was made of."""


def ask(
    judge: ConfiguredJudge,
    rubric: Rubric,
    candidate: Json,
    judging: Judging,
    *,
    sample: int = 0,
    baseline: str | None = None,
    expected: str | None = None,
    swap: bool = False,
) -> Verdict:
    """Return a judge's verdict on a candidate.

    Args:
        sample: tells repeated questions apart, from 0.
        baseline: of a pairwise rubric: what to compare with; `swap` shows it first.
        expected: of an answer-match rubric: the right answer.

    Raises:
        JudgeError: the judge gave no usable verdict.
        CassetteError: replay can't serve the request.
    """
    output = as_text(candidate)
    input_text = None if judging.input is None else as_text(judging.input)
    messages = render_messages(
        rubric,
        candidate=output,
        input_text=input_text,
        baseline=baseline,
        expected=expected,
        swap=swap,
    )
    return judge.judge.evaluate(
        JudgeRequest(
            model=judge.model,
            rubric=rubric,
            messages=messages,
            origin=judging.origin,
            response_schema=response_schema(rubric),
            sampling=judge.sampling,
            sample_index=sample,
            parts=_parts(
                rubric,
                output=output,
                input=input_text,
                baseline=baseline,
                expected=expected,
                order=None if baseline is None else ("straight", "swapped")[swap],
            ),
        )
    )


def is_swapped(request: JudgeRequest) -> bool:
    """Whether a comparison shows the baseline first."""
    return request.parts.get("order") == _short_digest("swapped")


def _parts(rubric: Rubric, **texts: str | None) -> dict[str, str]:
    """Return what a prompt was made of, each by a short digest."""
    given = {name: _short_digest(text) for name, text in texts.items() if text is not None}
    return {"template": TEMPLATE, "rubric": rubric.digest[:PART_DIGITS], **given}


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:PART_DIGITS]
