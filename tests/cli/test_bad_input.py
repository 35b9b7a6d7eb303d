"""Bad input: one line that names file and field and says what to do; never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import CASES, Run, write_cases
from tests.cli.test_main_job import record
from tests.judges.making import FAIL, PASS


def cassette(project: Path) -> Path:
    return sorted((project / "cassettes").rglob("*.json"))[0]


def edit(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


BROKEN_EVALS = {
    "an unknown key": ("threshold: 0.5", "threshhold: 0.5", ["line 4: threshhold", "did you mean"]),
    "a threshold that is no number": ("0.5", "high", ["support.yaml:4", "threshold"]),
    "a threshold out of range": ("0.5", "1.5", ["support.yaml:4", "threshold"]),
    "a threshold that is NaN": ("0.5", ".nan", ["support.yaml:4"]),
    "an unknown grader": ("llm_judge", "llm_jugde", ["did you mean 'llm_judge'"]),
    "an unknown option": ("{rubric: helpful.md}", "{rubrik: helpful.md}", ["rubrik"]),
    "a missing rubric": ("helpful.md", "absent.md", ["absent.md"]),
    "a rubric outside": ("helpful.md", "../../x.md", ["x.md"]),
    "a dataset outside": ("support.jsonl", "../../../x.jsonl", ["support.yaml:5"]),
    "a missing dataset": ("support.jsonl", "absent.jsonl", ["absent.jsonl"]),
    "no subject": ("subject: human\n", "", ["subject"]),
    "YAML that is none": ("scorers:", "scorers: [", ["support.yaml"]),
    "a key twice": ("threshold: 0.5", "threshold: 0.5\nthreshold: 0.6", ["support.yaml:5"]),
}


@pytest.mark.parametrize("fault", BROKEN_EVALS)
def test_a_broken_eval_file_is_one_clear_line(judgekit: Run, project: Path, fault: str) -> None:
    old, new, parts = BROKEN_EVALS[fault]
    path = project / "evals" / "support.yaml"
    path.write_text(path.read_text().replace(old, new))
    done = judgekit("run")
    assert done.returncode == 2, done.stdout
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr


def test_an_empty_rubric_is_one_clear_line(judgekit: Run, project: Path) -> None:
    (project / "rubrics" / "helpful.md").write_text("---\nid: helpful\nkind: pass_fail\n---\n \n")
    done = judgekit("run")
    assert done.returncode == 2
    assert "helpful.md" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ([*CASES, CASES[0]], ["support.jsonl:5", "line 1", "case-0"]),
        ([{"id": "a", "input": "x"}], ["support.jsonl:1", "output"]),
        ([{"id": " ", "output": "x"}], ["support.jsonl:1", "id"]),
        ([{"id": "a", "output": "x", "otput": "y"}], ["support.jsonl:1", "otput"]),
        ([], ["no case"]),
    ],
)
def test_a_broken_dataset_is_one_clear_line(
    judgekit: Run, project: Path, rows: list[dict[str, object]], parts: list[str]
) -> None:
    write_cases(project, rows)
    done = judgekit("run")
    assert done.returncode == 2, done.stdout
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr


def test_a_dataset_that_is_not_utf_8_is_one_clear_line(judgekit: Run, project: Path) -> None:
    (project / "evals" / "support.jsonl").write_bytes(b'{"id": "a", "output": "\xff"}\n')
    done = judgekit("run")
    assert done.returncode == 2
    assert "support.jsonl" in done.stderr
    assert "UTF-8" in done.stderr


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut short": (lambda p: p.write_bytes(p.read_bytes()[:300]), "is cut short"),
    "emptied": (lambda p: p.write_bytes(b""), "is empty"),
    "with another key": (lambda p: edit(p, lambda d: d.update(key="0" * 64)), "field digest"),
    "with an edited verdict": (
        lambda p: edit(p, lambda d: d.update(verdict={"outcome": "pass", "score": 1.0})),
        "field verdict",
    ),
    "with an edited response": (
        lambda p: p.write_text(p.read_text().replace('\\"passed\\": false', '\\"passed\\": true')),
        "field digest",
    ),
    "of another version": (
        lambda p: edit(p, lambda d: d.update(format="judgekit-cassette/2")),
        "judgekit-cassette/2",
    ),
    "in conflict": (
        lambda p: p.write_text(f"<<<<<<< HEAD\n{p.read_text()}=======\n>>>>>>> topic\n"),
        "holds a merge conflict between HEAD and topic",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cassette_fails_the_run_and_is_named(
    judgekit: Run, project: Path, damage: str
) -> None:
    record(judgekit, FAIL)
    change, message = DAMAGES[damage]
    change(cassette(project))
    done = judgekit("run", "--verbose")
    assert done.returncode == 3, done.stdout
    assert message in done.stdout
    if damage != "with an edited verdict":
        verified = judgekit("cassette", "verify")
        assert verified.returncode == 3
        assert message in verified.stderr


def test_a_cassette_that_is_sealed_after_an_edit_replays(judgekit: Run, project: Path) -> None:
    record(judgekit, FAIL)
    path = cassette(project)
    path.write_text(path.read_text().replace('\\"passed\\": false', '\\"passed\\": true'))
    edit(path, lambda d: d["verdict"].update(outcome="pass", score=1.0))  # type: ignore[attr-defined]
    assert judgekit("cassette", "seal", str(path)).returncode == 0
    assert judgekit("cassette", "verify").returncode == 0


BASELINES = {
    "another format": '{"format": "judgekit-baseline/9", "evals": {}}',
    "no JSON": "{",
    "a conflict": "<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n",
    "NaN": '{"format": "judgekit-baseline/1", "evals": NaN}',
    "a key twice": '{"evals": {}, "format": "judgekit-baseline/1", "evals": {}}',
    "an unknown key": '{"format": "judgekit-baseline/1", "evals": {}, "x": 1}',
}


@pytest.mark.parametrize("fault", BASELINES)
def test_a_broken_baseline_is_one_clear_line(judgekit: Run, project: Path, fault: str) -> None:
    record(judgekit, PASS)
    path = project / "evals" / "baseline.json"
    path.write_text(BASELINES[fault])
    done = judgekit("run")
    assert done.returncode == 2, done.stdout
    assert "baseline.json" in done.stderr
    assert done.stderr.count("\n") == 1
    assert judgekit("bless", "--yes").returncode == 2
    assert path.read_text() == BASELINES[fault]


@pytest.mark.parametrize(
    "config",
    [
        "[judges.local]\nurl = 'ftp://x'\nmodel = 'm'\n",
        "[judge]\n",
        "x = [",
        "paths = {evals = '/etc'}",
    ],
)
def test_a_broken_configuration_is_one_clear_line(
    judgekit: Run, project: Path, config: str
) -> None:
    (project / "judgekit.toml").write_text(config)
    done = judgekit("run")
    assert done.returncode == 2
    assert "judgekit.toml" in done.stderr
    assert done.stderr.count("\n") == 1


def test_no_project_is_one_clear_line(judgekit: Run, project: Path) -> None:
    (project / "judgekit.toml").unlink()
    done = judgekit("run")
    assert done.returncode == 2
    assert "judgekit init" in done.stderr


def test_an_output_of_50_megabytes_ends_in_one_clear_line(judgekit: Run, project: Path) -> None:
    write_cases(project, [{"id": "huge", "output": "x" * 50_000_000}])
    done = judgekit("run")
    assert done.returncode == 2
    assert "support.jsonl:1" in done.stderr
    assert len(done.stderr) < 500


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["frobnicate"], 2),
        (["run", "--format", "pdf"], 2),
        (["run", "no-such-eval"], 2),
        (["run", "--format", "json", "--format", "junit"], 2),
        (["gate", "absent.json"], 2),
        (["cassette", "show", "support", "case-0"], 2),
        (["cassette", "pack", "support", "helpful"], 2),
        (["cassette", "import", "absent.yaml", "--eval", "e", "--scorer", "s"], 2),
        (["grade", "regex", "--config", "{"], 2),
        (["grade", "nonsense"], 2),
        (["graders", "show", "nonsense"], 2),
    ],
)
def test_a_wrong_call_is_told_and_ends_with_2(
    judgekit: Run, arguments: list[str], code: int
) -> None:
    done = judgekit(*arguments)
    assert done.returncode == code, done.stdout
    assert done.stderr or done.stdout


def test_grading_from_the_shell(judgekit: Run) -> None:
    config = '{"pattern": "order \\\\d+"}'
    passed = judgekit("grade", "regex", "--config", config, stdin="your order 42")
    assert passed.returncode == 0
    assert passed.stdout.startswith("passed 1: ")
    failed = judgekit("grade", "regex", "--config", config, stdin="nothing")
    assert failed.returncode == 1
    broken = judgekit("grade", "contains", "--config", '{"fragments": []}', "--format", "json")
    assert broken.returncode == 2
    assert json.loads(broken.stdout)["cause"] == "invalid-config"
    unreadable = judgekit("grade", "regex", "--config", config, stdin=b"\xff")
    assert "not UTF-8" in unreadable.stderr


def test_a_file_in_the_place_of_the_cassettes_is_one_clear_line(
    judgekit: Run, project: Path
) -> None:
    (project / "cassettes").write_text("not a folder")
    for command in (["run"], ["plan"], ["cassette", "verify"], ["cassette", "list"]):
        done = judgekit(*command)
        assert done.returncode == 3
        assert "cassettes: is a file" in done.stderr + done.stdout


def test_a_report_names_no_folder_of_this_machine(judgekit: Run, project: Path) -> None:
    record(judgekit, PASS)
    cassette(project).write_text("{")
    (project / "cassettes/support/helpful/case-9.0123456789.json").write_text("{}")
    stored = judgekit("run", "--format", "json").stdout
    shown = judgekit("run", "--verbose").stdout
    assert "cassettes/support/helpful/case-0." in stored
    assert str(project) not in stored + shown


@pytest.mark.parametrize("form", ["json", "markdown", "junit", "html"])
@pytest.mark.parametrize("target", ["judgekit.toml", "evals/support.yaml"])
def test_a_report_replaces_no_other_file(
    judgekit: Run, project: Path, form: str, target: str
) -> None:
    before = (project / target).read_bytes()
    done = judgekit("run", "--format", form, "--output", target)
    assert done.returncode == 2
    assert f"{target} is there and is no {form} report" in done.stderr
    assert (project / target).read_bytes() == before


@pytest.mark.parametrize("form", ["json", "markdown", "junit", "html"])
def test_a_report_replaces_one_of_its_format(judgekit: Run, project: Path, form: str) -> None:
    for _ in range(2):
        done = judgekit("run", "--format", form, "--output", "report.out")
        assert done.returncode == 3, done.stderr


def test_the_console_goes_to_no_file(judgekit: Run, project: Path) -> None:
    done = judgekit("run", "--output", "report.txt")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
