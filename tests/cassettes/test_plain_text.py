from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.cassettes.plain_text import plain_text
from judgekit.cassettes.spans import apart


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("nothing to read", "nothing to read"),
        (r"a\nb", "a\nb"),
        (r"a\\nb", "a\nb"),
        (r"a\u00e9\u0040b", "aé@b"),
        (r"a\ud83d\ude00b", "a\ufffd\ufffdb"),
        (r"say \"hi\"", 'say "hi"'),
        (r"http:\/\/x", "http://x"),
        (r"C:\Users, \u12, \\", r"C:\Users, \u12, \\"),
        ("a\u200b\u00adb\ufeff", "ab"),
        ("", ""),
    ],
)
def test_escapes_are_read_and_invisible_characters_left_out(written: str, plain: str) -> None:
    assert plain_text(written).text == plain


@given(st.text(st.characters(exclude_characters="\\\u00ad", exclude_categories=("Cs", "Cf", "Cc"))))
def test_json_text_is_read_as_what_it_says(text: str) -> None:
    written = json.dumps(text, ensure_ascii=False)
    assert plain_text(written).text == f'"{text}"'


@given(st.text('ab\n"/\u200b\\u0041 ü', max_size=40), st.data())
def test_every_part_of_the_plain_text_is_found_in_the_original(
    text: str, data: st.DataObject
) -> None:
    read = plain_text(text)
    if not read.text:
        return
    start = data.draw(st.integers(0, len(read.text) - 1))
    end = data.draw(st.integers(start + 1, len(read.text)))
    first, last = read.original((start, end))
    assert 0 <= first < last <= len(text)
    assert plain_text(text[first:last]).text == read.text[start:end]


def test_a_long_run_of_backslashes_ends_soon() -> None:
    assert plain_text("\\" * 200_000).text == "\\" * 200_000
    assert plain_text("\\" * 200_000 + "n").text == "\n"


spans = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 5)).map(lambda at: (at[0], at[0] + at[1])),
    max_size=8,
)


@given(spans, spans)
def test_what_is_kept_apart_overlaps_nothing_and_what_is_not_does(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    claimed = apart(first, [])
    kept = apart(second, claimed)
    everything = sorted([*claimed, *kept])
    assert all(one[1] <= other[0] for one, other in pairwise(everything))
    for start, end in second:
        assert any(start < other_end and other < end for other, other_end in everything)
    assert apart(kept, claimed) == kept
