from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.trials.figures import naive_pass_pow_k, pass_figures, pass_rate_interval


@pytest.mark.parametrize(
    ("n", "c", "k", "at", "all_of"),
    [
        (10, 3, 1, 0.3, 0.3),
        (10, 3, 3, 0.708333, 1 / 120),
        (10, 3, 5, 0.916667, 0.0),
        (8, 6, 1, 0.75, 0.75),
        (8, 6, 2, 27 / 28, 0.535714),
        (8, 6, 4, 1.0, 0.214286),
        (8, 6, 8, 1.0, 0.0),
    ],
)
def test_the_figures_are_the_unbiased_ones(
    n: int, c: int, k: int, at: float, all_of: float
) -> None:
    figures = pass_figures([(n, c)], k)
    assert figures is not None
    assert figures.pass_at_k.value == pytest.approx(at, abs=1e-6)
    assert figures.pass_pow_k.value == pytest.approx(all_of, abs=1e-6)
    assert figures.pass_at_1.value == pytest.approx(c / n)


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), st.data())
def test_the_figures_are_the_shares_of_all_choices_of_k_trials(
    counts: tuple[int, int], data: st.DataObject
) -> None:
    n, c = counts
    k = data.draw(st.integers(1, n))
    chosen = list(itertools.combinations([True] * c + [False] * (n - c), k))
    figures = pass_figures([counts], k)
    assert figures is not None
    assert figures.pass_at_k.value == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert figures.pass_pow_k.value == pytest.approx(sum(map(all, chosen)) / len(chosen))


def test_fewer_trials_than_k_give_no_figure_for_any_task() -> None:
    assert pass_figures([(5, 5), (2, 2)], 3) is None
    assert pass_figures([], 1) is None


def test_the_naive_figure_is_the_seeds_and_differs_from_the_unbiased_one() -> None:
    assert naive_pass_pow_k(2 / 3, 3) == pytest.approx(0.296296, abs=1e-6)
    figures = pass_figures([(3, 2)], 3)
    assert figures is not None
    assert figures.pass_pow_k.value == 0.0
    assert figures.naive_pass_pow_k == pytest.approx(0.296296, abs=1e-6)


@pytest.mark.parametrize(("rate", "k"), [(-0.1, 1), (1.1, 1), (float("nan"), 1), (0.5, 0)])
def test_a_rate_or_k_that_makes_no_sense_is_refused(rate: float, k: int) -> None:
    with pytest.raises(ValueError, match="must be in"):
        naive_pass_pow_k(rate, k)


def test_tasks_are_averaged_and_not_their_trials() -> None:
    figures = pass_figures([(10, 10), (2, 0)], 1)
    assert figures is not None
    assert figures.pass_at_1.value == 0.5


def test_an_interval_is_the_same_for_the_same_seed_and_holds_the_figure() -> None:
    tasks = [(10, 7), (10, 3)]
    first, again, other = (pass_figures(tasks, 2, seed=seed) for seed in (1, 1, 2))
    assert first is not None
    assert first == again != other
    for estimate in (first.pass_at_1, first.pass_at_k, first.pass_pow_k):
        low, high = estimate.interval
        assert 0 <= low < estimate.value < high <= 1


def test_trials_that_all_passed_still_leave_doubt() -> None:
    low, high = pass_rate_interval(5, 5)
    assert (round(low, 4), high) == (0.5655, 1.0)
