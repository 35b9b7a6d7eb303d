"""`judgekit gate --plan` says how many cases a floor takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgekit.gate.statistics.proportions import wilson_lower_bound
from tests.cli.conftest import Run


def test_a_wished_floor_is_planned_for_several_pass_rates(judgekit: Run) -> None:
    done = judgekit("gate", "--plan", "--floor", "0.8")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "a Wilson lower bound of 0.8 (two-sided 0.95 confidence) needs:",
        "  at a pass rate of 1: 16 cases, of which none may fail",
        "  at a pass rate of 0.99: 18 cases, of which none may fail",
        "  at a pass rate of 0.95: 28 cases, of which up to 1 may fail",
        "  at a pass rate of 0.9: 62 cases, of which up to 6 may fail",
    ]
    for passed, n in ((16, 16), (27, 28), (56, 62)):
        assert wilson_lower_bound(passed, n) >= 0.8
    for passed, n in ((15, 15), (26, 28), (55, 62)):
        assert wilson_lower_bound(passed, n) < 0.8


def test_a_rate_and_a_confidence_may_be_given(judgekit: Run) -> None:
    done = judgekit("gate", "--plan", "--floor=0.9", "--rate=0.95", "--confidence=0.99")
    assert "(two-sided 0.99 confidence)" in done.stdout
    assert "at a pass rate of 0.95: 239 cases, of which up to 11 may fail" in done.stdout
    below = judgekit("gate", "--plan", "--floor=0.9", "--rate=0.9")
    assert "no number of cases would do" in below.stdout


def test_the_floors_of_the_project_are_held_against_its_cases(judgekit: Run, project: Path) -> None:
    path = project / "evals" / "support.yaml"
    text = path.read_text().replace("cases: ", "wilson_floor: 0.5\ncases: ")
    text = text.replace("config: {rubric", "wilson_floor: 0.7\n    config: {rubric")
    path.write_text(text)
    done = judgekit("gate", "--plan")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "support: floor 0.5 (two-sided 0.95 confidence)",
        "  with its 4 cases: reached only if all pass",
        "  if all pass: 4 cases, of which none may fail",
        "support / helpful: floor 0.7 (two-sided 0.95 confidence)",
        "  with its 4 cases: too few to reach it, even if all pass",
        "  if all pass: 9 cases, of which none may fail",
    ]
    at = judgekit("gate", "--plan", "--rate", "0.9")
    assert "  at a pass rate of 0.9: 21 cases, of which up to 2 may fail" in at.stdout


def test_a_project_without_floors_says_so(judgekit: Run) -> None:
    assert "no eval has a wilson_floor" in judgekit("gate", "--plan").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--plan --floor nan", "--floor must be at least 0 and below 1, not nan"),
        ("--plan --floor 1", "no number of cases proves 1"),
        ("--plan --floor -0.1", "--floor must be"),
        ("--plan --floor 0.5 --rate nan", "--rate must be in [0, 1], not nan"),
        ("--plan --rate 2", "--rate must be in [0, 1], not 2"),
        ("--plan --floor 0.5 --confidence 1", "--confidence must be above 0 and below 1"),
        ("--plan --confidence 0.9", "--confidence does nothing without --floor"),
        ("--plan run.json", "RUN does nothing with --plan"),
        ("--plan --format json", "--format does nothing with --plan"),
        ("run.json --floor 0.5", "--floor does nothing without --plan"),
        ("", "name the file of a run"),
    ],
)
def test_what_makes_no_sense_is_one_clear_error(judgekit: Run, arguments: str, said: str) -> None:
    done = judgekit("gate", *arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
