from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.cassettes.response_body import plain_json, response_of

JSON = {"content-type": "application/json", "date": "now", "set-cookie": "s=1"}


def keep(body: Any) -> Any:
    return body


def test_json_is_kept_as_json_without_what_is_volatile() -> None:
    body = b'{"id": "x-1", "choices": [{"index": 0, "logprob": -1.25e-05}]}'
    kept = response_of(200, JSON, body, lambda b: {"choices": b["choices"]})
    assert kept.kind == "json"
    assert kept.body == {"choices": [{"index": 0, "logprob": -1.25e-05}]}
    assert kept.headers == {"content-type": "application/json"}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1E5}',
        '{"a": 0.1000}',
        '{"a": 1, "a": 2}',
        '{"a": "\\ud800"}',
        '{"a": 12345678901234567890}',
        '{"a": NaN}',
        '{"a": -0}',
        '{"a": {"$lines": ["x"]}}',
        "not json",
        "",
    ],
)
def test_what_writing_again_would_change_is_kept_as_text(text: str) -> None:
    kept = response_of(200, {}, text.encode(), keep)
    assert (kept.kind, kept.body) == ("text", text)


def test_what_is_not_utf_8_is_kept_as_bytes() -> None:
    kept = response_of(200, {}, b"\xff\xfe", keep)
    assert (kept.kind, kept.body) == ("base64", b"\xff\xfe")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_that_is_kept_keeps_its_value(value: float) -> None:
    try:
        assert plain_json(json.dumps(value)) == value
    except ValueError:
        assert response_of(200, {}, json.dumps(value).encode(), keep).kind == "text"


def test_a_secret_in_an_answer_is_replaced() -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"
    kept = response_of(200, {}, json.dumps({"text": f"use {secret}"}).encode(), keep)
    assert secret not in str(kept.body)
    assert "[redacted:" in kept.body["text"]
