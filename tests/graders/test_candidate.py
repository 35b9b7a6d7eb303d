"""Reading a candidate is total, and says what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import Cause
from judgekit.graders.candidate import MAX_DEPTH, as_json, as_text, clip, unfit
from judgekit.graders.grade import Grade
from judgekit.graders.registry import grade

plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(plain_values)
def test_a_value_read_back_from_its_text_is_the_same(value: Any) -> None:
    assert as_json(json.dumps(value)) == value
    assert unfit(value) is None


@pytest.mark.parametrize(
    ("candidate", "text"),
    [
        ("as it is ", "as it is "),
        (None, "null"),
        (True, "true"),
        (1.0, "1.0"),
        ({"a": [1, "é"]}, '{"a":[1,"é"]}'),
        (2**70, "1180591620717411303424"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        ("broken \ud83d text", "broken \ufffd text"),
        ({"\udc00": 1}, '{"\ufffd":1}'),
    ],
)
def test_any_value_has_a_text(candidate: Any, text: str) -> None:
    assert as_text(candidate) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("{bad", "line 1, column 2"),
        ("NaN", "NaN is no JSON value"),
        ("-Infinity", "no JSON value"),
        ("1e999", "too large for a double"),
        ("9" * 400, "an integer of more than 308 digits"),
        ('{"role": "user", "role": "admin"}', 'the key "role" stands twice'),
        ("[1] [2]", "Extra data"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "deeper than 200 levels"),
        ("[" * 50_000 + "]" * 50_000, "deeper than 200 levels"),
    ],
)
def test_text_that_is_not_json_fails_and_says_why(text: str, why: str) -> None:
    result = as_json(text)
    assert isinstance(result, Grade)
    assert not result.passed
    assert why in result.reason


def test_the_deepest_allowed_text_is_read() -> None:
    assert isinstance(as_json("[" * MAX_DEPTH + "]" * MAX_DEPTH), list)


@pytest.mark.parametrize(
    ("candidate", "why"),
    [
        (b"bytes", "type bytes"),
        ([1, {"a": (1, 2)}], "type tuple"),
        ({1: "a"}, "a key that is not text"),
        (10**400, "an integer over 1023 bits"),
        ([[]] * 300_000, "more than 250,000 values"),
    ],
)
def test_what_json_cannot_hold_is_a_grade_in_error(candidate: Any, why: str) -> None:
    result = grade("contains", {"fragments": ["a"]}, candidate)
    assert result.cause is Cause.TASK_FAILED
    assert why in result.reason


def test_clipping_keeps_one_line_and_the_limit() -> None:
    assert clip("two\nlines") == r'"two\nlines"'
    assert clip("a" * 100, limit=10) == '"aaaaaaaa…'
