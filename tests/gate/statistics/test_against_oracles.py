"""The formulas agree with SciPy, statsmodels, scikit-learn and krippendorff."""

from __future__ import annotations

import math
import random
import warnings

import krippendorff
import numpy as np
import pytest
import scipy.stats as st
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as s
from sklearn.metrics import balanced_accuracy_score
from statsmodels.stats import contingency_tables as ct
from statsmodels.stats import inter_rater as ir
from statsmodels.stats import multitest
from statsmodels.stats import proportion as pr

from judgekit.gate.statistics import agreement, distributions, logistic, paired, proportions

TIGHT = 1e-9
counts = s.integers(1, 400).flatmap(lambda n: s.tuples(s.integers(0, n), s.just(n)))


@given(s.floats(-8, 8))
def test_normal_cdf_is_scipys(x: float) -> None:
    assert distributions.normal_cdf(x) == pytest.approx(st.norm.cdf(x), abs=TIGHT, rel=TIGHT)


@given(s.floats(1e-9, 1 - 1e-9))
def test_normal_quantile_is_scipys(p: float) -> None:
    assert distributions.normal_quantile(p) == pytest.approx(st.norm.ppf(p), abs=TIGHT)


@given(s.floats(-50, 50), s.one_of(s.integers(1, 500), s.floats(0.5, 500)))
def test_t_cdf_is_scipys(t: float, df: float) -> None:
    assert distributions.t_cdf(t, df) == pytest.approx(st.t.cdf(t, df), abs=TIGHT)


@given(s.floats(1e-4, 1 - 1e-4), s.integers(1, 2000))
def test_t_quantile_is_scipys(p: float, df: int) -> None:
    assert distributions.t_quantile(p, df) == pytest.approx(st.t.ppf(p, df), rel=TIGHT, abs=TIGHT)


@given(s.floats(0, 1), s.floats(0.3, 300), s.floats(0.3, 300))
def test_incomplete_beta_is_scipys(x: float, a: float, b: float) -> None:
    from scipy.special import betainc

    assert distributions.regularised_beta(x, a, b) == pytest.approx(betainc(a, b, x), abs=TIGHT)


@given(counts, s.floats(0.01, 0.99))
def test_binomial_cdf_is_scipys(of: tuple[int, int], p: float) -> None:
    k, n = of
    assert distributions.binomial_cdf(k, n, p) == pytest.approx(st.binom.cdf(k, n, p), abs=TIGHT)


def test_exact_and_continued_fraction_tails_meet_where_the_code_switches() -> None:
    exact = distributions.binomial_cdf(490, 1024)
    assert exact == pytest.approx(distributions.regularised_beta(0.5, 1024 - 490, 491), abs=TIGHT)
    assert distributions.binomial_cdf(5000, 10_100) == pytest.approx(
        st.binom.cdf(5000, 10_100, 0.5), abs=TIGHT
    )


@given(counts, s.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_is_statsmodels(of: tuple[int, int], confidence: float) -> None:
    expected = pr.proportion_confint(*of, alpha=1 - confidence, method="wilson")
    assert proportions.wilson_interval(*of, confidence) == pytest.approx(expected, abs=TIGHT)


@given(counts, counts)
def test_newcombe_is_statsmodels(first: tuple[int, int], second: tuple[int, int]) -> None:
    expected = pr.confint_proportions_2indep(*first, *second, method="newcomb", compare="diff")
    assert proportions.newcombe_difference(*first, *second) == pytest.approx(expected, abs=TIGHT)


@settings(deadline=None)
@given(counts, s.sampled_from([0.5, 0.1, 0.37, 0.9]))
def test_binomial_test_is_scipys(of: tuple[int, int], p: float) -> None:
    expected = st.binomtest(*of, p).pvalue
    assert proportions.binomial_test(*of, p) == pytest.approx(expected, abs=1e-8)


@given(s.integers(0, 60), s.integers(0, 60))
def test_mcnemar_is_statsmodels(b: int, c: int) -> None:
    expected = ct.mcnemar([[10, b], [c, 10]], exact=True).pvalue if b + c else 1.0
    assert paired.mcnemar_exact(b, c) == pytest.approx(expected, abs=TIGHT)


def test_paired_t_is_scipys() -> None:
    rng = random.Random(4)
    differences = [rng.gauss(-0.02, 0.3) for _ in range(37)]
    test, expected = paired.paired_t(differences), st.ttest_1samp(differences, 0.0)
    assert test.p_value == pytest.approx(expected.pvalue, abs=TIGHT)
    assert test.interval == pytest.approx(tuple(expected.confidence_interval()), abs=TIGHT)


def test_clustered_error_is_statsmodels() -> None:
    rng = random.Random(5)
    groups = [rng.randrange(9) for _ in range(60)]
    differences = [rng.gauss(0.01 * g, 0.2) for g in groups]
    fit = sm.OLS(differences, np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True}, use_t=True
    )
    test = paired.clustered_t(differences, groups)
    assert test.standard_error == pytest.approx(fit.bse[0], abs=TIGHT)
    assert test.p_value == pytest.approx(fit.pvalues[0], abs=TIGHT)
    assert test.interval == pytest.approx(tuple(fit.conf_int()[0]), abs=TIGHT)


