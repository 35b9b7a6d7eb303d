"""The review queue's and the ledger's rows: their names, our functions, the same right values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import ConfigError
from judgekit.ledger.spend_store import MemorySpendStore, SpendStore, SqliteSpendStore
from judgekit.ledger.spending import Spend, Sum, summed
from judgekit.review.comparison import Comparison, consolidated
from judgekit.review.queue import MemoryQueue, ReviewQueue, SqliteQueue, capture_disagreement
from tests.cases.loading import load_cases

WHEN = "2026-12-01T10:00:00Z"
NANO_USD_PER_CENT = 10_000_000


def rows_of(function: str) -> list[Any]:
    rows = load_cases("functions.jsonl")
    return [row for row in rows if row.values[0].get("function", function) == function]


def comparison(capture: dict[str, Any]) -> Comparison:
    """Return what a row captures; rows have no scorer, and one is as good as another."""
    return Comparison(
        eval=capture["evalName"],
        scorer="judge",
        case=capture["caseId"],
        input=str(capture.get("input", "")),
        output=str(capture.get("output", "")),
        judge_verdict=capture["modelVerdict"],
        human_verdict=capture["humanVerdict"],
    )


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("row", rows_of("reflexivity"))
def test_what_is_consolidated_is_what_the_row_says(
    row: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    args, expected = row["args"], row["expected"]
    queue: ReviewQueue = MemoryQueue() if kind == "memory" else SqliteQueue(tmp_path / "q.sqlite")
    for capture in args["captures"]:
        capture_disagreement(queue, comparison(capture))
    found = consolidated(queue.captures(), eval=args.get("evalName"), limit=args.get("maxCases"))
    shown = {
        "count": len(found),
        "outputs": [each.output for each in found],
        "caseIds": [each.case for each in found],
    }
    assert expected.keys() <= shown.keys()
    assert {name: shown[name] for name in expected} == expected
    assert queue.captures() == tuple(
        each for each in map(comparison, args["captures"]) if each.disagrees
    )


@pytest.mark.parametrize("row", rows_of("flags_disagreement"))
def test_a_disagreement_is_captured_where_the_row_flags_one(row: dict[str, Any]) -> None:
    queue = MemoryQueue()
    capture = {
        "evalName": "e",
        "caseId": "c",
        "modelVerdict": row["args"]["model"],
        "humanVerdict": row["args"]["human"],
    }
    assert capture_disagreement(queue, comparison(capture)) is row["expected"]
    assert len(queue.captures()) == int(row["expected"])


def recorded(args: dict[str, Any], store: SpendStore) -> Sum:
    """Enter what a row spends, its cents as whole nano-dollars; return what the ledger sums."""
    store.record_spend(
        Spend(
            when=WHEN,
            eval=args["evalName"],
            calls=args["cases"],
            cost_nano_usd=args["costCents"] * NANO_USD_PER_CENT,
        )
    )
    (line,) = summed(store.spends(), ["eval"])
    return line.asked


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@pytest.mark.parametrize("row", rows_of("record_spend"))
def test_an_entry_is_kept_or_refused_as_the_row_says(
    row: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    store: SpendStore = (
        MemorySpendStore() if kind == "memory" else SqliteSpendStore(tmp_path / "s.sqlite")
    )
    args, expected = row["args"], row["expected"]
    if isinstance(expected, dict) and expected.get("raises"):
        with pytest.raises(ConfigError):
            recorded(args, store)
        assert store.spends() == ()
    else:
        kept = recorded(args, store)
        assert kept.calls == args["cases"]
        assert kept.cost_nano_usd == args["costCents"] * NANO_USD_PER_CENT
