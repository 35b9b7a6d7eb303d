"""From human labels to labels for calibration, from the shell."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import CASES, Run, write_cases
from tests.cli.test_main_job import record
from tests.judges.making import FAIL, PASS

VERDICTS = ("pass", "fail", "fail", "pass")


@pytest.fixture
def labelled(judgekit: Run, project: Path) -> Run:
    """Return the command in a project whose judge passed everything but the second case."""
    record(judgekit, PASS, FAIL, PASS)
    with_verdicts(project, VERDICTS)
    return judgekit


def with_verdicts(project: Path, verdicts: tuple[object, ...]) -> None:
    write_cases(
        project,
        [
            {**case, "expected": {"must_mention": ["refund"], "human_verdict": verdict}}
            for case, verdict in zip(CASES, verdicts, strict=True)
        ],
    )


def labels_file(project: Path, *rows: dict[str, str]) -> Path:
    path = project / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def everything(project: Path) -> dict[str, bytes]:
    """Return every file of the project but judgekit's own state."""
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file() and ".judgekit" not in path.parts
    }


def test_disagreements_with_the_cases_own_labels_are_queued_once(labelled: Run) -> None:
    added = labelled("review", "add")
    assert added.returncode == 0, added.stderr
    assert added.stdout == "support: 4 labels compared, 1 disagree, 1 queued\n"
    assert labelled("review", "add").stdout.endswith("1 disagree, 0 queued\n")
    listed = labelled("review", "list").stdout.splitlines()
    assert [line.split() for line in listed[1:]] == [
        ["support", "helpful", "case-2", "pass", "1", "fail", "–"]
    ]


def test_labels_of_a_file_name_who_said_so(labelled: Run, project: Path) -> None:
    path = labels_file(
        project,
        {"case": "case-0", "label": "fail", "reviewer": "bo", "note": "No date in it."},
        {"case": "case-1", "label": "fail"},
    )
    assert (
        "2 labels compared, 1 disagree" in labelled("review", "add", "--labels", str(path)).stdout
    )
    shown = labelled("review", "--reviewer", "ann", stdin="q\n").stdout
    for part in ("case-0", "1 of 1", "Question 0?", "Answer 0: you get a refund.", "judge: pass"):
        assert part in shown
    for part in ("It answers the question.", "human: fail", "No date in it.", "bo"):
        assert part in shown
    assert shown.endswith("0 answers kept, 1 left for ann\n")


def test_a_review_is_kept_answer_by_answer_and_goes_on_where_it_stopped(
    labelled: Run, project: Path
) -> None:
    with_verdicts(project, ("fail", "pass", "fail", "fail"))
    assert "4 disagree, 4 queued" in labelled("review", "add").stdout
    first = labelled("review", "--reviewer", "ann", stdin="f wrong order\nwhat?\nn a note\npass\n")
    assert "'what?' is no answer" in first.stdout
    assert first.stdout.endswith("2 answers kept, 2 left for ann\n")
    second = labelled("review", "--reviewer", "ann", "--limit", "1", stdin="s\n")
    assert second.stdout.endswith("1 answer kept, 1 left for ann\n")
    assert "case-2" in second.stdout
    assert "case-0" not in second.stdout
    third = labelled("review", "--reviewer", "ann", stdin="fail\n")
    assert third.stdout.endswith("1 answer kept, 0 left for ann\n")
    assert "nothing waits for ann" in labelled("review", "--reviewer", "ann").stdout
    assert "1 left for ann" in labelled("review", "--reviewer", "ann", "--skipped").stdout
    exported = labelled("review", "export")
    assert [json.loads(line) for line in exported.stdout.splitlines()] == [
        {
            "case": case,
            "eval": "support",
            "scorer": "helpful",
            "label": label,
            "reviewer": "ann",
            "note": note,
        }
        for case, label, note in (
            ("case-0", "fail", "wrong order"),
            ("case-1", "pass", "a note"),
            ("case-3", "fail", ""),
        )
    ]


def test_what_is_exported_can_be_added_again(labelled: Run, project: Path) -> None:
    labelled("review", "add")
    labelled("review", "--reviewer", "ann", stdin="p\n")
    written = labelled("review", "export", "--output", "labels/support.jsonl")
    assert written.stdout == "1 label in labels/support.jsonl\n"
    again = labelled("review", "add", "--labels", "labels/support.jsonl")
    assert again.stdout == "support: 1 label compared, 0 disagree, 0 queued\n"


