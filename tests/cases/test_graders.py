"""Runs every row of the graders' case file whose grader is registered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from judgekit.graders.grade import Grade, Status
from judgekit.graders.registry import grade
from tests.cases.loading import load_cases

FIELD_METRIC = "the row's score is of a private tokenizer; judgekit's is the field's metric"
SCORES_NOT_COMPARED = {"bleu_score": FIELD_METRIC, "rouge_score": FIELD_METRIC}
"""Graders whose scores are informative only (the case file's README); passing still counts."""

ELSEWHERE = {"judge": "a verdict stated to the port: tests/cases/test_judge_replies.py runs it"}
"""Rows of this file that another test runs, by grader, each with the reason."""

OVERRULED = {
    "cv-regex-016": "RE2 is linear, so a quantified group with a quantifier in it is no risk and "
    "is matched: the row refuses it for a backtracking engine",
    "cv-regex-026": "look-behind is refused by name: RE2 has none",
    "cv-regex-035": "the cap is 1 MiB, not 64 KiB: matching is linear",
    "cv-rouge_score-032": "ROUGE's tokens are runs of ASCII letters and digits: NEL is none",
    "cv-rouge_score-033": "ROUGE's tokens are runs of ASCII letters and digits: a BOM is none",
    "cv-rouge_score-040": 'ROUGE\'s tokens of {"a":1} are a and 1: braces and quotes are none',
}
"""Rows that judgekit overrules on purpose, each with the reason; docs/decisions.md has them too."""


def _closed_object(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `json_schema` config for ``{"schema": {"n": "number", "strict": true}}``."""
    shorthand = dict(config.get("schema", {}))
    strict = shorthand.pop("strict", False)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in shorthand.items()},
        "required": list(shorthand),
    }
    if strict:
        schema["additionalProperties"] = False
    return {**config, "schema": schema}


def _renamed(**names: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    return lambda config: {names.get(option, option): value for option, value in config.items()}


def _verbatim(config: Mapping[str, Any]) -> dict[str, Any]:
    return {**_renamed(equals="expected")(config), "verbatim": True}


def _only(**names: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return a function that keeps the named options: other systems give one config to all."""
    return lambda config: {names[name]: value for name, value in config.items() if name in names}


MAPPED: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "exact": ("exact_match", _verbatim),
    "schema": ("json_schema", _closed_object),
    "json_shape": ("json_shape", _renamed(requiredKeys="required_keys")),
    "injection": ("injection", _renamed(mustNotContain="must_not_contain")),
    "regex": ("regex", _renamed(matches="pattern")),
    "trajectory_tool_choice": ("trajectory_tool_choice", _only(allowedTools="allowed_tools")),
    "trajectory_unnecessary_call": ("trajectory_unnecessary_call", _only()),
    "trajectory_approval": (
        "trajectory_approval",
        _only(authorizedApprovers="authorized_approvers"),
    ),
    "trajectory_budget": ("trajectory_budget", _only(creditBudget="budget")),
}
"""The names that other systems use, with judgekit's grader and options for each."""


def graded(row: Mapping[str, Any]) -> Grade:
    """Return the grade of a row's candidate, under judgekit's names."""
    name, options = MAPPED.get(row["grader"], (row["grader"], dict))
    return grade(name, options(row["config"]), row["candidate"])


def observed(result: Grade, field: str) -> Any:
    """Return what the grade says about an expected field of a row."""
    if field == "raises":
        return result.status is Status.ERROR
    return getattr(result, field) if field in ("passed", "score") else result.details[field]


def rows() -> list[Any]:
    """Return the rows that this test runs."""
    loaded = load_cases("graders.jsonl")
    return [row for row in loaded if row.values[0].get("grader") not in ELSEWHERE]


@pytest.mark.parametrize("row", rows())
def test_grades_each_case_as_expected(row: Mapping[str, Any]) -> None:
    result = graded(row)
    if row["id"] in OVERRULED:
        assert result.passed is not row["expected"]["passed"], "no longer overruled: delist it"
        return
    for field, wanted in row["expected"].items():
        if field == "score" and row["grader"] in SCORES_NOT_COMPARED:
            continue
        if field == "reason_excludes":
            assert wanted not in result.reason
        elif field == "pii":
            assert sorted(observed(result, field)) == sorted(wanted), result
        else:
            assert observed(result, field) == pytest.approx(wanted, abs=5e-5), (result, row)


def test_every_overruled_case_is_in_the_file() -> None:
    ids = {parameter.id for parameter in load_cases("graders.jsonl")}
    if ids == {"absent"}:
        pytest.skip("the case file is not beside this checkout")
    assert ids.issuperset(OVERRULED)
