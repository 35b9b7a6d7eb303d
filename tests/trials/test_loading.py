from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import ConfigError
from judgekit.trials.environment import BoardEnvironment, TemporaryFolder
from judgekit.trials.loading import find_tasks, load_suite, load_suites
from judgekit.trials.runner import TrialOptions, run_suite
from judgekit.trials.task import Kind, Scoring, Suite

SUITE = """\
name: agents
prompt_version: agent/3
subject_model: gemma-3-270m
tasks:
  - id: greet
    suite: capability
    kind: coding
    description: Write a greeting into a file.
    command: ["{python}", "{project}/agent.py"]
    exit_codes: [0]
    env: {MOOD: kind}
    environment: {folder: start, board: true}
    scoring: weighted
    threshold: 0.6
    timeout_s: 60
    floor: 0.5
    smoke: true
    tags: [files]
    reference_note: by hand
    graders:
      - {grader: file_exists, config: {path: greeting.txt}}
      - {grader: file_matches, name: kind words, config: {path: greeting.txt, pattern: "^Hello"}}
      - {grader: contains, config: {fragments: [done]}, weight: 2}
      - {grader: numeric_match, "on": $.exit_code, config: {expected: 0}}
      - {grader: board_state, config: {task: t, expect: [done, todo]}}
      - {grader: ready, config: {task: t, expect: true}}
      - {grader: log_parse, config: {kind: task_created, min_count: 1}}
      - {grader: event_budget, config: {max_events: 5}}
"""

COMMAND = 'command: ["{python}", "{project}/agent.py"]'

