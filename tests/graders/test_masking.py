"""No grade repeats a secret or personal data, whichever grader quotes it and however it is cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import Cause, ConfigError
from judgekit.graders.grade import REASON_LIMIT, Grade
from judgekit.graders.masking import excerpt, masked, quoted
from judgekit.graders.registry import grade

KEY = "sk-ant-api03-" + "aB3dE6gH9_" * 9
CARD = "4111111111111111"
VALUES = {
    "anthropic key": KEY,
    "card": CARD,
    "grouped card": "4111-1111-1111-1111",
    "email": "john.doe@gmail.com",
    "iban": "DE89370400440532013000",
    "phone": "+16502530000",
    "ssn": "536-22-8741",
    "aws key": "AKIAZ7Q4R2T6Y8P3W5X1",
    "bitcoin": "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "ipv4": "8.8.4.4",
    "private key": "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEF" * 40,
}


def quoting(value: str) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield graders, configs and candidates whose reasons quote `value`."""
    yield "regex", {"pattern": r"[^\x00]+"}, value
    yield "regex", {"pattern": r"[^ ]{7}"}, value
    yield "not_regex", {"pattern": r"[0-9A-Za-z]+"}, value
    yield "exact_match", {"expected": "x"}, value
    yield "exact_match", {"expected": f"{value} Q"}, value
    yield "exact_match", {"expected": f"{value} Q", "remove_punctuation": True}, value
    yield "exact_match", {"expected": value}, [value]
    yield "exact_match", {"expected": {"a": 1}}, {value: 1}
    yield "contains", {"fragments": [value]}, f"is {value}."
    yield "contains", {"fragments": [value]}, "nothing"
    yield "not_contains", {"fragments": [value]}, f"is {value}."
    yield "blocklist", {"terms": [value]}, f"is {value}."
    yield "injection", {"must_not_contain": [value]}, value
    yield "numeric_match", {"expected": 3}, value
    yield "date_match", {"expected": "2024-01-01"}, value
    yield "levenshtein", {"expected": value}, value[1:]
    yield "json_schema", {"schema": {"type": "object"}}, json.dumps(value)
    yield "json_schema", {"schema": {"properties": {"k": {"enum": [1]}}}}, {"k": value}
    yield "json_schema", {"schema": {"maxLength": 1}}, json.dumps("x" * 40 + value + "y" * 40)
    yield "json_schema", {"schema": {"additionalProperties": {"type": "null"}}}, {value: 1}
    yield "json_schema", {"schema": {"additionalProperties": False, "properties": {}}}, {value: 1}
    yield "json_path_assertion", {"path": "k", "equals": "x"}, {"k": value}
    yield "json_path_assertion", {"path": "k", "equals": value}, {"k": "x"}
    yield "json_path_assertion", {"path": "k", "matches": "^%"}, {"k": value}
    yield "json_shape", {"required_keys": [value.replace(".", "-")]}, {}
    yield "pydantic_schema", {"model": "judgekit.judges.port:TokenUsage"}, {value: 1}
    yield "tool_called", {"tools": [value]}, {"tool_calls": []}
    yield "tool_not_called", {"tools": [value]}, {"tool_calls": [{"name": value}]}
    yield "tool_sequence", {"tools": ["a"], "exact": True}, {"tool_calls": [{"name": value}]}
    call = {"name": "pay", "arguments": {"to": value}}
    yield (
        "tool_argument_assertion",
        {"tool": "pay", "path": "to", "equals": "x"},
        {"tool_calls": [call]},
    )
    yield "trajectory_tool_choice", {"allowed_tools": ["a"]}, {"toolCalls": [{"name": value}]}
    yield "localization_f1", {"reference": "a.py:1-2"}, value
    yield "context_f1", {"expected": ["x"]}, [value]


@pytest.mark.parametrize("kind", VALUES)
def test_no_reason_repeats_a_secret_or_personal_data(kind: str) -> None:
    value = VALUES[kind]
    for grader, config, candidate in quoting(value):
        result = grade(grader, config, candidate)
        said = f"{result.reason} {json.dumps(dict(result.details))}".casefold()
        half = value.casefold()[-max(6, len(value) // 2) :]
        assert value.casefold() not in said, (grader, config)
        assert half not in said, (grader, config)
        assert len(result.reason) <= REASON_LIMIT


def test_a_value_is_masked_whole_however_it_is_cut() -> None:
    text = f"the key is {KEY}, and that is all"
    for start in range(len(text)):
        for size in (3, 12, 60):
            said = excerpt(text, start, start + size)
            assert not any(KEY[i : i + 8] in said for i in range(13, len(KEY) - 8))
    assert quoted(text, 4, limit=130) == '"key is [redacted:anthropic-key], and that is all"'


def test_a_secret_in_other_case_is_quoted_as_it_was_written() -> None:
    aws = VALUES["aws key"]
    result = grade("exact_match", {"expected": aws[:-1] + "9"}, aws)
    assert "[redacted:aws-key]" in result.reason
    assert aws[:12].lower() not in result.reason


def test_what_is_no_personal_data_stays_readable() -> None:
    result = grade("exact_match", {"expected": "version 1.2.3.4 of 2024-03-15"}, "version 12 x")
    assert result.reason == (
        'differs at character 9: expected "version 1.2.3.4 of 2024-03-15", found "version 12 x"'
    )


def test_an_error_may_name_an_address() -> None:
    said = "no answer from 10.1.2.3:8080 for john.doe@gmail.com"
    assert Grade.from_error(ConfigError(said)).reason == (
        "no answer from 10.1.2.3:8080 for [redacted:email]"
    )
    assert Grade.error(Cause.JUDGE_UNREACHABLE, "[::1]:80 refused").reason == "[::1]:80 refused"
    assert Grade.of(False, said).reason.startswith("no answer from [redacted:ipv4]:8080")


@given(
    before=st.text(alphabet="ab \n\\.-", max_size=20),
    after=st.text(alphabet="cd \n\\,;", max_size=20),
    value=st.sampled_from([CARD, "john.doe@gmail.com", "AKIAZ7Q4R2T6Y8P3W5X1"]),
)
def test_masking_leaves_what_stands_around_a_value(before: str, after: str, value: str) -> None:
    said = masked(f"{before} {value} {after}")
    assert value not in said
    assert said.startswith(f"{before} [redacted:")
    assert said.endswith(f"] {after}")


@pytest.mark.parametrize("kind", ["email", "card"])
def test_a_lone_surrogate_neither_hides_a_value_nor_ends_the_search(kind: str) -> None:
    for grader, config, candidate in quoting(f"\ud800 {VALUES[kind]}"):
        result = grade(grader, config, candidate)
        assert VALUES[kind] not in result.reason, grader
        result.reason.encode()
