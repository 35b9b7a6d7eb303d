"""What is forbidden is found however the candidate holds it, and no reason repeats a secret."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.graders.registry import grade

GITHUB = "ghp_" + "a1B2" * 9
RM = {"name": "rm", "input": {}}
CHAT = {"tool_calls": [{"function": {"name": "rm", "arguments": "{}"}}]}


@pytest.mark.parametrize("before", ["\n", "x\n", "\t", '"'])
@pytest.mark.parametrize("wrap", [lambda t: [t], lambda t: {"a": t}, lambda t: {t: 1}])
def test_escaping_hides_nothing(before: str, wrap: Any) -> None:
    for name, config, text in (
        ("no_pii", {}, "123-45-6789"),
        ("no_pii", {}, "8.8.8.8"),
        ("no_pii", {}, GITHUB),
        ("no_pii", {}, "DE89370400440532013000"),
        ("blocklist", {"terms": ["acme"]}, "acme"),
        ("not_contains", {"fragments": [before + "acme"]}, "acme"),
        ("not_regex", {"pattern": r"\bacme"}, "acme"),
    ):
        assert grade(name, config, wrap(before + text)).status == "failed", (name, text)


@pytest.mark.parametrize(
    "candidate",
    [
        {"tool_calls": [], "content": [{"type": "tool_use", **RM}]},
        {"choices": [{"message": {"tool_calls": []}}, {"message": CHAT}]},
        {"message": CHAT, "tool_calls": []},
        {"tool_calls": [], "function_call": {"name": "rm", "arguments": "{}"}},
        {"tool_calls": [], "output": [{"type": "function_call", "name": "rm"}]},
        {"content": [{"type": "mcp_tool_use", **RM}, {"type": "text", "text": "x"}]},
        {"content": []},
        ["rm "],
    ],
)
def test_a_call_is_found_wherever_it_stands(candidate: Any) -> None:
    assert grade("tool_not_called", {"tools": ["rm"]}, candidate).status == "failed"


def test_lists_that_say_the_same_count_once_and_those_that_differ_prove_nothing() -> None:
    same = {**CHAT, "message": CHAT}
    differ = {"tool_calls": [], "message": CHAT}
    for tool in ("rm", "ls"):
        called = grade("tool_called", {"tools": [tool]}, same)
        assert called.passed is (tool == "rm"), called.reason
        for name in ("tool_called", "tool_not_called"):
            assert grade(name, {"tools": [tool]}, differ).status == "failed"


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("not_regex", {"pattern": ".+"}),
        ("exact_match", {"expected": "no"}),
        ("not_contains", {"fragments": [GITHUB]}),
        ("blocklist", {"terms": [GITHUB]}),
    ],
)
def test_no_reason_repeats_a_key(name: str, config: dict[str, Any]) -> None:
    result = grade(name, config, GITHUB)
    assert result.status == "failed"
    assert GITHUB not in result.reason


def test_a_reason_is_one_printable_line() -> None:
    reason = grade("exact_match", {"expected": "x"}, "a\x1b]0;b\n::error::c").reason
    assert reason.isprintable()