AGENT = """\
import os, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from judgekit.trials.board import Board
with Board(Path(os.environ["JUDGEKIT_BOARD"])) as board:
    board.create("t")
assert Path("given").read_text() == "as it was"
Path("greeting.txt").write_text("Hello, " + os.environ["MOOD"] + " world")
print("done")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "given").write_text("as it was")
    (tmp_path / "agent.py").write_text(AGENT.format(root=str(Path(__file__).parents[2])))
    (tmp_path / "trials").mkdir()
    (tmp_path / "trials" / "agents.yaml").write_text(
        SUITE.replace("folder: start", "folder: ../start")
    )
    return tmp_path


def test_a_suite_file_is_read_whole_and_its_tasks_run(project: Path) -> None:
    suite = load_suite(project / "trials" / "agents.yaml", root=project)
    (task,) = suite.tasks
    assert (suite.name, suite.prompt_version, suite.subject) == (
        "agents",
        "agent/3",
        "gemma-3-270m",
    )
    assert (task.suite, task.kind, task.scoring) == (
        Suite.CAPABILITY,
        Kind.CODING,
        Scoring.WEIGHTED,
    )
    assert (task.threshold, task.timeout_s, task.floor, task.smoke) == (0.6, 60.0, 0.5, True)
    assert (task.tags, task.reference_note) == (("files",), "by hand")
    assert task.environment == BoardEnvironment(TemporaryFolder(project / "start"))
    assert [grader.name for grader in task.graders] == [
        "file_exists greeting.txt",
        "kind words",
        "contains",
        "numeric_match $.exit_code",
        "board_state",
        "ready",
        "log_parse task_created",
        "event_budget",
    ]
    report = run_suite(suite.tasks, TrialOptions(trials=2, project=project), name=suite.name)
    assert report.passed, [trial.grades for trial in report.tasks[0].trials]
    assert report.tasks[0].mean_score == 1.0


def change(old: str, new: str) -> Callable[[str], str]:
    def changed(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return changed


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda _: "", "is empty"),
        (lambda _: "[]", "must be a mapping"),
        (change("name: agents", "name: ' '"), "agents.yaml:1: name: must not be blank"),
        (lambda text: text[: text.index("  - id")].replace("tasks:", "tasks: []"), ":4: tasks"),
        (change("id: greet", "id: ../greet"), ":5: tasks[0]: task '../greet': id must"),
        (change("suite: capability", "suite: hope"), ":6: tasks[0].suite"),
        (change("smoke: true", "smokes: true"), "unknown key; did you mean 'smoke'"),
        (change("threshold: 0.6", "threshold: 0"), "tasks[0].threshold"),
        (change("threshold: 0.6", "threshold: .nan"), "finite"),
        (change("timeout_s: 60", "timeout_s: 0"), "tasks[0].timeout_s"),
        (change("grader: contains", "grader: contain"), "unknown grader 'contain'; did you mean"),
        (change("{fragments: [done]}", "{}"), "contains: fragments: this option is required"),
        (change("{fragments: [done]}", "{fragments: []}"), "fragments"),
        (change("pattern: \"^Hello\"", "pattern: \"(\""), "tasks[0].graders[1]: regex: pattern"),
        (change("{path: greeting.txt}", "{path: ../x}"), "must lead from the trial's folder"),
        (change("[done, todo]", "[finished]"), ":25: tasks[0].graders[4].config.expect[0]"),
        (change("[done, todo]", "[]"), ":25: tasks[0].graders[4].config.expect"),
        (change("expect: true", "expect: yes"), "expect: must be true or false"),
        (change("min_count: 1", "min_count: 0"), "min_count"),
        (change("max_events: 5", "max_events: -1"), "max_events"),
        (change(", config: {max_events: 5}", ""), ":28: max_events: is missing"),
        (change("{max_events: 5}", "{max_event: 5}"), "unknown key; did you mean 'max_events'"),
        (change("{grader: ready,", "{grader: ready, \"on\": summary,"), "ready: on: unknown"),
        (change("\"on\": $.exit_code", "\"on\": exit_code"), "write `summary` or a JSONPath"),
        (change("../start", "../../outside"), "leads outside"),
        (change("../start", "/etc"), "leads outside"),
        (change("../start", "../nowhere"), "no such folder"),
        (change("{folder: ../start, board: true}", "{folder: ../start, git: {commit: HEAD}}"),
         "keep one of the two"),
        (change(COMMAND, "run: nowhere.at.all:run"), "cannot be imported"),
        (change(COMMAND, "tags: []"), "stands twice"),
        (change("env:", "run: json:dumps\n    env:"), "`run` or `command`, and not both"),
        (change(COMMAND, "run: json:dumps"), "env: belongs to a command"),
        (change(COMMAND, "command: []"), "command"),
        (change("name: kind words", "name: contains"), "two graders are named 'contains'"),
        (change("weight: 2", "weight: 0"), "weight"),
    ],
)  # fmt: skip
def test_a_file_that_could_not_run_is_refused_with_its_line(
    project: Path, edit: Callable[[str], str], said: str
) -> None:
    path = project / "trials" / "agents.yaml"
    path.write_text(edit(path.read_text()))
    with pytest.raises(ConfigError) as caught:
        load_suite(path, root=project)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_tasks_of_one_id_are_refused(project: Path) -> None:
    path = project / "trials" / "agents.yaml"
    text = path.read_text()
    task = text[text.index("  - id: greet") :].replace("id: greet", "id: GREET")
    path.write_text(text + task)
    with pytest.raises(ConfigError, match="the id of another task too"):
        load_suite(path, root=project)


def test_a_folder_of_suites_is_read_in_the_order_of_their_names(project: Path) -> None:
    folder = project / "trials"
    text = (folder / "agents.yaml").read_text()
    (folder / "0.yaml").write_text(text.replace("name: agents", "name: zebra"))
    suites = load_suites(folder, root=project)
    assert [suite.name for suite in suites] == ["agents", "zebra"]
    (folder / "1.yml").write_text(text.replace("name: agents", "name: AGENTS"))
    with pytest.raises(ConfigError, match="two files are named"):
        load_suites(folder, root=project)


@pytest.mark.parametrize(("make", "said"), [(False, "no such folder"), (True, "holds no trials")])
def test_a_folder_without_suites_is_an_error(tmp_path: Path, make: bool, said: str) -> None:
    if make:
        (tmp_path / "trials").mkdir()
    with pytest.raises(ConfigError, match=said):
        load_suites(tmp_path / "trials")


def test_tasks_are_found_in_python_one_many_or_made() -> None:
    assert len(find_tasks("judgekit.trials.builtin:ALL_TASKS")) == 7
    assert [task.id for task in find_tasks("tests.trials.making:make_task")] == ["task"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("judgekit.trials.builtin", "must be written as"),
        ("judgekit.trials.builtin:", "must be written as"),
        ("../x:y", "must be written as"),
        ("judgekit.trials.builtin:NONE", "cannot be imported"),
        ("judgekit.no_such_module:TASKS", "cannot be imported"),
        ("judgekit.trials.builtin:SUBSYSTEMS", "holds no tasks"),
        ("judgekit.trials.workspace:_TRIES", "is a int"),
    ],
)
def test_what_is_no_task_in_python_is_refused(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        find_tasks(name)


def test_a_module_that_leaves_the_process_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    (tmp_path / "leaving_trials.py").write_text("raise SystemExit(0)")
    with pytest.raises(ConfigError, match="SystemExit"):
        find_tasks("leaving_trials:TASKS", root=tmp_path)


def test_a_python_task_of_a_suite_file_runs(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    (tmp_path / "project_trials.py").write_text(
        "from judgekit.trials.task import TrialOutcome\n"
        "async def run(context):\n"
        "    return TrialOutcome(summary=f'trial {context.trial}')\n"
    )
    path = tmp_path / "suite.yaml"
    path.write_text(
        "name: s\ntasks:\n- id: t\n  suite: regression\n  kind: research\n"
        "  description: d\n  run: project_trials:run\n"
        "  graders: [{grader: regex, config: {pattern: '^trial [01]$'}}]\n"
    )
    suite = load_suite(path)
    assert suite.subject == "human"
    assert run_suite(suite.tasks, TrialOptions(trials=2)).passed
