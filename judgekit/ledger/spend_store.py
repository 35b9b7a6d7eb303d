"""Where the ledger is kept: in memory, or in an SQLite file of its own."""

from __future__ import annotations

import threading
from dataclasses import astuple, fields
from pathlib import Path
from typing import Protocol

from judgekit.database import Database
from judgekit.ledger.spending import Spend

_COLUMNS = ("at", *(f.name for f in fields(Spend)[1:]))
_SCHEMA = """
CREATE TABLE spend (
    at TEXT NOT NULL,
    eval TEXT NOT NULL,
    scorer TEXT NOT NULL,
    judge TEXT NOT NULL,
    source TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_nano_usd INTEGER,
    wall_s REAL NOT NULL
);
"""


class SpendStore(Protocol):
    """Keeps entries of the ledger. Implementations are thread-safe."""

    def record_spend(self, spend: Spend) -> None:
        """Keep one entry for good.

        Raises:
            ConfigError: it can't be written.
        """
        ...

    def spends(self) -> tuple[Spend, ...]:
        """Return every entry, in the order in which they came."""
        ...


class MemorySpendStore:
    """A ledger that ends with the process."""

    def __init__(self) -> None:
        self._spends: list[Spend] = []
        self._lock = threading.Lock()

    def record_spend(self, spend: Spend) -> None:
        """Keep one entry."""
        with self._lock:
            self._spends.append(spend)

    def spends(self) -> tuple[Spend, ...]:
        """Return every entry."""
        with self._lock:
            return tuple(self._spends)


class SqliteSpendStore:
    """A ledger in an SQLite file, which nothing else shares.

    Args:
        path: the file; made by the first entry.
        wait_s: seconds to wait for another process that writes; short, so that a locked ledger
            can't hold a recording up.
    """

    def __init__(self, path: Path, wait_s: float = 2.0) -> None:
        self._database = Database(path, "the spend ledger", 0x6A6B5350, 1, _SCHEMA, wait_s)

    def record_spend(self, spend: Spend) -> None:
        """Keep one entry for good.

        Raises:
            ConfigError: it can't be written; the ledger is as it was.
        """
        marks = ", ".join("?" * len(_COLUMNS))
        with self._database.writing() as connection:
            connection.execute(
                f"INSERT INTO spend ({', '.join(_COLUMNS)}) VALUES ({marks})",  # noqa: S608
                astuple(spend),
            )

    def spends(self) -> tuple[Spend, ...]:
        """Return every entry; none where there is no file.

        Raises:
            ConfigError: the file is damaged, or can't be read.
        """
        query = f"SELECT {', '.join(_COLUMNS)} FROM spend ORDER BY rowid"  # noqa: S608
        return self._database.read(query, (), Spend)
