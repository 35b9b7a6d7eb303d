"""What may become the baseline, how it merges, and what a reviewer sees."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as s

from judgekit.gate.baseline import baseline_to_json, parse_baseline
from judgekit.gate.bless import assert_eligible, bless_requested, describe_changes, merge
from judgekit.gate.decision import decide
from judgekit.gate.errors import BlessRefused, InvalidRun
from judgekit.gate.finding import RunSummary, ScorerSummary
from judgekit.gate.run import Calibration, GateSettings
from tests.gate.making import blessed, run_of

RUN = run_of({"a": [True, True, False]}, threshold=0.5)


def test_a_score_at_the_threshold_may_be_blessed() -> None:
    assert_eligible(run_of({"a": [True, False]}, threshold=0.5))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"score": math.nan}, "below-threshold"),
        ({"score": None}, "cannot be computed"),
        ({"score": math.inf}, "its score is inf"),
        ({"score": 1.5}, "its score is 1.5"),
        ({"score": 0.4}, "score 0.4 is below the threshold 0.5"),
        ({"threshold": math.nan}, "below-threshold"),
        ({"cases": ()}, "it has no cases"),
        ({"scorers": {}}, "it has no scorers"),
        ({"errors": {"miss": 1}}, "1 grade in error"),
        ({"wilson_floor": 0.9}, "wilson-below-floor"),
    ],
)
def test_a_run_that_is_not_whole_or_good_enough_is_refused(
    change: dict[str, Any], said: str
) -> None:
    with pytest.raises(BlessRefused, match=r"^eval 'qa' cannot be blessed: ") as refused:
        assert_eligible(replace(RunSummary.of(RUN), **change))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("mean", [math.nan, None, -0.5, math.inf])
def test_a_scorer_mean_that_is_no_share_is_refused(mean: float | None) -> None:
    scorers = {"a": ScorerSummary(RUN.scorers[0], mean, 3, 2)}
    with pytest.raises(BlessRefused, match="its mean of a is"):
        assert_eligible(replace(RunSummary.of(RUN), scorers=scorers))


def test_an_uncalibrated_judge_is_not_blessed() -> None:
    info = replace(RUN.scorers[0], calibration=Calibration(0.6, 0.2, 30))
    with pytest.raises(BlessRefused, match=r"uncalibrated-judge \(a\)"):
        assert_eligible(replace(RUN, scorers=(info,)))


def test_allowed_errors_are_blessed_as_no_grade() -> None:
    run = run_of({"a": [True, "refusal"]}, gate=GateSettings(allowed_errors=1))
    entry = blessed(run).evals["qa"]
    assert entry.cases["c1"].grades == {"a": None}
    assert (entry.scorers["a"].mean, entry.scorers["a"].n) == (1.0, 1)


def test_other_evals_keep_their_entries_and_the_runs_is_replaced_whole() -> None:
    other = replace(RUN, name="other")
    baseline = blessed(RUN, other)
    now = run_of({"b": [True]}, threshold=0.1)
    merged = merge(baseline, [now])
    assert merged.evals["other"] is baseline.evals["other"]
    assert set(merged.evals["qa"].scorers) == {"b"}
    assert set(merged.evals["qa"].cases) == {"c0"}


def test_one_run_that_may_not_be_blessed_stops_all() -> None:
    bad = run_of({"a": [False]}, threshold=0.5, name="bad")
    with pytest.raises(BlessRefused, match="'bad'"):
        merge(None, [RUN, bad])


def test_no_run_and_two_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidRun, match="no eval ran"):
        merge(None, [])
    with pytest.raises(InvalidRun, match="two runs"):
        merge(None, [RUN, RUN])


@given(s.lists(s.floats(0, 1), min_size=1, max_size=20), s.booleans())
def test_what_was_blessed_passes_its_own_gate(values: list[float], both: bool) -> None:
    run = run_of({"a": values, "b": values[::-1]} if both else {"a": values})
    baseline = parse_baseline(baseline_to_json(merge(None, [run])))
    assert decide([run], baseline, whole_project=True).passed
    assert describe_changes(baseline, merge(baseline, [run])) == ()


def test_a_reviewer_sees_what_blessing_changes() -> None:
    kept = replace(RUN, name="kept")
    old = blessed(RUN, kept, replace(RUN, name="gone"))
    now = run_of(
        {"a": [False, True, 0.75], "b": [True, True, True]},
        ids=["c0", "c1", "c3"],
        digests={"c1": "other"},
        threshold=0.25,
        prompt_version="v2",
    )
    new = blessed(now, kept, replace(RUN, name="new"))
    assert describe_changes(old, new) == (
        "- gone: removed",
        "+ new: score 0.666666667, 3 cases (a 0.666666667)",
        "~ qa: prompt_version v1 → v2",
        "~ qa: threshold 0.5 → 0.25",
        "~ qa: score 0.666666667 → 0.791666667",
        "~ qa: scorer a: mean 0.666666667 → 0.583333333",
        "~ qa: scorer a: newly fails: c0",
        "~ qa: scorer b: added, mean 1 of 3",
        "~ qa: cases removed: c2",
        "~ qa: cases added: c3",
        "~ qa: cases edited: c1",
    )
    assert describe_changes(None, blessed(kept))[0].startswith("+ kept")


def test_a_long_list_of_cases_is_cut_and_counted() -> None:
    old, new = run_of({"a": [True] * 30}), run_of({"a": [False] * 30})
    line = next(x for x in describe_changes(blessed(old), blessed(new)) if "newly" in x)
    assert line.endswith("c26 and 10 more")


@pytest.mark.parametrize(
    ("value", "in_ci", "asked"),
    [
        ("1", False, True),
        ("1", True, False),
        (None, False, False),
        ("", False, False),
        ("0", False, False),
        ("true", False, False),
        (" 1", False, False),
    ],
)
def test_blessing_is_asked_for_by_exactly_one_outside_ci(
    value: str | None, in_ci: bool, asked: bool
) -> None:
    assert bless_requested(value, in_ci=in_ci) is asked


def test_names_cannot_write_on_the_reviewers_terminal() -> None:
    run = run_of({"a": [True]}, name="x\n\x1b[2J\u202e")
    (line,) = describe_changes(None, blessed(run))
    assert line.startswith("+ x\\n\\x1b[2J\\u202e: score 1")
    with pytest.raises(BlessRefused) as refused:
        assert_eligible(run_of({"a": [False]}, name="x\ny" * 500, threshold=0.5))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) <= 700
