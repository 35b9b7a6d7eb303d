from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from judgekit.documents import parse_yaml
from judgekit.documents.yamltext import ALIASED_NODES_LIMIT
from judgekit.errors import ConfigError

SCALARS: list[tuple[str, Any]] = [
    ("no", "no"),
    ("No", "No"),
    ("yes", "yes"),
    ("on", "on"),
    ("off", "off"),
    ("y", "y"),
    ("12:30", "12:30"),
    ("190:20:30", "190:20:30"),
    ("2026-11-03", "2026-11-03"),
    ("1_000", "1_000"),
    ("0b11", "0b11"),
    ("=", "="),
    ("0o7", 7),
    ("0x1F", 31),
    ("07", 7),
    ("+3", 3),
    ("-0", 0),
    ("1e3", 1000.0),
    (".5", 0.5),
    ("1.", 1.0),
    ("true", True),
    ("FALSE", False),
    ("tRue", "tRue"),
    ("~", None),
    ("Null", None),
    ("", None),
    ('"1"', "1"),
    ("'null'", "null"),
    ("nan", "nan"),
    ("1.2.3", "1.2.3"),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_a_scalar_is_read_by_the_core_schema_of_yaml_1_2(text: str, value: Any) -> None:
    read = parse_yaml(f"key: {text}\n", "f.yaml").value["key"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("text", [".nan", ".NaN", ".inf", "-.INF", "1e999", "-1e400"])
def test_a_number_that_is_not_finite_is_refused_with_its_line_and_field(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(f"a:\n  - b: {text}\n", "f.yaml")
    assert str(caught.value) == f"f.yaml:2: a[0].b: must be a finite number, not {text}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3: a: stands twice, first in line 1; keep one"),
        ("x:\n  a: 1\n  'a': 3\n", "f.yaml:3: x.a: stands twice, first in line 2; keep one"),
        ("a: !!str 1\n", "f.yaml:1: a: has the tag '!!str'; remove it"),
        ("a: !python/object:os.system x\n", "has the tag '!python/object:os.system'; remove it"),
        ("!!map {a: 1}\n", "has the tag '!!map'; remove it"),
        ("? [a]\n: 1\n", "has a key that is not plain text"),
        ("a: 1\n---\nb: 2\n", "f.yaml:2: opens a second document; keep one a file"),
        ("a: [1\n", "f.yaml:2: is not YAML"),
        ("a: b: c\n", "f.yaml:1: is not YAML"),
        ("a: 1\nb: x\x01y\n", "f.yaml:2: holds the control character U+0001; remove it"),
        ("a: &x [*x]\n", "f.yaml:1: a[0]: the alias *x stands for itself"),
        ("a: *x\n", "f.yaml:1: a: the alias *x has no anchor before it"),
        ("a: " + "9" * 5000, "f.yaml:1: a: is a number with too many digits"),
        ("[" * 101 + "]" * 101, "f.yaml:1: is nested more than 100 levels deep"),
    ],
)
def test_what_strict_yaml_does_not_hold_is_one_line_with_place_and_remedy(
    text: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "f.yaml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_aliases_that_stand_for_billions_of_nodes_are_refused() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
    )
    with pytest.raises(ConfigError, match=f"more than {ALIASED_NODES_LIMIT} nodes"):
        parse_yaml(bomb, "f.yaml")


def test_an_alias_stands_for_its_anchors_value() -> None:
    assert parse_yaml("a: &x {b: 1}\nc: *x\n", "f").value == {"a": {"b": 1}, "c": {"b": 1}}


def test_a_hundred_levels_are_read() -> None:
    assert str(parse_yaml("[" * 100 + "]" * 100, "f").value) == "[" * 100 + "]" * 100


def test_keys_are_text_as_written() -> None:
    assert parse_yaml("1: a\nno: b\nnull: c\n", "f").value == {"1": "a", "no": "b", "null": "c"}


def test_every_field_knows_its_line() -> None:
    document = parse_yaml("a: 1\nb:\n  - c: 2\n    d:\n      3\n", "f.yaml", first_line=11)
    lines = [document.line(at) for at in [("a",), ("b",), ("b", 0), ("b", 0, "d")]]
    assert lines == [11, 12, 13, 14]
    assert document.line(("b", 0, "nothing", "here")) == 13


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_what_a_yaml_writer_quotes_reads_back_as_the_same_value(value: Any) -> None:
    quoted = yaml.safe_dump({"value": value}, default_style='"', allow_unicode=True)
    tagless = quoted.replace("!!int ", "").replace("!!bool ", "").replace("!!null ", "")
    tagless = tagless.replace("!!float ", "")
    read = parse_yaml(tagless, "f").value["value"]
    assert _as_text(read) == _as_text(value)


def _as_text(value: Any) -> Any:
    """Numbers and words as the writer quoted them: all text."""
    if isinstance(value, dict):
        return {key: _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return yaml.safe_dump(value).split("\n")[0]
    return str(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_reads_back_as_itself(value: float) -> None:
    read = parse_yaml(f"v: {value!r}", "f").value["v"]
    assert float(read) == value
    assert math.copysign(1, float(read)) == math.copysign(1, value)