@given(s.lists(s.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_statsmodels(values: list[float]) -> None:
    expected = multitest.multipletests(values, method="holm")[1]
    assert paired.holm(values) == pytest.approx(list(expected), abs=TIGHT)


@given(s.lists(s.lists(s.integers(0, 30), min_size=3, max_size=3), min_size=3, max_size=3))
def test_cohen_kappa_is_statsmodels(table: list[list[int]]) -> None:
    rows, columns = [sum(r) for r in table], [sum(c) for c in zip(*table, strict=True)]
    if not sum(rows) or max(rows) == sum(rows) or max(columns) == sum(rows):
        return
    expected, got = ir.cohens_kappa(np.array(table)), agreement.cohen_kappa(table)
    assert got.value == pytest.approx(expected.kappa, abs=TIGHT)
    if expected.var_kappa > 1e-12:
        assert got.standard_error == pytest.approx(math.sqrt(expected.var_kappa), abs=TIGHT)


def test_fleiss_kappa_is_statsmodels() -> None:
    rng = np.random.default_rng(3)
    table = rng.multinomial(5, [0.5, 0.3, 0.2], size=40)
    expected = ir.fleiss_kappa(table, method="fleiss")
    assert agreement.fleiss_kappa(table.tolist()) == pytest.approx(expected, abs=TIGHT)


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(6))
def test_alpha_is_krippendorffs(metric: agreement.Metric, seed: int) -> None:
    rng = random.Random(seed)
    units = [
        [None if rng.random() < 0.25 else float(rng.randint(1, 5)) for _ in range(4)]
        for _ in range(25)
    ]
    data = np.array([[np.nan if v is None else v for v in unit] for unit in units]).T
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement=metric)
    assert agreement.krippendorff_alpha(units, metric) == pytest.approx(expected, abs=TIGHT)


def test_balanced_accuracy_is_scikit_learns() -> None:
    table = [[40, 7, 3], [2, 11, 1], [5, 5, 20]]
    truth = [i for i, row in enumerate(table) for count in row for _ in range(count)]
    found = [j for row in table for j, count in enumerate(row) for _ in range(count)]
    expected = balanced_accuracy_score(truth, found)
    assert agreement.balanced_accuracy(table) == pytest.approx(expected, abs=TIGHT)


@pytest.mark.parametrize("columns", [1, 2])
def test_logistic_regression_is_statsmodels(columns: int) -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=(150, columns)) * [1.0, 200.0][:columns]
    chance = 1 / (1 + np.exp(-(0.3 + 0.8 * x[:, 0])))
    y = rng.random(150) < chance
    fit = sm.Logit(y.astype(float), sm.add_constant(x)).fit(disp=0, tol=1e-14)
    got = logistic.logistic_regression(y.tolist(), x.tolist())
    assert [c.value for c in got] == pytest.approx(list(fit.params), abs=TIGHT)
    assert [c.standard_error for c in got] == pytest.approx(list(fit.bse), abs=TIGHT)
    assert [c.p_value for c in got] == pytest.approx(list(fit.pvalues), abs=TIGHT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = fit.conf_int()
    for own, end in zip(got, ends, strict=True):
        assert own.interval == pytest.approx(tuple(end), abs=TIGHT)
