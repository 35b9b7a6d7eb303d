from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.cassettes.naming import file_name, slug


@given(st.text(min_size=1))
def test_a_slug_is_portable_and_stays_in_its_folder(name: str) -> None:
    made = slug(name)
    assert re.fullmatch(r"[a-z0-9_-][a-z0-9._-]{0,67}", made)
    assert made.upper() not in {"CON", "PRN", "AUX", "NUL"}
    assert slug(made) == made


@given(st.text(min_size=1), st.text(min_size=1))
def test_two_names_never_share_a_slug(one: str, other: str) -> None:
    if one != other:
        assert slug(one) != slug(other) or slug(one) in {one, other}


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("late-parcel-refund", "late-parcel-refund"),
        ("v1.2_b", "v1.2_b"),
    ],
)
def test_a_plain_name_is_its_own_slug(name: str, made: str) -> None:
    assert slug(name) == made


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "Case A", "..", "/", "con", "lpt1.json", "é", "日本", "x" * 200]
)
def test_any_other_name_carries_its_hash(name: str) -> None:
    assert slug(name) != name
    assert re.search(r"[0-9a-f]{6}$", slug(name))


def test_names_that_differ_in_case_only_do_not_collide() -> None:
    assert slug("Case") != slug("case")
    assert slug("Case").casefold() != slug("CASE").casefold()


def test_a_file_is_named_by_case_and_key() -> None:
    assert file_name("c1", "0123456789abcdef") == "c1.0123456789.json"
