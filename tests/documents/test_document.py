from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from judgekit.documents import Document, checked_json, nearest, parse_yaml
from judgekit.documents.document import dotted, one_line, shown
from judgekit.errors import ConfigError


class Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    size: Annotated[float, Field(ge=0, le=1)]
    tags: tuple[str, ...] = ()
    either: str | float = ""


class Whole(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    mode: Literal["strict", "loose"] = "strict"
    parts: tuple[Part, ...] = ()
    named: dict[str, Part] = {}


def fault(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "f.yaml").parse(Whole)
    return str(caught.value)


def test_a_document_that_fits_is_parsed_with_lists_as_tuples() -> None:
    whole = parse_yaml("parts: [{size: 1, tags: [a]}]\n", "f").parse(Whole)
    assert whole == Whole(parts=(Part(size=1.0, tags=("a",)),))


def test_an_unknown_key_is_named_with_its_line_and_the_nearest_known_one() -> None:
    assert fault("mode: loose\nparts:\n  - size: 1\n    tag: [a]\n") == (
        "f.yaml:4: parts[0].tag: unknown key; did you mean 'tags'?"
    )
    assert fault("zzz: 1\n") == "f.yaml:1: zzz: unknown key; known: mode, parts, named"
    assert "did you mean 'size'?" in fault("named:\n  x: {size: 1, sise: 2}\n")


def test_faults_are_all_named_in_the_order_of_their_lines() -> None:
    text = "named:\n  x: {size: 2}\nparts:\n  - size: 'a'\nmode: lose\n"
    assert fault(text) == (
        "f.yaml:2: named.x.size: must be less than or equal to 1, not 2; "
        "line 4: parts[0].size: must be a number, not 'a'; "
        "line 5: mode: must be 'strict' or 'loose', not 'lose'"
    )


def test_many_faults_are_counted() -> None:
    assert fault("".join(f"x{n}: 1\n" for n in range(9))).endswith("; and 4 more")


def test_a_field_that_fits_no_branch_of_a_union_is_named_without_the_branch() -> None:
    assert fault("parts:\n  - size: 1\n    either: []\n").startswith("f.yaml:3: parts[0].either: ")


@given(st.text())
def test_a_message_is_one_printable_line_whatever_a_file_names_its_keys(key: str) -> None:
    message = str(Document("f", {}).fault((key, 3), "is wrong"))
    assert message.splitlines() == [message]
    message.encode()


def test_locations_are_written_as_people_do() -> None:
    assert dotted(("a", 0, "b c", "d")) == 'a[0]."b c".d'
    assert one_line("a\nb\x1b[31m") == "a b [31m"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [float("nan")]}, "f: a[0]: must be a finite number, not nan"),
        ({1: 2}, "f: has the key 1; a key must be text"),
        ({"a": {"b": object()}}, "f: a.b: holds a object, which JSON has no word for"),
        ("\ud800", "f: holds half of a surrogate pair, which is not text"),
    ],
)
def test_python_values_that_json_has_no_word_for_are_refused(value: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        checked_json(Document("f", None), (), value)
    assert str(caught.value) == message


def test_a_value_that_holds_itself_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ConfigError, match="nested more than 100 levels deep"):
        checked_json(Document("f", None), (), loop)


def test_the_nearest_name_is_suggested_or_all_are_listed() -> None:
    assert nearest("treshold", ["threshold", "name"]) == "did you mean 'threshold'?"
    assert nearest("qqq", ["a", "b"]) == "known: a, b"
    assert nearest("qqq", []) == "known: none"


def test_a_path_of_the_project_is_told_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    (project / "evals" / "deep").mkdir(parents=True)
    (project / "judgekit.toml").touch()
    monkeypatch.chdir(project / "evals" / "deep")
    assert shown(Path("x.yaml")) == "x.yaml"
    assert shown(project / "rubrics" / "a.md") == "../../rubrics/a.md"
    assert shown(tmp_path / "other" / "a.md") == str(tmp_path / "other" / "a.md")
