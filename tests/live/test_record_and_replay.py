"""The main job with the real local judge: record, review, replay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgekit.cassettes.staging import Staging
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import JudgeUnreachable, TruncatedReply
from judgekit.judges.live import Connection, LiveJudge
from judgekit.judges.port import Sampling
from tests.judges.making import make_request, score_rubric
from tests.live.local_judge import CONTEXT_TOKENS, MODEL, LocalJudge, local_judge

pytestmark = pytest.mark.live

CASES = [
    {"id": "capital", "input": "What is the capital of France?", "output": "Paris."},
    {"id": "wrong", "input": "What is the capital of France?", "output": "Berlin."},
    {"id": "thanks", "input": "Thank you!", "output": "You are welcome, glad it works now."},
]
EVAL = """name: tiny
prompt_version: tiny/1
subject: human
threshold: 0.0
cases: tiny.jsonl
scorers:
  answers:
    grader: llm_judge
    config: {rubric: "The ANSWER answers the INPUT."}
"""


@pytest.fixture(scope="module")
def judge() -> Iterator[LocalJudge]:
    with local_judge() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "evals").mkdir()
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "evals" / "tiny.yaml").write_text(EVAL)
    rows = "".join(json.dumps(case) + "\n" for case in CASES)
    (tmp_path / "evals" / "tiny.jsonl").write_text(rows)
    (tmp_path / "judgekit.toml").write_text(
        f'[judges.local]\nurl = "http://127.0.0.1:9"\nmodel = "{MODEL}"\n'
        "[judges.local.sampling]\nmax_tokens = 120\n"
        "[judges.local.timeouts]\nattempt_s = 600.0\ncall_s = 1200.0\n"
    )
    return tmp_path


def judgekit(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    environment.pop("CI", None)
    return subprocess.run(
        [sys.executable, "-m", "judgekit.cli.main", *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_a_real_judge_said_is_recorded_reviewed_and_replayed(
    judge: LocalJudge, project: Path
) -> None:
    missing = judgekit(project, "run")
    assert missing.returncode == 3, missing.stdout + missing.stderr
    recorded = judgekit(project, "record", "--judge-url", judge.url)
    assert recorded.returncode in (0, 4), recorded.stderr
    reviewed = judgekit(project, "cassette", "diff")
    assert "new" in reviewed.stdout
    assert judgekit(project, "cassette", "accept").returncode == 0
    assert judgekit(project, "plan", "--check").returncode == 0
    first = judgekit(project, "run", "--format", "json")
    second = judgekit(project, "run", "--format", "json", "--jobs", "4")
    assert first.stdout == second.stdout
    assert '"miss"' not in first.stdout
    again = judgekit(project, "record", "--judge-url", judge.url)
    assert "nothing to record" in again.stdout


def test_recording_anew_gives_the_same_bytes(judge: LocalJudge, project: Path) -> None:
    """A greedy judge with a seed says the same again, and what is volatile is not kept."""
    for arguments in (["record"], ["record", "--all"]):
        judgekit(project, *arguments, "--judge-url", judge.url)
        judgekit(project, "cassette", "accept")
        files = {p.name: p.read_bytes() for p in (project / "cassettes").rglob("*.json")}
        if arguments == ["record"]:
            before = files
    same = sum(before.get(name) == data for name, data in files.items())
    assert same >= len(CASES) - 1


def test_a_reply_that_is_cut_by_max_tokens_is_told_apart(judge: LocalJudge) -> None:
    request = make_request(
        "Write a very long story about a judge.",
        model=MODEL,
        sampling=Sampling(max_tokens=5),
        rubric=score_rubric(),
    )
    connection = Connection(judge.url, attempt_s=600)
    with LiveJudge(connection, re_asks=0) as live, pytest.raises(TruncatedReply):
        live.evaluate(request)


def test_a_prompt_that_does_not_fit_is_told_apart(judge: LocalJudge) -> None:
    connection = Connection(judge.url, attempt_s=600)
    with (
        LiveJudge(connection, re_asks=0) as live,
        pytest.raises(TruncatedReply, match="does not fit the judge's context"),
    ):
        live.evaluate(make_request("word " * CONTEXT_TOKENS * 2, model=MODEL))


def test_a_server_that_is_killed_in_mid_request_is_told(tmp_path: Path) -> None:
    import threading

    with local_judge() as doomed:
        live = LiveJudge(Connection(doomed.url, connect_s=1, attempt_s=120, call_s=3), re_asks=0)
        request = make_request("Count to one thousand.", model=MODEL)
        timer = threading.Timer(0.5, doomed.process.kill)
        timer.start()
        started = time.monotonic()
        questions = (request.model_copy(update={"sample_index": n}) for n in range(100))
        with live, pytest.raises(JudgeUnreachable):
            list(map(live.evaluate, questions))
        timer.join()
        assert time.monotonic() - started < 300


def test_the_staging_folder_is_no_cassette(judge: LocalJudge, project: Path) -> None:
    judgekit(project, "record", "--judge-url", judge.url)
    staging = Staging(project / ".judgekit" / "staged", CassetteStore(project / "cassettes"))
    assert {item.interaction.recorded.case for item in staging.items()} == {
        case["id"] for case in CASES
    }
    assert {item.interaction.recorded.model_answered for item in staging.items()} == {MODEL}
    assert judgekit(project, "run").returncode == 3
