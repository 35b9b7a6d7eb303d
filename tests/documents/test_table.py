from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgekit.documents import read_csv
from judgekit.errors import ConfigError

CELL = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6))
def test_every_cell_reads_back_as_the_text_it_was(
    tmp_path: Path, rows: list[tuple[str, str]]
) -> None:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b"), *rows])
    (tmp_path / "f.csv").write_text(stream.getvalue(), "utf-8", newline="")
    read = [(row.value["a"], row.value["b"]) for row in read_csv(tmp_path / "f.csv")]
    assert read == rows


def test_a_row_knows_the_line_it_begins_at(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text('a,b\n1,"x\ny"\n\n2,z\n')
    rows = list(read_csv(tmp_path / "f.csv"))
    assert [(row.value, row.line()) for row in rows] == [
        ({"a": "1", "b": "x\ny"}, 2),
        ({"a": "2", "b": "z"}, 5),
    ]


def test_a_cell_larger_than_the_modules_own_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("a\n" + "x" * 200_000 + "\n")
    assert len(next(read_csv(tmp_path / "f.csv")).value["a"]) == 200_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.csv: is empty; its first line must name the columns"),
        ("a,a\n1,2\n", "f.csv:1: two columns are named 'a'; rename one"),
        ("a,,b\n", "f.csv:1: a column has no name; name it"),
        ("a,b\n1,2\n1\n", "f.csv:3: has 1 fields where the header has 2"),
        ("a,b\n1,2,3\n", "f.csv:2: has 3 fields where the header has 2"),
        ('a,b\n1,2\n"x,3\n', "f.csv:3: is not CSV"),
        ('a,b\n"x"y,3\n', "f.csv:2: is not CSV"),
    ],
)
def test_a_table_that_is_not_whole_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "f.csv").write_text(text)
    with pytest.raises(ConfigError) as caught:
        list(read_csv(tmp_path / "f.csv"))
    assert message in str(caught.value)
