from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgekit.errors import ConfigError
from judgekit.evals.cases import ExitSignal
from judgekit.evals.files import load_eval, load_evals
from tests.evals.kit import EVAL, load_text, write_eval

CASES = EVAL[EVAL.index("cases:") : EVAL.index("scorers:")]
SCORERS = EVAL[EVAL.index("scorers:") :]
REFERENCE = "{$case: expected.must_mention}"


def fault(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_text(folder, text)
    message = str(caught.value)
    assert message.splitlines() == [message]
    return message


def test_an_eval_file_is_read_whole(tmp_path: Path) -> None:
    text = EVAL.replace("subject: human", "subject_model: llama3.1:8b\nwilson_floor: 0.4").replace(
        "threshold: 0.5", "threshold: 1\ngate: {mode: statistical, alpha: 0.1, allowed_errors: 2}"
    )
    read = load_text(tmp_path, text + "    wilson_floor: 0.6\n")
    assert (read.name, read.prompt_version, read.subject) == ("answers", "answers/1", "llama3.1:8b")
    assert (read.threshold, read.wilson_floor) == (1.0, 0.4)
    assert (read.gate.mode, read.gate.alpha, read.gate.allowed_errors) == ("statistical", 0.1, 2)
    assert [case.id for case in read.cases] == ["one", "two"]
    assert read.cases[0].output == "You have 14 days."
    (scorer,) = read.scorers
    assert (scorer.name, scorer.grader, scorer.wilson_floor) == ("deadline", "kit_has_all", 0.6)
    assert scorer.config == {"parts": {"$case": "expected.must_mention"}}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: answers", "name: a/b", "1: name: must have up to 100 letters"),
        ("name: answers", "name: ..", "1: name: must have up to 100 letters"),
        (
            "prompt_version: answers/1",
            "prompt_version: ' '",
            "2: prompt_version: must not be blank",
        ),
        ("prompt_version: answers/1", "prompt_version: 3", "2: prompt_version: must be text"),
        ("subject: human\n", "", "name who made the outputs, once"),
        ("subject: human", "subject: human\nsubject_model: m", "name who made the outputs, once"),
        ("subject: human", "subject_model: Human", "names no model; write `subject: human`"),
        ("threshold: 0.5", "treshold: 0.5", "4: treshold: unknown key; did you mean 'threshold'?"),
        ("threshold: 0.5", "threshold: .nan", "4: threshold: must be a finite number"),
        ("threshold: 0.5", "threshold: 1.01", "4: threshold: must be less than or equal to 1"),
        ("threshold: 0.5", "threshold: -0.1", "4: threshold: must be greater than or equal to 0"),
        ("threshold: 0.5", "threshold: '0.5'", "4: threshold: must be a number, not '0.5'"),
        ("threshold: 0.5", "threshold: true", "4: threshold: must be a number, not True"),
        ("threshold: 0.5", "threshold: 0.5\nwilson_floor: 2", "5: wilson_floor: must be less"),
        ("threshold: 0.5", "threshold: 0.5\ngate: {alpha: 0}", "5: gate.alpha: must be greater"),
        ("threshold: 0.5", "threshold: 0.5\ngate: {mod: strict}", "5: gate.mod: unknown key; did"),
        ("threshold: 0.5", "threshold: 0.5\ntask: noname", "5: task: must name a function as"),
        ("threshold: 0.5", "threshold: 0.5\ntask: a.b:c", "case 'one': is recorded, and the eval"),
        (CASES, "cases: []\n", "5: cases: there is no case; add at least one"),
        (CASES, "cases:\n", "5: cases: "),
        (CASES, "cases: answers.txt\n", "5: cases: 'answers.txt' must be a .jsonl or .csv file"),
        (CASES, "cases: ../c.jsonl\n", "5: cases: '../c.jsonl' leads outside"),
        (CASES, "cases: /etc/passwd\n", "5: cases: '/etc/passwd' leads outside"),
        (CASES, "cases: none.jsonl\n", "none.jsonl: not found; check the path"),
        ("id: two", "id: one", "10: cases[1].id: two cases have the id 'one', first in line 6"),
        ("id: one", "id: 1", "6: cases[0].id: must be text (put it in quotes), not 1"),
        ("id: one", "id: '  '", "6: cases[0].id: must not be blank"),
        ("id: one", "id: " + "x" * 201, "6: cases[0].id: String should have at most 200"),
        ("output: You have 14 days.", "output:", "6: cases[0]: case 'one' has no output"),
        ("    output: At the counter.\n", "", "10: cases[1]: case 'two' has no output"),
        ("output: At", "ouput: At", "12: cases[1].ouput: unknown key; did you mean 'output'?"),
        ("How long?", "x" * 4_000_001, "7: cases[0].input: has 4,000,001 characters, over the"),
        (SCORERS, "scorers: {}\n", "14: scorers: there is no scorer; name at least one"),
        (SCORERS, "", "scorers: is missing; add it"),
        ("deadline:", "dead line:", '15: scorers."dead line": must have up to 100 letters'),
        ("kit_has_all", "kit_has_al", "16: scorers.deadline.grader: unknown grader 'kit_has_al'"),
        (
            SCORERS,
            SCORERS + SCORERS.replace("scorers:\n", "").replace("d", "D", 1),
            "by case alone",
        ),
        ("kit_has_all", "kit_has_al", "did you mean 'kit_has_all'?"),
        (REFERENCE, "[1]", "17: scorers.deadline.config.parts[0]: must be text"),
        (REFERENCE, "[]", "17: scorers.deadline.config.parts: "),
        (f"parts: {REFERENCE}", "part: [a]", "17: scorers.deadline.config.part: unknown key; did"),
        (f"{{parts: {REFERENCE}}}", "{}", "scorers.deadline.config.parts: is missing; add it"),
        (f"{REFERENCE}}}", f"{REFERENCE}, whole_word: true}}", "config.whole_word: unknown key"),
        (
            REFERENCE,
            "{$case: output}",
            "17: scorers.deadline.config.parts.$case: must not refer to",
        ),
        (REFERENCE, "[{$case: output.x}]", "config.parts[0].$case: must not refer to the output"),
        (REFERENCE, "{$case: [output]}", "config.parts.$case: must not refer to the output"),
        (REFERENCE, "{$case: id}", "config.parts.$case: 'id' is no part of a case"),
        (REFERENCE, "{$case: 3}", "config.parts.$case: must be a path such as"),
        (REFERENCE, "{$case: expected..x}", "config.parts.$case: must be a path such as"),
        (REFERENCE, "{$case: expected, x: 1}", "has keys beside $case; a reference stands alone"),
        (f"{{parts: {REFERENCE}}}", "{$case: expected}", "must hold the options by name"),
        (
            f"kit_has_all\n    config: {{parts: {REFERENCE}}}",
            "kit_ask\n    config: {judge: {$case: metadata.judge}}",
            "config.judge: must be the same for every case",
        ),
    ],
)
def test_an_unusable_eval_names_line_field_and_remedy(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in EVAL
    assert message in fault(tmp_path, EVAL.replace(old, new))


def test_no_document_and_no_mapping_are_refused(tmp_path: Path) -> None:
    assert "answers.yaml: is empty; describe an eval in it" in fault(tmp_path, "")
    assert "answers.yaml:1: must be a mapping" in fault(tmp_path, "- a\n")


def test_cases_are_read_from_jsonl_beside_the_eval(tmp_path: Path) -> None:
    rows = [
        {"id": "ä/1", "output": {"n": 1}, "exit": {"timed_out": True}, "cluster": "c"},
        {"id": "2", "output": "", "input": [1], "metadata": {"k": None}},
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    one, two = load_text(tmp_path, EVAL.replace(CASES, "cases: c.jsonl\n")).cases
    assert (one.id, one.output, one.cluster) == ("ä/1", {"n": 1}, "c")
    assert one.exit == ExitSignal(timed_out=True)
    assert (two.output, two.input, two.metadata, two.exit) == ("", [1], {"k": None}, None)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ['{"id": "a", "output": 1}'] * 2,
            "c.jsonl:2: id: two cases have the id 'a', first in line 1",
        ),
        (['{"id": "a"}'], "c.jsonl:1: case 'a' has no output"),
        (['{"id": "a", "output": 1}', "[]"], "c.jsonl:2: must be a mapping"),
        (['{"id": "a", "output": 1, "oops": 2}'], "c.jsonl:1: oops: unknown key"),
        (['{"id": "a", "output": NaN}'], "c.jsonl:1: NaN is not JSON"),
        (['{"id": "a", "output": "' + "x" * 4_000_001 + '"}'], "c.jsonl:1: output: has 4,000,001"),
        ([""], "answers.yaml:5: cases: there is no case"),
    ],
)
def test_an_unusable_row_of_jsonl_is_named_by_its_line(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    (tmp_path / "c.jsonl").write_text("\n".join(lines))
    assert message in fault(tmp_path, EVAL.replace(CASES, "cases: c.jsonl\n"))


def test_cases_are_read_from_csv_with_dotted_columns(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(
        "id,input,output,expected.equals,expected.a.b,metadata.topic,cluster\n"
        '1,How?,"So, so",007,,"x\ny",\n'
    )
    (case,) = load_text(tmp_path, EVAL.replace(CASES, "cases: c.csv\n")).cases
    assert (case.id, case.input, case.output, case.cluster) == ("1", "How?", "So, so", None)
    assert case.expected == {"equals": "007", "a": {"b": ""}}
    assert case.metadata == {"topic": "x\ny"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,output,expcted\n1,a,b\n", "c.csv:2: the column 'expcted' is unknown; did you mean"),
        ("id,output.x\n1,a\n", "c.csv:2: the column 'output.x' is unknown"),
        ("id,output\n1,\n", "c.csv:2: case '1' has no output"),
        ("id,output\n,a\n", "c.csv:2: id: is missing"),
        ("id,output,expected,expected.x\n1,a,b,c\n", "'expected.x' contradicts another"),
        ("id,output,expected.x,expected.x.y\n1,a,b,c\n", "'expected.x.y' contradicts another"),
        ("id,output,expected.\n1,a,b\n", "'expected.' contradicts another"),
        ("id,output\n1,a\n\n1,b\n", "c.csv:4: id: two cases have the id '1', first in line 2"),
    ],
)
def test_an_unusable_row_of_csv_is_named_by_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "c.csv").write_text(text)
    assert message in fault(tmp_path, EVAL.replace(CASES, "cases: c.csv\n"))


