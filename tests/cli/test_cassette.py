"""`judgekit cassette`: what the main job's tests do not reach."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.parametrize("name", ["../../x", "a/b", " ", "..", "a\\b"])
def test_an_import_takes_no_name_that_leads_out(judgekit: Run, project: Path, name: str) -> None:
    done = judgekit("cassette", "import", "out.yaml", "--eval", name, "--scorer", "helpful")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --eval: ")


def test_an_import_that_takes_nothing_is_an_error(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    judgekit("cassette", "export", "support", "helpful", "out.yaml")
    text = (project / "out.yaml").read_text().replace("code: 200", "code: 500")
    (project / "out.yaml").write_text(text)
    done = judgekit("cassette", "import", "out.yaml", "--eval", "support", "--scorer", "helpful")
    assert done.returncode == 2
    assert "no exchange of it could be taken; nothing was staged" in done.stderr
    assert "out.yaml: exchange 1: not taken: its answer is HTTP 500" in done.stderr


@pytest.mark.parametrize("text", ["{}", "[]", "5", "", '{"format": "judgekit-cassette/1"}'])
def test_what_is_no_cassette_is_not_sealed(judgekit: Run, project: Path, text: str) -> None:
    (project / "x.0123456789.json").write_text(text)
    done = judgekit("cassette", "seal", "x.0123456789.json")
    assert done.returncode in {2, 3}
    assert done.stderr.startswith("error: x.0123456789.json: ")
    assert "Error" not in done.stderr
    assert (project / "x.0123456789.json").read_text() == text


def edit_recording(project: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Change what the recording of case-0 says, in the way of an editor."""
    (path,) = (project / "cassettes").rglob("case-0.*.json")
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


def test_a_verdict_that_was_taken_out_of_a_recording_is_no_imported_one(
    judgekit: Run, project: Path
) -> None:
    record(judgekit, PASS)
    edit_recording(project, lambda document: document.update(verdict={}))
    run = judgekit("run")
    assert run.returncode == 3
    assert "field verdict is empty" in run.stdout
    assert judgekit("cassette", "verify").returncode == 3


def test_a_recording_that_names_another_case_than_its_file_is_corrupt(
    judgekit: Run, project: Path
) -> None:
    record(judgekit, PASS)
    edit_recording(project, lambda document: document["recorded"].update(case="case-1"))
    run = judgekit("run")
    assert run.returncode == 3
    assert "field recorded.case is 'case-1'" in run.stdout
    assert judgekit("cassette", "verify").returncode == 3


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
