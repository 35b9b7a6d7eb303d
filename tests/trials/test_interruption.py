"""A running suite that is killed, or stopped by Ctrl-C, and goes on later: with real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trials.test_command import is_running, wait_for

ROOT = Path(__file__).parents[2]

# Trials 0 and 1 end at once; the others hang until the gate file is there. A command, a plain and
# an asynchronous task hang alike. Every trial that is begun adds a line to the log.
RUN = """
import os, sys, time
from pathlib import Path

import anyio

from judgekit.trials.runner import TrialOptions, run_suite
from judgekit.trials.scorecard import suite_json
from judgekit.trials.task import Command, TrialOutcome
from tests.trials.making import make_task

top = Path(sys.argv[1])
gate = top / "gate"


def begin(name, trial):
    with (top / "log").open("a") as log:
        log.write(f"{name} {trial} {os.getpid()}\\n")


def plain(context):
    begin("plain", context.trial)
    while context.trial > 1 and not gate.exists():
        time.sleep(0.02)
    return TrialOutcome()


async def later(context):
    begin("later", context.trial)
    while context.trial > 1 and not gate.exists():
        await anyio.sleep(0.02)
    return TrialOutcome()


CODE = '''
import os, sys, time
trial, top = int(os.environ["JUDGEKIT_TRIAL"]), sys.argv[1]
with open(top + "/log", "a") as log:
    log.write(f"command {trial} {os.getpid()}\\\\n")
while trial > 1 and not os.path.exists(top + "/gate"):
    time.sleep(0.02)
'''

tasks = [
    make_task(id="plain", run=plain),
    make_task(id="later", run=later),
    make_task(id="command", command=Command(("{python}", "-c", CODE, str(top)))),
]
options = TrialOptions(trials=3, jobs=3, results=top / "results.jsonl")
try:
    report = run_suite(tasks, options)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(130)
(top / "report").write_text(suite_json(report))
"""


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return tmp_path


def begin(top: Path) -> subprocess.Popen[str]:
    scratch = top / "scratch"
    scratch.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(top)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        text=True,
    )


def begun(top: Path) -> list[tuple[str, int, int]]:
    lines = (top / "log").read_text().splitlines() if (top / "log").exists() else []
    return [(name, int(trial), int(pid)) for name, trial, pid in map(str.split, lines)]


def hang(top: Path) -> Iterator[None]:
    yield


def finished(top: Path) -> int:
    path = top / "results.jsonl"
    return len(path.read_text().splitlines()) - 1 if path.exists() else 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_suite_goes_on_without_repeating_a_finished_trial(
    top: Path, number: signal.Signals
) -> None:
    run = begin(top)
    assert run.stdout is not None
    try:
        wait_for(lambda: finished(top) == 6 and len(begun(top)) == 9)
        hanging = [pid for name, trial, pid in begun(top) if (name, trial) == ("command", 2)]
        os.kill(run.pid, number)
        said = run.stdout.read()
        run.wait(60)
    finally:
        run.kill()
        run.wait(60)
        run.stdout.close()
    wait_for(lambda: not any(map(is_running, hanging)))
    if number == signal.SIGINT:
        assert (said.strip(), run.returncode) == ("interrupted", 130)
        assert list((top / "scratch").iterdir()) == []
    assert finished(top) == 6
    _go_on(top)


def _go_on(top: Path) -> None:
    (top / "gate").touch()
    before = begun(top)
    again = begin(top)
    assert again.stdout is not None
    with again.stdout:
        assert again.wait(120) == 0
    new = begun(top)[len(before) :]
    assert sorted((name, trial) for name, trial, _ in new) == [
        ("command", 2),
        ("later", 2),
        ("plain", 2),
    ]
    report = json.loads((top / "report").read_text())
    assert [task["passed"] for task in report["tasks"]] == [3, 3, 3]
    assert list((top / "scratch").iterdir()) == []


def test_kills_at_any_moment_lose_no_finished_trial_and_repeat_none(top: Path) -> None:
    (top / "gate").touch()
    for delay_s in (0.3, 0.5, 0.7, 0.9):
        run = begin(top)
        assert run.stdout is not None
        with run.stdout:
            time.sleep(delay_s)
            done = finished(top)
            run.kill()
            run.wait(60)
        assert finished(top) >= done
    last = begin(top)
    assert last.stdout is not None
    with last.stdout:
        assert last.wait(120) == 0
    lines = (top / "results.jsonl").read_text().splitlines()
    keys = [(row["task"], row["trial"]) for row in map(json.loads, lines[1:])]
    assert len(keys) == len(set(keys)) == 9
    assert Path(tempfile.gettempdir()) != top / "scratch"
    assert list((top / "scratch").iterdir()) == []
