from __future__ import annotations

from typing import Any

import pytest

from judgekit.errors import Cause
from judgekit.graders.grade import Status
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
        ([call("a", result="42"), call("a", result="42")], False, 0.5),
        ([call("a", result={"error": "down"}), call("a")], True, 1.0),
        ([{"name": "a", "args": "x", "result": OK}, {"name": "a", "args": "y"}], True, 1.0),
        ([{"name": "a", "args": {"n": 10**30, "s": "\ud800"}, "result": OK}] * 2, False, 0.5),
        ([{"name": "a", "args": {"p": 1, "q": 2}, "result": OK}, call("a")], True, 1.0),
        ([call("a", result=OK), {"name": "a", "args": {"id": 1.0}, "result": OK}], False, 0.5),
        ([call("a", result=OK), {"name": "a", "args": '{"id": 1}', "result": OK}], False, 0.5),
        ([call("a", result=OK), {"name": "a", "args": {"id": True}, "result": OK}], True, 1.0),
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
        (call("pay"), False),
        (call("pay", result=None, approval=None), False),
        (call("pay", error="time-out"), False),
        (call("pay", error="time-out", approval=approved("ops", "denied")), False),
        (call("pay", approval=approved("ops", "pending")), True),
        (call("look", result=OK), True),
        (call("look", approval=approved("eve"), result=OK), False),
    ],
)
def test_a_guarded_call_must_be_approved_before_it_runs(made: dict[str, Any], passed: bool) -> None:
    config = {"authorized_approvers": ["ops"], "guarded_tools": ["pay"]}
    assert grade("trajectory_approval", config, {"toolCalls": [made]}).passed is passed


PAY = {"type": "tool_call", "id": "1", **call("pay")}
RESULT = {"type": "tool_result", "tool_call_id": "1", "ok": True}
APPROVAL = {"type": "approval", "tool_call_id": "1", **approved("ops")}
GUARDED = {"authorized_approvers": ["ops"], "guarded_tools": ["pay"]}


@pytest.mark.parametrize(
    ("events", "passed"),
    [
        ([PAY, APPROVAL, RESULT], True),
        ([PAY, RESULT], False),
        ([PAY, RESULT, APPROVAL], False),
        ([PAY, {**APPROVAL, "actor": "eve"}, RESULT], False),
        ([PAY, {**APPROVAL, "outcome": "denied"}, RESULT], False),
        ([PAY, {**PAY, "id": "2"}, APPROVAL, RESULT], False),
        (
            [PAY, {**PAY, "id": "2"}, APPROVAL, {**APPROVAL, "tool_call_id": "2"}, RESULT],
            True,
        ),
        ([PAY, {**PAY, "id": "2"}, APPROVAL, {**RESULT, "tool_call_id": "2"}], False),
        ([PAY], False),
        ([PAY, APPROVAL], True),
        ([APPROVAL, PAY], False),
        ([PAY, {**RESULT, "tool_call_id": "9"}], False),
        ([PAY, {"type": "tool_result", "content": "done"}], False),
        ([{"type": "tool_use", "id": "1", "name": "pay", "input": {}}, RESULT], False),
        ([{"type": "tool", "name": "pay"}], False),
        ([{"type": "unheard-of", "name": "pay"}], False),
        ([{"type": "thought", "text": "hm"}, {"type": "result", "output": "done"}], True),
    ],
)
def test_results_and_approvals_may_be_events_of_their_own(events: list[Any], passed: bool) -> None:
    assert grade("trajectory_approval", GUARDED, list(events)).passed is passed


def test_results_are_read_from_a_conversation() -> None:
    made = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "pay"}}]}
    openai = [{"role": "user", "content": "hi"}, made, {"role": "tool", "tool_call_id": "1"}]
    block = {"type": "tool_use", "id": "1", "name": "pay", "input": {}}
    gave = {"type": "tool_result", "tool_use_id": "1", "content": "done"}
    anthropic = [{"role": "assistant", "content": [block]}, {"role": "user", "content": [gave]}]
    for conversation in (openai, anthropic):
        for record in (list(conversation), {"messages": [*conversation, *conversation]}):
            assert not grade("trajectory_approval", GUARDED, record).passed  # type: ignore[arg-type]
        twice: Any = [*conversation, *conversation]
        assert grade("trajectory_unnecessary_call", {}, twice).score == 0.5


@pytest.mark.parametrize(
    "record", [None, 3, "text", {}, {"toolCalls": "pay"}, [{"role": "user", "content": "hi"}], [3]]
)
def test_a_record_without_calls_to_read_fails(record: Any) -> None:
    for name, config in (
        ("trajectory_tool_choice", {"allowed_tools": ["pay"]}),
        ("trajectory_unnecessary_call", {}),
        ("trajectory_approval", GUARDED),
    ):
        result = grade(name, config, record)
        assert result.status is Status.FAILED
        assert "can't be read" in result.reason


def test_amounts_add_up_as_decimals() -> None:
    record = {"usageTotals": {"metered": {"credits": 0.1}, "priced": {"credits": 0.2}}}
    assert grade("trajectory_budget", {"budget": 0.3}, record).passed
    steps: Any = [{"type": "tool_call", "name": "a", "usage": {"credits": 2}}, {"credits": 3}]
    assert grade("trajectory_budget", {"budget": 9}, steps).details["used"] == 5


def test_the_budget_sums_every_kind_of_usage() -> None:
    record = {"usageTotals": {"metered": {"credits": 5}, "priced": {"credits": 5.5}}}
    assert grade("trajectory_budget", {"budget": 10.5}, record).passed
    assert not grade("trajectory_budget", {"budget": 10}, record).passed
    steps = [{"type": "step", "tokens": 30}, {"type": "step", "tokens": 12}]
    assert grade("trajectory_budget", {"budget": 42, "unit": "tokens"}, list(steps)).passed


@pytest.mark.parametrize("where", ["steps", "toolCalls"])
@pytest.mark.parametrize("of_step", [{"credits": 100}, {"usage": {"credits": 100}}])
def test_totals_below_the_sum_of_the_steps_hide_nothing(where: str, of_step: Any) -> None:
    record = {"usageTotals": {"metered": {"credits": 1}}, where: [{**call("a"), **of_step}] * 2}
    result = grade("trajectory_budget", {"budget": 10}, record)
    assert (result.passed, result.details["used"]) == (False, 200)
    record["usageTotals"] = {"metered": {"credits": 300}}
    assert grade("trajectory_budget", {"budget": 400}, record).details["used"] == 300


@pytest.mark.parametrize(
    "beside",
    [
        {"steps": [{"toolCalls": [call("b")]}]},
        {"steps": [{"type": "thought"}, {"type": "tool_call", **call("b")}]},
        {"tool_calls": [call("b")]},
        {"tools_called": ["b"]},
    ],
)
def test_an_empty_list_beside_one_with_calls_fails(beside: dict[str, Any]) -> None:
    for grader, config in (
        ("trajectory_tool_choice", {"allowed_tools": ["a"]}),
        ("tool_not_called", {"tools": ["b"]}),
        ("tool_call_count", {"maximum": 0}),
    ):
        assert not grade(grader, config, {"toolCalls": [], **beside}).passed


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
        {"usageTotals": {"metered": {"credits": 3}, "priced": "many"}},
        {"usageTotals": {"metered": {"credits": 1.7e308}, "priced": {"credits": 1.7e308}}},
        [],
        None,
        3,
    ],
)
def test_usage_that_was_not_measured_is_an_error(record: Any) -> None:
    assert grade("trajectory_budget", {"budget": 10}, record).cause is Cause.MISSING_MEASUREMENT
