"""Runs that are kept, their trend, and what changed between two, from the shell."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import CASES, Run, write_cases
from tests.cli.test_main_job import record
from tests.judges.making import FAIL, PASS


@pytest.fixture
def kept(judgekit: Run, project: Path) -> Run:
    """Return the command in a project with two kept runs; the second one fails a case."""
    record(judgekit, PASS, FAIL, PASS)
    assert judgekit("run", "--save", "--label", "first").returncode == 1
    write_cases(project, [dict(CASES[0], expected={"must_mention": ["unicorn"]}), *CASES[1:]])
    assert judgekit("run", "--save", "--label", "second").returncode == 1
    return judgekit


def test_keeping_a_run_changes_neither_its_report_nor_its_exit_code(
    judgekit: Run, project: Path
) -> None:
    record(judgekit, PASS)
    judgekit("bless", "--yes")
    plain, saved = judgekit("run"), judgekit("run", "--save")
    assert (saved.returncode, saved.stdout) == (0, plain.stdout)
    assert saved.stderr == "kept in the history: support 1\n"
    assert (
        judgekit("run", "--format", "json").stdout
        == judgekit("run", "--format", "json", "--save").stdout
    )


def test_nothing_is_kept_unless_asked_for(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    judgekit("run")
    assert not (project / ".judgekit" / "runs.sqlite").exists()
    assert "`judgekit run --save` keeps one" in judgekit("history").stdout
    refused = judgekit("run", "--label", "x")
    assert refused.returncode == 2
    assert "--label does nothing without --save" in refused.stderr


def test_a_history_that_cannot_be_written_still_shows_the_report(
    judgekit: Run, project: Path
) -> None:
    record(judgekit, PASS)
    judgekit("bless", "--yes")
    history = project / ".judgekit" / "runs.sqlite"
    history.write_text("my notes\n" * 50)
    done = judgekit("run", "--save")
    assert done.returncode == 2
    assert "passed: 1 eval" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "runs.sqlite" in done.stderr
    assert history.read_text() == "my notes\n" * 50


def test_the_trend_is_shown_by_scorer_with_the_runs_below(kept: Run) -> None:
    lines = kept("history").stdout.splitlines()
    rows = [line.split() for line in lines]
    assert rows[0] == ["support"]
    assert rows[2] == ["(whole", "eval)", "█▁", "0.75", "-0.125", "0.75", "0.875"]
    assert rows[3] == ["names_it", "█▁", "0.75", "-0.25", "0.75", "1"]
    assert rows[4] == ["helpful", "▄▄", "0.75", "+0", "0.75", "0.75"]
    assert rows[6] == ["run", "when", "label", "prompt", "score", "cases", "errors"]
    assert [(row[0], *row[2:]) for row in rows[7:]] == [
        ("1", "first", "support/1", "0.875", "4", "0"),
        ("2", "second", "support/1", "0.75", "4", "0"),
    ]


def test_only_the_last_runs_are_shown_when_asked(kept: Run) -> None:
    document = json.loads(kept("history", "support", "--last", "1", "--format", "json").stdout)
    (support,) = document["evals"]
    assert [run["id"] for run in support["runs"]] == [2]
    assert support["runs"][0]["scorers"][0] == {
        "scorer": "names_it",
        "mean": 0.75,
        "passed": 3,
        "graded": 4,
        "errors": 0,
    }


def test_the_plot_is_a_picture_and_the_same_each_time(kept: Run, project: Path) -> None:
    written = kept("history", "--format", "svg", "--output", "plots/trend.svg")
    assert (written.returncode, written.stdout) == (0, "")
    text = (project / "plots" / "trend.svg").read_text()
    assert ET.fromstring(text).tag.endswith("svg")
    assert kept("history", "--format", "svg").stdout == text


def test_an_unknown_eval_names_the_nearest(kept: Run) -> None:
    done = kept("history", "suport")
    assert done.returncode == 2
    assert "no run of eval 'suport' is kept; did you mean 'support'?" in done.stderr


def test_what_changed_between_two_runs_is_named_by_case_and_scorer(kept: Run) -> None:
    done = kept("diff", "1", "2")
    assert done.returncode == 0, done.stderr
    assert "  newly failing: case-0 / names_it: passed 1 → failed 0 (the case was edited)" in (
        done.stdout.splitlines()
    )
    assert "  cases edited: case-0" in done.stdout
    assert "  1 of 8 grades changed" in done.stdout
    assert "0 of 8 grades changed" in kept("diff", "2", "2").stdout


def test_files_and_ids_mix(kept: Run, project: Path) -> None:
    kept("run", "--format", "json", "--output", "now.json")
    assert "0 of 8 grades changed" in kept("diff", "2", "now.json").stdout
    (found,) = json.loads(kept("diff", "1", "now.json", "--format", "json").stdout)
    assert found["edited"] == ["case-0"]
    assert found["unchanged"] == 7
    (change,) = found["changes"]
    assert (change["kind"], change["case"], change["before"]["score"]) == (
        "newly failing",
        "case-0",
        1.0,
    )


def test_a_long_list_of_changes_is_cut_unless_all_are_asked_for(
    judgekit: Run, project: Path
) -> None:
    cases = [dict(CASES[0], id=f"c{n}") for n in range(30)]
    write_cases(project, cases)
    record(judgekit, PASS)
    judgekit("run", "--save")
    write_cases(project, [dict(case, expected={"must_mention": ["unicorn"]}) for case in cases])
    judgekit("run", "--save")
    short = judgekit("diff", "1", "2").stdout
    assert short.count("newly failing") == 20
    assert "… and 10 more (--all shows them)" in short
    assert judgekit("diff", "1", "2", "--all").stdout.count("newly failing") == 30


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["1", "99"], "no run has the id 99"),
        (["1", "9" * 40], "not found"),
        (["1", "absent.json"], "absent.json: not found"),
        (["1", "judgekit.toml"], "judgekit.toml: "),
    ],
)
def test_a_run_that_is_not_there_is_one_clear_line(
    kept: Run, arguments: list[str], said: str
) -> None:
    done = kept("diff", *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr
