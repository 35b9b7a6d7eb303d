"""What measuring bias added: against SciPy, against published values, and by its laws."""

from __future__ import annotations

import random
from statistics import fmean

import numpy as np
import pytest
import scipy.stats as st
from hypothesis import given
from hypothesis import strategies as s

from judgekit.gate.statistics import association, differences, resampling
from judgekit.gate.statistics.agreement import ensemble_agreement

TIGHT = 1e-9
numbers = s.lists(s.integers(-5, 5), min_size=4, max_size=40)
moves = s.lists(s.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=60)


@given(s.integers(0, 10**6), s.integers(4, 60), s.integers(2, 30))
def test_spearman_is_scipys(seed: int, n: int, values: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, values, n), rng.integers(0, values, n)
    if len(set(first)) == 1 or len(set(second)) == 1:
        return
    expected = st.spearmanr(first, second)
    found = association.spearman(list(map(float, first)), list(map(float, second)))
    assert found.value == pytest.approx(expected.statistic, abs=TIGHT)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-8)
    assert found.interval.low <= found.value <= found.interval.high


@given(numbers)
def test_ranks_are_scipys(values: list[int]) -> None:
    assert association.ranks(values) == st.rankdata(values).tolist()


def test_spearmans_interval_is_bonett_and_wrights_formula() -> None:
    first = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    second = [2, 1, 4, 3, 7, 8, 6, 5, 10, 9]
    found = association.spearman(first, second)
    r = found.value
    half = 1.959963984540054 * np.sqrt((1 + r**2 / 2) / 7)
    assert tuple(found.interval) == pytest.approx(
        (np.tanh(np.arctanh(r) - half), np.tanh(np.arctanh(r) + half)), abs=TIGHT
    )


def test_a_full_rank_correlation_of_few_cases_keeps_a_wide_interval() -> None:
    few = association.spearman([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    many = association.spearman(list(range(100)), list(range(100)))
    assert few.value == many.value == 1
    assert few.interval.low < 0.9 < many.interval.low < few.interval.high == many.interval.high


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ([1, 2, 3], [1, 2, 3], "at least four"),
        ([1, 2, 3, 4], [1, 2, 3], "at least four"),
        ([1, 1, 1, 1], [1, 2, 3, 4], "vary on both sides"),
    ],
)
def test_spearman_refuses_what_has_no_order(
    first: list[float], second: list[float], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        association.spearman(first, second)


def test_paired_rates_have_bonett_and_prices_interval() -> None:
    """The airway example of Fagerland, Lydersen and Laake (2014), table 1."""
    interval = differences.bounded_mean_interval([1.0] + [-1.0] * 7 + [0.0] * 13)
    assert tuple(interval) == pytest.approx((-0.508, -0.013), abs=5e-4)


@given(moves)
def test_the_interval_of_moves_mirrors_and_never_vanishes(values: list[float]) -> None:
    low, high = differences.bounded_mean_interval(values)
    mirrored = differences.bounded_mean_interval([-value for value in values])
    assert tuple(mirrored) == pytest.approx((-high, -low), abs=TIGHT)
    assert -1 <= low < high <= 1


def test_the_interval_of_moves_covers_the_truth_as_often_as_it_says() -> None:
    rng = random.Random(4)
    up, down, n, hits = 0.25, 0.10, 40, 0
    for _ in range(2000):
        draws = [rng.random() for _ in range(n)]
        drawn = [1.0 if u < up else -1.0 if u < up + down else 0.0 for u in draws]
        low, high = differences.bounded_mean_interval(drawn)
        hits += low <= up - down <= high
    assert 0.935 <= hits / 2000 <= 0.975


@pytest.mark.parametrize("values", [[], [1.5], [float("nan")]])
def test_moves_outside_their_range_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="within -1 to 1"):
        differences.bounded_mean_interval(values)


def test_two_groups_of_moves_cover_the_truth_and_survive_a_group_that_does_not_vary() -> None:
    rng, hits = random.Random(9), 0
    for _ in range(2000):
        first = [float(rng.random() < 0.7) for _ in range(30)]
        second = [float(rng.random() < 0.4) for _ in range(25)]
        found = differences.bounded_two_sample(first, second)
        assert found.value == pytest.approx(fmean(first) - fmean(second))
        hits += found.interval.low <= 0.3 <= found.interval.high
    assert 0.93 <= hits / 2000 <= 0.985
    still = differences.bounded_two_sample([0.0] * 20, [0.0] * 20)
    assert (still.value, still.p_value) == (0, 1)
    assert still.interval.low < 0 < still.interval.high


@given(
    s.lists(s.floats(-1, 1), min_size=2, max_size=20),
    s.lists(s.floats(-1, 1), min_size=2, max_size=20),
)
def test_welch_is_scipys(first: list[float], second: list[float]) -> None:
    if np.ptp(first) < 1e-3 or np.ptp(second) < 1e-3:
        return
    expected = st.ttest_ind(first, second, equal_var=False)
    found = differences.welch(first, second)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-8)
    assert tuple(found.interval) == pytest.approx(tuple(expected.confidence_interval()), abs=1e-8)


@pytest.mark.parametrize(("first", "second"), [([1.0], [1.0, 2.0]), ([1.0, 1.0], [2.0, 2.0])])
def test_welch_refuses_groups_without_spread(first: list[float], second: list[float]) -> None:
    with pytest.raises(ValueError, match="Welch"):
        differences.welch(first, second)


@given(s.lists(s.integers(0, 40), min_size=4, max_size=4))
def test_fisher_is_scipys(cells: list[int]) -> None:
    table = [cells[:2], cells[2:]]
    expected = st.fisher_exact(table).pvalue if sum(cells) else 1.0
    assert differences.fisher_exact(table) == pytest.approx(expected, abs=1e-8)


def test_the_bootstrap_is_seeded_and_near_the_normal_interval_of_a_mean() -> None:
    rng = random.Random(1)
    values = [rng.gauss(5, 2) for _ in range(200)]
    once = resampling.bootstrap_interval(values, fmean, resamples=2000)
    assert once == resampling.bootstrap_interval(values, fmean, resamples=2000)
    half = 1.96 * np.std(values, ddof=1) / np.sqrt(200)
    assert tuple(once) == pytest.approx((fmean(values) - half, fmean(values) + half), abs=0.06)


def test_the_bootstrap_of_kappa_covers_the_kappa_that_the_cases_were_drawn_from() -> None:
    rng, hits = random.Random(2), 0
    for _ in range(60):
        rows = []
        for _ in range(60):
            true = rng.random() < 0.5
            rows.append([true if rng.random() < 0.9 else not true for _ in range(3)])
        low, high = resampling.bootstrap_interval(rows, ensemble_agreement, resamples=200)
        hits += low <= 0.64 <= high
    assert hits >= 50


def test_the_bootstrap_refuses_a_figure_that_is_hardly_ever_defined() -> None:
    def undefined(_: object) -> float:
        raise ValueError("not defined")

    with pytest.raises(ValueError, match="too few cases"):
        resampling.bootstrap_interval([1, 2], undefined)
    with pytest.raises(ValueError, match="at least one case"):
        resampling.bootstrap_interval([], fmean)
