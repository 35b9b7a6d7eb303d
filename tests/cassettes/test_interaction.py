from __future__ import annotations

from typing import Any

import pytest

from judgekit.cassettes.interaction import Call
from tests.cassettes.making import make_call


def test_the_key_of_a_fixed_request_never_changes() -> None:
    """Golden: a change here orphans every committed cassette, and needs a new KEY_VERSION."""
    call = Call(
        dialect="openai-chat",
        path="/v1/chat/completions",
        body={
            "model": "gemma-3-270m",
            "messages": [{"role": "user", "content": "Grüße, “judge” this: 1 < 2\n"}],
            "temperature": 0,
            "top_p": 0.9,
            "response_format": {"type": "json_object"},
        },
        sample=1,
        attempt=2,
    )
    assert call.key == "c5d5f9622ce6d221a9b6fd4be353c7402601c1285aece0cc0f86504cc1685abf"


@pytest.mark.parametrize(
    "changes",
    [
        {"dialect": "ollama-chat"},
        {"path": "/api/chat"},
        {"method": "PUT"},
        {"query": {"api-version": "1"}},
        {"sample": 1},
        {"attempt": 1},
        {"body": {**make_call().body, "model": "another"}},
        {"body": {**make_call().body, "temperature": 0.1}},
        {"body": {**make_call().body, "unheard_of": None}},
    ],
)
def test_everything_that_the_judge_is_sent_is_in_the_key(changes: dict[str, Any]) -> None:
    assert make_call(**changes).key != make_call().key


@pytest.mark.parametrize("name", ["user", "metadata", "keep_alive"])
def test_what_says_nothing_of_the_question_is_not_in_the_key(name: str) -> None:
    assert make_call(body={**make_call().body, name: "x"}).key == make_call().key


def test_a_whole_float_keys_as_its_integer() -> None:
    body = {**make_call().body, "temperature": 0.0}
    assert make_call(body=body).key == make_call().key


def test_a_secret_is_replaced_before_keying() -> None:
    secret = "sk-proj-" + "a1B2c3D4" * 6
    call = make_call(f"My key is {secret}, is that right?").redacted()
    text = call.body["messages"][0]["content"]
    assert secret not in text
    assert text.startswith("My key is [redacted:")
    assert text.endswith("], is that right?")
    other = make_call(f"My key is sk-proj-{'Z9y8X7w6' * 6}, is that right?").redacted()
    assert call.key == other.key


def test_a_call_without_a_secret_is_its_own_redaction() -> None:
    call = make_call()
    assert call.redacted() is call
