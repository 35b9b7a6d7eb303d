"""The examples of docs/replies.md are true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from judgekit.judges.replies import read_reply
from judgekit.judges.rubric import Kind, Rubric

DOCS = Path(__file__).parents[2] / "docs" / "replies.md"
ROW = re.compile(r"^\| `(.+)` \| (\w+) \| (\w+)(?:, (\S+))? \|$", re.MULTILINE)


def examples() -> list[tuple[str, ...]]:
    return ROW.findall(DOCS.read_text("utf-8").partition("## Examples")[2])


@pytest.mark.parametrize(("reply", "kind", "status", "said"), examples())
def test_each_documented_example_is_read_as_it_says(
    reply: str, kind: str, status: str, said: str
) -> None:
    reading = read_reply(reply.replace("⏎", "\n"), Rubric(kind=Kind(kind), criteria="x"))
    assert reading.status == status
    if status == "ok":
        assert said in (reading.outcome, str(reading.score))


def test_the_table_is_found() -> None:
    assert len(examples()) >= 20
