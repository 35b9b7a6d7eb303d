from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders.grade import Status
from judgekit.graders.localization import merged, read_places
from judgekit.graders.registry import grade

REFERENCE = "src/a.py:1-10\nsrc/b.py:5"
SAME: list[Any] = [
    "src/b.py:5-5\n\n./src/a.py:1-10\n",
    ["src/a.py:1-10", "src/b.py:5"],
    [{"path": "src/a.py", "lines": [[1, 4], [5, 10]]}, {"path": "src/b.py", "lines": [5]}],
    {"src/a.py": [[1, 10]], "./src/b.py": [[5, 5]]},
    '[{"path": "src/a.py", "lines": [[1, 10]]}, "src/b.py:5"]',
    '{"src/a.py": [[1, 10]], "src/b.py": [5]}',
    "src//a.py:1-10\nsrc/./x/../b.py:5",
]
ranges = st.lists(
    st.tuples(st.integers(1, 40), st.integers(0, 10)).map(lambda p: (p[0], p[0] + p[1])), max_size=8
)


@pytest.mark.parametrize("candidate", SAME)
def test_every_form_says_the_same(candidate: Any) -> None:
    assert read_places(candidate) == {"src/a.py": [(1, 10)], "src/b.py": [(5, 5)]}
    assert grade("localization_f1", {"reference": candidate}, REFERENCE).score == 1.0


@given(ranges)
def test_merging_keeps_the_lines_and_merges_once(given_ranges: list[tuple[int, int]]) -> None:
    made = merged(given_ranges)
    lines = {line for first, last in given_ranges for line in range(first, last + 1)}
    assert [n for first, last in made for n in range(first, last + 1)] == sorted(lines)
    assert merged(made) == made
    assert all(a[1] + 1 < b[0] for a, b in pairwise(made))


@given(ranges.filter(bool), ranges.filter(bool))
def test_the_line_figure_is_that_of_sets(one: list[Any], other: list[Any]) -> None:
    reference, candidate = {"f": [list(r) for r in one]}, {"f": [list(r) for r in other]}
    result = grade("localization_f1", {"reference": reference}, candidate)
    wanted = {line for first, last in one for line in range(first, last + 1)}
    found = {line for first, last in other for line in range(first, last + 1)}
    expected = 2 * len(wanted & found) / (len(wanted) + len(found))
    assert result.details["line_f1"] == pytest.approx(expected)


def test_right_files_and_wrong_lines_are_no_match() -> None:
    result = grade("localization_f1", {"reference": "a.py:1-10", "threshold": 0.0}, "a.py:20-30")
    assert result.status is Status.FAILED
    assert result.details == {"file_f1": 1.0, "line_f1": 0.0}


@pytest.mark.parametrize(
    "candidate",
    ["a.py:10-1", "a.py:0", "a.py:0-3", "a.py", ":3", "a.py:1-2-3", "a.py:-1", "a.py:99999999999",
     [["a.py", 1]], [{"path": "a.py"}], [{"path": " ", "lines": [1]}], {"a.py": []},
     {"a.py": [True]}, {"a.py": [[2, 1]]}, 3, [], "", " \n"],
)  # fmt: skip
def test_what_can_not_be_read_fails_and_is_an_error_as_reference(candidate: Any) -> None:
    assert grade("localization_f1", {"reference": "a.py:1"}, candidate).status is Status.FAILED
    assert grade("localization_f1", {"reference": candidate}, "a.py:1").status is Status.ERROR


def test_huge_ranges_are_cheap_and_too_many_fail() -> None:
    big = "a.py:1-9999999"
    assert grade("localization_f1", {"reference": big}, big).score == 1.0
    many = "\n".join(f"a.py:{n}" for n in range(1, 20_000, 2))
    assert grade("localization_f1", {"reference": "a.py:1"}, many).status is Status.FAILED
    assert not grade("localization_f1", {"reference": "a.py:1"}, many + "\na.py:1" * 9_000).passed
