"""The case file's model ids and the makers that they belong to."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.bias.families import model_families
from tests.cases.loading import load_cases

ROWS = [
    row
    for row in load_cases("functions.jsonl")
    if row.id == "absent" or row.values[0]["function"] == "model_family"
]


@pytest.mark.parametrize("row", ROWS)
def test_a_model_id_gives_the_maker_that_the_row_names(row: dict[str, Any]) -> None:
    families = model_families(row["args"]["model"])
    assert families == ({row["expected"]} if row["expected"] else frozenset())
