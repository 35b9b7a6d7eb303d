from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgekit.cassettes.staging import Staging
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import MalformedVerdict, TruncatedReply
from judgekit.judges.dialects.ollama_chat import DEFAULT_CONTEXT, OLLAMA_CHAT
from judgekit.judges.live import Connection, LiveExchange, LiveJudge
from judgekit.judges.port import Sampling
from judgekit.judges.recording import RecordingExchange, RecordingJudge
from tests.judges.making import PASS, make_request
from tests.judges.model_server import ModelServer, answers, model_server


def answer(content: str = PASS, **changes: Any) -> dict[str, Any]:
    body = {
        "model": "llama3.1:8b",
        "created_at": "2026-12-01T10:00:00Z",
        "message": {"role": "assistant", "content": content},
        "done": True,
        "done_reason": "stop",
        "total_duration": 123,
        "prompt_eval_count": 50,
        "eval_count": 20,
    }
    return {**body, **changes}


def ask(server: ModelServer, **changes: Any) -> Any:
    with LiveJudge(Connection(server.url, call_s=10), "ollama-chat", re_asks=0) as judge:
        return judge.evaluate(make_request(**changes))


def test_ollama_is_asked_and_read_in_its_own_words() -> None:
    schema = {"type": "object"}
    with model_server(answers(200, answer())) as server:
        verdict = ask(server, response_schema=schema)
    assert (verdict.outcome, verdict.model) == ("pass", "llama3.1:8b")
    assert (verdict.usage.input_tokens, verdict.usage.output_tokens) == (50, 20)
    assert server.requests == [
        {
            "model": "test-judge",
            "messages": [{"role": "user", "content": "Judge: hello"}],
            "options": {
                "temperature": 0,
                "seed": 7,
                "num_ctx": DEFAULT_CONTEXT,
                "num_predict": 200,
            },
            "stream": False,
            "format": schema,
        }
    ]


def test_the_size_of_the_context_can_be_chosen() -> None:
    with model_server(answers(200, answer())) as server:
        ask(server, sampling=Sampling(context_tokens=2048))
    assert server.requests[0]["options"]["num_ctx"] == 2048


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"prompt_eval_count": DEFAULT_CONTEXT}, TruncatedReply, "cut at num_ctx"),
        ({"done": False}, TruncatedReply, "not done"),
        ({"done_reason": "length"}, TruncatedReply, "token limit"),
        (
            {"message": {"role": "assistant", "content": "", "thinking": "long and winding"}},
            MalformedVerdict,
            "content is empty beside a full thinking",
        ),
        ({"message": {"role": "assistant"}}, MalformedVerdict, "no message"),
        ({"message": {"role": "assistant", "content": ""}}, MalformedVerdict, "empty"),
    ],
)
def test_what_is_no_verdict_is_named(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with (
        model_server(answers(200, answer(**changes))) as server,
        pytest.raises(error, match=message),
    ):
        ask(server)


def test_an_error_in_a_200_answer_is_named() -> None:
    with (
        model_server(answers(200, {"error": "model not found"})) as server,
        pytest.raises(MalformedVerdict, match="model not found"),
    ):
        ask(server)


def test_what_differs_each_time_is_not_kept() -> None:
    kept = OLLAMA_CHAT.lasting(answer())
    assert "created_at" not in kept
    assert "total_duration" not in kept
    assert kept["prompt_eval_count"] == 50


@pytest.mark.parametrize(
    "body", [None, [], 3, "x", {}, {"message": 1}, {"message": {"content": 1}}]
)
def test_any_body_is_read_without_an_exception(body: Any) -> None:
    assert OLLAMA_CHAT.decode(make_request(), body).malformed


def test_the_digest_of_the_model_is_kept_where_the_server_tells_it(tmp_path: Path) -> None:
    tags = {
        "models": [{"name": "other:1b", "digest": "ff"}, {"name": "judge:latest", "digest": "ab"}]
    }
    staging = Staging(tmp_path / "staged", CassetteStore(tmp_path / "cassettes"))
    with model_server(answers(200, answer()), listing=tags) as server:
        live = LiveExchange(Connection(server.url), OLLAMA_CHAT)
        exchange = RecordingExchange(live, staging, lambda: "2026-12-01T10:00:00Z")
        for text in ("one", "two"):
            RecordingJudge(exchange, live).evaluate(make_request(text, model="judge"))
        live.close()
    assert {item.interaction.recorded.model_digest for item in staging.items()} == {"ab"}
    assert server.listings == 1


@pytest.mark.parametrize("body", [None, [], {}, {"models": 1}, {"models": [1, {}]}])
def test_no_digest_is_none(body: Any) -> None:
    assert OLLAMA_CHAT.digest_in(body, "judge") is None
