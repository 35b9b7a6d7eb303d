from __future__ import annotations

import json

import pytest

from judgekit.errors import Cause
from judgekit.graders.grade import Grade
from judgekit.trials.ablation import run_ablation
from judgekit.trials.builtin import ABLATION_TASKS, SUBSYSTEMS
from judgekit.trials.evidence import outcome
from judgekit.trials.reports import SuiteReport
from judgekit.trials.runner import TrialOptions, run_suite
from judgekit.trials.scorecard import (
    ablation_json,
    ablation_markdown,
    ablation_text,
    suite_json,
    suite_markdown,
    suite_text,
)
from judgekit.trials.task import Suite, TrialContext, TrialGrader, TrialOutcome
from tests.trials.making import make_task, passes_in


def report(trials: int = 4) -> SuiteReport:
    tasks = [
        make_task(passes_in(0, 1), id="flaky"),
        make_task(passes_in(*range(trials)), id="sound", suite=Suite.REGRESSION),
    ]
    return run_suite(tasks, TrialOptions(trials=trials, k=2), name="agents")


def test_the_terminal_shows_every_task_the_means_and_what_is_flaky() -> None:
    lines = suite_text(report()).splitlines()
    assert lines[0] == "agents: passed; 2 tasks, 4 trials each"
    head = "task suite passed errors pass@1 pass@2 pass^2 score"
    assert lines[1].split() == head.split(" ")
    assert lines[2].split()[:5] == ["flaky", "capability", "2", "of", "4"]
    assert "0.500 [" in lines[2]
    assert "0.833 [" in lines[2]
    assert "0.167 [" in lines[2]
    assert "flaky: flaky, some trials passed and some failed" in lines
    assert any(line.startswith("mean of regression") for line in lines)
    assert any(line.startswith("mean of all") for line in lines)


def test_what_could_not_be_measured_shows_as_a_dash_and_its_reason() -> None:
    def grade(_: TrialContext, __: TrialOutcome, ___: object) -> Grade:
        return Grade.error(Cause.MISS, "never\nrecorded | <b>")

    bad = run_suite([make_task(TrialGrader("g", "g", grade))], name="a|b")
    text = suite_text(bad)
    assert "a|b: failed" in text
    assert "—" in text
    assert "task, trial 1: g: never recorded | <b>" in text
    markdown = suite_markdown(bad)
    assert "### a\\|b: failed" in markdown
    assert "never recorded \\| \\<b\\>" in markdown


def test_markdown_holds_a_table_with_as_many_cells_in_each_row() -> None:
    rows = [line for line in suite_markdown(report()).splitlines() if line.startswith("|")]
    assert len(rows) == 7
    assert {row.replace("\\|", "").count("|") for row in rows} == {9}


def test_json_holds_the_figures_and_no_time_or_folder() -> None:
    value = json.loads(suite_json(report()))
    assert value["format"] == "judgekit-trials-report/1"
    assert value["passed"] is True
    assert value["flaky"] == ["flaky"]
    flaky = value["tasks"][0]
    assert flaky["figures"]["pass_at_1"]["value"] == 0.5
    assert flaky["figures"]["pass_pow_k"]["value"] == pytest.approx(1 / 6)
    assert flaky["figures"]["naive_pass_pow_k"] == 0.25
    assert [trial["status"] for trial in flaky["results"]] == [
        "passed",
        "passed",
        "failed",
        "failed",
    ]
    assert "duration" not in suite_json(report())


def test_an_ablation_shows_settings_contributions_and_interactions() -> None:
    scorecard = run_ablation(ABLATION_TASKS, SUBSYSTEMS, TrialOptions(trials=2))
    text = ablation_text(scorecard)
    assert "pass@1 with everything on 1.000; 2 trials a setting" in text
    assert [line.split()[0] for line in text.splitlines()[2:7]] == [
        "variant",
        "full",
        "-verifier",
        "-structured-state",
        "none",
    ]
    assert "verifier          +0.333" in text
    assert "verifier × structured-state  +0.000" in text
    assert "| structured-state | +0.333 |" in ablation_markdown(scorecard)
    value = json.loads(ablation_json(scorecard))
    assert [cell["variant"] for cell in value["cells"]][-1] == "none"
    assert value["contributions"][0]["delta_pass_at_1"] == pytest.approx(1 / 3)
    assert value["interactions"][0]["delta_pass_at_1"] == 0.0


def test_an_ablation_without_figure_shows_a_dash() -> None:
    def grade(_: TrialContext, __: TrialOutcome, ___: object) -> Grade:
        return Grade.error(Cause.MISS, "x")

    scorecard = run_ablation([make_task(TrialGrader("g", "g", grade))], ["a"])
    assert "6 trials in error" in ablation_text(scorecard)
    assert json.loads(ablation_json(scorecard))["contributions"] == [
        {"subsystem": "a", "delta_pass_at_1": None, "interval": None}
    ]


def test_the_same_trials_give_the_same_bytes() -> None:
    assert suite_json(report()) == suite_json(report())


def test_what_an_agent_made_a_grader_say_draws_nothing_in_markdown() -> None:
    name = "](javascript:x) ![i](http://x) `c`"
    task = make_task(outcome(name, lambda _, __: False))
    markdown = suite_markdown(run_suite([task]))
    assert "\\](javascript:x) \\!\\[i\\](http://x) \\`c\\`" in markdown
