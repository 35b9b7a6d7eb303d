from __future__ import annotations

from typing import Any

import pytest

from judgekit.errors import ConfigError
from judgekit.evals.cases import Case
from judgekit.evals.references import references, resolved

CASE = Case(
    id="one",
    input={"messages": [{"text": "hi"}, {"text": "ho"}]},
    output="secret",
    expected={"a.b": 1, "list": [10, 20], "none": None, "7": "seven"},
    metadata={"output": "not the output"},
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("input.messages.1.text", "ho"),
        ("expected.list", [10, 20]),
        ("expected.list.0", 10),
        (["expected", "a.b"], 1),
        (["expected", "list", 1], 20),
        ("expected.7", "seven"),
        ("expected.none", None),
        ("metadata.output", "not the output"),
        ("metadata", {"output": "not the output"}),
    ],
)
def test_a_reference_is_replaced_by_what_it_leads_to(path: Any, value: Any) -> None:
    config = {"deep": [{"x": {"$case": path}}, "kept"], "plain": 1}
    assert resolved(config, CASE) == {"deep": [{"x": value}, "kept"], "plain": 1}
    assert list(references(config)) == [("deep", 0, "x")]


@pytest.mark.parametrize(
    "path",
    [
        "expected.absent",
        "expected.list.2",
        "expected.list.-1",
        "expected.list.x",
        "input.messages.0.text.y",
    ],
)
def test_a_reference_to_nothing_names_case_and_path(path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolved({"x": {"$case": path}}, CASE)
    assert str(caught.value) == f"case 'one': has no {path}, which the scorer refers to"


def test_a_whole_part_that_the_case_lacks_is_nothing() -> None:
    with pytest.raises(ConfigError, match="case 'two': has no expected"):
        resolved({"x": {"$case": "expected"}}, Case(id="two"))


def test_what_a_case_holds_is_never_read_as_a_reference() -> None:
    case = Case(id="a", expected={"x": {"$case": "metadata.y"}}, metadata={"y": 1})
    assert resolved({"x": {"$case": "expected.x"}}, case) == {"x": {"$case": "metadata.y"}}
