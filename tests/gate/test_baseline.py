"""The baseline file: its bytes, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as s

from judgekit.gate.baseline import Baseline, baseline_to_json, parse_baseline
from judgekit.gate.errors import InvalidFile
from judgekit.gate.run import GateSettings, ScorerInfo
from tests.gate.making import blessed, run_of

RUN = run_of(
    {"b": [True, 0.25], "a": [1.0, "refusal"]},
    ids=["z", "é"],
    wilson_floor=0.0,
    scorers=(ScorerInfo("b", "llm_score", ("m",), "kind", "r" * 4), ScorerInfo("a", "regex")),
    gate=GateSettings(allowed_errors=1),
)
TEXT = """{
  "format": "judgekit-baseline/1",
  "evals": {
    "qa": {
      "prompt_version": "v1",
      "subject": "human",
      "threshold": 0.0,
      "wilson_floor": 0.0,
      "gate": {"mode": "strict", "alpha": 0.05, "max_drop": 0.0, "allowed_errors": 1, \
"confidence": 0.95},
      "score": 0.8125,
      "scorers": {
        "a": {"mean": 1.0, "n": 1, "grader": "regex", "judges": [], "rubric": null, \
"rubric_digest": null, "config_digest": null, "wilson_floor": null},
        "b": {"mean": 0.625, "n": 2, "grader": "llm_score", "judges": ["m"], "rubric": "kind", \
"rubric_digest": "rrrr", "config_digest": null, "wilson_floor": null}
      },
      "cases": {
        "z": {"digest": "d0", "grades": {"a": {"passed": true, "score": 1.0}, \
"b": {"passed": true, "score": 1.0}}},
        "é": {"digest": "d0", "grades": {"a": null, "b": {"passed": false, "score": 0.25}}}
      }
    }
  }
}
"""


def test_the_file_is_made_to_be_reviewed() -> None:
    assert baseline_to_json(blessed(RUN)) == TEXT


def test_no_eval_is_a_file_too() -> None:
    text = baseline_to_json(Baseline())
    assert text == '{\n  "format": "judgekit-baseline/1",\n  "evals": {}\n}\n'
    assert parse_baseline(text) == Baseline()


names = s.text(min_size=1, max_size=5).filter(str.strip)


@given(s.lists(names, min_size=1, max_size=6, unique=True), names, s.data())
def test_what_is_written_is_read_back_and_written_the_same(
    ids: list[str], name: str, data: s.DataObject
) -> None:
    scores = data.draw(s.lists(s.floats(0, 1), min_size=len(ids), max_size=len(ids)))
    try:
        "".join([*ids, name]).encode()
    except UnicodeEncodeError:
        return
    run = run_of({"s": scores}, ids=ids, name=name)
    baseline = blessed(run)
    text = baseline_to_json(baseline)
    assert parse_baseline(text) == baseline
    backwards = replace(run, cases=run.cases[::-1])
    assert baseline_to_json(blessed(backwards)) == text


def test_one_changed_case_changes_its_line_and_the_figures_only() -> None:
    before = run_of({"a": [True] * 50})
    after = run_of({"a": [True] * 49 + [False]})
    lines = (baseline_to_json(blessed(run)).splitlines() for run in (before, after))
    assert sum(a != b for a, b in zip(*lines, strict=True)) == 3


def test_a_byte_order_mark_and_crlf_are_read_over() -> None:
    assert parse_baseline(b"\xef\xbb\xbf" + TEXT.encode().replace(b"\n", b"\r\n")) == blessed(RUN)


ENTRY = ("evals", "qa")


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), "judgekit-baseline/2", "format: must be 'judgekit-baseline/1'"),
        (("format",), None, "format: must be"),
        (("extra",), 1, "baseline: unknown key 'extra'"),
        (("evals",), [], "evals: must be an object"),
        ((*ENTRY, "thresold"), 0.5, "evals.qa: unknown key 'thresold'"),
        ((*ENTRY, "threshold"), 1.5, "evals.qa.threshold: must be a finite number in [0, 1]"),
        ((*ENTRY, "threshold"), True, "evals.qa.threshold: must be a finite number"),
        ((*ENTRY, "threshold"), "0.5", "evals.qa.threshold: must be a finite number"),
        ((*ENTRY, "threshold"), 10**400, "evals.qa.threshold: must be a finite number"),
        ((*ENTRY, "prompt_version"), " ", "evals.qa.prompt_version: must be text"),
        ((*ENTRY, "prompt_version"), None, "evals.qa.prompt_version: must be text"),
        ((*ENTRY, "score"), 0.9, "evals.qa.score: 0.9, but the scorers' means give 0.8125"),
        ((*ENTRY, "scorers"), {}, "holds no scorer or no case"),
        ((*ENTRY, "cases"), {}, "holds no scorer or no case"),
        ((*ENTRY, "cases", "z"), {"digest": "d", "grades": {}}, "cases.z.grades: must name"),
        ((*ENTRY, "scorers", "b", "mean"), -0.1, "scorers.b.mean: must be a finite number"),
        ((*ENTRY, "scorers", "b", "mean"), 0.5, "scorers.b.mean: 0.5 of 2, but the cases give"),
        ((*ENTRY, "scorers", "b", "n"), 3, "scorers.b.mean: 0.625 of 3, but the cases give"),
        ((*ENTRY, "scorers", "b", "n"), 2.0, "scorers.b.n: must be a whole number"),
        ((*ENTRY, "scorers", "b", "judges"), "m", "scorers.b.judges: must be a list of texts"),
        ((*ENTRY, "cases", "z", "grades", "b", "passed"), 1, "grades.b.passed: must be true or"),
        ((*ENTRY, "cases", "z", "grades", "b", "score"), 2, "grades.b.score: must be a finite"),
        ((*ENTRY, "cases", "z", "digest"), 7, "cases.z.digest: must be text"),
    ],
)
def test_a_broken_field_is_named_in_one_line(path: tuple[str, ...], value: Any, said: str) -> None:
    document = json.loads(TEXT)
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InvalidFile) as refused:
        parse_baseline(json.dumps(document))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("key", ["prompt_version", "subject", "threshold", "score", "scorers"])
def test_a_missing_field_is_named(key: str) -> None:
    document = json.loads(TEXT)
    del document["evals"]["qa"][key]
    with pytest.raises(InvalidFile, match=rf"evals\.qa\.{key}: missing"):
        parse_baseline(json.dumps(document))


CONFLICT = TEXT.replace(
    '      "threshold": 0.0,\n',
    '<<<<<<< HEAD\n      "threshold": 0.0,\n=======\n      "threshold": 0.5,\n>>>>>>> topic/x\n',
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1: not JSON"),
        (TEXT[:300], "not JSON"),
        ("[]", "baseline: must be an object, not []"),
        ("null", "baseline: must be an object"),
        (CONFLICT, "conflict between HEAD (line 7) and topic/x (line 11); keep one side"),
        (TEXT.replace("0.8125", "NaN"), "NaN is not a number"),
        (TEXT.replace("0.8125", "-Infinity"), "-Infinity is not a number"),
        (TEXT.replace("0.8125", "1e999"), "evals.qa.score: must be a finite number"),
        (TEXT.replace("0.8125", "1" * 5000), "a number cannot be read"),
        (TEXT.replace('"subject"', '"prompt_version"'), "the key 'prompt_version' stands twice"),
        (TEXT.replace('"é"', '"z"'), "the key 'z' stands twice"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff\xfe{", "not UTF-8 at byte 0"),
        (TEXT.encode("latin-1"), "not UTF-8 at byte"),
    ],
    ids=range(14),
)
def test_a_damaged_file_is_refused_in_one_line(text: str | bytes, said: str) -> None:
    with pytest.raises(InvalidFile) as refused:
        parse_baseline(text)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_field_under_a_name_with_line_breaks_is_still_named_in_one_line() -> None:
    with pytest.raises(InvalidFile, match=r"evals\.a\\nb: must be an object") as refused:
        parse_baseline('{"format": "judgekit-baseline/1", "evals": {"a\\nb": 3}}')
    assert "\n" not in str(refused.value)
