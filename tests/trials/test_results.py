from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgekit.errors import ConfigError
from judgekit.trials.evidence import outcome
from judgekit.trials.results import opened_results
from judgekit.trials.runner import TrialOptions, run_suite, run_task
from judgekit.trials.scorecard import suite_json
from judgekit.trials.task import Task, TrialContext, TrialOutcome
from tests.trials.making import make_task, passes_in

RAN: list[tuple[str, int]] = []


def counted(context: TrialContext) -> TrialOutcome:
    RAN.append((context.task, context.trial))
    return TrialOutcome(summary="x")


@pytest.fixture(autouse=True)
def _none_ran() -> None:
    RAN.clear()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


def tasks() -> list[Task]:
    return [make_task(passes_in(0, 2), id=name, run=counted) for name in ("a", "b")]


def test_a_run_that_is_complete_runs_nothing_again_and_reports_the_same(path: Path) -> None:
    options = TrialOptions(trials=3, results=path)
    first = suite_json(run_suite(tasks(), options))
    RAN.clear()
    assert suite_json(run_suite(tasks(), options)) == first
    assert RAN == []


def test_only_what_is_missing_runs_and_the_report_does_not_tell(path: Path) -> None:
    options = TrialOptions(trials=3, results=path)
    first = suite_json(run_suite(tasks(), options))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    RAN.clear()
    assert suite_json(run_suite(tasks(), options)) == first
    assert len(RAN) == 3


def test_a_line_that_a_kill_cut_short_is_cut_off_and_its_trial_run_again(path: Path) -> None:
    options = TrialOptions(trials=3, results=path)
    first = suite_json(run_suite(tasks(), options))
    path.write_bytes(path.read_bytes()[:-20])
    RAN.clear()
    assert suite_json(run_suite(tasks(), options)) == first
    assert len(RAN) == 1
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_file_cut_inside_its_first_line_begins_anew(path: Path) -> None:
    options = TrialOptions(results=path)
    run_suite(tasks(), options)
    path.write_bytes(path.read_bytes()[:10])
    RAN.clear()
    run_suite(tasks(), options)
    assert len(RAN) == 2


def test_more_trials_go_on_from_those_there_are(path: Path) -> None:
    run_suite(tasks(), TrialOptions(trials=2, results=path))
    RAN.clear()
    run_suite(tasks(), TrialOptions(trials=3, results=path))
    assert sorted(RAN) == [("a", 2), ("b", 2)]


def test_fewer_trials_than_the_file_holds_are_refused(path: Path) -> None:
    run_suite(tasks(), TrialOptions(trials=3, results=path))
    with pytest.raises(ConfigError, match="holds trial 2"):
        run_suite(tasks(), TrialOptions(trials=2, results=path))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (TrialOptions(seed=1), "seed"),
        (TrialOptions(flags={"verifier": False}), "flags"),
    ],
)
def test_a_file_of_another_run_is_refused(path: Path, options: TrialOptions, field: str) -> None:
    run_suite(tasks(), TrialOptions(results=path))
    changed = TrialOptions(seed=options.seed, flags=options.flags, results=path)
    with pytest.raises(ConfigError, match=f"{field}: is another run's"):
        run_suite(tasks(), changed)


def test_a_task_whose_graders_or_code_changed_is_not_resumed(path: Path) -> None:
    run_task(tasks()[0], TrialOptions(results=path))
    with pytest.raises(ConfigError, match="tasks: is another run's"):
        run_task(make_task(passes_in(0, 1), id="a", run=counted), TrialOptions(results=path))
    with pytest.raises(ConfigError, match="tasks: is another run's"):
        run_task(make_task(passes_in(0, 2), id="a"), TrialOptions(results=path))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda lines: [lines[0], b"{]\n", *lines[2:]], ":2: is not JSON"),
        (lambda lines: [lines[0], b"\xff\n", *lines[2:]], ":2: is not UTF-8"),
        (lambda lines: [lines[0], b"{}\n", *lines[2:]], ":2: is no trial"),
        (lambda lines: [lines[0], b"[1]\n", *lines[2:]], ":2: is no trial"),
        (lambda lines: [lines[0], lines[1], *lines[1:]], ":3: trial 0 of 'a' stands twice"),
        (lambda lines: lines[1:], ":1: is not the first line"),
        (lambda lines: [lines[0], lines[1].replace(b'"passed"', b'"great"')], ":2: is no trial"),
        (lambda lines: [lines[0], lines[1].replace(b"1.0", b"7.0")], ":2: is no trial"),
        (lambda lines: [lines[0], lines[1].replace(b'"a"', b'"z"')], ":2: holds trial 0 of 'z'"),
    ],
)
def test_damage_is_an_error_that_names_the_line(path: Path, damage: object, said: str) -> None:
    run_suite(tasks(), TrialOptions(results=path))
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))  # type: ignore[operator]
    with pytest.raises(ConfigError, match=said):
        run_suite(tasks(), TrialOptions(results=path))


def test_a_result_that_contradicts_its_grades_is_an_error(path: Path) -> None:
    run_task(tasks()[0], TrialOptions(results=path))
    head, line = path.read_text().splitlines()
    value = json.loads(line)
    path.write_text(f"{head}\n{json.dumps({**value, 'status': 'error', 'score': None})}\n")
    with pytest.raises(ConfigError, match="contradicts its own grades"):
        run_task(tasks()[0], TrialOptions(results=path))


def test_two_runs_do_not_write_one_file_at_once(path: Path) -> None:
    chosen = tasks()
    with (
        opened_results(path, chosen, seed=0, trials=1, flags={}),
        pytest.raises(ConfigError, match="another run writes it"),
    ):
        run_suite(chosen, TrialOptions(results=path))


def test_what_an_agent_wrote_comes_back_as_it_was(path: Path) -> None:
    text = 'line\nbreak \u2028 "quote" \x00 ✓ \ud800'
    told = outcome("told", lambda _, __: 0.25)
    task = make_task(told, run=lambda _: TrialOutcome(summary=text))
    options = TrialOptions(results=path)
    first = run_task(task, options)
    again = run_task(task, options)
    assert len(path.read_bytes().splitlines()) == 2
    assert again.trials[0].score == first.trials[0].score == 0.25
    assert again.trials[0].summary == text.replace("\ud800", "?")


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be opened"):
        run_task(make_task(), TrialOptions(results=tmp_path))
