"""Which findings a run gives against its baseline, and which of them block."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

from judgekit.gate.baseline import Baseline
from judgekit.gate.comparison import compare
from judgekit.gate.decision import decide
from judgekit.gate.errors import InvalidRun
from judgekit.gate.exit_codes import ExitCode
from judgekit.gate.finding import Finding, Kind, RunSummary
from judgekit.gate.run import Calibration, EvalRun, GateSettings, ScorerInfo
from tests.gate.making import blessed, run_of

STATISTICAL = GateSettings(mode="statistical")


def kinds(runs: list[EvalRun | RunSummary], baseline: Baseline | None) -> list[str]:
    return [finding.kind.value for finding in compare(runs, baseline)]


def only(kind: Kind, run: EvalRun | RunSummary, baseline: Baseline | None) -> Finding:
    found = [finding for finding in compare([run], baseline) if finding.kind is kind]
    assert len(found) == 1, found
    return found[0]


scores = s.lists(s.one_of(s.booleans(), s.floats(0, 1)), min_size=1, max_size=30)


@given(scores)
def test_a_run_against_its_own_baseline_has_no_findings(values: list[float]) -> None:
    run = run_of({"a": values})
    assert compare([run], blessed(run)) == ()


@given(scores, scores, s.randoms(use_true_random=False))
def test_the_order_of_runs_and_cases_changes_no_finding(
    first: list[float], second: list[float], rng: Random
) -> None:
    one, other = run_of({"a": first}), run_of({"a": second}, name="zz")
    baseline = blessed(run_of({"a": [True, True, 0.7]}), other)
    shuffled = list(one.cases)
    rng.shuffle(shuffled)
    before = compare([one, other], baseline)
    after = compare([other, replace(one, cases=tuple(shuffled))], baseline)
    strip = lambda found: [replace(f, cases=tuple(sorted(f.cases))) for f in found]  # noqa: E731
    assert strip(before) == strip(after)


def test_no_run_and_two_runs_of_one_name_are_errors() -> None:
    run = run_of({"a": [True]})
    with pytest.raises(InvalidRun, match="no eval ran"):
        compare([], None)
    with pytest.raises(InvalidRun, match="two runs are named 'qa'"):
        compare([run, run], None)


def test_a_missing_baseline_blocks_and_so_does_no_file_at_all() -> None:
    run = run_of({"a": [True]})
    for baseline in (None, Baseline()):
        assert kinds([run], baseline) == ["missing-baseline"]
        assert decide([run], baseline).exit_code is ExitCode.REGRESSION


def test_all_findings_of_all_evals_are_told_at_once() -> None:
    good, worse = run_of({"a": [True, True]}), run_of({"a": [True, False]}, threshold=0.9)
    found = compare([replace(worse, name="b"), worse], blessed(good, replace(good, name="b")))
    expected = ["below-threshold", "score-regression", "scorer-regression", "newly-failing"]
    assert [(f.eval, f.kind.value) for f in found] == [
        (name, kind) for name in ("b", "qa") for kind in expected
    ]


def test_one_scorer_may_not_fall_behind_another_that_rose() -> None:
    baseline = blessed(run_of({"a": [True, True], "b": [False, True]}))
    now = run_of({"a": [False, True], "b": [True, True]})
    found = only(Kind.SCORER_REGRESSION, now, baseline)
    assert (found.scorer, found.actual, found.baseline, found.cases) == ("a", 0.5, 1.0, ("c0",))
    assert found.blocking
    assert only(Kind.NEWLY_PASSING, now, baseline).cases == ("c0",)


def test_rounding_is_no_regression_but_a_ten_millionth_is() -> None:
    baseline = blessed(run_of({"a": [0.3, 0.3]}))
    assert compare([run_of({"a": [0.1 + 0.2, 0.3 - 5e-10]})], baseline) == ()
    assert "scorer-regression" in kinds([run_of({"a": [0.3, 0.3 - 1e-7]})], baseline)


@pytest.mark.parametrize("score", [math.nan, -math.inf, None])
def test_a_score_that_is_no_number_never_passes(score: float | None) -> None:
    run = run_of({"a": [True]})
    summary = replace(RunSummary.of(run), score=score)
    found = kinds([summary], blessed(run))
    assert found[:2] == ["below-threshold", "score-regression"]


@pytest.mark.parametrize("mode", ["strict", "statistical"])
def test_a_scorer_mean_that_is_no_number_never_passes(mode: str) -> None:
    run = run_of({"a": [True] * 9}, gate=GateSettings(mode=mode))  # type: ignore[arg-type]
    summary = RunSummary.of(run)
    scorer = replace(summary.scorers["a"], mean=math.nan)
    found = only(Kind.SCORER_REGRESSION, replace(summary, scorers={"a": scorer}), blessed(run))
    assert found.blocking


def test_errors_are_in_no_mean_and_block_beyond_the_allowed_number() -> None:
    first = run_of({"a": [True, True, True]})
    baseline = blessed(first)
    run = run_of({"a": [True, "malformed-verdict", "refusal"]})
    found = only(Kind.ERRORS, run, baseline)
    assert (run.score, found.actual, found.baseline) == (1.0, 2, 0)
    assert found.cases == ("c1", "c2")
    assert kinds([run], baseline) == ["errors"]
    assert decide([run], baseline).codes == (ExitCode.JUDGE,)
    allowed = replace(run, gate=GateSettings(allowed_errors=2))
    assert not only(Kind.ERRORS, allowed, baseline).blocking
    assert decide([allowed], blessed(first, gate=allowed.gate)).passed


@pytest.mark.parametrize(
    ("cause", "code"),
    [("miss", 3), ("corrupt-cassette", 3), ("bias-guard", 5), ("invalid-config", 2)],
)
def test_what_lies_in_the_repository_is_allowed_by_no_number(cause: str, code: int) -> None:
    baseline = blessed(run_of({"a": [True, True]}))
    run = run_of({"a": [True, cause]}, gate=GateSettings(allowed_errors=9))
    assert f"{cause} is never allowed" in only(Kind.ERRORS, run, baseline).detail
    assert decide([run], baseline).exit_code == code


def test_an_outage_is_told_as_errors_and_not_as_a_regression() -> None:
    forgiving = GateSettings(allowed_errors=9)
    baseline = blessed(run_of({"a": [True, True]}, threshold=0.5), gate=forgiving)
    run = run_of({"a": ["judge-unreachable"] * 2}, threshold=0.5, gate=forgiving)
    assert kinds([run], baseline) == ["errors"]
    assert decide([run], baseline).exit_code is ExitCode.JUDGE


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        ("miss", 3),
        ("corrupt-cassette", 3),
        ("malformed-verdict", 4),
        ("refusal", 4),
        ("truncated", 4),
        ("judge-unreachable", 4),
        ("bias-guard", 5),
        ("invalid-config", 2),
        ("missing-measurement", 1),
        ("task-failed", 1),
    ],
)
def test_each_cause_has_its_exit_code(cause: str, code: int) -> None:
    run = run_of({"a": [True, cause]})
    assert decide([run], blessed(run_of({"a": [True, True]}))).exit_code == code


def test_a_decision_lists_every_code_most_severe_first() -> None:
    baseline = blessed(run_of({"a": [True] * 6}))
    run = run_of({"a": [False, True, "miss", "bias-guard", "truncated", "invalid-config"]})
    decided = decide([run], baseline, further=[ExitCode.PASSED])
    assert decided.codes == (2, 5, 4, 3, 1)
    assert decided.exit_code is ExitCode.USAGE
    assert not decided.passed
    assert not decided.eval_passed("qa")
    assert len(decided.of("qa")) == len(decided.findings)
    assert all(finding.blocking for finding in decided.blocking)


def test_a_vanished_scorer_blocks_and_a_new_one_is_told() -> None:
    baseline = blessed(run_of({"a": [True], "b": [True]}))
    run = run_of({"a": [True], "c": [True]})
    assert only(Kind.MISSING_SCORER, run, baseline).scorer == "b"
    found = only(Kind.NEW_SCORER, run, baseline)
    assert (found.scorer, found.blocking) == ("c", False)


def test_a_blessed_eval_that_did_not_run_blocks_only_when_all_were_asked_for() -> None:
    run = run_of({"a": [True]})
    baseline = blessed(run, replace(run, name="other"))
    assert decide([run], baseline).passed
    decided = decide([run], baseline, whole_project=True)
    assert [(f.kind, f.eval) for f in decided.blocking] == [(Kind.MISSING_RUN, "other")]


def test_cases_that_vanish_change_or_come_are_named() -> None:
    baseline = blessed(run_of({"a": [True] * 3}))
    fewer = run_of({"a": [True] * 2}, ids=["c0", "c2"])
    assert only(Kind.FEWER_CASES, fewer, baseline).cases == ("c1",)
    replaced = run_of({"a": [True] * 3}, ids=["c0", "c1", "new"])
    assert only(Kind.CHANGED_CASES, replaced, baseline).cases == ("c2",)
    edited = run_of({"a": [True] * 3}, digests={"c1": "other"})
    found = only(Kind.CHANGED_CASES, edited, baseline)
    assert (found.cases, found.blocking) == (("c1",), True)
    more = run_of({"a": [True] * 4})
    found = only(Kind.NEW_CASES, more, baseline)
    assert (found.cases, found.blocking) == (("c3",), False)
    assert decide([more], baseline).passed


def test_a_lowered_bar_blocks_and_a_raised_one_does_not() -> None:
    info = ScorerInfo("a", "exact_match", wilson_floor=0.1)
    high = run_of({"a": [True] * 9}, threshold=0.8, wilson_floor=0.2, scorers=(info,))
    low = replace(
        high, threshold=0.7, wilson_floor=None, scorers=(replace(info, wilson_floor=0.05),)
    )
    found = compare([low], blessed(high))
    assert [(f.kind, f.scorer, f.baseline) for f in found] == [
        (Kind.LOWERED_THRESHOLD, None, 0.8),
        (Kind.LOWERED_THRESHOLD, None, 0.2),
        (Kind.LOWERED_THRESHOLD, "a", 0.1),
    ]
    assert compare([high], blessed(low)) == ()


def test_another_prompt_or_subject_is_told_and_does_not_block() -> None:
    run = run_of({"a": [True]})
    changed = replace(run, prompt_version="v2", subject="qwen")
    found = compare([changed], blessed(run))
    assert [f.kind.value for f in found] == ["prompt-version-changed", "subject-changed"]
    assert decide([changed], blessed(run)).passed


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"judges": ("m2",)}, Kind.JUDGE_CHANGED),
        ({"judges": ("m1", "m2")}, Kind.JUDGE_CHANGED),
        ({"rubric_digest": "r2"}, Kind.RUBRIC_CHANGED),
        ({"rubric_digest": None}, Kind.RUBRIC_CHANGED),
        ({"grader": "contains"}, Kind.SCORER_CHANGED),
        ({"config_digest": "o2"}, Kind.SCORER_CHANGED),
    ],
)
def test_another_measure_under_the_same_name_blocks(change: dict[str, str], kind: Kind) -> None:
    info = ScorerInfo("a", "llm_judge", ("m1",), "helpful", "r1", config_digest="o1")
    run = run_of({"a": [True]}, scorers=(info,))
    changed = replace(run, scorers=(replace(info, **change),))
    found = compare([changed], blessed(run))
    assert [(f.kind, f.scorer, f.blocking) for f in found] == [(kind, "a", True)]


def test_a_renamed_rubric_of_the_same_meaning_is_no_finding() -> None:
    info = ScorerInfo("a", "llm_judge", ("m1",), "helpful", "r1")
    run = run_of({"a": [True]}, scorers=(info,))
    assert compare([replace(run, scorers=(replace(info, rubric="kind"),))], blessed(run)) == ()


@pytest.mark.parametrize(
    ("low", "blocks"), [(None, True), (0.39, True), (0.4, False), (0.9, False)]
)
def test_a_judge_must_be_calibrated_where_the_eval_asks(low: float | None, blocks: bool) -> None:
    plain = run_of({"a": [True]})
    info = replace(plain.scorers[0], calibration=Calibration(0.4, low, 60))
    found = kinds([replace(plain, scorers=(info,))], blessed(plain))
    assert found == (["uncalibrated-judge"] if blocks else [])


def test_too_small_a_sample_is_below_its_wilson_floor_and_told_how_many_would_do() -> None:
    run = run_of({"a": [True] * 3}, wilson_floor=0.5)
    found = only(Kind.WILSON_BELOW_FLOOR, run, None)
    assert found.actual == pytest.approx(0.438502968, abs=1e-9)
    assert "4 cases at this pass rate would do" in found.detail
    assert "wilson-below-floor" not in kinds([run_of({"a": [True] * 4}, wilson_floor=0.5)], None)
    info = ScorerInfo("b", "regex", wilson_floor=0.6)
    mixed = run_of({"b": [True, True, False]}, scorers=(info,))
    assert only(Kind.WILSON_BELOW_FLOOR, mixed, None).scorer == "b"


def paired(before: list[float], after: list[float], settings: GateSettings) -> Finding:
    baseline = blessed(run_of({"a": before}))
    return next(
        f for f in compare([run_of({"a": after}, gate=settings)], baseline) if f.scorer == "a"
    )


def test_statistical_mode_blocks_on_a_significant_drop() -> None:
    found = paired([True] * 60, [False] * 6 + [True] * 54, STATISTICAL)
    assert (found.kind, found.blocking) == (Kind.SCORER_REGRESSION, True)
    assert "McNemar adjusted p = 0.0312" in found.detail
    assert found.cases == tuple(f"c{i}" for i in range(6))


def test_statistical_mode_lets_noise_through_and_reports_it() -> None:
    before = [True] * 50 + [False] * 10
    after = [False] * 8 + [True] * 42 + [True] * 7 + [False] * 3
    found = paired(before, after, STATISTICAL)
    assert (found.kind, found.blocking) == (Kind.SCORER_REGRESSION, False)
    run, first = run_of({"a": after}, gate=STATISTICAL), run_of({"a": before})
    assert decide([run], blessed(first, gate=STATISTICAL)).passed
    assert not decide([replace(run, gate=GateSettings())], blessed(first)).passed


def test_too_few_cases_are_inconclusive_with_how_many_more_would_do() -> None:
    found = paired([True] * 30, [False] * 3 + [True] * 27, STATISTICAL)
    assert (found.kind, found.blocking) == (Kind.INCONCLUSIVE, True)
    assert "about 30 more would do" in found.detail
    run = run_of({"a": [False] * 3 + [True] * 27}, gate=STATISTICAL)
    decided = decide([run], blessed(run_of({"a": [True] * 30}), gate=STATISTICAL))
    assert decided.exit_code is ExitCode.INCONCLUSIVE


def test_twice_the_cases_at_the_same_rate_are_then_significant() -> None:
    found = paired([True] * 60, [False] * 6 + [True] * 54, STATISTICAL)
    assert "significant" in found.detail


def test_max_drop_caps_what_significance_lets_through() -> None:
    before, after = [True] * 10 + [False] * 5, [False] * 4 + [True] * 6 + [True] * 2 + [False] * 3
    capped = GateSettings(mode="statistical", max_drop=0.05)
    found = paired(before, after, capped)
    assert found.blocking
    assert "more than max_drop" in found.detail


def test_with_max_drop_a_small_drop_in_many_cases_passes_and_in_few_is_inconclusive() -> None:
    tolerant = GateSettings(mode="statistical", max_drop=0.05)
    many = paired([True] * 1000, [False] + [True] * 999, tolerant)
    assert (many.kind, many.blocking) == (Kind.SCORER_REGRESSION, False)
    few = paired([True] * 30, [False] + [True] * 29, tolerant)
    assert (few.kind, few.blocking) == (Kind.INCONCLUSIVE, True)


def test_graded_scores_are_tested_by_their_size() -> None:
    rng = Random(2)
    before = [0.6 + 0.3 * rng.random() for _ in range(40)]
    after = [score - 0.04 - 0.02 * rng.random() for score in before]
    found = paired(before, after, STATISTICAL)
    assert found.blocking
    assert "mean score fell by 0.05" in found.detail


def test_clusters_make_a_drop_in_one_conversation_less_sure() -> None:
    before, after = [True] * 40, [False] * 8 + [True] * 32
    baseline = blessed(run_of({"a": before}), gate=STATISTICAL)
    clusters = ["one"] * 8 + [f"t{i}" for i in range(32)]
    alone = run_of({"a": after}, gate=STATISTICAL)
    together = run_of({"a": after}, gate=STATISTICAL, clusters=clusters)
    assert decide([alone], baseline).exit_code is ExitCode.REGRESSION
    assert decide([together], baseline).exit_code is ExitCode.INCONCLUSIVE


def test_holm_weighs_each_scorer_by_how_many_are_tested() -> None:
    before = {f"s{i}": [True] * 60 for i in range(4)}
    after = {name: list(values) for name, values in before.items()}
    after["s0"] = [False] * 6 + [True] * 54
    decided = decide([run_of(after, gate=STATISTICAL)], blessed(run_of(before), gate=STATISTICAL))
    assert decided.exit_code is ExitCode.INCONCLUSIVE


def test_without_shared_cases_statistical_mode_is_strict() -> None:
    baseline = blessed(run_of({"a": [True] * 20}))
    run = run_of({"a": [False] + [True] * 19}, ids=[f"n{i}" for i in range(20)], gate=STATISTICAL)
    assert only(Kind.SCORER_REGRESSION, run, baseline).blocking
    assert only(Kind.SCORE_REGRESSION, run, baseline).blocking


@settings(max_examples=60)
@given(s.lists(s.tuples(s.floats(0, 1), s.floats(0, 1)), min_size=1, max_size=25))
def test_whatever_blocks_statistically_blocks_strictly(pairs: list[tuple[float, float]]) -> None:
    before, after = [a for a, _ in pairs], [b for _, b in pairs]
    first, run = run_of({"a": before}), run_of({"a": after})
    if decide([run], blessed(first)).passed:
        softer = compare([replace(run, gate=STATISTICAL)], blessed(first, gate=STATISTICAL))
        assert all("paired figure fell" in f.detail for f in softer if f.blocking)