def test_a_task_stands_in_the_place_of_outputs(tmp_path: Path) -> None:
    text = EVAL.replace(
        CASES, "task: pkg.mod:make\ntask_timeout_s: 2\ncases: [{id: a, input: 1}]\n"
    )
    read = load_text(tmp_path, text)
    assert (read.task, read.task_timeout_s, read.cases[0].output) == ("pkg.mod:make", 2.0, None)


def test_a_folder_gives_its_evals_sorted_by_name_or_those_that_are_named(tmp_path: Path) -> None:
    write_eval(tmp_path, EVAL.replace("name: answers", "name: zeta"), "a.yaml")
    write_eval(tmp_path, EVAL, "b.yml")
    (tmp_path / "baseline.json").write_text("{}")
    assert [each.name for each in load_evals(tmp_path)] == ["answers", "zeta"]
    assert [each.name for each in load_evals(tmp_path, ["zeta"])] == ["zeta"]
    with pytest.raises(ConfigError, match="no eval is named 'zetta'; did you mean 'zeta'"):
        load_evals(tmp_path, ["zetta"])


def test_only_the_datasets_of_the_named_evals_are_read(tmp_path: Path) -> None:
    write_eval(tmp_path)
    other = EVAL.replace("name: answers", "name: other").replace(CASES, "cases: none.jsonl\n")
    write_eval(tmp_path, other, "other.yaml")
    assert [each.name for each in load_evals(tmp_path, ["answers"])] == ["answers"]
    with pytest.raises(ConfigError, match=r"none\.jsonl: not found"):
        load_evals(tmp_path)


