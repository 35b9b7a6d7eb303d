from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import Cause, ConfigError
from judgekit.graders.grade import Grade
from judgekit.trials.ablation import (
    Design,
    contribution,
    interaction,
    run_ablation,
    settings,
    variant_name,
)
from judgekit.trials.builtin import ABLATION_TASKS, SUBSYSTEMS
from judgekit.trials.evidence import outcome
from judgekit.trials.runner import TrialOptions
from judgekit.trials.task import Command, TrialGrader, TrialOutcome
from tests.trials.making import make_task

RATES = st.floats(0, 1)
NAMES = ("a", "b", "c")


@given(RATES, RATES, RATES, RATES)
def test_two_subsystems_follow_the_seeds_formula(
    full: float, no_a: float, no_b: float, none: float
) -> None:
    rates = {
        frozenset("ab"): full,
        frozenset("b"): no_a,
        frozenset("a"): no_b,
        frozenset[str](): none,
    }
    assert contribution(rates, "a", "ab") == pytest.approx(((full - no_a) + (no_b - none)) / 2)
    assert contribution(rates, "b", "ab") == pytest.approx(((full - no_b) + (no_a - none)) / 2)
    crossed = (full - no_a) - (no_b - none)
    assert interaction(rates, ("a", "b"), "ab") == pytest.approx(crossed)


@given(st.floats(0, 0.2), st.dictionaries(st.sampled_from(NAMES), st.floats(-0.2, 0.2)))
def test_effects_that_only_add_up_are_found_each_and_do_not_interact(
    base: float, effects: dict[str, float]
) -> None:
    rates = {on: base + sum(effects.get(name, 0) for name in on) for on in settings(NAMES)}
    for name in NAMES:
        assert contribution(rates, name, NAMES) == pytest.approx(effects.get(name, 0), abs=1e-9)
    assert interaction(rates, ("a", "c"), NAMES) == pytest.approx(0, abs=1e-9)


def test_leave_one_out_is_the_drop_from_all_on() -> None:
    rates = {frozenset("ab"): 0.9, frozenset("b"): 0.5, frozenset("a"): 0.8}
    assert contribution(rates, "a", "ab") == pytest.approx(0.4)
    assert contribution(rates, "b", "ab") == pytest.approx(0.1)


def test_settings_and_their_names_run_from_all_on_to_all_off() -> None:
    names = [variant_name("ab", on) for on in settings("ab")]
    assert names == ["full", "-a", "-b", "none"]
    assert [variant_name(NAMES, on) for on in settings(NAMES, Design.LEAVE_ONE_OUT)] == [
        "full",
        "-a",
        "-b",
        "-c",
    ]
    assert len(list(settings(NAMES))) == 8


def test_the_builtin_tasks_show_what_each_subsystem_adds() -> None:
    scorecard = run_ablation(ABLATION_TASKS, SUBSYSTEMS)
    assert scorecard.trials == 3
    found = {cell.variant: round(cell.pass_at_1 or 0, 6) for cell in scorecard.cells}
    assert found == {
        "full": 1.0,
        "-verifier": 0.666667,
        "-structured-state": 0.666667,
        "none": 0.333333,
    }
    assert scorecard.baseline_pass_at_1 == 1.0
    for each in scorecard.contributions:
        assert each.delta_pass_at_1 == pytest.approx(1 / 3)
    (pair,) = scorecard.interactions
    assert pair.subsystems == SUBSYSTEMS
    assert pair.delta_pass_at_1 == pytest.approx(0)


def flags(name: str) -> TrialGrader:
    return outcome(name, lambda _, context: context.is_on(name))


def test_three_subsystems_run_eight_settings_with_the_same_seeds(tmp_path: Path) -> None:
    task = make_task(flags("a"), flags("b"))
    options = TrialOptions(trials=2, results=tmp_path, jobs=2)
    scorecard = run_ablation([task], NAMES, options)
    assert len(scorecard.cells) == 8
    assert [c.pass_at_1 for c in scorecard.cells] == [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert [each.delta_pass_at_1 for each in scorecard.contributions] == [0.5, 0.5, 0.0]
    assert [each.delta_pass_at_1 for each in scorecard.interactions] == [1.0, 0.0, 0.0]
    seeds = {tuple(t.seed for t in cell.report.tasks[0].trials) for cell in scorecard.cells}
    assert len(seeds) == 1
    assert len(list(tmp_path.iterdir())) == 8
    assert run_ablation([task], NAMES, options).contributions == scorecard.contributions


def test_an_interval_holds_the_effect_and_is_the_same_for_the_same_seed() -> None:
    task = make_task(
        outcome("luck", lambda _, context: (context.seed % 4 > 0) is context.is_on("a"))
    )
    options = TrialOptions(trials=12, seed=3)
    first, again = (run_ablation([task], ["a"], options) for _ in range(2))
    (effect,) = first.contributions
    assert first.contributions == again.contributions
    assert effect.delta_pass_at_1 is not None
    assert effect.interval is not None
    assert effect.interval.low < effect.delta_pass_at_1 < effect.interval.high


def test_a_setting_that_could_not_be_measured_leaves_no_figure() -> None:
    def grade(context: object, _: TrialOutcome, __: object) -> Grade:
        on = context.is_on("a")  # type: ignore[attr-defined]
        return Grade.of(True, "x") if on else Grade.error(Cause.MISS, "never recorded")

    scorecard = run_ablation([make_task(TrialGrader("g", "g", grade))], ["a"])
    assert [cell.pass_at_1 for cell in scorecard.cells] == [1.0, None]
    (effect,) = scorecard.contributions
    assert (effect.delta_pass_at_1, effect.interval) == (None, None)
    assert scorecard.errors == 3


def test_a_command_reads_its_flags_from_the_environment() -> None:
    code = "import os; print(os.environ['JUDGEKIT_FLAG_STRUCTURED_STATE'])"
    task = make_task(
        outcome("on", lambda found, _: found.summary == "1"),
        command=Command(("{python}", "-c", code)),
    )
    scorecard = run_ablation([task], ["structured-state"], TrialOptions())
    assert [cell.pass_at_1 for cell in scorecard.cells] == [1.0, 0.0]


@pytest.mark.parametrize(
    "subsystems",
    [
        [],
        ["a", "a"],
        ["a-b", "a_b"],
        ["A", "a"],
        ["full"],
        [""],
        ["../x"],
        ["-a"],
        list("abcdefghi"),
    ],
)
def test_subsystems_that_make_no_sense_are_refused(subsystems: list[str]) -> None:
    with pytest.raises(ConfigError, match="ablation"):
        run_ablation([make_task()], subsystems)


def test_many_subsystems_can_be_left_out_one_by_one() -> None:
    scorecard = run_ablation(
        [make_task()], list("abcdefghij"), TrialOptions(), design=Design.LEAVE_ONE_OUT
    )
    assert len(scorecard.cells) == 11
    assert scorecard.interactions == ()
    assert [each.delta_pass_at_1 for each in scorecard.contributions] == [0.0] * 10
