from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from judgekit.errors import (
    ConfigError,
    JudgeRefusal,
    JudgeUnreachable,
    MalformedVerdict,
    TruncatedReply,
)
from judgekit.judges.asking import call_of
from judgekit.judges.dialects import find_dialect
from judgekit.judges.live import Connection, LiveExchange, LiveJudge
from tests.judges.making import FAIL, PASS, make_request, score_rubric
from tests.judges.model_server import (
    answers,
    disconnects,
    drips,
    hangs,
    model_server,
    says,
    unused_port,
)


@pytest.fixture
def release() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


OPEN: list[LiveJudge | LiveExchange] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def judge(url: str, **changes: float | str) -> LiveJudge:
    fields = {"connect_s": 5.0, "attempt_s": 10.0, "call_s": 20.0, **changes}
    OPEN.append(LiveJudge(Connection(url, **fields)))  # type: ignore[arg-type]
    return OPEN[-1]  # type: ignore[return-value]


def test_a_verdict_comes_back_with_its_usage_and_the_model_that_answered() -> None:
    with model_server(says(PASS)) as server:
        verdict = judge(server.url).evaluate(make_request())
    assert (verdict.outcome, verdict.score) == ("pass", 1.0)
    assert verdict.rationale == "It answers the question."
    assert verdict.model == "judge-q4.gguf"
    assert (verdict.usage.input_tokens, verdict.usage.output_tokens) == (50, 20)
    assert (verdict.attempts, verdict.replayed) == (1, False)


def test_the_judge_is_sent_exactly_the_request() -> None:
    schema = {"type": "object"}
    with model_server(says(PASS)) as server:
        judge(server.url + "/v1/").evaluate(make_request(response_schema=schema))
    assert server.requests == [
        {
            "model": "test-judge",
            "messages": [{"role": "user", "content": "Judge: hello"}],
            "temperature": 0,
            "seed": 7,
            "stream": False,
            "max_tokens": 200,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": schema},
            },
        }
    ]
    sent = {name.lower(): value for name, value in server.headers[0].items()}
    assert sent["accept-encoding"] == "identity"
    assert "authorization" not in sent


def test_the_key_comes_from_the_named_variable_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-this-one")
    monkeypatch.setenv("MY_JUDGE_KEY", "this-one")
    with model_server(says(PASS)) as server:
        judge(server.url, api_key_env="MY_JUDGE_KEY").evaluate(make_request())
    assert {n.lower(): v for n, v in server.headers[0].items()}[
        "authorization"
    ] == "Bearer this-one"
    monkeypatch.delenv("MY_JUDGE_KEY")
    with pytest.raises(ConfigError, match="the environment variable MY_JUDGE_KEY is not set"):
        judge(server.url, api_key_env="MY_JUDGE_KEY")


def test_a_malformed_reply_is_asked_for_anew_with_another_seed() -> None:
    with model_server(says("no idea"), says(FAIL)) as server:
        verdict = judge(server.url).evaluate(make_request())
    assert (verdict.outcome, verdict.attempts) == ("fail", 2)
    assert verdict.usage.output_tokens == 40
    assert [(r["seed"], r["temperature"]) for r in server.requests] == [(7, 0), (8, 0.7)]


def test_an_impossible_score_is_malformed_and_never_clamped() -> None:
    """Gemma 3 270M said this under a schema with maximum 1."""
    reply = '{\n    "reason": "I am glad to help!",\n    "score": 1000000000000000\n}'
    with (
        model_server(says(reply)) as server,
        pytest.raises(MalformedVerdict, match="asked 3 times"),
    ):
        judge(server.url).evaluate(make_request(rubric=score_rubric()))
    assert len(server.requests) == 3


def test_a_refusal_is_told_apart_and_not_asked_for_anew() -> None:
    refusal = says("I'm sorry, but I can't help with judging this request.")
    with model_server(refusal) as server, pytest.raises(JudgeRefusal):
        judge(server.url).evaluate(make_request())
    assert len(server.requests) == 1


def test_a_cut_reply_is_asked_for_anew_and_then_told_apart() -> None:
    with (
        model_server(says('{"reason": "it goes on and', "length")) as server,
        pytest.raises(TruncatedReply, match="asked 3 times"),
    ):
        judge(server.url).evaluate(make_request())
    assert len(server.requests) == 3


def test_an_empty_reply_beside_its_reasoning_is_named() -> None:
    with (
        model_server(says("", reasoning_content="hmm …")) as server,
        pytest.raises(MalformedVerdict, match="empty beside its reasoning"),
    ):
        judge(server.url).evaluate(make_request())


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_fault_is_retried_and_the_answer_that_counted_is_used(status: int) -> None:
    busy = answers(status, {"error": "busy"}, {"Retry-After": "0"})
    with model_server(busy, busy, says(PASS)) as server:
        verdict = judge(server.url).evaluate(make_request())
    assert (verdict.outcome, verdict.attempts) == ("pass", 1)
    assert len(server.requests) == 3


def test_the_server_says_how_long_to_wait() -> None:
    waits: list[float] = []
    busy = answers(429, {"error": "slow down"}, {"Retry-After": "7"})
    with model_server(busy, says(PASS)) as server:
        exchange = LiveExchange(
            Connection(server.url), find_dialect("openai-chat"), sleep=waits.append
        )
        exchange.fetch(call_of(make_request(), exchange.dialect))
    assert waits == [7.0]


