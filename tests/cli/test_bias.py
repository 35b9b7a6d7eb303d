"""Judges with planted bias behind a real server: recorded, probed, and told apart by the report."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from judgekit.evals.plan import make_plan
from judgekit.evals.session import Session
from tests.cli.conftest import CONFIG, Run
from tests.judges.model_server import completion, model_server, send, unused_port

EVAL = """name: answers
prompt_version: answers/1
subject: human
threshold: 0.5
cases: answers.jsonl
scorers:
  against:
    grader: llm_pairwise
    config: {baseline: {$case: expected.baseline}, criteria: Which ANSWER is right?}
  right:
    grader: llm_judge
    config: {rubric: The ANSWER is right.}
  how_well:
    grader: llm_score
    config: {rubric: How well does the ANSWER do?}
"""
N = 16
PART = re.compile(r"--- BEGIN (ANSWER(?: [AB])?) (\w+) ---\n(.*?)\n--- END \1 \2 ---", re.DOTALL)
Worth = Callable[[str], float]


def merit(text: str) -> float:
    """What an answer is really worth: it says so, whatever its length, form and place."""
    found = re.search(r"grade (\d)", text)
    assert found is not None
    return int(found[1]) / 9


def judge_by(worth: Worth, *, first: float = 0.0, noise: float = 0.0) -> Any:
    """Return a server's behaviour: the worthier answer wins, plus what the first place is worth."""

    def judged(prompt: str) -> dict[str, Any]:
        parts = {name: text for name, _, text in PART.findall(prompt)}
        drawn = int(hashlib.sha256(prompt.encode()).hexdigest()[:8], 16) / 2**32 - 0.5
        if "ANSWER A" in parts:
            lead = worth(parts["ANSWER A"]) - worth(parts["ANSWER B"]) + first + noise * drawn
            return {"winner": "A" if lead > 1e-9 else "B" if lead < -1e-9 else "TIE"}
        value = min(1.0, max(0.0, worth(parts["ANSWER"]) + noise * drawn))
        if '"passed"' in prompt:
            return {"passed": value > 0.5}
        return {"score": round(value, 3)}

    def behave(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        said = json.dumps({"reason": "so", **judged(body["messages"][0]["content"])})
        data = json.dumps(completion(said)).encode()
        send(handler, 200, data, {"Content-Type": "application/json"})

    return behave


BIASED = {
    "first": judge_by(merit, first=2.0),
    "longer": judge_by(lambda text: min(1.0, len(text) / 260)),
    "markdown": judge_by(lambda text: 0.9 if re.search(r"^- |\*\*", text, re.MULTILINE) else 0.2),
    "fair": judge_by(merit, noise=0.5),
}


def case(number: int) -> dict[str, object]:
    grade, other = number % 10, (number * 7 + 3) % 10
    return {
        "id": f"case-{number}",
        "input": f"Question {number} of Anna?",
        "output": f"Anna asked number {number}. This answer is of grade {grade}. It ends here.",
        "expected": {
            "baseline": f"Another one, of grade {other}." + " It goes on." * (number % 4),
            "human_verdict": "pass" if grade > 4 else "fail",
        },
    }


@pytest.fixture
def project(project: Path) -> Path:
    (project / "evals" / "support.yaml").unlink()
    (project / "evals" / "answers.yaml").write_text(EVAL)
    write(project)
    return project


def write(project: Path, count: int = N) -> None:
    rows = "".join(json.dumps(case(number)) + "\n" for number in range(count))
    (project / "evals" / "answers.jsonl").write_text(rows)


@contextmanager
def recorded(project: Path, judgekit: Run, name: str, *kinds: str) -> Iterator[list[Any]]:
    """Record the eval and its probes by a planted judge, and leave no server behind."""
    with model_server(BIASED[name]) as server:
        at = CONFIG.replace("http://127.0.0.1:9", server.url).replace(
            "[judges.local.timeouts]", "concurrency = 4\n[judges.local.timeouts]"
        )
        (project / "judgekit.toml").write_text(at)
        for command in (["record"], ["bias", "probe", *(f"--kind={kind}" for kind in kinds)]):
            done = judgekit(*command)
            assert done.returncode == 0, done.stderr
            accepted = judgekit("cassette", "accept")
            assert accepted.returncode == 0, accepted.stderr
        yield server.requests


def rows_of(judgekit: Run, *options: str) -> dict[tuple[str, str], dict[str, Any]]:
    done = judgekit("bias", "report", "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["format"] == "judgekit-bias/1"
    return {(row["measure"], row["where"].rpartition(" / ")[2]): row for row in report["rows"]}


def accused(rows: dict[tuple[str, str], dict[str, Any]]) -> set[str]:
    return {measure.partition(":")[0] for (measure, _), row in rows.items()
            if row["finding"] == "bias"}  # fmt: skip


def test_a_judge_that_always_takes_the_first_is_told(project: Path, judgekit: Run) -> None:
    with recorded(project, judgekit, "first", "position", "padding"):
        pass
    rows = rows_of(judgekit)
    assert accused(rows) == {"position"}
    first = rows["position: preference for the first", "against"]
    assert (first["estimate"], first["n"]) == (1, N)
    assert first["interval"][0] > 0.8
    assert rows["position: one answer shown twice", "against"]["estimate"] == 1
    assert rows["position: consistency", "against"]["estimate"] == 0


def test_a_judge_that_prefers_longer_answers_is_told(project: Path, judgekit: Run) -> None:
    with recorded(project, judgekit, "longer", "position", "padding"):
        pass
    rows = rows_of(judgekit)
    assert accused(rows) == {"verbosity"}
    assert rows["verbosity: change by padding", "how_well"]["interval"][0] > 0.2
    assert rows["verbosity: change by padding", "right"]["estimate"] == 1
    assert rows["verbosity: the longer one wins", "against"]["estimate"] == 1
    assert rows["verbosity: the longer one wins", "against"]["finding"] == "goes"
    assert rows["position: preference for the first", "against"]["estimate"] == 0.5


def test_a_judge_that_prefers_markdown_is_told(project: Path, judgekit: Run) -> None:
    with recorded(project, judgekit, "markdown", "format", "padding"):
        pass
    rows = rows_of(judgekit)
    assert accused(rows) == {"format"}
    for scorer, change in (("right", 1), ("how_well", 0.7), ("against", 0.5)):
        row = rows["format: change by a bulleted list", scorer]
        assert row["estimate"] == pytest.approx(change, abs=1e-6)
        assert row["interval"][0] > 0
    assert rows["verbosity: change by padding", "right"]["finding"] == "none"


def test_a_judge_without_bias_is_not_accused_and_its_probes_all_read(
    project: Path, judgekit: Run
) -> None:
    with recorded(project, judgekit, "fair"):
        pass
    rows = rows_of(judgekit, "--labels-from-eval")
    assert accused(rows) == set()
    probed = [row for (measure, _), row in rows.items() if "change by" in measure]
    assert [row["finding"] for row in probed] == ["none"] * 9
    assert rows["stability: all samples agree", "right"]["n"] == N
    edits = rows["stability: no irrelevant edit turns the verdict", "how_well"]
    assert edits["n"] == N
    assert 0.5 < edits["estimate"] <= 1
    # What no eval here can tell says so, and gives no figure.
    for measure in ("self-preference: equal-opportunity difference", "panel: Fleiss' kappa"):
        row = rows[measure, ""]
        assert (row["estimate"], row["interval"], row["finding"]) == (None, None, "unknown")
        assert row["says"].startswith("cannot be told from these recordings, because ")


def test_probes_are_seen_by_no_plan_run_or_prune_and_the_report_asks_nobody(
    project: Path, judgekit: Run
) -> None:
    write(project, 3)
    with recorded(project, judgekit, "fair", "padding", "position") as requests:
        asked = len(requests)
    assert len(list((project / "cassettes" / "answers").glob("_bias.*"))) == 4
    plan = judgekit("plan", "--check")
    assert (plan.returncode, "0 orphans" in plan.stdout) == (0, True)
    assert "no orphans" in judgekit("cassette", "prune", "--yes").stdout
    run = judgekit("run", "--format", "json")
    assert "_bias" not in run.stdout + run.stderr
    once, again = (judgekit("bias", "report", ci=True).stdout for _ in range(2))
    assert once == again
    assert len(requests) == asked
    (project / "evals" / "answers.yaml").write_text(EVAL.replace("  right:", "  correct:"))
    assert "_bias.right.padded" in judgekit("plan").stdout


def test_probing_again_asks_for_what_is_missing_only(project: Path, judgekit: Run) -> None:
    write(project, 4)
    with recorded(project, judgekit, "fair", "padding") as requests:
        before = len(requests)
        assert "nothing to record" in judgekit("bias", "probe", "--kind=padding").stdout
        assert len(requests) == before
        plan = judgekit("bias", "probe", "--kind=position", "--limit=2", "--plan", ci=True)
        assert "2 judge requests, 2 not recorded" in plan.stdout
        assert len(requests) == before
        done = judgekit("bias", "probe", "--kind=position", "--limit=2")
        assert "recorded 2 of 2 due" in done.stdout
        assert len(requests) == before + 2


def test_an_edited_output_replaces_its_probes_recordings(project: Path, judgekit: Run) -> None:
    write(project, 3)
    with recorded(project, judgekit, "fair", "padding"):
        rows = (project / "evals" / "answers.jsonl").read_text()
        changed = rows.replace("asked number 1", "asked the number 1")
        (project / "evals" / "answers.jsonl").write_text(changed)
        assert "recorded 4 of 4 due" in judgekit("bias", "probe", "--kind=padding").stdout
        assert "replaces" in judgekit("cassette", "diff").stdout
        assert judgekit("cassette", "accept").returncode == 0
    for name in ("right", "how_well"):
        folder = project / "cassettes" / "answers" / f"_bias.{name}.padded"
        assert len(list(folder.iterdir())) == 3


def test_probing_is_refused_under_ci_and_reporting_nothing_exits_with_3(
    project: Path, judgekit: Run
) -> None:
    refused = judgekit("bias", "probe", ci=True)
    assert (refused.returncode, "refused under CI" in refused.stderr) == (2, True)
    (project / "judgekit.toml").write_text(CONFIG.replace(":9", f":{unused_port()}"))
    empty = judgekit("bias", "report")
    assert empty.returncode == 3
    assert "0 measures told" in empty.stdout
    assert "left out (miss)" in empty.stdout


def test_a_damaged_probe_is_no_missing_one(project: Path, judgekit: Run) -> None:
    write(project, 3)
    with recorded(project, judgekit, "fair", "padding"):
        pass
    file = next((project / "cassettes" / "answers" / "_bias.right.padded").iterdir())
    file.write_text(file.read_text()[:200])
    done = judgekit("bias", "report")
    assert done.returncode == 3
    assert "corrupt-cassette" in done.stdout


def test_a_report_replaces_only_a_report_and_all_its_forms_say_the_same(
    project: Path, judgekit: Run
) -> None:
    write(project, 3)
    with recorded(project, judgekit, "fair", "padding"):
        pass
    kept = project / "notes.md"
    kept.write_text("my notes")
    refused = judgekit("bias", "report", "--format=markdown", "--output=notes.md")
    assert refused.returncode == 2
    assert kept.read_text() == "my notes"
    for form in ("console", "markdown", "json"):
        for _ in range(2):
            done = judgekit("bias", "report", "--format", form, "--output", f"bias.{form}")
            assert done.returncode == 0, done.stderr
        assert "verbosity: change by padding" in (project / f"bias.{form}").read_text()


def test_labels_of_unknown_cases_and_evals_are_refused(project: Path, judgekit: Run) -> None:
    (project / "labels.jsonl").write_text('{"case": "nobody", "label": "pass"}\n')
    done = judgekit("bias", "report", "--labels", "labels.jsonl")
    assert done.returncode == 2
    assert "labels.jsonl:1: eval answers has no case 'nobody'" in done.stderr
    both = judgekit("bias", "report", "--labels", "labels.jsonl", "--labels-from-eval")
    assert both.returncode == 2


def test_probes_of_a_shared_family_are_refused_before_any_call(
    project: Path, judgekit: Run
) -> None:
    (project / "evals" / "answers.yaml").write_text(
        EVAL.replace("subject: human", "subject_model: gpt-4o")
    )
    config = CONFIG.replace("test-judge", "gpt-4o-mini")
    (project / "judgekit.toml").write_text(config)
    done = judgekit("bias", "report")
    assert done.returncode == 5
    assert "shares a family" in done.stdout


def test_the_plan_of_a_project_is_what_its_session_makes(project: Path, judgekit: Run) -> None:
    write(project, 2)
    with recorded(project, judgekit, "fair", "samples"):
        pass
    from judgekit.config import find_project

    session = Session(find_project(project))
    assert make_plan(session, session.evals(), whole=True).orphans == ()
    folder = project / "cassettes" / "answers" / "_bias.right.samples"
    assert len(list(folder.iterdir())) == 10
    body = json.loads(next(folder.iterdir()).read_text())["request"]["body"]
    assert body["temperature"] == 0.7
