"""json_shape, pydantic_schema and json_path_assertion."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from judgekit.errors import Cause
from judgekit.graders.grade import Status
from judgekit.graders.json_path import select
from judgekit.graders.registry import grade

DOCUMENT: dict[str, Any] = {
    "store": {
        "books": [
            {"title": "A", "price": 8, "tags": ["x", "y"]},
            {"title": "B", "price": 12.5, "isbn": "1-2"},
            {"title": "c", "price": 12.5},
        ],
        "open": True,
    },
    "": 0,
    "null": None,
}


class Answer(BaseModel):
    """A model as a project would write it."""

    text: str
    confidence: float

    @field_validator("text")
    @classmethod
    def _explode(cls, text: str) -> str:
        if text == "boom":
            raise RuntimeError("boom")
        return text


MODEL = f"{__name__}:Answer"


@pytest.mark.parametrize(
    ("keys", "passed"),
    [
        (["store.books.0.title", "null"], True),
        (["store.books.3"], False),
        (["store.books.-1"], False),
        (["store.books.00"], False),
        (["store.books.title"], False),
        (["store.open.x"], False),
    ],
)
def test_the_shape_is_checked_by_dotted_path(keys: list[str], passed: bool) -> None:
    assert grade("json_shape", {"required_keys": keys}, DOCUMENT).passed is passed


def test_the_paths_that_are_lacking_are_named() -> None:
    result = grade("json_shape", {"required_keys": ["null", "a.b", "c"]}, DOCUMENT)
    assert result.reason == 'not present: "a.b", "c"'


@pytest.mark.parametrize(
    ("candidate", "passed"),
    [
        ('{"text": "hi", "confidence": 0.5}', True),
        ({"text": "hi", "confidence": 1}, True),
        ({"text": "hi", "confidence": "0.5"}, False),
        ({"text": "hi"}, False),
        ({"text": "hi", "confidence": float("nan")}, False),
        ({"text": "boom", "confidence": 0.5}, False),
        ("hi", False),
        (None, False),
    ],
)
def test_a_pydantic_model_of_the_project_validates(candidate: Any, passed: bool) -> None:
    result = grade("pydantic_schema", {"model": MODEL}, candidate)
    assert result.passed is passed, result.reason
    assert result.status is not Status.ERROR


def test_a_lax_model_reads_numbers_from_text() -> None:
    candidate = {"text": "hi", "confidence": "0.5"}
    assert grade("pydantic_schema", {"model": MODEL, "strict": False}, candidate).passed


@pytest.mark.parametrize(
    "model",
    ["", "Answer", "json:", ":Answer", "json:loads", "no_such_module_:X", f"{__name__}:Missing"],
)
def test_a_model_that_cannot_be_found_is_an_error(model: str) -> None:
    assert grade("pydantic_schema", {"model": model}, {}).status is Status.ERROR


@pytest.mark.parametrize(
    ("config", "passed"),
    [
        ({"path": "store.books.1.price", "equals": 12.5}, True),
        ({"path": "store.books.0.price", "equals": 8.0}, True),
        ({"path": "store.books.0.price", "equals": "8"}, False),
        ({"path": "store.open", "equals": 1}, False),
        ({"path": "null", "equals": None}, True),
        ({"path": "absent", "equals": None}, False),
        ({"path": "null", "exists": True}, True),
        ({"path": "absent", "exists": False}, True),
        ({"path": "", "equals": 0}, True),
        ({"path": "store.books.01", "exists": False}, True),
        ({"path": "store.books.length", "exists": True}, False),
        ({"path": "store.books.1.isbn", "matches": r"^\d-\d$"}, True),
        ({"path": "store.books.1.price", "matches": "12"}, False),
        ({"path": "$.store.books[*].price", "count": 3}, True),
        ({"path": "$.store.books[*].price", "count": 2}, False),
        ({"path": "$.absent", "count": 0}, True),
        ({"path": "$..price", "equals": 12.5}, False),
        ({"path": "$.store.books[1:].price", "equals": 12.5, "count": 2}, True),
        ({"path": "$..title", "matches": "^[A-Z]$"}, False),
        ({"path": "$..isbn", "matches": "-", "exists": True}, True),
        ({"path": "$['']", "equals": 0}, True),
        ({"path": "$", "exists": True}, True),
        ({"path": "$.store.books[?@.price > 10 && @.isbn].title", "equals": "B"}, True),
    ],
)
def test_what_a_path_selects_is_asserted(config: dict[str, Any], passed: bool) -> None:
    result = grade("json_path_assertion", config, DOCUMENT)
    assert result.status is not Status.ERROR, result.reason
    assert result.passed is passed, result.reason


@pytest.mark.parametrize(
    "config",
    [
        {"path": "a"},
        {"path": "a", "exists": "yes"},
        {"path": "a", "exists": None},
        {"path": "a", "matches": None},
        {"path": "a", "matches": ""},
        {"path": "a", "matches": r"(a)\1"},
        {"path": "a", "count": -1},
        {"path": "a", "count": True},
        {"path": "a", "exists": False, "equals": 1},
        {"path": "$.", "exists": True},
        {"path": "$[?@.a == ]", "exists": True},
        {"path": "$.a ", "exists": True},
        {"path": "$.a | $.b", "exists": True},
        {"path": "$" + ".a" * 600, "exists": True},
        {"path": "$[?" + "(" * 500, "exists": True},
        {"exists": True},
    ],
)
def test_an_assertion_that_says_nothing_is_an_error(config: dict[str, Any]) -> None:
    result = grade("json_path_assertion", config, {"a": 1})
    assert result.status is Status.ERROR
    assert result.reason.startswith("json_path_assertion: ")


def test_text_that_is_not_json_fails_even_where_absence_is_asserted() -> None:
    result = grade("json_path_assertion", {"path": "a", "exists": False}, "not json")
    assert result.status is Status.FAILED


# After the kinds of the RFC 9535 compliance suite: names, indices, slices, wildcards, descendants,
# unions, filters (existence, comparison, logic, functions).
RFC_9535: list[tuple[str, Any, list[Any]]] = [
    ("$", {"a": 1}, [{"a": 1}]),
    ("$", "text", ["text"]),
    ("$['a','b']", {"a": 1, "b": 2}, [1, 2]),
    ('$["\\u263a"]', {"☺": 1}, [1]),
    ("$[-1]", [1, 2], [2]),
    ("$[5]", [1], []),
    ("$[::-1]", [1, 2, 3], [3, 2, 1]),
    ("$[1:3]", [0, 1, 2, 3], [1, 2]),
    ("$[0,0]", [1, 2], [1, 1]),
    ("$.*", {"a": 1, "b": [2]}, [1, [2]]),
    ("$..a", {"a": {"a": 1}}, [{"a": 1}, 1]),
    ("$..[0]", [[1], [2]], [[1], 1, 2]),
    ("$[?@.a]", [{"a": None}, {"b": 1}], [{"a": None}]),
    ("$[?@.a == 1]", [{"a": 1.0}, {"a": "1"}, {"a": True}], [{"a": 1.0}]),
    ("$[?!@.a]", [{"a": 1}, {}], [{}]),
    ("$[?@ > 'a']", ["a", "b", 1], ["b"]),
    ("$[?length(@) == 2]", ["ab", [1, 2], {"a": 1}, 2], ["ab", [1, 2]]),
    ("$[?count(@.*) == 1]", [[1], [1, 2]], [[1]]),
    ("$[?match(@, 'a.c')]", ["abc", "xabc", "a\nc", "a\rc"], ["abc"]),
    ("$[?search(@, 'b+')]", ["abbc", "ac", 1], ["abbc"]),
    ("$[?search(@, '(?=a)')]", ["a"], []),
    ("$[?value(@..x) == 1]", [{"x": 1}, {"x": 1, "y": {"x": 1}}], [{"x": 1}]),
    ("$.a[?@.b == $.c].d", {"a": [{"b": 1, "d": 2}, {"b": 3}], "c": 1}, [2]),
]


@pytest.mark.parametrize(("path", "value", "selected"), RFC_9535)
def test_jsonpath_selects_as_rfc_9535_says(path: str, value: Any, selected: list[Any]) -> None:
    assert select(path, value) == selected


@pytest.mark.parametrize(
    "path",
    [
        "$" + "..*" * 20,
        "$" + "[0,0,0,0]" * 100,
        "$..[?@..[?@..[?@..x]]]",
        "$..[?count($..*) > 1]",
        "$[?search(@, '(a|aa)+$')]",
    ],
)
def test_a_query_that_could_run_for_ever_ends(path: str) -> None:
    deep: Any = "a" * 65_536 + "!"
    for _ in range(150):
        deep = [deep]
    wide = {"k": [["a" * 50 + "!"] * 30] * 300}
    for candidate in (deep, wide):
        result = grade("json_path_assertion", {"path": path, "exists": True}, candidate)
        assert result.status is not Status.ERROR
        if path.startswith("$..*"):
            assert "is the most" in result.reason


@pytest.mark.parametrize(
    "path", ["items[0]", "a.b[*]", "[[[", "/items/0", " ", "a..b", ".a", "a.", "a. .b"]
)
def test_a_path_in_another_notation_is_an_error(path: str) -> None:
    for grader, config in (
        ("json_path_assertion", {"path": path, "exists": False}),
        ("json_path_assertion", {"path": path, "equals": 1}),
        ("tool_argument_assertion", {"tool": "a", "path": path, "exists": False}),
        ("json_shape", {"required_keys": ["a", path]}),
    ):
        result = grade(grader, config, {"tool_calls": [{"name": "a", "arguments": {}}]})
        assert result.cause is Cause.INVALID_CONFIG, grader
        assert "path" in result.reason or "blank" in result.reason


def test_the_absence_of_the_empty_key_proves_nothing() -> None:
    for assertion in ({"exists": False}, {"count": 0}):
        result = grade("json_path_assertion", {"path": "", **assertion}, {"a": 1})
        assert result.cause is Cause.INVALID_CONFIG
    config = {"tool": "a", "path": "", "exists": False}
    assert grade("tool_argument_assertion", config, {}).cause is Cause.INVALID_CONFIG
    assert grade("json_path_assertion", {"path": "", "equals": 1}, {"": 1}).passed
    assert grade("json_path_assertion", {"path": "$['a[0]']", "equals": 1}, {"a[0]": 1}).passed
