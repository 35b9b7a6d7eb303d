from __future__ import annotations

import json
from typing import Any

import pytest

from judgekit.graders.grade import Status
from judgekit.graders.registry import grade
from judgekit.graders.tool_calls import read_tool_calls

SHAPES: dict[str, Any] = {
    "plain": {"tool_calls": [{"name": "a", "arguments": {"n": 1}}, {"name": "b"}]},
    "a list": [{"name": "a", "arguments": {"n": 1}}, {"tool": "b"}],
    "openai message": {
        "role": "assistant",
        "tool_calls": [
            {"type": "function", "function": {"name": "a", "arguments": '{"n": 1}'}},
            {"type": "function", "function": {"name": "b", "arguments": "{}"}},
        ],
    },
    "openai answer": {
        "choices": [
            {
                "message": {
                    "tool_calls": [
                        {"function": {"name": "a", "arguments": '{"n": 1}'}},
                        {"function": {"name": "b", "arguments": "{}"}},
                    ]
                }
            }
        ]
    },
    "openai responses": {
        "output": [
            {"type": "reasoning"},
            {"type": "function_call", "name": "a", "arguments": '{"n": 1}'},
            {"type": "function_call", "name": "b", "arguments": "{}"},
        ]
    },
    "anthropic": {
        "content": [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "name": "a", "input": {"n": 1}},
            {"type": "tool_use", "name": "b", "input": {}},
        ]
    },
    "ollama": {
        "message": {
            "tool_calls": [
                {"function": {"name": "a", "arguments": {"n": 1}}},
                {"function": {"name": "b", "arguments": {}}},
            ]
        }
    },
    "content blocks": [
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "name": "a", "input": {"n": 1}},
        {"type": "text", "text": "Let me look."},
        {"type": "mcp_tool_use", "name": "b", "input": {}},
    ],
    "responses items": [
        {"role": "user", "content": "hi"},
        {"type": "function_call", "name": "a", "arguments": '{"n": 1}'},
        {"type": "function_call_output", "call_id": "1", "output": "2"},
        {"type": "mcp_call", "name": "b", "arguments": "{}"},
    ],
    "parts of the AI SDK": [
        {"type": "tool-call", "toolName": "a", "input": {"n": 1}},
        {"type": "tool-result", "toolName": "a", "output": 1},
        {"type": "tool-call", "toolName": "b", "input": {}},
    ],
    "two choices": {
        "choices": [
            {"message": {"tool_calls": [{"function": {"name": "a", "arguments": '{"n": 1}'}}]}},
            {"message": {"tool_calls": [{"function": {"name": "b"}}]}},
        ]
    },
    "the same calls twice": {
        "tool_calls": [{"name": "a", "args": {"n": 1}}, {"name": "b"}],
        "content": [
            {"type": "tool_use", "name": "a", "input": {"n": 1}},
            {"type": "tool_use", "name": "b", "input": {}},
        ],
    },
    "an answer that repeats the definitions": {
        "output": [
            {"type": "function_call", "name": "a", "arguments": '{"n": 1}'},
            {"type": "custom_tool_call", "name": " b ", "arguments": "{}"},
        ],
        "tools": [{"type": "function", "name": "c", "parameters": {"type": "object"}}],
    },
    "messages": {
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "tool_calls": [{"name": "a", "arguments": {"n": 1}}]},
            {"role": "tool", "content": "1"},
            {"role": "assistant", "tool_calls": [{"name": "b"}]},
        ]
    },
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("as_text", [False, True])
def test_calls_are_read_in_every_shape(shape: str, as_text: bool) -> None:
    candidate = json.dumps(SHAPES[shape]) if as_text else SHAPES[shape]
    calls = read_tool_calls(candidate)
    assert isinstance(calls, list)
    assert [(call.name, call.arguments) for call in calls] == [("a", {"n": 1}), ("b", {})]


@pytest.mark.parametrize(
    "candidate",
    [
        None,
        3,
        "",
        "I called no tool.",
        "[",
        {},
        {"content": "no tool was called"},
        {"tool_calls": "a"},
        {"tool_calls": [3]},
        {"tool_calls": [{"arguments": {}}]},
        {"tool_calls": [" "]},
        [{"role": "user", "content": "hi"}],
        [None],
        {"messages": []},
        {"choices": []},
        {"choices": [{"message": {"tool_calls": []}}, {"message": {"content": "hi"}}]},
        {"tools": [{"name": "y", "description": "a definition", "input_schema": {}}]},
        {"tools": [{"function": {"name": "y", "parameters": {"type": "object"}}}]},
        [{"role": "user", "content": [{"type": "text"}]}, {"role": "assistant", "content": "hi"}],
        [{"role": "assistant", "tool_calls": "x"}, {"role": "assistant", "tool_calls": []}],
        [{"role": "assistant", "tool_calls": [{}]}, {"role": "assistant", "tool_calls": []}],
        [{"type": "unheard-of", "name": "y"}],
        {"content": [{"type": "unheard-of", "name": "y"}]},
    ],
)
@pytest.mark.parametrize("grader", ["tool_called", "tool_not_called", "tool_sequence"])
def test_without_a_readable_list_nothing_passes(grader: str, candidate: Any) -> None:
    assert grade(grader, {"tools": ["x"]}, candidate).status is Status.FAILED


def test_an_empty_list_says_that_no_tool_was_called() -> None:
    for candidate in ({"tool_calls": []}, [], {"content": [{"type": "text", "text": "hi"}]}):
        assert grade("tool_not_called", {"tools": ["x"]}, candidate).passed
        assert not grade("tool_called", {"tools": ["x"]}, candidate).passed


