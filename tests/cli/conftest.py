"""A small project, and the command line as a process."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from judgekit.cli.main import main

Run = Callable[..., subprocess.CompletedProcess[str]]

CONFIG = """[judges.local]
url = "http://127.0.0.1:9"
model = "test-judge"
[judges.local.timeouts]
connect_s = 0.3
attempt_s = 30.0
call_s = 30.0
"""
EVAL = """name: support
prompt_version: support/1
subject: human
threshold: 0.5
cases: support.jsonl
scorers:
  names_it:
    grader: contains
    config: {fragments: {$case: expected.must_mention}}
  helpful:
    grader: llm_judge
    config: {rubric: helpful.md}
"""
RUBRIC = "---\nid: helpful\nkind: pass_fail\n---\nThe ANSWER answers the INPUT.\n"
CASES = [
    {
        "id": f"case-{number}",
        "input": f"Question {number}?",
        "output": f"Answer {number}: you get a refund.",
        "expected": {"must_mention": ["refund"]},
    }
    for number in range(4)
]


def exit_code() -> int:
    """Run ``main`` and return what it would tell the shell."""
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def write_cases(project: Path, cases: list[dict[str, object]]) -> None:
    rows = "".join(json.dumps(case) + "\n" for case in cases)
    (project / "evals" / "support.jsonl").write_text(rows)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "evals").mkdir(parents=True)
    (folder / "rubrics").mkdir()
    (folder / "judgekit.toml").write_text(CONFIG)
    (folder / "evals" / "support.yaml").write_text(EVAL)
    (folder / "rubrics" / "helpful.md").write_text(RUBRIC)
    write_cases(folder, CASES)
    return folder


@pytest.fixture
def judgekit(project: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs ``judgekit`` in the project, outside CI unless told.

    It runs in this process, by the very function that the command calls: a process for each call
    would take most of the time of these tests.
    """

    def run(
        *arguments: str, ci: bool = False, stdin: str | bytes = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = io.StringIO(), io.StringIO()
        with monkeypatch.context() as patch:
            patch.chdir(project)
            for name, value in {**environment, **({"CI": "true"} if ci else {})}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["judgekit", *arguments])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
            with redirect_stdout(out), redirect_stderr(err):
                code = exit_code()
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())

    return run
