"""The corpus of replies with the right reading of each, which ships with the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import orjson

from judgekit.judges.replies.reading import Reading, read_reply
from judgekit.judges.rubric import Kind, Rubric, Scale

RUBRIC_FIELDS = ("min_score", "categories", "passing_categories")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A corpus row that is read otherwise than it says.

    Attributes:
        id: the row's id.
        field: what differs: ``status``, ``outcome``, ``score``, ``rationale`` or ``repairs``.
    """

    id: str
    field: str
    expected: Any
    actual: Any


def corpus_rows() -> list[dict[str, Any]]:
    """Return the shipped rows: id, kind, raw, expected, and what else the reading depends on."""
    source = files("judgekit.judges.replies").joinpath("corpus.jsonl").read_bytes()
    return [orjson.loads(line) for line in source.split(b"\n") if line.strip()]


def row_rubric(row: Mapping[str, Any]) -> Rubric:
    """Return the rubric under which a row is read."""
    kind = Kind(row["kind"])
    scale = row.get("scale")
    options = {name: row[name] for name in RUBRIC_FIELDS if name in row}
    options |= {name: tuple(value) for name, value in options.items() if isinstance(value, list)}
    if scale is not None:
        options["scale"] = Scale(minimum=float(scale[0]), maximum=float(scale[1]))
    return Rubric(kind=kind, criteria="The reply is read.", **options)


def run_corpus(rows: Iterable[Mapping[str, Any]] | None = None) -> list[Mismatch]:
    """Read every row and return where the reading is not the expected one; empty when all hold.

    Args:
        rows: rows in the form of `corpus_rows`, which are the default.
    """
    mismatches = []
    for row in corpus_rows() if rows is None else rows:
        reading = read_reply(row["raw"], row_rubric(row), row.get("finish_reason"))
        mismatches.extend(_differences(row, reading))
    return mismatches


def _differences(row: Mapping[str, Any], reading: Reading) -> list[Mismatch]:
    actual = {
        "status": reading.status,
        "outcome": reading.outcome,
        "score": reading.score,
        "rationale": reading.rationale,
        "repairs": list(reading.repairs),
    }
    return [
        Mismatch(row["id"], name, value, actual[name])
        for name, value in row["expected"].items()
        if actual[name] != value
    ]
