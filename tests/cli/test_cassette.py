"""`judgekit cassette`: what the main job's tests do not reach."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.test_main_job import record
from tests.judges.making import FAIL, PASS
from tests.judges.model_server import model_server, says


def test_recordings_are_counted_by_eval_and_scorer(judgekit: Run) -> None:
    record(judgekit, PASS)
    assert judgekit("cassette", "list").stdout == "     4  support / helpful\n"
    assert judgekit("cassette", "list", "other").stdout == ""
    judgekit("cassette", "pack", "support", "helpful")
    assert "support / helpful (4 packed)" in judgekit("cassette", "list").stdout


def test_names_in_capitals_are_found(judgekit: Run, project: Path) -> None:
    path = project / "evals" / "support.yaml"
    path.write_text(path.read_text().replace("name: support", "name: Support-EN"))
    record(judgekit, PASS)
    assert "support-en-" in judgekit("cassette", "list", "Support-EN").stdout
    shown = judgekit("cassette", "show", "Support-EN", "case-0", "--scorer", "helpful")
    assert shown.returncode == 0
    assert "| Answer 0: you get a refund." in shown.stdout
    assert "verdict: pass 1: It answers the question." in shown.stdout
    assert judgekit("plan", "--check").returncode == 0


def test_a_packed_set_replays_and_comes_apart_again(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS, FAIL)
    before = judgekit("run", "--format", "json").stdout
    files = {p.name: p.read_bytes() for p in (project / "cassettes").rglob("*.json")}
    judgekit("cassette", "pack", "support", "helpful")
    assert judgekit("run", "--format", "json").stdout == before
    assert "4 recordings" in judgekit("cassette", "unpack", "support", "helpful").stdout
    assert {p.name: p.read_bytes() for p in (project / "cassettes").rglob("*.json")} == files


def test_an_exported_cassette_comes_back_through_import(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    exported = judgekit("cassette", "export", "support", "helpful", "out.yaml")
    assert exported.stdout == "4 exchanges: out.yaml\n"
    for path in (project / "cassettes").rglob("*.json"):
        path.unlink()
    imported = judgekit(
        "cassette", "import", "out.yaml", "--eval", "support", "--scorer", "helpful"
    )
    assert "staged 4, left out 0" in imported.stdout
    assert "not read yet (imported)" in judgekit("cassette", "diff").stdout
    judgekit("cassette", "accept")
    assert judgekit("plan", "--check").returncode == 0


def test_single_cases_can_be_accepted(judgekit: Run, project: Path) -> None:
    with model_server(says(PASS)) as server:
        judgekit("record", "--judge-url", server.url)
    accepted = judgekit("cassette", "accept", "--case", "case-1", "--case", "case-2")
    assert "accepted 2 recordings" in accepted.stdout
    names = {p.name.split(".")[0] for p in (project / "cassettes").rglob("*.json")}
    assert names == {"case-1", "case-2"}
    assert "     2  wait for review" in judgekit("cassette", "list").stdout


def test_the_question_is_shown_when_asked_for(judgekit: Run) -> None:
    with model_server(says(PASS)) as server:
        judgekit("record", "--judge-url", server.url)
    assert "| " not in judgekit("cassette", "diff").stdout
    assert "| Question 0?" in judgekit("cassette", "diff", "--full").stdout
