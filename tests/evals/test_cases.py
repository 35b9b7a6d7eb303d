from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.evals.cases import Case, case_digest

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=8,
)


def test_the_digest_is_that_of_the_canonical_json() -> None:
    case = Case(id="a", input={"b": 1, "a": "ä"}, output="x", expected=[1.0], metadata={"m": None})
    canonical = '{"expected":[1],"input":{"a":"ä","b":1},"metadata":{"m":null}}'
    assert case_digest(case) == hashlib.sha256(canonical.encode()).hexdigest()


@given(JSON, JSON)
def test_output_id_and_cluster_are_no_part_of_the_digest(given_: Any, output: Any) -> None:
    plain = Case(id="a", input=given_, expected=given_)
    other = Case(id="b", input=given_, expected=given_, output=output, cluster="c")
    assert case_digest(plain) == case_digest(other)


@given(JSON)
def test_a_value_counts_where_it_stands(value: Any) -> None:
    digests = {
        case_digest(Case(id="a", input=["x", value])),
        case_digest(Case(id="a", expected=["x", value])),
        case_digest(Case(id="a", metadata={"x": value})),
    }
    assert len(digests) == 3


def test_the_order_of_keys_does_not_count_even_beside_huge_numbers() -> None:
    pairs = [("a", 2**70), ("b", 1)]
    digests = {case_digest(Case(id="a", input=dict(order))) for order in (pairs, pairs[::-1])}
    assert len(digests) == 1
    assert case_digest(Case(id="a", input={"a": 2**70 + 1, "b": 1})) not in digests


def test_a_case_is_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Case(id="a").id = "b"  # type: ignore[misc]
