from __future__ import annotations

from typing import Any

import pytest

from judgekit.errors import Cause
from judgekit.graders.registry import grade

OK = {"ok": True}


def call(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "args": {"id": 1}, **fields}


def approved(actor: str, outcome: str = "approved") -> dict[str, Any]:
    return {"outcome": outcome, "actor": actor}


def test_the_share_of_allowed_calls_is_the_score() -> None:
    record = {"toolCalls": [call("a"), call("b"), call("c"), call("a")]}
    result = grade("trajectory_tool_choice", {"allowed_tools": ["a", "b"]}, record)
    assert (result.passed, result.score) == (False, 0.75)
    assert "'c'" in result.reason
    assert grade("trajectory_tool_choice", {"allowed_tools": ["a", "b", "c"]}, record).score == 1.0


def test_step_events_are_read_like_a_record() -> None:
    steps = [{"type": "thought", "text": "hm"}, {"type": "tool_call", **call("a")}]
    assert grade("trajectory_tool_choice", {"allowed_tools": ["a"]}, list(steps)).passed
    assert not grade("trajectory_tool_choice", {"allowed_tools": ["b"]}, list(steps)).passed


@pytest.mark.parametrize(
    ("calls", "passed", "score"),
    [
        ([call("a", result=OK), call("a", result=OK)], False, 0.5),
        ([call("a", result={"ok": False}), call("a", result=OK)], True, 1.0),
        ([call("a"), call("a")], True, 1.0),
        ([call("a", result=OK), {"name": "a", "args": {"id": 2}, "result": OK}], True, 1.0),
        ([call("a", result=OK), call("b", result=OK), call("a")], False, 1 - 1 / 3),
        ([], True, 1.0),
    ],
)
def test_a_repeat_of_a_successful_call_is_unnecessary(
    calls: list[Any], passed: bool, score: float
) -> None:
    result = grade("trajectory_unnecessary_call", {}, {"toolCalls": calls})
    assert (result.passed, result.score) == (passed, pytest.approx(score))
    assert grade("trajectory_unnecessary_call", {"allowed": 1}, {"toolCalls": calls}).passed


@pytest.mark.parametrize(
    ("made", "passed"),
    [
        (call("pay", approval=approved("ops"), result=OK), True),
        (call("pay", approval=approved("eve"), result=OK), False),
        (call("pay", approval=approved("ops", "denied"), result=OK), False),
        (call("pay", approval=approved("ops", "denied")), True),
        (call("pay", result=OK), False),
        (call("pay"), True),
        (call("look", result=OK), True),
        (call("look", approval=approved("eve"), result=OK), False),
    ],
)
def test_a_guarded_call_must_be_approved_before_it_runs(made: dict[str, Any], passed: bool) -> None:
    config = {"authorized_approvers": ["ops"], "guarded_tools": ["pay"]}
    assert grade("trajectory_approval", config, {"toolCalls": [made]}).passed is passed


def test_the_budget_sums_every_kind_of_usage() -> None:
    record = {"usageTotals": {"metered": {"credits": 5}, "priced": {"credits": 5.5}}}
    assert grade("trajectory_budget", {"budget": 10.5}, record).passed
    assert not grade("trajectory_budget", {"budget": 10}, record).passed
    steps = [{"type": "step", "tokens": 30}, {"type": "step", "tokens": 12}]
    assert grade("trajectory_budget", {"budget": 42, "unit": "tokens"}, list(steps)).passed


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"usageTotals": {}},
        {"usageTotals": {"metered": {"credits": None}}},
        {"usageTotals": {"metered": {"credits": "5"}}},
        {"usageTotals": {"metered": {"credits": -1}}},
        {"usageTotals": {"metered": {"credits": True}}},
        {"usageTotals": {"metered": {"credits": float("nan")}}},
        [],
        None,
        3,
    ],
)
def test_usage_that_was_not_measured_is_an_error(record: Any) -> None:
    assert grade("trajectory_budget", {"budget": 10}, record).cause is Cause.MISSING_MEASUREMENT
