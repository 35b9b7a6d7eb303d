"""The main job from the shell: record, review, accept, run, bless, gate."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import CASES, Run, write_cases
from tests.judges.making import FAIL, PASS
from tests.judges.model_server import answers, model_server, says, unused_port


def record(judgekit: Run, *contents: str) -> None:
    """Record everything with a judge that says `contents` in turn, and accept it."""
    with model_server(*map(says, contents)) as server:
        done = judgekit("record", "--judge-url", server.url)
        assert done.returncode == 0, done.stderr
    assert judgekit("cassette", "accept").returncode == 0


def test_recording_reviewing_and_replaying(judgekit: Run, project: Path) -> None:
    with model_server(says(PASS), says(FAIL), says(PASS)) as server:
        recorded = judgekit("record", "--judge-url", server.url)
    assert recorded.returncode == 0, recorded.stderr
    assert "recorded 4 of 4 due" in recorded.stdout
    assert "4 wait for review" in recorded.stdout
    assert judgekit("run").returncode == 3
    reviewed = judgekit("cassette", "diff")
    assert reviewed.stdout.count("new  ") == 4
    assert "+ fail 0: It does not." in reviewed.stdout
    accepted = judgekit("cassette", "accept")
    assert "accepted 4 recordings (4 new)" in accepted.stdout
    run = judgekit("run")
    assert run.returncode == 1
    assert "missing-baseline" in run.stdout
    blessed = judgekit("bless", "--yes")
    assert blessed.returncode == 0, blessed.stderr
    passed = judgekit("run")
    assert passed.returncode == 0, passed.stdout
    assert "4 judge calls, 4 of them replayed" in passed.stdout
    assert "passed: 1 eval, no blocking finding" in passed.stdout


def test_a_run_is_the_same_bytes_with_any_number_of_jobs(judgekit: Run) -> None:
    record(judgekit, PASS, FAIL)
    runs = {judgekit("run", "--format", "json", "--jobs", jobs).stdout for jobs in ("1", "4", "16")}
    assert len(runs) == 1


def test_a_changed_output_is_a_miss_that_names_it(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    changed = [dict(CASES[0], output="Another answer: no refund."), *CASES[1:]]
    write_cases(project, changed)
    run = judgekit("run", "--verbose")
    assert run.returncode == 3
    assert "support / helpful / case-0: output changed" in run.stdout
    assert "+Another answer: no refund." in run.stdout
    assert "record them: judgekit record support" in run.stdout
    plan = judgekit("plan", "--check")
    assert plan.returncode == 3
    assert "stale    support / helpful / case-0: output changed" in plan.stdout
    assert "4 judge requests: 3 hit, 0 miss, 1 stale, 0 corrupt; 0 orphans" in plan.stdout
    assert "1 call," in plan.stdout


def test_re_recording_a_stale_case_replaces_its_recording(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    write_cases(project, [dict(CASES[0], output="Another answer: a refund."), *CASES[1:]])
    with model_server(says(FAIL)) as server:
        recorded = judgekit("record", "--judge-url", server.url)
        assert len(server.requests) == 1
    assert "recorded 1 of 1 due" in recorded.stdout
    reviewed = judgekit("cassette", "diff").stdout
    assert "replaces" in reviewed
    assert "- pass 1: It answers the question." in reviewed
    assert "+ fail 0: It does not." in reviewed
    judgekit("cassette", "accept")
    files = list((project / "cassettes").rglob("*.json"))
    assert len(files) == 4
    assert judgekit("plan", "--check").returncode == 0


def test_rejecting_throws_the_recording_away(judgekit: Run, project: Path) -> None:
    with model_server(says(PASS)) as server:
        judgekit("record", "--judge-url", server.url)
    rejected = judgekit("cassette", "reject")
    assert "rejected 4 recordings" in rejected.stdout
    assert not (project / "cassettes").exists()
    nothing = judgekit("cassette", "accept")
    assert (nothing.returncode, nothing.stderr.count("\n")) == (2, 1)


def test_all_asks_anew_and_changes_nothing_that_is_the_same(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    before = {p: p.read_bytes() for p in (project / "cassettes").rglob("*.json")}
    with model_server(says(PASS), says(FAIL), says(PASS)) as server:
        judgekit("record", "--all", "--judge-url", server.url)
        assert len(server.requests) == 4
    assert "4 recordings (1 re-recorded, 3 unchanged)" in judgekit("cassette", "diff").stdout
    judgekit("cassette", "accept")
    after = {p: p.read_bytes() for p in (project / "cassettes").rglob("*.json")}
    assert after.keys() == before.keys()
    assert sum(after[p] != before[p] for p in after) == 1


def test_a_removed_case_leaves_an_orphan_that_can_be_pruned(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    write_cases(project, CASES[:3])
    run = judgekit("run")
    assert "not used: 1 recording (" in run.stdout
    assert "case-3" in judgekit("plan").stdout
    assert "removed 1 recording" in judgekit("cassette", "prune", "--yes").stdout
    assert "0 orphans" in judgekit("plan").stdout


def test_recording_is_refused_under_ci(judgekit: Run) -> None:
    with model_server(says(PASS)) as server:
        done = judgekit("record", "--judge-url", server.url, ci=True)
        assert server.requests == []
    assert done.returncode == 2
    assert done.stderr == (
        "error: recording is refused under CI: record on your machine, review, "
        "commit the cassettes\n"
    )


@pytest.mark.parametrize("command", [["bless", "--yes"], ["cassette", "accept"]])
def test_blessing_and_accepting_are_refused_under_ci(judgekit: Run, command: list[str]) -> None:
    done = judgekit(*command, ci=True, BLESS="1")
    assert done.returncode == 2
    assert "refused under CI" in done.stderr


def test_a_judge_elsewhere_needs_leave(judgekit: Run) -> None:
    done = judgekit("record", "--judge-url", "https://api.example.com")
    assert done.returncode == 2
    assert "give --allow-remote" in done.stderr


def test_an_alias_that_moves_is_warned_of(judgekit: Run) -> None:
    with model_server(says(PASS)) as server:
        done = judgekit("record", "--judge-url", server.url, "--model", "llama3:latest")
    assert "is an alias that moves" in done.stderr
    assert "replay asks for that one until you change it" in done.stderr


def test_a_judge_that_is_not_there_is_one_clear_error(judgekit: Run, project: Path) -> None:
    started = threading.Event()
    done = judgekit("record", "--judge-url", f"http://127.0.0.1:{unused_port()}")
    started.set()
    assert done.returncode == 4
    assert "error: 4 recordings were due and 0 were made" in done.stderr
    assert "refused the connection" in done.stderr
    assert not (project / ".judgekit").exists()


def test_a_judge_that_fails_ends_with_4_and_keeps_what_was_answered(judgekit: Run) -> None:
    with model_server(says(PASS), says(PASS), answers(401, {"error": "no"})) as server:
        done = judgekit("record", "--judge-url", server.url)
    assert done.returncode == 4
    assert "answers HTTP 401" in done.stderr
    assert "give the variable that holds its key in api_key_env" in done.stderr
    assert "2 wait for review" in done.stdout


def test_malformed_verdicts_are_recorded_and_fail_the_run(judgekit: Run) -> None:
    with model_server(says("no idea")) as server:
        recorded = judgekit("record", "--judge-url", server.url)
    assert "attempt 3" in recorded.stderr
    judgekit("cassette", "accept")
    run = judgekit("run")
    assert run.returncode == 4
    assert "malformed" in run.stdout + judgekit("run", "--format", "json").stdout


def test_a_kill_in_mid_recording_loses_nothing(judgekit: Run, project: Path) -> None:
    second = threading.Event()
    release = threading.Event()
    count = 0

    def behave(handler: object, body: object) -> None:
        nonlocal count
        count += 1
        if count == 3:
            second.set()
            release.wait(20)
        says(PASS)(handler, body)  # type: ignore[arg-type]

    with model_server(behave) as server:
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        environment.pop("CI", None)
        process = subprocess.Popen(
            [sys.executable, "-m", "judgekit.cli.main", "record", "--judge-url", server.url],
            cwd=project,
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        assert second.wait(30)
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        release.set()
        assert judgekit("cassette", "diff").stdout.count("new  ") == 2
        again = judgekit("record", "--judge-url", server.url)
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == 3 + 2
    assert "accepted 4 recordings" in judgekit("cassette", "accept").stdout


def test_reports_are_written_in_several_formats_at_once(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS, FAIL, PASS)
    judgekit("bless", "--yes")
    formats = [
        part for name in ("console", "json", "junit", "markdown") for part in ("--format", name)
    ]
    done = judgekit("run", *formats, "--output", "reports")
    assert done.returncode == 0, done.stdout
    assert "passed: 1 eval" in done.stdout
    stored = json.loads((project / "reports" / "run.json").read_text())
    assert stored["format"] == "judgekit-run/1"
    suite = ET.fromstring((project / "reports" / "junit.xml").read_text())
    assert suite.attrib == {
        "name": "judgekit",
        "tests": "5",
        "failures": "0",
        "errors": "0",
        "skipped": "1",
    }
    assert "✅ judgekit" in (project / "reports" / "summary.md").read_text()
    gated = judgekit("gate", "reports/run.json")
    assert gated.returncode == 0, gated.stdout


def test_a_regression_is_found_in_a_stored_run_too(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    judgekit("bless", "--yes")
    write_cases(project, [dict(CASES[0], expected={"must_mention": ["unicorn"]}), *CASES[1:]])
    done = judgekit("run", "--format", "json", "--output", "run.json")
    assert done.returncode == 1
    gated = judgekit("gate", "run.json")
    assert gated.returncode == 1
    assert "scorer-regression names_it" in gated.stdout


def test_a_run_below_its_threshold_is_not_blessed(judgekit: Run, project: Path) -> None:
    record(judgekit, FAIL)
    text = (project / "evals" / "support.yaml").read_text()
    (project / "evals" / "support.yaml").write_text(text.replace("0.5", "0.9"))
    done = judgekit("bless", "--yes")
    assert done.returncode == 2
    assert "below-threshold" in done.stderr
    assert not (project / "evals" / "baseline.json").exists()


def test_blessing_asks_unless_told(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    assert judgekit("bless", stdin="n\n").returncode == 130
    assert not (project / "evals" / "baseline.json").exists()
    assert judgekit("bless", BLESS="1").returncode == 0
    assert (project / "evals" / "baseline.json").exists()
    assert "nothing changes" in judgekit("bless", "--yes").stdout


def test_replay_touches_no_network_even_if_a_task_tries(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    (project / "sneaky.py").write_text(
        "import urllib.request\n"
        "def answer(given):\n"
        "    try:\n"
        "        urllib.request.urlopen('http://127.0.0.1:9/', timeout=1)\n"
        "    except Exception:\n"
        "        pass\n"
        "    return 'Answer: you get a refund.'\n"
    )
    text = (project / "evals" / "support.yaml").read_text() + 'task: "sneaky:answer"\n'
    (project / "evals" / "support.yaml").write_text(text)
    write_cases(project, [{k: v for k, v in case.items() if k != "output"} for case in CASES])
    done = judgekit("run")
    assert done.returncode == 3
    assert "127.0.0.1:9" in done.stderr
    assert "network" in done.stderr


def test_init_lays_out_a_project_that_runs_at_once(judgekit: Run, project: Path) -> None:
    made = judgekit("init", "fresh")
    assert made.returncode == 0, made.stderr
    for command in (["run"], ["plan", "--check"], ["bless", "--yes"]):
        done = subprocess.run(
            [sys.executable, "-m", "judgekit.cli.main", *command],
            cwd=project / "fresh",
            env={k: v for k, v in os.environ.items() if k != "CI"}
            | {"PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    rubric = project / "fresh" / "rubrics" / "helpful.md"
    rubric.write_text("mine")
    again = judgekit("init", "fresh")
    assert again.returncode == 0
    assert "kept    fresh/rubrics/helpful.md" in again.stdout
    assert rubric.read_text() == "mine"


def test_a_recording_without_one_readable_verdict_is_no_success(
    judgekit: Run, project: Path
) -> None:
    with model_server(answers(200, b"<html>Log in</html>")) as server:
        done = judgekit("record", "--judge-url", server.url)
    assert done.returncode == 4, done.stdout
    assert "none of the 4 recordings holds a readable verdict" in done.stderr
    assert "Traceback" not in done.stderr
