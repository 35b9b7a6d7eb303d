"""Asks until there is a verdict: the one loop that replay, live and recording judges share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from judgekit.cassettes.interaction import Call, Response
from judgekit.errors import JudgeRefusal, MalformedVerdict, TruncatedReply
from judgekit.judges.dialects import Dialect, Reply
from judgekit.judges.port import JudgeRequest, TokenUsage, Verdict
from judgekit.judges.replies import Reading, ReplyStatus, read_reply

DEFAULT_RE_ASKS = 2
"""How often a malformed or truncated reply is asked for anew before the judge has failed."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A judge's answer, read: its reply and the verdict in it, if there is one."""

    reply: Reply
    reading: Reading

    @property
    def summary(self) -> dict[str, Any]:
        """What a cassette shows of it to a reviewer."""
        reading = self.reading
        if reading.status != "ok":
            return {"status": reading.status, "problem": reading.problem}
        shown = {
            "outcome": reading.outcome,
            "score": reading.score,
            "rationale": reading.rationale,
        }
        return shown | ({"repairs": list(reading.repairs)} if reading.repairs else {})

    def agrees_with(self, recorded: Mapping[str, Any]) -> bool:
        """Whether a recorded summary says the same; how a problem is worded doesn't count."""
        mine = self.summary
        return all(recorded.get(name) == mine.get(name) for name in _COMPARED)


_COMPARED = ("status", "outcome", "score", "rationale")


@dataclass(frozen=True, slots=True)
class Exchanged:
    """What one exchange gave: the answer as heard, and how it came."""

    heard: Heard
    latency_s: float
    replayed: bool


class Exchange(Protocol):
    """Carries one call to a judge, or to a recording of one. Implementations are thread-safe."""

    def perform(
        self, call: Call, request: JudgeRequest, hear: Callable[[Response], Heard]
    ) -> Exchanged:
        """Return what the judge answered to `call`.

        Args:
            call: what is sent.
            request: what it was made from (names its cassette, its rubric, its parts).
            hear: reads a response; pure.
        """
        ...


def ask(request: JudgeRequest, dialect: Dialect, exchange: Exchange, re_asks: int) -> Verdict:
    """Return the verdict on `request`, asking again while the reply is malformed or cut.

    Raises:
        MalformedVerdict: no attempt gave a readable verdict.
        TruncatedReply: the reply of every attempt, or the prompt, was cut.
        JudgeRefusal: the judge declined; it is not asked again.
    """
    usage, latency_s = None, 0.0
    for attempt in range(re_asks + 1):
        call = call_of(request, dialect, attempt)
        done = exchange.perform(call, request, lambda response: hear(request, dialect, response))
        reply, reading = done.heard.reply, done.heard.reading
        usage = reply.usage if usage is None else _sum(usage, reply.usage)
        latency_s += done.latency_s
        if reading.outcome is not None and reading.score is not None:
            return Verdict(
                outcome=reading.outcome,
                score=reading.score,
                rationale=reading.rationale,
                repairs=reading.repairs,
                model=reply.model,
                usage=usage,
                latency_s=latency_s,
                attempts=attempt + 1,
                replayed=done.replayed,
            )
        if reading.status == "refusal" or reply.truncated:
            break
    raise _failure(reading, attempt + 1)


def _sum(one: TokenUsage, other: TokenUsage) -> TokenUsage:
    return TokenUsage(
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
    )


def call_of(request: JudgeRequest, dialect: Dialect, attempt: int = 0) -> Call:
    """Return the call that asks `request`, secrets and all."""
    return Call(
        dialect=dialect.name,
        path=dialect.path or request.model,
        body=dialect.encode(request, attempt),
        sample=request.sample_index,
        attempt=attempt,
    )


def hear(request: JudgeRequest, dialect: Dialect, response: Response) -> Heard:
    """Read a judge's response: total, whatever the server sent."""
    reply = dialect.decode(request, response.json())
    if reply.truncated is not None:
        return Heard(reply, _no_verdict("truncated", reply.truncated))
    if reply.malformed is not None:
        return Heard(reply, _no_verdict("malformed", reply.malformed))
    return Heard(reply, read_reply(reply.text, request.rubric, reply.finish_reason))


def _no_verdict(status: ReplyStatus, problem: str) -> Reading:
    return Reading(status=status, problem=problem)


def _failure(reading: Reading, attempts: int) -> MalformedVerdict | TruncatedReply | JudgeRefusal:
    asked = "asked once" if attempts == 1 else f"asked {attempts} times"
    if reading.status == "refusal":
        return JudgeRefusal(f"the judge refused to judge: {reading.problem}")
    if reading.status == "truncated":
        return TruncatedReply(f"the judge's reply is cut ({asked}): {reading.problem}")
    return MalformedVerdict(f"the judge gave no readable verdict ({asked}): {reading.problem}")