def test_reviewers_agreement_is_shown_pair_by_pair(labelled: Run, project: Path) -> None:
    with_verdicts(project, ("fail", "pass", "fail", "fail"))
    labelled("review", "add")
    assert "no output was labelled by two" in labelled("review", "agreement").stdout
    labelled("review", "--reviewer", "ann", stdin="p\np\nf\nf\n")
    labelled("review", "--reviewer", "bo", stdin="p\nf\nf\nf\n")
    lines = labelled("review", "agreement").stdout.splitlines()
    assert [line.split() for line in lines] == [
        ["reviewer", "reviewer", "both", "alike", "kappa"],
        ["ann", "bo", "4", "75.0%", "0.5000"],
    ]


def test_a_stored_run_is_compared_as_it_was(labelled: Run, project: Path) -> None:
    assert labelled("run", "--format", "json", "--output", "run.json").returncode == 1
    assert labelled("run", "--save").returncode == 1
    (project / "rubrics" / "helpful.md").write_text(
        "---\nid: helpful\nkind: pass_fail\n---\nChanged.\n"
    )
    assert "4 not compared: the grade is in error" in labelled("review", "add").stdout
    for reference in ("run.json", "1"):
        added = labelled("review", "add", "--run", reference)
        assert "4 labels compared, 1 disagree" in added.stdout, added.stderr


def test_a_case_that_was_edited_since_the_run_is_not_compared(labelled: Run, project: Path) -> None:
    labelled("run", "--save")
    with_verdicts(project, ("fail", "fail", "fail", "pass"))
    added = labelled("review", "add", "--run", "1")
    assert added.stdout == (
        "support: 3 labels compared, 1 disagree, 1 queued; "
        "1 case not compared: edited or gone since the run\n"
    )


def test_nothing_but_judgekits_own_state_is_ever_written(labelled: Run, project: Path) -> None:
    before = everything(project)
    labelled("review", "add")
    labelled("review", "--reviewer", "ann", stdin="p\n")
    for command in ("list", "export", "agreement"):
        assert labelled("review", command).returncode == 0
    assert everything(project) == before


def test_what_a_model_said_can_do_nothing_to_the_terminal(judgekit: Run, project: Path) -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07 refund [red]x[/red] \u202egnp.exe\r\x9b1m"
    write_cases(
        project,
        [
            {
                **CASES[0],
                "output": hostile,
                "expected": {"must_mention": [], "human_verdict": "fail"},
            }
        ],
    )
    text = (project / "evals" / "support.yaml").read_text()
    (project / "evals" / "support.yaml").write_text(
        text.replace("  names_it:\n    grader: contains\n", "").replace(
            "    config: {fragments: {$case: expected.must_mention}}\n", ""
        )
    )
    record(judgekit, PASS)
    judgekit("review", "add")
    shown = judgekit("review", "--reviewer", "ann").stdout
    assert "owned" in shown
    assert "[red]x[/red]" in shown
    assert not set(shown) & set("\x1b\x07\r\x9b\u202e")


def test_a_long_output_is_cut_unless_it_is_asked_for(judgekit: Run, project: Path) -> None:
    case = {**CASES[0], "output": "refund " * 2000 + "END"}
    case["expected"] = {"must_mention": ["refund"], "human_verdict": "fail"}
    write_cases(project, [case])
    record(judgekit, PASS)
    judgekit("review", "add")
    short = judgekit("review", "--reviewer", "ann").stdout
    assert "10,003 characters more (--full shows them)" in short
    assert "END" not in short
    assert "END" in judgekit("review", "--reviewer", "ann", "--full").stdout


def test_a_task_that_makes_the_outputs_is_asked_for_them(judgekit: Run, project: Path) -> None:
    (project / "answering.py").write_text("def answer(given):\n    return f'{given} A refund.'\n")
    path = project / "evals" / "support.yaml"
    path.write_text(path.read_text() + 'task: "answering:answer"\n')
    write_cases(project, [{k: v for k, v in case.items() if k != "output"} for case in CASES])
    record(judgekit, PASS)
    labels = labels_file(project, {"case": "case-3", "label": "fail"})
    assert "1 queued" in judgekit("review", "add", "--labels", str(labels)).stdout
    assert "Question 3? A refund." in judgekit("review", "--reviewer", "ann").stdout


