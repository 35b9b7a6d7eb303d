"""Whatever happens to a file, reading it gives its value or one line that says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgekit.config import find_project
from judgekit.errors import ConfigError
from judgekit.evals.files import load_eval
from judgekit.rubrics.files import load_rubric
from tests.evals.kit import EVAL, write_eval

JSONL = (
    '{"id": "a", "output": "x", "expected": {"must_mention": ["x"]}}\n{"id": "b", "output": 1}\n'
)
CSV = 'id,output,expected.must_mention\n1,"a ""b"", c",d\n2,e,f\n'
RUBRIC = "---\nid: tone\nkind: score\nscale: {minimum: 1, maximum: 5}\n---\nIt is friendly.\n"
TOML = '[judges.a]\nurl = "http://127.0.0.1:1"\nmodel = "m"\n[judges.a.sampling]\nseed = 1\n'
DATASET = EVAL[: EVAL.index("cases:")] + "cases: DATASET\n" + EVAL[EVAL.index("scorers:") :]


def eval_file(folder: Path, raw: bytes) -> Any:
    (folder / "e.yaml").write_bytes(raw)
    return load_eval(folder / "e.yaml")


def dataset(name: str) -> Callable[[Path, bytes], Any]:
    def load(folder: Path, raw: bytes) -> Any:
        (folder / name).write_bytes(raw)
        return load_eval(write_eval(folder, DATASET.replace("DATASET", name)))

    return load


def rubric_file(folder: Path, raw: bytes) -> Any:
    (folder / "tone.md").write_bytes(raw)
    return load_rubric(folder / "tone.md")


def config_file(folder: Path, raw: bytes) -> Any:
    (folder / "judgekit.toml").write_bytes(raw)
    return find_project(folder).judges


WHOLE: list[tuple[Callable[[Path, bytes], Any], str]] = [
    (eval_file, EVAL),
    (dataset("c.jsonl"), JSONL),
    (dataset("c.csv"), CSV),
    (rubric_file, RUBRIC),
    (config_file, TOML),
]
DAMAGE = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 12),
        st.sampled_from(
            [b"", b"\n", b"\x00", b"\xff", b"{", b"]", b"'", b'"', b":", b"&a ", b"*a", b"!!x ",
             b"- ", b"~", b".nan", b"\t", b"---\n", b"$case", b"[[", b"1e999", b"\xe2\x80\xae"]
        ),
    ),
    min_size=1,
    max_size=4,
)  # fmt: skip


@pytest.mark.parametrize(("load", "text"), WHOLE)
def test_the_undamaged_file_is_read(
    tmp_path: Path, load: Callable[[Path, bytes], Any], text: str
) -> None:
    assert load(tmp_path, text.encode())


@pytest.mark.parametrize(("load", "text"), WHOLE)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damage=DAMAGE)
def test_a_damaged_file_is_read_or_refused_in_one_line(
    tmp_path: Path,
    load: Callable[[Path, bytes], Any],
    text: str,
    damage: list[tuple[float, int, bytes]],
) -> None:
    raw = text.encode()
    for where, cut, put in damage:
        at = int(where * len(raw))
        raw = raw[:at] + put + raw[at + cut :]
    try:
        load(tmp_path, raw)
    except ConfigError as error:
        message = str(error)
        assert message.splitlines() == [message]
        assert message.isprintable()