def test_two_evals_with_one_name_are_refused_whatever_their_case(tmp_path: Path) -> None:
    write_eval(tmp_path)
    write_eval(tmp_path, EVAL.replace("name: answers", "name: Answers"), "b.yaml")
    with pytest.raises(ConfigError, match=r"b\.yaml:1: name: 'Answers' is the name of .*answers"):
        load_evals(tmp_path)


def test_a_folder_without_evals_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no eval \(\*\.yaml\); write one"):
        load_evals(tmp_path)
    with pytest.raises(ConfigError, match="no such folder"):
        load_evals(tmp_path / "none")


def test_a_dataset_may_lie_anywhere_in_the_root_that_is_given(tmp_path: Path) -> None:
    evals = tmp_path / "evals"
    evals.mkdir()
    (tmp_path / "c.jsonl").write_text('{"id": "a", "output": "b"}')
    path = write_eval(evals, EVAL.replace(CASES, "cases: ../c.jsonl\n"))
    assert [case.id for case in load_eval(path, root=tmp_path).cases] == ["a"]
    (evals / "link.jsonl").symlink_to("/etc/hostname")
    path = write_eval(evals, EVAL.replace(CASES, "cases: link.jsonl\n"))
    with pytest.raises(ConfigError, match=r"cases: 'link\.jsonl' leads outside"):
        load_eval(path, root=tmp_path)
