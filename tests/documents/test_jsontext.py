from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.documents import parse_json, read_json, read_jsonl
from judgekit.errors import ConfigError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text("ab\U0001f600"), inner),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_what_json_writes_reads_back_as_itself(value: Any, ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only), "f").value == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": NaN}', "NaN is not JSON; numbers must be finite"),
        ('{"a": -Infinity}', "-Infinity is not JSON; numbers must be finite"),
        ('{"a": 1e999}', "the number 1e999 is out of range; numbers must be finite"),
        ('{"a": 1, "b": 2, "a": 1}', "the key 'a' stands twice in one object; keep one"),
        ('{"x": [{"a": 1, "a": 1}]}', "the key 'a' stands twice in one object; keep one"),
        ('{"a": "\\ud800"}', "holds half of a surrogate pair"),
        ('{"\\udfff": 1}', "holds half of a surrogate pair"),
        ('{"a": 1', "is not JSON"),
        ("{'a': 1}", "is not JSON"),
        ('{"a": 1} x', "is not JSON"),
        ("[" * 101 + "]" * 101, "is nested more than 100 levels deep"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "is nested more than 100 levels deep"),
        ("9" * 401, "more than 400 digits"),
    ],
)
def test_what_strict_json_does_not_hold_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_json(text, "f.json", 7)
    assert str(caught.value).startswith("f.json:7: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wide_values_are_not_deep_ones() -> None:
    assert len(parse_json("[" + ",".join(["[]"] * 500) + "]", "f").value) == 500


def test_a_document_names_the_line_of_its_fault(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('{\n "a": 1,\n "b" 2\n}')
    with pytest.raises(ConfigError, match=r"f\.json:3: is not JSON \(column 6"):
        read_json(tmp_path / "f.json")


def test_jsonl_yields_one_document_a_line_and_skips_empty_ones(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_bytes('{"a": "\u2028"}\r\n\n  \n[2]'.encode())
    rows = list(read_jsonl(tmp_path / "f.jsonl"))
    assert [(row.value, row.line()) for row in rows] == [({"a": "\u2028"}, 1), ([2], 4)]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            b'{}\n{"a": "\xff"}\n',
            "f.jsonl:2: is not UTF-8 (byte 10 is 0xff); save the file as UTF-8",
        ),
        (b"\xef\xbb\xbf{}\n", "f.jsonl:1: opens with a byte order mark"),
        (
            b"{}\n<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n",
            "f.jsonl:2: holds the conflict markers",
        ),
        (b"{}\n{]\n", "f.jsonl:2: is not JSON"),
    ],
)
def test_a_bad_line_of_jsonl_is_named(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "f.jsonl").write_bytes(raw)
    with pytest.raises(ConfigError) as caught:
        list(read_jsonl(tmp_path / "f.jsonl"))
    assert message in str(caught.value)


def test_a_line_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judgekit.documents.reading.LINE_LIMIT", 20)
    (tmp_path / "f.jsonl").write_bytes(b'"short"\n"' + b"x" * 30 + b'"\n')
    with pytest.raises(ConfigError, match=r"f\.jsonl:2: is a line of more than"):
        list(read_jsonl(tmp_path / "f.jsonl"))


def test_a_field_of_a_document_of_many_lines_is_not_said_to_stand_in_its_first(
    tmp_path: Path,
) -> None:
    (tmp_path / "f.json").write_text('{\n "a": 1\n}\n')
    assert read_json(tmp_path / "f.json").line(("a",)) is None
    (tmp_path / "f.json").write_text('{"a": 1}\n')
    assert read_json(tmp_path / "f.json").line(("a",)) == 1
