"""OpenAI chat completions: llama.cpp server, vLLM, LM Studio, Ollama's ``/v1``, and others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgekit.judges.dialects.dialect import Dialect, Reply, register, sampling_of, token_count
from judgekit.judges.port import JudgeRequest, TokenUsage


def encode(request: JudgeRequest, attempt: int) -> dict[str, Any]:
    """Return the body of ``POST /v1/chat/completions``."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        **sampling_of(request, attempt),
        "stream": False,
    }
    sampling = request.sampling
    if sampling.max_tokens is not None:
        body["max_tokens"] = sampling.max_tokens
    if sampling.top_logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": sampling.top_logprobs}
    if request.response_schema is not None:
        schema = {"name": "verdict", "strict": True, "schema": dict(request.response_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def decode(request: JudgeRequest, body: Any) -> Reply:
    """Read a chat completion: its only choice's text, why it ended, and the tokens it took."""
    match body:
        case {"choices": [{"message": {**message}, **choice}]}:
            pass
        case {"choices": [_, _, *_]}:
            return Reply("", malformed="the answer has several choices; one was asked for")
        case {"error": error}:
            return Reply("", malformed=f"the judge's server answered with an error: {error}")
        case _:
            return Reply("", malformed="the answer is no chat completion: it has no choices")
    return Reply(
        text=_text(message),
        finish_reason=_text_or_none(choice.get("finish_reason")),
        model=_text_or_none(body.get("model")) or "",
        usage=_usage(body.get("usage")),
        malformed=_why_empty(message),
    )


def _text(message: Mapping[Any, Any]) -> str:
    """Return the content, whose parts some servers list one by one; else the refusal."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else _text_or_none(message.get("refusal")) or ""


def _why_empty(message: Mapping[Any, Any]) -> str | None:
    if _text(message).strip():
        return None
    if message.get("reasoning_content") or message.get("reasoning"):
        return "the reply is empty beside its reasoning: give the judge more max_tokens"
    return None


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _usage(usage: Any) -> TokenUsage:
    if not isinstance(usage, dict):
        return TokenUsage()
    return TokenUsage(
        input_tokens=token_count(usage.get("prompt_tokens")),
        output_tokens=token_count(usage.get("completion_tokens")),
    )


OPENAI_CHAT = register(
    Dialect(
        name="openai-chat",
        path="/v1/chat/completions",
        encode=encode,
        decode=decode,
        volatile=frozenset({"id", "created", "timings", "system_fingerprint", "service_tier"}),
    )
)
