"""json_schema: the drafts, what is refused, and how faults are listed."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from judgekit.errors import Cause
from judgekit.graders.grade import Status
from judgekit.graders.registry import grade

PERSON: dict[str, Any] = {
    "type": "object",
    "required": ["name", "age"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "additionalProperties": False,
}


def status(schema: Any, candidate: Any) -> Status:
    return grade("json_schema", {"schema": schema}, candidate).status


# One valid and one invalid value for each kind of keyword of draft 2020-12, after the kinds of the
# official JSON Schema test suite.
DRAFT_4, DRAFT_6, DRAFT_7 = (f"http://json-schema.org/draft-0{n}/schema#" for n in (4, 6, 7))
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
KINDS: list[tuple[Any, Any, Any]] = [
    ({"type": ["string", "null"]}, None, 1),
    ({"type": "integer"}, 3.0, 3.5),
    ({"type": "boolean"}, True, 1),
    ({"const": {"a": 1}}, {"a": 1.0}, {"a": True}),
    ({"enum": [1, "a", None]}, 1.0, True),
    ({"multipleOf": 0.01}, 0.07, 0.075),
    ({"exclusiveMaximum": 3}, 2.9, 3),
    ({"minLength": 2}, '"éé"', '"é"'),
    ({"pattern": "^a+$"}, '"aa"', '"ab"'),
    ({"prefixItems": [{"type": "string"}], "items": False}, ["a"], ["a", 1]),
    ({"contains": {"const": 1}, "maxContains": 1}, [0, 1], [1, 1]),
    ({"uniqueItems": True}, [1, "1", True], [1, 1.0]),
    ({"minProperties": 1}, {"a": 1}, {}),
    ({"patternProperties": {"^x": {"type": "integer"}}}, {"x": 1}, {"x": "1"}),
    ({"propertyNames": {"maxLength": 1}}, {"a": 1}, {"ab": 1}),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 1}, {"a": 1}),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"b": 1}, {"a": 1}),
    ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, 1, 3),
    ({"anyOf": [{"type": "string"}, {"minimum": 2}]}, 2, 1),
    ({"oneOf": [{"minimum": 2}, {"maximum": 3}]}, 1, 2.5),
    ({"not": {"type": "null"}}, 1, None),
    ({"if": {"minimum": 0}, "then": {"maximum": 9}, "else": {"minimum": -9}}, -5, 10),
    ({"allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False}, {"a": 1}, {"b": 1}),
    ({"prefixItems": [True], "unevaluatedItems": False}, [1], [1, 2]),
    ({"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n"}, 1, "1.5"),
    ({"$defs": {"n": {"$anchor": "n", "type": "integer"}}, "$ref": "#n"}, 1, "1.5"),
    ({"format": "email"}, '"a@example.com"', '"a"'),
    ({"format": "date"}, '"2024-02-29"', '"2023-02-29"'),
    ({"format": "uuid"}, '"123e4567-e89b-12d3-a456-426614174000"', '"123"'),
    ({"$schema": DRAFT_4, "exclusiveMinimum": True, "minimum": 1}, 2, 1),
    ({"$schema": DRAFT_6, "const": 1}, 1, 2),
    ({"$schema": DRAFT_7, "if": True, "then": {"const": 1}}, 1, 2),
    ({"$schema": DRAFT_2019, "items": [{"const": 1}]}, [1], [2]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "valid", "invalid"), KINDS)
def test_each_kind_of_keyword_is_checked(schema: Any, valid: Any, invalid: Any) -> None:
    assert status(schema, valid) is Status.PASSED
    if schema is not True:
        assert status(schema, invalid) is Status.FAILED


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ([], "a schema is an object"),
        (None, "a schema is an object"),
        ("{}", "a schema is an object"),
        ({"type": "strng"}, "at /type: "),
        ({"properties": {"a": {"type": "strng"}}}, "at /properties/a/type: "),
        ({"$defs": {"a": {"type": "strng"}}}, "strng"),
        ({"required": "a"}, "at /required: "),
        ({"requird": ["a"]}, "unknown keyword \"requird\" at (root): did you mean 'required'?"),
        ({"properties": {"a": {"typ": "string"}}}, "at /properties/a: did you mean 'type'?"),
        ({"allOf": [{"minimun": 1}]}, "at /allOf/0: did you mean 'minimum'?"),
        ({"additionalItems": False}, "unknown keyword"),
        ({"format": "e-mail"}, "Unknown format"),
        ({"pattern": "(a"}, "pattern"),
        ({"pattern": "(?=a)"}, "pattern"),
        ({"$ref": "#/$defs/none"}, "/$defs/none"),
        ({"$ref": "http://127.0.0.1:9/schema.json"}, "a remote $ref is never fetched"),
        ({"$ref": "file:///etc/hostname"}, "a remote $ref is never fetched"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "unknown $schema"),
        ({"$schema": "https://example.com/mine"}, "unknown $schema"),
        ({"$schema": 7}, "unknown $schema"),
        (
            {
                "$schema": DRAFT_7,
                "$ref": "#/definitions/a",
                "maxLength": 1,
                "definitions": {"a": {}},
            },
            'this draft ignores "maxLength" beside $ref',
        ),
        ({"const": float("nan")}, "must not hold NaN"),
    ],
)
def test_a_schema_that_cannot_be_trusted_is_an_error(schema: Any, why: str) -> None:
    result = grade("json_schema", {"schema": schema}, {})
    assert result.status is Status.ERROR
    assert result.reason.startswith("json_schema: schema: ")
    assert why in result.reason


def test_names_and_values_are_not_taken_for_keywords() -> None:
    schema = {
        "properties": {"typ": {"enum": [{"typ": 1}]}, "format": {"const": {"foo": 1}}},
        "examples": [{"foo": 1}],
        "default": {"foo": 1},
        "x-order": 3,
    }
    assert status(schema, {"typ": {"typ": 1}}) is Status.PASSED


def test_a_remote_reference_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.2)
        port = server.getsockname()[1]
        assert status({"$ref": f"http://127.0.0.1:{port}/a.json"}, 1) is Status.ERROR
        with pytest.raises(TimeoutError):
            server.accept()


def test_every_fault_is_listed_by_its_json_pointer() -> None:
    schema = {"type": "array", "items": PERSON}
    candidate = [{"name": 1, "age": -1}, {"name": "Ada", "age": 3, "a/b": 1}]
    result = grade("json_schema", {"schema": schema}, candidate)
    assert result.reason.startswith("3 faults: /0/age: -1 is less than the minimum of 0; /0/name: ")
    errors = result.details["errors"]
    assert isinstance(errors, list)
    assert [str(error).split(": ")[0] for error in errors] == ["/0/age", "/0/name", "/1"]


def test_text_is_parsed_and_what_is_not_json_fails() -> None:
    assert status(PERSON, '{"name": "Ada", "age": 36}') is Status.PASSED
    assert status(PERSON, '{"name": "Ada", "age": "36"}') is Status.FAILED
    assert status({"not": {"const": 1}}, "no json") is Status.FAILED
    assert status({"type": "null"}, float("nan")) is Status.FAILED
    assert status({"const": 2**64 + 1}, 2**64) is Status.FAILED


def test_patterns_are_linear() -> None:
    assert status({"pattern": "^(a+)+$"}, '"' + "a" * 65_536 + '!"') is Status.FAILED


@pytest.mark.parametrize("key", ["01", "+1", "1", "a/b~c"])
def test_a_key_of_digits_stands_in_the_pointer_as_it_is_written(key: str) -> None:
    schema = {"additionalProperties": {"items": {"type": "null"}}}
    result = grade("json_schema", {"schema": schema}, {"other": [], key: [None, 2]})
    shown = key.replace("~", "~0").replace("/", "~1")
    assert result.details["errors"] == [f'/{shown}/1: 2 is not of type "null"']


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"x-note": "later", "title": "t", "$comment": "c", "default": {"typo": 1}},
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"title": "anything"}}},
        {"if": {"type": "object"}},
        {"then": {"type": "object"}},
        {"if": {"type": "object"}, "then": {}, "else": True},
        {"minContains": 5},
        {"contains": {"type": "null"}, "minContains": 0},
        {"properties": {"a": {"x-typo": 1}}, "additionalProperties": True},
        {"required": [], "minLength": 0, "uniqueItems": False, "dependentRequired": {"a": []}},
        {"allOf": [{}, {"anyOf": [{"type": "null"}, {}]}], "not": False},
        {"type": ["null", "boolean", "object", "array", "string", "number"]},
        {"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": {}}},
    ],
)
def test_a_schema_that_accepts_everything_is_an_error(schema: Any) -> None:
    result = grade("json_schema", {"schema": schema}, {"a": 1})
    assert result.cause is Cause.INVALID_CONFIG
    assert "accepts every value" in result.reason


@pytest.mark.parametrize(
    ("schema", "rejected"),
    [
        (False, 1),
        ({"not": {}}, 1),
        ({"not": {"not": {}}, "type": "null"}, 1),
        ({"properties": {"a": {"properties": {"b": False}}}}, {"a": {"b": 1}}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#"}, "maxItems": 1}}}, [1, 2]),
        ({"items": {"$ref": "#"}, "uniqueItems": True}, [[1, 1]]),
        ({"if": {"type": "object"}, "else": False}, 1),
        ({"if": {"type": "object"}, "then": {"required": ["b"]}}, {"a": 1}),
        ({"contains": {}}, []),
        ({"maxContains": 0, "contains": {}, "minContains": 0}, [1]),
        ({"oneOf": [True, True]}, 1),
        ({"type": ["null", "boolean", "object", "array", "string", "integer"]}, 0.5),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}),
        ({"enum": []}, 1),
        ({"const": 0}, 1),
    ],
)
def test_a_schema_that_rejects_something_is_none(schema: Any, rejected: Any) -> None:
    assert status(schema, rejected) is Status.FAILED
