"""Makes interactions for tests."""

from __future__ import annotations

from typing import Any

from judgekit.cassettes.interaction import Call, Interaction, Recorded, Response


def make_call(text: str = "Is this right?", **changes: Any) -> Call:
    body = {
        "model": "test-judge",
        "messages": [{"role": "user", "content": text}],
        "temperature": 0,
        "seed": 0,
    }
    fields: dict[str, Any] = {"dialect": "openai-chat", "path": "/v1/chat/completions"}
    return Call(**{**fields, "body": body, **changes})


def make_response(content: str = '{"reason": "fine", "passed": true}') -> Response:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}}
    body = {"object": "chat.completion", "model": "m.gguf", "choices": [choice]}
    return Response(200, body, "json", {"content-type": "application/json"})


def make_interaction(
    case: str = "c1",
    text: str = "Is this right?",
    content: str = '{"reason": "fine", "passed": true}',
    scorer: str = "helpful",
    eval_name: str = "support",
    **changes: Any,
) -> Interaction:
    recorded = Recorded(
        eval=eval_name,
        scorer=scorer,
        case=case,
        model="test-judge",
        model_answered="m.gguf",
        rubric="helpful-answer",
        parts=changes.pop("parts", {"output": "0a1b2c3d4e5f"}),
        when=changes.pop("when", "2026-12-01T10:00:00Z"),
        latency_s=1.25,
    )
    verdict = {"outcome": "pass", "score": 1.0, "rationale": "fine"}
    return Interaction(make_call(text, **changes), make_response(content), recorded, verdict)
