"""The worked example of docs/trials.md, end to end: recorded from a server, then run offline."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judgekit.trials.loading import load_suite
from judgekit.trials.reports import SuiteReport
from judgekit.trials.runner import TrialOptions, run_suite, run_task
from tests.judges.model_server import model_server, says
from tests.trials.test_environment import git

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "small_agent"

TURNS = (
    '{"run": "check.py"}',
    '{"read": "calc.py"}',
    '{"write": "calc.py", "text": "def add(a, b):\\n    return a + b\\n"}',
    '{"run": "check.py"}',
    '{"done": "calc.add subtracted; it adds now, and check.py passes."}',
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "small_agent"
    shutil.copytree(EXAMPLE, folder)
    repository = folder / "repository"
    shutil.copytree(folder / "start", repository)
    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "As it was")
    return folder


def run(project: Path, trials: int = 3) -> SuiteReport:
    suite = load_suite(project / "trials.yaml")
    options = TrialOptions(trials=trials, jobs=2, project=project)
    return run_suite(suite.tasks, options, name=suite.name)


def test_the_committed_conversation_mends_the_program_every_time(project: Path) -> None:
    report = run(project)
    assert report.passed, [trial for task in report.tasks for trial in task.trials]
    assert report.figures is not None
    assert report.figures.pass_pow_k.value == 1.0
    assert git(project / "repository", "status", "--porcelain") == ""


def test_recording_from_a_server_gives_the_committed_conversation(project: Path) -> None:
    work, conversation = project / "start", project / "again.json"
    with model_server(*map(says, TURNS)) as server:
        command = [sys.executable, project / "agent.py", conversation, "--live", server.url]
        subprocess.run(command, cwd=work, check=True, timeout=120, stdout=subprocess.DEVNULL)
    assert conversation.read_text() == (EXAMPLE / "conversation.json").read_text()


def test_a_turn_that_was_never_recorded_fails_the_trial_and_says_so(project: Path) -> None:
    path = project / "conversation.json"
    recorded = json.loads(path.read_text())
    recorded.pop(list(recorded)[2])
    path.write_text(json.dumps(recorded))
    report = run(project, trials=1)
    (trial,) = report.tasks[0].trials
    assert "exit code 4" in trial.grades["run-error"].reason
    assert trial.trace.startswith("never recorded: turn 6")


def test_an_agent_that_says_done_without_doing_fails(project: Path) -> None:
    path = project / "conversation.json"
    recorded = json.loads(path.read_text())
    path.write_text(json.dumps({next(iter(recorded)): TURNS[-1]}))
    report = run(project, trials=2)
    assert report.faults == {"mend-add": "passed none of 2 trials"}
    grades = report.tasks[0].trials[0].grades
    assert {name: grade.passed for name, grade in grades.items()} == {
        "file_matches calc.py": False,
        "check untouched": True,
        "no new file": True,
    }


def test_the_documented_python_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (EXAMPLE.parents[1] / "trials.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 3
    names: dict[str, Any] = {}
    for example in examples:
        exec(example.replace('"docs/examples/small_agent"', repr(str(project))), names)
    assert run_task(names["task"]).passed == 1
    said = capsys.readouterr().out
    assert "small-agent: passed; 1 tasks, 5 trials each" in said
    assert "verifier          +0.333" in said
