from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import ConfigError
from judgekit.trials import command as command_module
from judgekit.trials.environment import BoardEnvironment
from judgekit.trials.evidence import board_state, file_exists, outcome
from judgekit.trials.record import TrialRecord
from judgekit.trials.registered import graded_by
from judgekit.trials.runner import TrialOptions, run_task
from judgekit.trials.task import Command, TrialContext, TrialOutcome
from tests.trials.making import HOLDS, make_task, python

# A child that ignores SIGTERM, in the command's group, with the command's output still open.
STUBBORN = """
import os, signal, subprocess, sys, time
child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
started = subprocess.Popen([sys.executable, "-c", child])
open(sys.argv[1], "w").write(f"{os.getpid()} {started.pid}")
"""


def run_one(code: str, *graders: Any, **changes: Any) -> TrialRecord:
    task = make_task(*(graders or (HOLDS,)), command=python(code), **changes)
    (trial,) = run_task(task).trials
    return trial


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_for(condition: Any) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited for in vain")


def test_output_exit_code_and_files_are_the_outcome() -> None:
    found: list[TrialOutcome] = []

    def keep(result: TrialOutcome, _: TrialContext) -> bool:
        found.append(result)
        return True

    code = (
        "import sys, pathlib\n"
        "pathlib.Path('deep').mkdir()\n"
        "pathlib.Path('deep/made').write_text('x')\n"
        "print('hello')\n"
        "print('warned', file=sys.stderr)"
    )
    trial = run_one(code, outcome("keep", keep), file_exists("deep/made"))
    assert trial.passed
    assert found[0].summary == "hello"
    assert found[0].data == {
        "exit_code": 0,
        "stdout": "hello\n",
        "stderr": "warned\n",
        "files": ["deep/made"],
    }


def test_output_that_is_json_can_be_graded_by_path() -> None:
    code = """print('{"text": "a } brace in a string", "n": 3}')"""
    trial = run_one(
        code,
        graded_by("exact_match", {"expected": "a } brace in a string"}, on="$.json.text"),
        graded_by("numeric_match", {"expected": 3}, on="$.json.n"),
    )
    assert trial.passed, trial.grades


def test_a_command_knows_its_seed_trial_board_and_project(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "from judgekit.trials.board import Board\n"
        "from pathlib import Path\n"
        "with Board(Path(os.environ['JUDGEKIT_BOARD'])) as board:\n"
        "    board.create('t')\n"
        "    board.claim('t', 'agent')\n"
        "print(os.environ['JUDGEKIT_SEED'] == sys.argv[1], os.environ['JUDGEKIT_TRIAL'],\n"
        "      os.environ['JUDGEKIT_PROJECT'] == sys.argv[2], os.getcwd() == sys.argv[3])"
    )
    root = str(Path(command_module.__file__).parents[2])
    task = make_task(
        board_state("t", ["in_progress"]),
        outcome("told", lambda found, _: found.summary == "True 0 True True"),
        command=Command(
            ("{python}", "-c", code, "{seed}", "{project}", "{folder}"), env={"PYTHONPATH": root}
        ),
        environment=BoardEnvironment(),
    )
    (trial,) = run_task(task, TrialOptions(project=tmp_path)).trials
    assert trial.passed, trial


def test_secrets_of_the_outer_environment_do_not_reach_a_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    code = "import os; print(sorted(k for k in os.environ if 'KEY' in k))"
    trial = run_one(code, outcome("none", lambda found, _: found.summary == "[]"))
    assert trial.passed


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit(3)", "exit code 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "signal 11"),
    ],
)
def test_a_command_that_ends_badly_is_one_failing_run_error(code: str, said: str) -> None:
    trial = run_one(code)
    assert list(trial.grades) == ["run-error"]
    assert (trial.status, trial.score, trial.exit_class) == ("failed", 0.0, "error")
    assert said in trial.grades["run-error"].reason


def test_what_a_failing_command_said_last_is_kept() -> None:
    trial = run_one("raise ValueError('out of milk')")
    assert trial.trace.endswith("ValueError: out of milk")


def test_an_exit_code_that_the_task_allows_is_no_fault() -> None:
    task = make_task(command=python("import sys; sys.exit(3)", exit_codes=(0, 3)))
    assert run_task(task).passed == 1


def test_a_program_that_is_not_there_fails_and_says_so() -> None:
    task = make_task(command=Command(("no-such-program-of-judgekit",)))
    (trial,) = run_task(task).trials
    assert "cannot be run (No such file" in trial.grades["run-error"].reason
    assert not trial.passed


def test_time_over_ends_the_whole_process_group(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    code = STUBBORN + "\ntime.sleep(600)"
    task = make_task(command=Command(("{python}", "-c", code, str(note))), timeout_s=3.0, floor=0.0)
    (trial,) = run_task(task).trials
    assert trial.exit_class == "timeout"
    assert "within 3 s" in trial.grades["run-error"].reason
    leader, child = map(int, note.read_text().split())
    wait_for(lambda: not is_running(leader) and not is_running(child))


def test_a_process_that_outlives_its_command_is_ended_with_it(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    task = make_task(command=Command(("{python}", "-c", STUBBORN, str(note))))
    (trial,) = run_task(task).trials
    assert trial.passed
    _, child = map(int, note.read_text().split())
    wait_for(lambda: not is_running(child))


def test_a_command_ends_when_judgekit_is_killed(tmp_path: Path) -> None:
    import subprocess
    import sys

    note = tmp_path / "pids"
    code = STUBBORN + "\ntime.sleep(600)"
    outer = (
        "import sys\n"
        "from judgekit.trials.runner import run_task\n"
        "from judgekit.trials.task import Command\n"
        "from tests.trials.making import make_task\n"
        "run_task(make_task(command=Command(('{python}', '-c', *sys.argv[1:]))))"
    )
    root = Path(__file__).parents[2]
    run = subprocess.Popen([sys.executable, "-c", outer, code, str(note)], cwd=root)
    try:
        wait_for(lambda: note.exists() and note.read_text().count(" ") == 1)
        leader, child = map(int, note.read_text().split())
        assert is_running(leader)
        os.kill(run.pid, signal.SIGKILL)
        run.wait(60)
        wait_for(lambda: not is_running(leader) and not is_running(child))
    finally:
        run.kill()
        run.wait(60)


def test_a_flood_of_output_is_ended_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_module, "OUTPUT_LIMIT", 1_000_000)
    trial = run_one("while True: print('x' * 100_000)", timeout_s=60.0)
    assert "wrote more than 1,000,000 bytes" in trial.grades["run-error"].reason


def test_output_that_is_no_utf_8_is_shown_with_replacements() -> None:
    trial = run_one(
        "import sys; sys.stdout.buffer.write(b'a\\xff')",
        outcome("shown", lambda found, _: found.summary == "a\ufffd"),
    )
    assert trial.passed


@pytest.mark.parametrize("argv", [(), ("",), (" ",), ("a\0b",)])
def test_a_command_that_names_no_program_is_refused(argv: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match="command"):
        Command(argv)
