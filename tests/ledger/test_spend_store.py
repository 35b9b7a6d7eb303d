from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from judgekit.errors import ConfigError
from judgekit.ledger.spend_store import MemorySpendStore, SpendStore, SqliteSpendStore
from judgekit.ledger.spending import Spend
from tests.ledger.making import WHEN

SPEND = Spend(WHEN, "support", "helpful", "local", "asked", 1, 500, 20, 90_000, 1.25)
STORES: dict[str, Callable[[Path], SpendStore]] = {
    "memory": lambda folder: MemorySpendStore(),
    "sqlite": lambda folder: SqliteSpendStore(folder / ".judgekit" / "spend.sqlite"),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> SpendStore:
    return STORES[request.param](tmp_path)


def test_entries_come_back_as_they_went_in(store: SpendStore) -> None:
    assert store.spends() == ()
    entries = [SPEND, replace(SPEND, cost_nano_usd=None), replace(SPEND, source="replayed")]
    for entry in entries:
        store.record_spend(entry)
    assert store.spends() == tuple(entries)


def test_threads_lose_no_entry(store: SpendStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: store.record_spend(replace(SPEND, calls=i)), range(64)))
    assert sorted(each.calls for each in store.spends()) == list(range(64))


def test_an_entry_that_was_edited_into_nonsense_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "spend.sqlite"
    store = SqliteSpendStore(path)
    store.record_spend(SPEND)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE spend SET calls = 'many'")
    connection.commit()
    connection.close()
    with pytest.raises(ConfigError, match=r"spend.sqlite: the spend ledger holds a damaged row"):
        store.spends()
