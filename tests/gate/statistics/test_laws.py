"""Reference values, laws, and what the formulas refuse."""

from __future__ import annotations

import itertools
import math
import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as s

from judgekit.gate.statistics import (
    agreement,
    correction,
    distributions,
    logistic,
    paired,
    proportions,
    trials,
)


def test_reference_values_hold() -> None:
    near = lambda *v: pytest.approx(v if len(v) > 1 else v[0], abs=5e-7)  # noqa: E731
    assert proportions.wilson_interval(95, 100) == near(0.888250, 0.978456)
    assert proportions.newcombe_difference(56, 70, 48, 80) == near(0.052431, 0.333873)
    assert paired.mcnemar_exact(12, 4) == near(0.076813)
    kappa = agreement.cohen_kappa([[45, 15], [25, 15]])
    assert (kappa.value, kappa.standard_error) == near(0.130435, 0.098662)
    corrected = correction.rogan_gladen(0.4, 1000, 0.7, 200, 0.9, 200)
    assert corrected.estimate == near(0.166667)
    assert corrected.interval == near(0.056351, 0.262733)
    assert [trials.pass_at_k(10, 3, k) for k in (1, 3, 5)] == near(0.3, 0.708333, 0.916667)
    expected = near(0.75, 0.535714, 0.214286, 0.0)
    assert tuple(trials.pass_pow_k(8, 6, k) for k in (1, 2, 4, 8)) == expected
    assert distributions.two_sided_z(0.95) == pytest.approx(1.959963984540054, abs=1e-15)


def test_wilson_lower_bound_of_three_of_three_and_of_nothing() -> None:
    assert proportions.wilson_lower_bound(3, 3) == pytest.approx(0.4385, abs=5e-5)
    assert proportions.wilson_lower_bound(0, 0) == 0
    assert proportions.wilson_lower_bound(0, 5) == 0
    one_sided = proportions.wilson_lower_bound(3, 3, 0.95, "one-sided")
    assert one_sided == pytest.approx(3 / (3 + 1.6448536269514722**2), abs=1e-12)


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (math.nan, 3), (1, math.inf)])
def test_wilson_refuses_impossible_counts(successes: float, n: float) -> None:
    with pytest.raises(ValueError, match="is not a count"):
        proportions.wilson_lower_bound(successes, n)


@pytest.mark.parametrize(
    ("floor", "rate"),
    [
        (0.3070083112527797, 0.30700831125970385),
        (0.9739869870882385, 0.9739869870882405),
        (0.5, math.nextafter(0.5, 1)),
        (5e-324, 1e-323),
    ],
)
def test_a_rate_that_is_hardly_above_the_floor_needs_more_cases_than_there_are(
    floor: float, rate: float
) -> None:
    assert proportions.cases_for_floor(floor, rate) is None


@given(s.floats(0, 1), s.integers(0, 500), s.sampled_from([0.8, 0.95, 0.999]))
def test_failures_allowed_is_the_most_that_keeps_the_floor(
    floor: float, n: int, confidence: float
) -> None:
    found = proportions.failures_allowed(floor, n, confidence)
    bounds = [proportions.wilson_lower_bound(n - k, n, confidence) for k in range(n + 1)]
    enough = [k for k, bound in enumerate(bounds) if bound >= floor]
    assert found == (max(enough) if enough else None)


@given(s.floats(0.01, 0.97), s.floats(0.01, 1.0), s.sampled_from(["two-sided", "one-sided"]))
def test_cases_for_floor_is_the_least_that_does(
    floor: float, rate: float, sides: proportions.Sides
) -> None:
    n = proportions.cases_for_floor(floor, rate, sides=sides)
    if rate <= floor:
        assert n is None
        return
    assert n is not None
    assert proportions.wilson_lower_bound(rate * n, n, sides=sides) >= floor - 1e-12
    if n > 1:
        assert proportions.wilson_lower_bound(rate * (n - 1), n - 1, sides=sides) < floor + 1e-9


def test_cases_for_half_width() -> None:
    assert proportions.cases_for_half_width(0.05) == 385


@pytest.mark.parametrize(("n", "c"), [(6, 2), (7, 7), (5, 0), (8, 5)])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_pass_figures_are_what_drawing_every_subset_gives(n: int, c: int, k: int) -> None:
    drawn = list(itertools.combinations([True] * c + [False] * (n - c), k))
    assert trials.pass_at_k(n, c, k) == pytest.approx(fmean(map(any, drawn)))
    assert trials.pass_pow_k(n, c, k) == pytest.approx(fmean(map(all, drawn)))


@pytest.mark.parametrize(("n", "c", "k"), [(3, 1, 4), (3, 1, 0), (0, 0, 1), (3, 4, 1), (3, -1, 1)])
def test_pass_figures_refuse_what_cannot_be_drawn(n: int, c: int, k: int) -> None:
    for figure in (trials.pass_at_k, trials.pass_pow_k, trials.naive_pass_pow_k):
        with pytest.raises(ValueError, match=r"trials"):
            figure(n, c, k)


def test_macro_average_is_seeded_and_holds_its_value() -> None:
    tasks = [(8, 6), (8, 8), (8, 2)]
    first = trials.macro_average(tasks, 2)
    assert first == trials.macro_average(tasks, 2)
    assert first != trials.macro_average(tasks, 2, seed=1)
    assert first.value == pytest.approx((15 / 28 + 1 + 1 / 28) / 3)
    assert first.interval.low < first.value < first.interval.high


