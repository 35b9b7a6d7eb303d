"""Ollama's own ``/api/chat``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgekit.judges.dialects.dialect import Dialect, Reply, register, sampling_of, token_count
from judgekit.judges.port import JudgeRequest, TokenUsage

DEFAULT_CONTEXT = 8192
"""Tokens of context asked for where the judge's sampling names none: Ollama's own default is
small, and it cuts a longer prompt without a word."""


def encode(request: JudgeRequest, attempt: int) -> dict[str, Any]:
    """Return the body of ``POST /api/chat``."""
    sampling = request.sampling
    options = sampling_of(request, attempt)
    options["num_ctx"] = sampling.context_tokens or DEFAULT_CONTEXT
    if sampling.max_tokens is not None:
        options["num_predict"] = sampling.max_tokens
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        "options": options,
        "stream": False,
    }
    if request.response_schema is not None:
        body["format"] = dict(request.response_schema)
    return body


def decode(request: JudgeRequest, body: Any) -> Reply:
    """Read a chat answer, and name what makes it no verdict.

    A prompt cut at ``num_ctx``, an answer that is not done, and an empty content beside a full
    ``thinking`` all come with status 200.
    """
    match body:
        case {"message": {"content": str(text), **message}}:
            pass
        case {"error": error}:
            return Reply("", malformed=f"the judge's server answered with an error: {error}")
        case _:
            return Reply("", malformed="the answer is no Ollama chat answer: it has no message")
    usage = TokenUsage(
        input_tokens=token_count(body.get("prompt_eval_count")),
        output_tokens=token_count(body.get("eval_count")),
    )
    reason, model = body.get("done_reason"), body.get("model")
    return Reply(
        text=text,
        finish_reason=reason if isinstance(reason, str) else None,
        model=model if isinstance(model, str) else "",
        usage=usage,
        malformed=_why_empty(text, message),
        truncated=_why_truncated(request, body, usage),
    )


def _why_empty(text: str, message: Mapping[Any, Any]) -> str | None:
    if not text.strip() and message.get("thinking"):
        return "the content is empty beside a full thinking: give the judge more max_tokens"
    return None


def _why_truncated(request: JudgeRequest, body: dict[str, Any], usage: TokenUsage) -> str | None:
    context = request.sampling.context_tokens or DEFAULT_CONTEXT
    if body.get("done") is not True:
        return "the answer is not done (done: false)"
    if usage.input_tokens >= context:
        return (
            f"the prompt was cut at num_ctx ({context} tokens): "
            "raise sampling.context_tokens or shorten the case"
        )
    return None


def digest_in(body: Any, model: str) -> str | None:
    """Return a model's digest out of the answer of ``GET /api/tags``; `x` is `x:latest`."""
    models = body.get("models") if isinstance(body, dict) else None
    for each in models if isinstance(models, list) else []:
        if isinstance(each, dict) and each.get("name") in (model, f"{model}:latest"):
            digest = each.get("digest")
            return digest if isinstance(digest, str) else None
    return None


OLLAMA_CHAT = register(
    Dialect(
        name="ollama-chat",
        path="/api/chat",
        encode=encode,
        decode=decode,
        models_path="/api/tags",
        digest_in=digest_in,
        volatile=frozenset(
            {
                "created_at",
                "total_duration",
                "load_duration",
                "prompt_eval_duration",
                "eval_duration",
            }
        ),
    )
)