BAD: dict[str, tuple[list[str], list[dict[str, str]], str]] = {
    "an unknown case": ([], [{"case": "case-9", "label": "pass"}], "case 'case-9' is none of eval"),
    "an unknown eval": ([], [{"case": "case-0", "label": "pass", "eval": "x"}], "eval 'x' is no"),
    "an unknown scorer": ([], [{"case": "case-0", "label": "pass", "scorer": "x"}], "'x'"),
    "a strange label": ([], [{"case": "case-0", "label": "maybe"}], "labels.jsonl:1: label"),
    "no such run": (["--run", "7"], [{"case": "case-0", "label": "pass"}], "no run has the id 7"),
    "no such file": (["--run", "x.json"], [{"case": "case-0", "label": "pass"}], "x.json"),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_labels_and_runs_are_one_clear_line(labelled: Run, project: Path, fault: str) -> None:
    options, rows, said = BAD[fault]
    path = labels_file(project, *rows)
    done = labelled("review", "add", "--labels", str(path), *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr


@pytest.mark.parametrize("verdict", ["maybe", 1, ["pass"], {"helpful": "maybe"}, {"x": "pass"}])
def test_a_strange_verdict_in_a_case_is_one_clear_line(
    labelled: Run, project: Path, verdict: object
) -> None:
    with_verdicts(project, (verdict, "pass", "pass", "pass"))
    done = labelled("review", "add")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "case 'case-0': expected.human_verdict" in done.stderr


def test_no_label_at_all_says_where_to_put_them(judgekit: Run) -> None:
    record(judgekit, PASS)
    done = judgekit("review", "add")
    assert done.returncode == 2
    assert "expected.human_verdict" in done.stderr


def test_an_option_that_would_do_nothing_is_refused(judgekit: Run) -> None:
    done = judgekit("review", "--limit", "3", "list")
    assert done.returncode == 2
    assert "--limit does nothing before `list`" in done.stderr


def foreign(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00 but not really" * 40)


@pytest.mark.parametrize("damage", [foreign, lambda path: path.write_text("notes\n")])
@pytest.mark.parametrize("command", ["review", "history", "spend"])
def test_a_damaged_state_file_is_one_clear_line_and_stays_as_it_is(
    judgekit: Run, project: Path, command: str, damage: Callable[[Path], object]
) -> None:
    folder = project / ".judgekit"
    folder.mkdir()
    for name in ("review", "runs", "spend"):
        damage(folder / f"{name}.sqlite")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    done = judgekit(command)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert ".sqlite: " in done.stderr
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


class Terminal:
    """A terminal with a program in it."""

    def __init__(self, program: list[str], folder: Path) -> None:
        self.end, inside = pty.openpty()
        path = str(Path(__file__).parents[2])
        self.process = subprocess.Popen(
            program,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, "TERM": "xterm"},
        )
        os.close(inside)
        self.unread = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(30)
        os.close(self.end)

    def read_until(self, text: str) -> str:
        """Return what is shown up to some text; fail when it stays silent."""
        while text not in self.unread:
            ready, _, _ = select.select([self.end], [], [], 30)
            assert ready, f"waited for {text!r}, saw {self.unread!r}"
            self.unread += os.read(self.end, 4096).decode(errors="replace")
        before, _, self.unread = self.unread.partition(text)
        return before

    def press(self, key: str) -> None:
        """Press a key once the program waits for one, and no longer for a line."""
        self.read_until("q stop: ")
        while termios.tcgetattr(self.end)[3] & termios.ICANON:
            time.sleep(0.01)
        os.write(self.end, key.encode())


def test_at_a_terminal_single_keys_answer(labelled: Run, project: Path) -> None:
    with_verdicts(project, ("fail", "pass", "fail", "fail"))
    labelled("review", "add")
    program = [sys.executable, "-m", "judgekit.cli.main", "review", "--reviewer", "ann"]
    with Terminal(program, project) as terminal:
        terminal.press("n")
        terminal.read_until("note: ")
        os.write(terminal.end, b"from the train\n")
        terminal.press("p")
        terminal.read_until("2 of 4")
        terminal.press("f")
        terminal.press("q")
        terminal.read_until("2 answers kept, 2 left for ann")
        assert terminal.process.wait(30) == 0
    exported = [json.loads(line) for line in labelled("review", "export").stdout.splitlines()]
    assert [(row["label"], row["note"]) for row in exported] == [
        ("pass", "from the train"),
        ("fail", ""),
    ]