def test_bootstrap_is_seeded_and_near_the_t_test() -> None:
    rng = random.Random(1)
    differences = [rng.gauss(-0.1, 0.3) for _ in range(80)]
    test, again = paired.paired_bootstrap(differences), paired.paired_bootstrap(differences)
    t = paired.paired_t(differences)
    assert test == again
    assert test.difference == t.difference
    assert test.p_value == pytest.approx(t.p_value, abs=0.01)
    assert test.interval == pytest.approx(t.interval, abs=0.01)


def test_bootstrap_draws_whole_clusters() -> None:
    differences, clusters = [0.1] * 30 + [-0.1] * 30, ["a"] * 30 + ["b"] * 30
    wide = paired.paired_bootstrap(differences, clusters=clusters).interval
    narrow = paired.paired_bootstrap(differences).interval
    assert wide == pytest.approx((-0.1, 0.1))
    assert narrow.high < 0.05


def test_equal_differences_fall_back_to_the_sign_test() -> None:
    assert paired.paired_t([-0.1] * 4).p_value == pytest.approx(0.125)
    assert paired.paired_t([0.0] * 4).p_value == 1.0


def test_t_test_needs_two_independent_cases() -> None:
    with pytest.raises(ValueError, match="at least two independent"):
        paired.clustered_t([0.1, 0.2], ["same", "same"])


def test_kappa_of_one_label_only_is_refused() -> None:
    with pytest.raises(ValueError, match="one label only"):
        agreement.cohen_kappa([[9, 0], [0, 0]])


def test_kappa_knows_what_a_constant_judge_would_reach() -> None:
    assert agreement.cohen_kappa([[45, 15], [25, 15]]).constant == pytest.approx(0.7)


@pytest.mark.parametrize(
    "counts", [[], [[1, 0]], [[3, 1], [2, 1]], [[4, -1], [2, 1]], [[2], [1, 1]]]
)
def test_fleiss_refuses_tables_that_no_panel_gives(counts: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="Fleiss"):
        agreement.fleiss_kappa(counts)


def test_unanimous_values_agree_fully() -> None:
    assert agreement.krippendorff_alpha([["a", "a"], ["a", None, "a"]]) == 1.0
    assert agreement.ensemble_agreement([["pass"] * 3] * 2) == 1.0


def test_alpha_refuses_text_on_a_number_scale_and_no_pairs() -> None:
    with pytest.raises(ValueError, match="needs numbers"):
        agreement.krippendorff_alpha([["a", "b"]], "ordinal")
    with pytest.raises(ValueError, match="two values"):
        agreement.krippendorff_alpha([["a", None]])


def test_balanced_accuracy_refuses_labels_of_one_class() -> None:
    with pytest.raises(ValueError, match="two classes"):
        agreement.balanced_accuracy([[5, 1], [0, 0]])


def test_rogan_gladen_refuses_a_judge_at_chance() -> None:
    with pytest.raises(ValueError, match="no better than chance"):
        correction.rogan_gladen(0.4, 100, 0.5, 20, 0.5, 20)


def test_prediction_powered_mean_with_no_weight_is_the_labelled_mean() -> None:
    human, judge, more = [1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0, 1.0]
    alone = correction.prediction_powered_mean(human, judge, more, weight=0.0)
    assert alone.estimate == pytest.approx(0.75)
    plain = correction.prediction_powered_mean(human, judge, more)
    assert plain.estimate == pytest.approx(0.6 + 0.25)
    spread = math.sqrt(0.3 / 5 + 0.25 / 4)
    assert plain.interval.high == pytest.approx(0.85 + 1.959963984540054 * spread)


def test_prediction_powered_interval_covers_the_truth_and_the_tuned_one_is_narrower() -> None:
    covered, widths = 0, []
    for seed in range(200):
        rng = random.Random(seed)
        truth = [float(rng.random() < 0.6) for _ in range(540)]
        judged = [t if rng.random() < 0.8 else 1 - t for t in truth]
        tuned, plain = (
            correction.prediction_powered_mean(truth[:40], judged[:40], judged[40:], weight=w)
            for w in (None, 1.0)
        )
        covered += tuned.interval.low <= 0.6 <= tuned.interval.high
        widths.append(
            (tuned.interval.high - tuned.interval.low) - (plain.interval.high - plain.interval.low)
        )
    assert 180 <= covered <= 199
    assert fmean(widths) < 0


@pytest.mark.parametrize(
    ("outcomes", "covariates"),
    [
        ([True, False], [[1.0]]),
        ([True, False, True], [[1.0], [1.0], [1.0]]),
        ([False, False, True, True], [[1.0], [2.0], [3.0], [4.0]]),
        ([True, True, True], [[1.0], [2.0], [4.0]]),
        ([True, False, True], [[1.0], [math.nan], [4.0]]),
    ],
)
def test_logistic_regression_without_a_finite_estimate_is_refused(
    outcomes: list[bool], covariates: list[list[float]]
) -> None:
    with pytest.raises(ValueError, match="logistic regression"):
        logistic.logistic_regression(outcomes, covariates)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, math.nan])
def test_confidence_must_be_between_none_and_certain(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        proportions.wilson_interval(3, 4, confidence)
