from __future__ import annotations

from dataclasses import replace

import pytest

from judgekit.errors import ConfigError
from judgekit.gate.run import CaseResult, EvalRun, GateSettings, ScorerInfo
from judgekit.ledger.difference import Setting, Shift, difference
from tests.ledger.making import grade, run_of

BEFORE = run_of(
    {
        "c1": {"helpful": 1.0, "tone": 0.5},
        "c2": {"helpful": 0.0, "tone": 0.5},
        "c3": {"helpful": None, "tone": 0.5},
        "c4": {"helpful": 0.6, "tone": 0.5},
        "gone": {"helpful": 1.0, "tone": 0.5},
    }
)
AFTER = run_of(
    {
        "c4": {"helpful": 0.7, "tone": 0.5},
        "c1": {"helpful": 0.0, "tone": 0.5 + 1e-12},
        "c2": {"helpful": 1.0, "tone": 0.5},
        "c3": {"helpful": 1.0, "tone": None},
        "new": {"helpful": 1.0, "tone": 0.5},
    }
)


def test_a_run_does_not_differ_from_itself() -> None:
    found = difference(BEFORE, BEFORE)
    assert (found.settings, found.changes, found.added, found.removed, found.edited) == (
        (),
        (),
        (),
        (),
        (),
    )
    assert found.unchanged == 10
    assert {shift.change for shift in found.shifts} == {0.0}


def test_every_grade_that_changed_is_named_with_how() -> None:
    found = difference(BEFORE, AFTER)
    assert [(c.case, c.scorer, c.kind) for c in found.changes] == [
        ("c4", "helpful", "score"),
        ("c1", "helpful", "newly failing"),
        ("c2", "helpful", "newly passing"),
        ("c3", "helpful", "no longer in error"),
        ("c3", "tone", "newly in error"),
    ]
    assert (found.added, found.removed, found.unchanged) == (("new",), ("gone",), 3)
    assert found.shifts[1] == Shift("helpful", 0.65, 0.74)


def test_a_case_that_was_edited_is_told_apart() -> None:
    edited = replace(
        BEFORE,
        cases=tuple(
            CaseResult(c.id, "another digest", {**c.grades, "helpful": grade(0.0)})
            if c.id == "c1"
            else c
            for c in BEFORE.cases
        ),
    )
    found = difference(BEFORE, edited)
    assert found.edited == ("c1",)
    assert [(c.case, c.edited) for c in found.changes] == [("c1", True)]


def test_what_else_differs_is_listed_by_name() -> None:
    after = replace(
        BEFORE,
        prompt_version="v2",
        gate=GateSettings(mode="statistical"),
        waivers=("a waiver",),
        scorers=(
            ScorerInfo("helpful", "llm_judge", ("a", "b"), rubric_digest="d2"),
            BEFORE.scorers[1],
        ),
    )
    assert difference(BEFORE, after).settings == (
        Setting("prompt_version", "v1", "v2"),
        Setting("waivers", "none", "a waiver"),
        Setting("gate.mode", "strict", "statistical"),
        Setting("scorer helpful: judges", "test-judge", "a, b"),
        Setting("scorer helpful: rubric_digest", "none", "d2"),
    )


def without(run: EvalRun, scorer: str) -> EvalRun:
    cases = tuple(
        replace(c, grades={k: v for k, v in c.grades.items() if k != scorer}) for c in run.cases
    )
    return replace(run, cases=cases, scorers=tuple(s for s in run.scorers if s.name != scorer))


def test_scorers_that_came_or_went_are_settings_and_not_changes() -> None:
    smaller = without(BEFORE, "tone")
    assert difference(BEFORE, smaller).settings == (Setting("scorer tone", "there", "gone"),)
    assert difference(smaller, BEFORE).settings == (Setting("scorer tone", "not there", "new"),)
    assert difference(smaller, BEFORE).changes == ()


def test_runs_of_different_evals_are_refused() -> None:
    with pytest.raises(ConfigError, match="different evals, 'support' and 'other'"):
        difference(BEFORE, replace(AFTER, name="other"))
