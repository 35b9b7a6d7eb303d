from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.cassettes.file_form import PACKED_KEY_PREFIX, parse, to_file, to_line
from judgekit.cassettes.interaction import Response
from judgekit.errors import CassetteCorrupt
from tests.cassettes.making import make_interaction


def edited(**changes: Any) -> bytes:
    document = json.loads(to_file(make_interaction()))
    return json.dumps({**document, **changes}).encode()


def test_a_file_is_read_back_as_it_was_written() -> None:
    interaction = make_interaction(text="two\nlines\n", content="a\r\nb\n\nc")
    assert parse(to_file(interaction), "f") == interaction
    assert parse(to_line(interaction), "f") == interaction


@given(text=st.text(st.characters(exclude_categories=["Cs"])), content=st.text())
def test_any_text_survives(text: str, content: str) -> None:
    content = content.encode("utf-8", "replace").decode()
    interaction = make_interaction(text=text, content=content)
    read = parse(to_file(interaction), "f")
    assert read.call.body["messages"][0]["content"] == text
    assert read.response == interaction.response


def test_a_file_is_made_to_be_read_by_a_reviewer() -> None:
    text = to_file(make_interaction(text="Grüße\nan alle")).decode()
    names = [line.split('"')[1] for line in text.splitlines() if line.startswith('  "')]
    assert names == ["format", "key", "recorded", "verdict", "request", "response", "digest"]
    assert '            "$lines": [\n              "Grüße",\n              "an alle"\n' in text
    assert text.endswith("}\n")
    assert text.isascii() is False


def test_a_packed_line_begins_with_its_key() -> None:
    interaction = make_interaction()
    line = to_line(interaction)
    assert line.startswith(PACKED_KEY_PREFIX + interaction.key.encode())
    assert line.count(b"\n") == 1


def test_bytes_that_are_no_text_are_kept() -> None:
    interaction = replace(make_interaction(), response=Response(200, b"\xff\x00", "base64"))
    assert parse(to_file(interaction), "f") == interaction


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "f: is empty"),
        (to_file(make_interaction())[:300], "f: is cut short after 300 bytes"),
        (b'{"format": "\xff"}', "f: is not UTF-8 at byte 12"),
        (b"[1]", "f: holds no JSON object"),
        (b'{"a": nope}', "f: is not JSON (line 1, column"),
        (edited(format="judgekit-cassette/9"), "f: format 'judgekit-cassette/9' is not"),
        (edited(extra=1), "f: unknown field 'extra'"),
        (edited(key="0" * 64), "f: field digest: the request or the response was edited"),
        (edited(response={"status": 200, "headers": {}, "json": 1}), "f: field digest"),
        (edited(recorded={"nobody": 1}), "f: not a judgekit cassette"),
        (edited(request=None), "f: field digest"),
        (
            b'{"format": "judgekit-cassette/1"}',
            "f: not a judgekit cassette (field 'key' is missing)",
        ),
        (
            b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> topic\n",
            "f: holds a merge conflict between HEAD and topic",
        ),
    ],
)
def test_each_kind_of_damage_is_named(data: bytes, message: str) -> None:
    with pytest.raises(CassetteCorrupt) as caught:
        parse(data, "f")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_an_edited_request_with_a_new_digest_is_still_caught_by_its_key(tmp_path: Path) -> None:
    from judgekit.cassettes.file_form import content_digest

    document = json.loads(to_file(make_interaction()))
    document["request"]["body"]["temperature"] = 1
    document["digest"] = content_digest(document["key"], document["request"], document["response"])
    with pytest.raises(CassetteCorrupt, match="field key: it is not the key"):
        parse(json.dumps(document).encode(), "f")


@pytest.mark.parametrize("field", ["response", "verdict", "key"])
def test_a_field_that_stands_twice_is_refused(field: str) -> None:
    text = to_file(make_interaction()).decode()
    first = json.dumps({field: {"status": 200, "headers": {}, "json": "FAIL"}})[1:-1]
    twice = text.replace(f'  "{field}"', f'  {first},\n  "{field}"', 1).encode()
    with pytest.raises(CassetteCorrupt, match="a field stands twice"):
        parse(twice, "f")