def test_a_fault_that_stays_ends_at_the_deadline_of_the_call() -> None:
    waits: list[float] = []
    with model_server(answers(503, {"error": "loading model"})) as server:
        exchange = LiveExchange(
            Connection(server.url, call_s=5.0), find_dialect("openai-chat"), sleep=waits.append
        )
        with pytest.raises(JudgeUnreachable, match=r"answers HTTP 503: .*loading model.*tried"):
            exchange.fetch(call_of(make_request(), exchange.dialect))
    assert waits
    assert max(waits) < 5


def test_a_refused_connection_is_told() -> None:
    url = f"http://127.0.0.1:{unused_port()}"
    with pytest.raises(JudgeUnreachable, match=r"127\.0\.0\.1:\d+: refused the connection"):
        judge(url, call_s=0.4).evaluate(make_request())


def test_a_server_that_disconnects_is_told() -> None:
    with (
        model_server(disconnects) as server,
        pytest.raises(JudgeUnreachable, match="broke off the connection"),
    ):
        judge(server.url, call_s=0.4).evaluate(make_request())


def test_a_disconnection_in_mid_answer_is_retried() -> None:
    def half(handler: object, _: object) -> None:
        handler.send_response(200)  # type: ignore[attr-defined]
        handler.send_header("Content-Length", "1000")  # type: ignore[attr-defined]
        handler.end_headers()  # type: ignore[attr-defined]
        handler.wfile.write(b'{"choices": [')  # type: ignore[attr-defined]
        handler.close_connection = True  # type: ignore[attr-defined]

    with model_server(half, says(PASS)) as server:
        assert judge(server.url).evaluate(make_request()).outcome == "pass"


def test_a_server_that_hangs_is_left_at_the_deadline(release: threading.Event) -> None:
    with (
        model_server(hangs(release)) as server,
        pytest.raises(JudgeUnreachable, match="gave no answer in time"),
    ):
        judge(server.url, attempt_s=0.2, call_s=0.3).evaluate(make_request())


def test_a_server_that_drips_is_left_at_the_deadline(release: threading.Event) -> None:
    with (
        model_server(drips(release)) as server,
        pytest.raises(JudgeUnreachable, match="gave no answer in time"),
    ):
        judge(server.url, attempt_s=0.3, call_s=0.5).evaluate(make_request())


def test_a_redirect_is_refused() -> None:
    moved = answers(307, {}, {"Location": "http://127.0.0.1:1/"})
    with model_server(moved) as server, pytest.raises(JudgeUnreachable, match="redirect"):
        judge(server.url).evaluate(make_request())
    assert len(server.requests) == 1


def test_a_prompt_too_long_for_the_context_is_told_apart() -> None:
    """What llama.cpp answers."""
    body = {
        "error": {
            "code": 400,
            "message": "request (6024 tokens) exceeds the available context size (4096 tokens), "
            "try increasing it",
            "type": "exceed_context_size_error",
        }
    }
    with (
        model_server(answers(400, body)) as server,
        pytest.raises(TruncatedReply, match="does not fit the judge's context"),
    ):
        judge(server.url).evaluate(make_request())
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [(400, {"error": "bad"}), (401, {}), (404, b"<html>not here</html>"), (422, {})],
)
def test_an_error_that_no_retry_cures_is_told_at_once(status: int, body: object) -> None:
    with (
        model_server(answers(status, body)) as server,
        pytest.raises(JudgeUnreachable, match=f"answers HTTP {status}"),
    ):
        judge(server.url).evaluate(make_request())
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{}]}',
        b"null",
    ],
)
def test_an_answer_that_is_no_completion_is_malformed(body: bytes) -> None:
    with model_server(answers(200, body)) as server, pytest.raises(MalformedVerdict):
        judge(server.url).evaluate(make_request())


@pytest.mark.parametrize("value", ["secret-value ", "key\nsecret-value", "secret-valué"])
def test_a_key_that_no_header_can_carry_is_named_and_never_shown(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", value)
    with pytest.raises(ConfigError, match="api_key_env: the value of MY_JUDGE_KEY") as caught:
        judge("http://127.0.0.1:1", api_key_env="MY_JUDGE_KEY")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": [{"message": {"content": "PASS", "content": "FAIL"}}]}',
        b'{"choices": [{"message": {"content": "PASS"}}, {"message": {"content": "FAIL"}}]}',
    ],
)
def test_two_verdicts_in_one_answer_are_none(body: bytes) -> None:
    with model_server(answers(200, body)) as server, pytest.raises(MalformedVerdict):
        judge(server.url).evaluate(make_request())


def test_an_answer_of_any_depth_is_read_or_malformed() -> None:
    deep = b'{"choices": [{"message": {"content": "PASS"}}], "x": ' + b"[" * 900 + b"]" * 900 + b"}"
    for body in (deep, b"[" * 200_000):
        with model_server(answers(200, body)) as server:
            try:
                assert judge(server.url).evaluate(make_request()).outcome == "pass"
            except MalformedVerdict:
                continue
