from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import ConfigError
from judgekit.review.comparison import Comparison, consolidated
from tests.review.making import comparison


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("judge_verdict", "Pass"),
        ("human_verdict", ""),
        ("human_verdict", "skip"),
        ("score", 1.5),
        ("score", float("nan")),
        ("pass_mark", -0.1),
        ("case", " "),
        ("eval", ""),
    ],
)
def test_a_comparison_that_cannot_be_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=field):
        comparison(**{field: value})


def test_the_latest_of_a_case_is_kept_at_the_place_of_its_first_capture() -> None:
    first, second = comparison("a", output="1"), comparison("b", output="2")
    again = comparison("a", output="3")
    assert [each.output for each in consolidated([first, second, again])] == ["3", "2"]


def test_one_case_under_two_scorers_or_evals_is_two() -> None:
    captures = [comparison(), comparison(scorer="tone"), comparison(eval="other")]
    assert len(consolidated(captures)) == 3
    assert consolidated(captures, eval="other") == (captures[2],)
    assert consolidated(captures, eval="unknown") == ()


def test_the_nearest_to_the_pass_mark_comes_first_and_the_unknown_last() -> None:
    far, near, unknown, as_near = (
        comparison("far", score=1.0),
        comparison("near", score=0.6),
        comparison("unknown", score=None),
        comparison("as near", score=0.4, judge_verdict="fail", human_verdict="pass"),
    )
    ordered = consolidated([unknown, far, near, as_near])
    assert [each.case for each in ordered] == ["near", "as near", "far", "unknown"]
    assert consolidated([far, near], limit=1) == (near,)


def test_a_limit_may_be_nothing_but_not_less() -> None:
    assert consolidated([comparison()], limit=0) == ()
    with pytest.raises(ConfigError, match="limit must be 0 or more, not -1"):
        consolidated([], limit=-1)


CAPTURES = st.lists(
    st.builds(
        comparison,
        case=st.sampled_from("abcde"),
        output=st.text(max_size=3),
        score=st.none() | st.floats(0, 1),
    ),
    max_size=20,
)


@given(CAPTURES, st.none() | st.integers(0, 6))
def test_consolidating_is_a_choice_from_the_captures(
    captures: list[Comparison], limit: int | None
) -> None:
    before = list(captures)
    chosen = consolidated(captures, limit=limit)
    latest = {each.case: each for each in captures}
    assert captures == before
    assert len(chosen) == min(len(latest), len(latest) if limit is None else limit)
    assert all(latest[each.case] == each for each in chosen)
    assert [each.distance for each in chosen] == sorted(each.distance for each in latest.values())[
        : len(chosen)
    ]
    assert consolidated(chosen) == chosen


def test_a_label_belongs_to_exactly_one_output() -> None:
    one = comparison()
    assert one.output_digest == replace(one, score=0.1, when="").output_digest
    assert one.output_digest != replace(one, output="On its way").output_digest
