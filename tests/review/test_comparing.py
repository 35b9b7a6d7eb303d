from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from judgekit.errors import ConfigError
from judgekit.gate.run import ScorerInfo
from judgekit.review.comparing import CaseText, compare, of_eval
from judgekit.review.comparison import Comparison
from judgekit.review.labels import Label
from tests.ledger.making import WHEN, run_of

RUN = run_of(
    {
        "c1": {"helpful": 0.75, "names_it": 1.0},
        "c2": {"helpful": 0.25, "names_it": 1.0},
        "c3": {"helpful": None, "names_it": 1.0},
    }
)
RUN = replace(RUN, scorers=(RUN.scorers[0], ScorerInfo("names_it", "contains")))
TEXTS = {f"c{n}": CaseText(f"input {n}", f"output {n}") for n in (1, 2, 3)}


def label(case: str, verdict: Any, scorer: str = "", **changes: Any) -> Label:
    return replace(Label(case, "support", scorer, verdict, source="labels.jsonl:1"), **changes)


def test_a_label_is_held_against_the_grade_of_its_case_and_scorer() -> None:
    given = [label("c1", "fail", reviewer="ann", note="no"), label("c2", "fail", "helpful")]
    compared = compare(RUN, given, TEXTS, {"helpful": 0.6}, WHEN)
    first, second = compared.comparisons
    assert first == Comparison(
        "support",
        "helpful",
        "c1",
        "input 1",
        "output 1",
        "pass",
        "fail",
        "test-judge",
        0.75,
        0.6,
        "because",
        "ann",
        "no",
        WHEN,
    )
    assert (first.disagrees, second.disagrees) == (True, False)
    assert second.judge_verdict == "fail"


def test_a_grade_in_error_is_no_verdict_and_so_no_disagreement() -> None:
    compared = compare(RUN, [label("c3", "fail"), label("c1", "pass")], TEXTS, {})
    assert compared.in_error == 1
    assert [each.case for each in compared.comparisons] == ["c1"]


def test_a_case_that_cannot_be_read_any_more_is_left_out() -> None:
    compared = compare(RUN, [label("c1", "fail"), label("c3", "fail")], {"c2": TEXTS["c2"]}, {})
    assert (compared.comparisons, compared.in_error) == ((), 0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (label("c9", "fail"), "labels.jsonl:1: case 'c9' is none of eval 'support'; check its id"),
        (label("c1", "fail", "names_it"), "scorer 'names_it' asks no judge"),
        (label("c1", "fail", "helpfull"), "no scorer is named 'helpfull'; did you mean 'helpful'"),
    ],
)
def test_a_label_of_nothing_that_was_judged_is_refused(given: Label, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        compare(RUN, [given], TEXTS, {})


def test_where_several_scorers_are_judged_a_label_says_which() -> None:
    several = run_of({"c1": {"helpful": 1.0, "tone": 1.0}})
    with pytest.raises(ConfigError, match=r"say which scorer is meant \(helpful, tone\)"):
        compare(several, [label("c1", "fail")], TEXTS, {})
    (found,) = compare(several, [label("c1", "fail", "tone")], TEXTS, {}).comparisons
    assert found.scorer == "tone"


def test_a_label_without_an_eval_belongs_to_the_only_one() -> None:
    given = [label("c1", "fail", eval=""), label("c1", "fail", eval="other")]
    assert of_eval(given, RUN, alone=True) == (label("c1", "fail"),)
    with pytest.raises(ConfigError, match=r"labels.jsonl:1: eval: is missing"):
        of_eval(given, RUN, alone=False)
