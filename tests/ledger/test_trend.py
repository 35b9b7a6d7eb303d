from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.ledger.history import KeptRun, ScorerFigure
from judgekit.ledger.trend import Series, sparkline, trends
from tests.ledger.making import WHEN


def kept(number: int, eval_name: str, score: float | None, **means: float | None) -> KeptRun:
    figures = tuple(ScorerFigure(name, mean, 1, 1, 0) for name, mean in means.items())
    return KeptRun(number, WHEN, "", eval_name, "v1", "human", score, 1, 0, figures)


def test_each_eval_has_its_own_series_and_one_for_each_scorer() -> None:
    runs = [
        kept(3, "a", 0.7, helpful=0.7, tone=0.8),
        kept(1, "a", 0.5, helpful=0.5, old=0.1),
        kept(2, "b", None, x=None),
    ]
    first, second = trends(runs)
    assert (first.eval, [run.id for run in first.runs]) == ("a", [1, 3])
    assert first.series == (
        Series(None, (0.5, 0.7)),
        Series("helpful", (0.5, 0.7)),
        Series("tone", (None, 0.8)),
        Series("old", (0.1, None)),
    )
    assert second.series == (Series(None, (None,)), Series("x", (None,)))


def test_the_change_is_that_of_the_last_two_known_values() -> None:
    assert Series(None, (0.25, 0.5, None, 1.0)).change == 0.5
    assert Series(None, (None, 0.5)).change is None


@given(st.lists(st.none() | st.floats(0, 1), max_size=30))
def test_a_sparkline_has_a_bar_for_each_value(values: list[float | None]) -> None:
    line = sparkline(values)
    assert [bar == "·" for bar in line] == [value is None for value in values]
    known = [(v, bar) for v, bar in zip(values, line, strict=True) if v is not None]
    assert [bar for _, bar in sorted(known)] == sorted(bar for _, bar in known)


@pytest.mark.parametrize("values", [[], [None]])
def test_a_sparkline_of_nothing_has_no_bar(values: list[None]) -> None:
    assert sparkline(values) == "·" * len(values)