@pytest.mark.parametrize(
    "candidate",
    [
        {"output": [{"type": "function_call", "name": "delete"}], "tools": []},
        {"content": [{"type": "tool_use", "name": "delete"}], "tools": [{"name": "find"}]},
        {"choices": [{"message": {"tool_calls": []}}, {"message": {"tool_calls": ["delete"]}}]},
        {"content": [{"type": "text"}], "function_call": {"name": "delete"}},
        {"tool_calls": [], "content": [{"type": "tool_use", "name": "delete"}]},
        {"tool_calls": [{"name": " delete "}]},
        {"output": [{"type": "custom_tool_call", "name": "delete", "input": "x"}]},
        {"output": [{"type": "delete_call", "status": "completed"}]},
        [{"type": "action", "tool": "delete"}],
        [{"type": "step", "tool": "delete"}],
    ],
)
def test_no_other_part_of_an_answer_hides_a_call(candidate: Any) -> None:
    assert not grade("tool_not_called", {"tools": ["delete"]}, candidate).passed


def test_nothing_must_stand_there_in_any_call() -> None:
    config = {"tool": "t", "path": "force", "exists": False}
    calls = [{"name": "t", "arguments": {}}, {"name": "t", "arguments": {"force": True}}]
    assert grade("tool_argument_assertion", config, calls[:1]).passed
    assert grade("tool_argument_assertion", config, list(calls)).reason == "'t': force is there"


def test_every_tool_must_be_called_and_the_missing_are_named() -> None:
    result = grade("tool_called", {"tools": ["a", "c", "d"]}, ["a", "b"])
    assert result.reason == "not called: 'c', 'd'"


def test_a_sequence_may_have_gaps_unless_it_is_exact() -> None:
    calls = ["a", "x", "b", "b"]
    assert grade("tool_sequence", {"tools": ["a", "b"]}, list(calls)).passed
    assert grade("tool_sequence", {"tools": ["b", "b"]}, list(calls)).passed
    assert not grade("tool_sequence", {"tools": ["b", "a"]}, list(calls)).passed
    assert not grade("tool_sequence", {"tools": ["a", "b"], "exact": True}, list(calls)).passed
    assert grade("tool_sequence", {"tools": calls, "exact": True}, list(calls)).passed


@pytest.mark.parametrize(
    ("assertion", "passed"),
    [
        ({"path": "n", "equals": 1}, True),
        ({"path": "n", "equals": 1.0}, True),
        ({"path": "n", "equals": True}, False),
        ({"path": "n", "equals": "1"}, False),
        ({"path": "$.deep[*].x", "equals": 7}, True),
        ({"path": "$.deep[*].y", "equals": 7}, False),
        ({"path": "deep.0.x", "equals": 7}, True),
        ({"path": "nothing", "equals": None}, False),
        ({"path": "null", "equals": None}, True),
        ({"path": "n", "exists": True}, True),
        ({"path": "m", "exists": True}, False),
        ({"path": "m", "exists": False}, True),
    ],
)
def test_arguments_are_held_to_value_and_type(assertion: dict[str, Any], passed: bool) -> None:
    arguments = {"n": 1, "null": None, "deep": [{"x": 7}]}
    candidate = [{"name": "t", "arguments": {"n": 2}}, {"name": "t", "arguments": arguments}]
    if assertion.get("exists") is False:
        candidate = candidate[1:]
    result = grade("tool_argument_assertion", {"tool": "t", **assertion}, candidate)
    assert result.passed is passed, result.reason


@pytest.mark.parametrize("arguments", ["not json", "[1]", 3, None, '{"a": 1, "a": 2}'])
def test_malformed_arguments_fail(arguments: Any) -> None:
    candidate = [{"name": "t", "arguments": arguments}]
    config = {"tool": "t", "path": "a", "exists": False}
    assert grade("tool_argument_assertion", config, candidate).status is Status.FAILED


def test_an_assertion_must_be_one_and_its_path_a_path() -> None:
    for options in ({}, {"equals": 1, "exists": True}, {"path": "$[", "equals": 1}):
        config = {"tool": "t", "path": "n", **options}
        assert grade("tool_argument_assertion", config, ["t"]).status is Status.ERROR


@pytest.mark.parametrize(
    ("config", "passed"),
    [
        ({"tool": "a", "minimum": 2, "maximum": 2}, True),
        ({"tool": "a", "maximum": 1}, False),
        ({"minimum": 3}, True),
        ({"minimum": 4}, False),
        ({"tool": "c", "maximum": 0}, True),
    ],
)
def test_calls_are_counted(config: dict[str, Any], passed: bool) -> None:
    assert grade("tool_call_count", config, ["a", "b", "a"]).passed is passed


def test_a_count_that_says_nothing_is_an_error() -> None:
    for config in ({}, {"tool": "a"}, {"minimum": 3, "maximum": 2}, {"minimum": -1}):
        assert grade("tool_call_count", config, ["a"]).status is Status.ERROR


@pytest.mark.parametrize(
    ("other", "passed"),
    [
        ({"name": "pay", "arguments": {"euros": 9000}}, False),
        ({"name": "pay", "arguments": '{"euros": 5.0}'}, True),
        ({"name": "pay"}, True),
        ("pay", True),
    ],
)
def test_two_lists_must_agree_on_the_arguments_that_both_tell(other: Any, passed: bool) -> None:
    told = {"name": "pay", "arguments": {"euros": 5}}
    config = {"tool": "pay", "path": "euros", "equals": 5}
    for one, two in ((told, other), (other, told)):
        record = {"tool_calls": [one], "toolCalls": [two]}
        assert grade("tool_argument_assertion", config, record).passed is passed
