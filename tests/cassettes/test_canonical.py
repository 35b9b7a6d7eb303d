from __future__ import annotations

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from judgekit.cassettes.canonical import canonical_bytes
from judgekit.errors import ConfigError

numbers = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
)


@given(values)
def test_canonical_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@given(values)
def test_canonical_bytes_keep_the_value(value: Any) -> None:
    """Numbers are doubles: 5e16 is written as an integer, and reads back as that double."""
    assert json.loads(canonical_bytes(value), parse_int=float) == value


def test_the_order_of_keys_and_the_spelling_of_whole_numbers_do_not_count() -> None:
    assert canonical_bytes({"b": 1.0, "a": [True]}) == canonical_bytes({"a": [True], "b": 1})
    assert canonical_bytes({"b": 1, "a": [True]}) == b'{"a":[true],"b":1}'


def test_keys_sort_by_utf_16_code_unit() -> None:
    assert canonical_bytes({"\ufb33": 2, "\U0001f600": 1}) == (
        '{"\U0001f600":1,"\ufb33":2}'.encode()
    )


@pytest.mark.parametrize("value", ["\ud800", float("nan"), float("inf"), 2**60, {"a": ["\udfff"]}])
def test_a_value_without_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match="can't be sent as JSON"):
        canonical_bytes(value)
