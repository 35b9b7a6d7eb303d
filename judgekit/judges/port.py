"""The judge port: what is asked of a judge, what it answers, and who can answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from judgekit.judges.rubric import Rubric


class PortModel(BaseModel):
    """Closed and immutable; finite numbers only."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False
    )


class Origin(PortModel):
    """Where a request comes from: names its cassette and its place in a report."""

    eval: str = Field(min_length=1, pattern=r"\S")
    scorer: str = Field(min_length=1, pattern=r"\S")
    case: str = Field(min_length=1, pattern=r"\S")


class Message(PortModel):
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


class Sampling(PortModel):
    """How the judge samples. None leaves a parameter to the server.

    Attributes:
        temperature: 0 or more; 0 is greedy.
        max_tokens: most tokens of the reply.
        top_logprobs: how many alternatives to return per token, 0 to 20; None asks for none.
        context_tokens: size of the context to ask for, where the dialect lets the caller choose.
    """

    temperature: float | None = Field(default=0.0, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = 0
    max_tokens: int | None = Field(default=512, ge=1)
    top_logprobs: int | None = Field(default=None, ge=0, le=20)
    context_tokens: int | None = Field(default=None, ge=1)


class JudgeRequest(PortModel):
    """One question to a judge.

    Attributes:
        model: the judge model asked for.
        messages: exactly what the judge is sent.
        response_schema: JSON Schema that the reply is constrained to, where the server can.
        sample_index: tells repeated samples of one question apart, from 0.
        origin: names the cassette; not part of the request's key.
        parts: what the messages were made of, by name (``rubric``, ``input``, ``output``,
            ``template``, …), each as a short digest, so that a miss can say what changed; not part
            of the key.
    """

    model: str = Field(min_length=1, pattern=r"\S")
    rubric: Rubric
    messages: tuple[Message, ...] = Field(min_length=1)
    origin: Origin
    response_schema: Mapping[str, Any] | None = None
    sampling: Sampling = Sampling()
    sample_index: int = Field(default=0, ge=0)
    parts: Mapping[str, str] = Field(default_factory=dict)


class TokenUsage(PortModel):
    """Tokens of one judge call (all attempts that were recorded for it)."""

    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)


class Verdict(PortModel):
    """What a judge said.

    Attributes:
        outcome: ``pass`` or ``fail``; a category; ``A``, ``B`` or ``TIE``; ``match`` or
            ``no-match``; ``scored`` under a score rubric (whether that passes is the grader's
            rule).
        score: finite, in [0, 1]; mapped from the rubric's scale.
        rationale: the judge's reason, in its own words.
        repairs: what had to be mended to read the reply; never a change of meaning.
        model: the model that answered, as the server names it.
        latency_s: seconds of the live call, when it was made.
        attempts: judge calls that this verdict took, re-asks among them.
        replayed: whether it came from a cassette.
    """

    outcome: str = Field(min_length=1)
    score: float = Field(ge=0, le=1)
    rationale: str = ""
    repairs: tuple[str, ...] = ()
    model: str = ""
    usage: TokenUsage = TokenUsage()
    latency_s: float = Field(default=0.0, ge=0)
    attempts: int = Field(default=1, ge=1)
    replayed: bool = False


class Judge(Protocol):
    """Something that answers judge requests. Implementations are thread-safe."""

    def evaluate(self, request: JudgeRequest) -> Verdict:
        """Return the judge's verdict.

        Raises:
            JudgeError: the judge gave no usable verdict.
            CassetteError: replay has no recording for exactly this request, or a damaged one.
        """
        ...
