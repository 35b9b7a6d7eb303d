"""Stored runs: read back whole, refused when broken."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as s

from judgekit.gate.errors import InvalidFile, InvalidRun
from judgekit.gate.run import (
    Calibration,
    CaseResult,
    EvalRun,
    GateSettings,
    GradeRecord,
    ScorerInfo,
    Usage,
)
from judgekit.gate.run_json import parse_run, parse_runs, run_to_json
from tests.gate.making import grade, run_of

RUN = EvalRun(
    name="qa",
    prompt_version="v1",
    subject="qwen2.5",
    threshold=0.8,
    scorers=(
        ScorerInfo("a", "llm_judge", ("m1", "m2"), "kind", "r1", 0.5, "o1", Calibration(0.4, 0.5)),
        ScorerInfo("b", "regex"),
    ),
    cases=(
        CaseResult("c 1", "d", {"a": grade(0.75), "b": grade("miss")}, "talk", "refusal"),
        CaseResult(
            "c\n2", "d", {"a": grade(True), "b": replace(grade(0.1), details={"x": [1, None]})}
        ),
    ),
    wilson_floor=0.1,
    gate=GateSettings("statistical", 0.01, 0.02, 3, 0.9),
    usage=Usage(3, 200, 40, 0.01, 1.5, 3),
    waivers=("same family until 2027: no other judge",),
)


def test_a_run_is_read_back_whole_and_written_the_same() -> None:
    text = run_to_json(RUN)
    assert parse_run(text) == parse_run(text.encode()) == parse_run(json.loads(text)) == RUN
    assert run_to_json(parse_run(text)) == text


def test_one_case_stands_on_one_line() -> None:
    lines = run_to_json(RUN).splitlines()
    assert sum(line.startswith('{"id"') for line in lines) == 2


def test_several_runs_are_stored_together_and_parse_run_wants_one() -> None:
    both = (RUN, replace(RUN, name="other"))
    assert parse_runs(run_to_json(both)) == both
    with pytest.raises(InvalidFile, match="must hold one run here, not 2"):
        parse_run(run_to_json(both))


@given(s.lists(s.one_of(s.booleans(), s.floats(0, 1), s.just("refusal")), min_size=1))
def test_every_run_survives_the_round_trip(values: list[float | str]) -> None:
    run = run_of({"a": values})
    assert parse_run(run_to_json(run)) == run


def case(key: str, value: Any) -> tuple[tuple[Any, ...], Any]:
    return ("runs", 0, "cases", 0, "grades", "a", key), value


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), "judgekit-run/2", "run.format: must be 'judgekit-run/1'"),
        (("runs",), [], "run.runs: holds no run"),
        (("more",), 1, "run: unknown key 'more'"),
        (("runs", 0, "score"), 1.0, "runs[0]: unknown key 'score'"),
        (("runs", 0, "name"), "", "runs[0].name: must be text that is not blank"),
        (("runs", 0, "threshold"), -1, "runs[0].threshold: must be a finite number in [0, 1]"),
        (("runs", 0, "scorers"), [], "scorers: there is none"),
        (("runs", 0, "cases"), [], "cases: there is none"),
        (("runs", 0, "cases", 1, "id"), "c 1", "cases: 'c 1' stands twice"),
        (("runs", 0, "scorers", 1, "name"), "a", "scorers: 'a' stands twice"),
        (("runs", 0, "cases", 0, "grades"), {}, "case 'c 1' must have one grade of every scorer"),
        (("runs", 0, "gate", "mode"), "lax", "runs[0].gate.mode: must be strict or statistical"),
        (("runs", 0, "gate", "alpha"), 0, "gate.alpha must be in (0, 1)"),
        (("runs", 0, "gate", "allowed_errors"), -1, "gate.allowed_errors: must be a whole number"),
        (("runs", 0, "usage", "calls"), 1.5, "runs[0].usage.calls: must be a whole number"),
        (("runs", 0, "usage", "latency_s"), -1, "usage.latency_s: must be a finite number at"),
        (("runs", 0, "waivers"), [1], "runs[0].waivers: must be a list of texts"),
        (("runs", 0, "scorers", 0, "calibration", "min_kappa"), 2, "min_kappa: must be a finite"),
        (
            ("runs", 0, "cases", 0, "exit_class"),
            "odd",
            "cases[0].exit_class: must be one of budget",
        ),
        (*case("status", "ok"), "grades.a.status: must be passed, failed or error, not 'ok'"),
        (*case("score", 1.01), "runs[0].cases[0].grades.a.score: must be a finite number"),
        (*case("score", False), "grades.a.score: must be a finite number"),
        (*case("score", None), "a grade has a score exactly when it is not in error"),
        (*case("cause", "miss"), "a grade has a known cause exactly when it is in error"),
        (*case("status", "error"), "a grade has a score exactly when it is not in error"),
        (*case("reason", 3), "grades.a.reason: must be text"),
        (*case("note", 3), "grades.a: unknown key 'note'"),
        (("runs", 0, "cases", 0, "grades", "b", "cause"), "bad luck", "a known cause exactly"),
    ],
)
def test_a_broken_field_is_named_in_one_line(path: tuple[Any, ...], value: Any, said: str) -> None:
    document: Any = json.loads(run_to_json(RUN))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InvalidFile) as refused:
        parse_runs(json.dumps(document))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_score_that_is_no_number_is_refused(word: str) -> None:
    with pytest.raises(InvalidFile, match="number"):
        parse_runs(run_to_json(RUN).replace("0.75", word))


def test_a_grade_refuses_what_is_no_measurement() -> None:
    for score in (math.nan, math.inf, -0.1, 1.1, True):
        with pytest.raises(InvalidRun, match="score must be a"):
            GradeRecord("passed", score, "")


def test_details_that_are_no_json_are_refused_naming_the_case() -> None:
    for value in (math.nan, {1, 2}):
        run = run_of({"a": [True]})
        bad = replace(run.cases[0].grades["a"], details={"x": value})
        broken = replace(run, cases=(replace(run.cases[0], grades={"a": bad}),))
        with pytest.raises(InvalidRun, match="eval 'qa': case 'c0' cannot be stored"):
            run_to_json(broken)


def test_a_mean_stays_between_its_least_and_greatest_score() -> None:
    assert run_of({"a": [0.1] * 3}).scorer_mean("a") == 0.1
    assert run_of({"a": ["miss"]}).score is None
