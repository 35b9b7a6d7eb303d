"""The registry: options can be listed, and misuse is an error that says what to do."""

from __future__ import annotations

import pytest

from judgekit.errors import Cause, ConfigError
from judgekit.graders.registry import Option, find_grader, grade, graders


def test_options_are_listed_with_type_default_and_description() -> None:
    options = {option.name: option for option in find_grader("numeric_match").options()}
    assert options["expected"].required
    assert options["expected"].type == "whole number or number"
    assert options["read"].type == "whole | only | last"
    assert options["read"].default == "whole"
    assert options["units"].type == "object of number"
    assert options["units"].default == {}
    schema = find_grader("json_schema").options()[0]
    assert schema == Option("schema", "any JSON value", True, None, schema.description)
    assert find_grader("contains").options()[0].type.startswith("list of ")


def test_graders_are_listed_by_name_and_know_their_evidence() -> None:
    assert list(graders()) == sorted(graders())
    assert find_grader("regex").evidence == "patterns"
    assert find_grader("regex").summary == "The pattern matches somewhere in the candidate."


def test_an_unknown_grader_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'regex'"):
        find_grader("regexp")
    assert grade("no such grader", {}, "x").cause is Cause.INVALID_CONFIG


def test_a_config_fault_names_the_option_and_what_is_known() -> None:
    result = grade("regex", {"pattern": "a", "flags": "i"}, "a")
    assert result.reason == (
        "regex: flags: unknown option "
        "(options: pattern, case_sensitive, multiline, dot_matches_newline)"
    )
    assert grade("regex", {}, "a").reason == "regex: pattern: this option is required"
    result = grade("blocklist", {"terms": "cat"}, "dog")
    assert result.reason == "blocklist: terms: Input should be a valid list"


def test_a_reason_always_encodes_as_utf_8() -> None:
    result = grade("exact_match", {"expected": "a"}, "\ud800")
    assert result.reason.encode()
