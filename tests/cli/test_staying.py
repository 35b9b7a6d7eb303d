"""A run in a process of its own, by tasks that try to end it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LEAVING = {
    "leaves": "import os\ndef answer(given): os._exit(0)\n",
    "leaves after all": (
        "import atexit, os\natexit.register(lambda: os._exit(0))\ndef answer(given): return None\n"
    ),
    "leaves from a thread": (
        "import os, threading\n"
        "def answer(given):\n"
        "    thread = threading.Thread(target=os._exit, args=(0,))\n"
        "    thread.start(); thread.join()\n"
    ),
    "becomes another program": "import os\ndef answer(given): os.execv('/bin/true', ['true'])\n",
    "leaves when imported": "import os\nos._exit(0)\n",
}


def run(project: Path, module: str) -> subprocess.CompletedProcess[str]:
    """Judge the project's outputs as `module` makes them, in a process of its own."""
    (project / "answering.py").write_text(module)
    (project / "evals" / "support.yaml").write_text(
        "name: support\nprompt_version: support/1\nsubject: human\nthreshold: 0.5\n"
        "cases: support.jsonl\ntask: 'answering:answer'\n"
        "scorers:\n  says_so:\n    grader: contains\n    config: {fragments: [refund]}\n"
    )
    (project / "evals" / "support.jsonl").write_text('{"id": "one", "input": "A question?"}\n')
    return subprocess.run(
        [sys.executable, "-m", "judgekit", "run"],
        cwd=project,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("module", LEAVING.values(), ids=LEAVING)
@pytest.mark.filterwarnings("ignore")
def test_no_task_ends_a_run_as_passed(project: Path, module: str) -> None:
    done = run(project, module)
    assert done.returncode in {1, 2}
    assert (
        "os._exit" in done.stdout + done.stderr
        or "returned nothing" in done.stdout
        or ("os.exec" in done.stdout)
    )


def test_a_process_that_a_task_forks_may_leave(project: Path) -> None:
    module = (
        "import os\n"
        "def answer(given):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        os._exit(7)\n"
        "    return f'{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}: a refund'\n"
    )
    done = run(project, module)
    assert "missing-baseline" in done.stdout
    assert "error" not in done.stdout.replace("errors", "")
