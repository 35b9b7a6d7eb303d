"""SQLite files under ``.judgekit``: made whole, opened safely, every fault said in one line."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from judgekit.documents import create_atomically, shown
from judgekit.documents.document import one_line
from judgekit.errors import ConfigError

RowT = TypeVar("RowT")

LARGEST_INTEGER = 2**63 - 1
"""The largest whole number that a column holds."""

_WAL = b"\x02\x02"
_NOT_OPENED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_WHY = {
    sqlite3.SQLITE_FULL: "the disk is full; make room",
    sqlite3.SQLITE_IOERR: "the disk refuses; make room, or check it",
    sqlite3.SQLITE_READONLY: "it may only be read; check its rights and its folder's",
    sqlite3.SQLITE_CANTOPEN: "it can't be opened; check its rights and its folder's",
    sqlite3.SQLITE_PERM: "it may not be opened; check its rights",
    sqlite3.SQLITE_BUSY: "another process holds it; wait for that one, then try again",
    sqlite3.SQLITE_CORRUPT: "it is damaged; move it away, and a new one is made",
    sqlite3.SQLITE_NOTADB: "it is no SQLite file; move it away, and a new one is made",
}


@dataclass(frozen=True, slots=True)
class Database:
    """One SQLite file of a known kind. Each use opens and closes it, so that threads may share it.

    Attributes:
        path: where it lies; made with its folder by the first write.
        what: how messages call it, such as ``the review queue``.
        application_id: marks a file as one of this kind (SQLite's own header field).
        version: of its tables.
        schema: the statements that make its tables.
        wait_s: seconds to wait for another process that writes.
    """

    path: Path
    what: str
    application_id: int
    version: int
    schema: str
    wait_s: float = 30.0

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection in one transaction: all of the block is kept for good, or nothing.

        Raises:
            ConfigError: the disk is full or read-only, the file is damaged or another program's, or
                another process does not let go of it.
        """
        if not self.path.exists():
            create_atomically(self.path, self._empty())
        with self._faults("can't be written"), closing(self._opened("mode=rw")) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that reads; where there is no file, one to an empty database.

        Raises:
            ConfigError: the file is damaged, another program's, or may not be read.
        """
        with self._faults("can't be read"), closing(self._readable()) as connection:
            yield connection

    def read(
        self, query: str, given: tuple[Any, ...], make: Callable[..., RowT]
    ) -> tuple[RowT, ...]:
        """Return what `make` makes of the columns of each row that a query gives.

        Raises:
            ConfigError: as `reading`; also when a row holds what no write of ours puts there.
        """
        with self.reading() as connection:
            rows = connection.execute(query, given).fetchall()
        try:
            return tuple(make(*row) for row in rows)
        except (ConfigError, TypeError, ValueError, AttributeError) as error:
            raise ConfigError(
                f"{shown(self.path)}: {self.what} holds a damaged row ({one_line(str(error))}); "
                "mend it, or move the file away"
            ) from None

    def _readable(self) -> sqlite3.Connection:
        if not self.path.exists():
            empty = sqlite3.connect(":memory:")
            empty.executescript(self.schema)
            return empty
        try:
            return self._opened("mode=ro")
        except sqlite3.OperationalError as error:
            # In a read-only folder SQLite can't make the index of a write-ahead log; where there is
            # no log there is nothing to index.
            if _primary(error) not in _NOT_OPENED or self._has_log():
                raise
            return self._opened("mode=ro&immutable=1")

    def _has_log(self) -> bool:
        log = self.path.with_name(f"{self.path.name}-wal")
        return log.exists() and log.stat().st_size > 0

    def _opened(self, how: str) -> sqlite3.Connection:
        """Return a connection to a file that was found to be of this kind and version."""
        if self.path.is_dir():
            raise ConfigError(f"{shown(self.path)}: is a folder; {self.what} would be there")
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{how}",
            uri=True,
            timeout=self.wait_s,
            isolation_level=None,
        )
        try:
            self._check(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        (kind,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if kind != self.application_id:
            raise ConfigError(
                f"{shown(self.path)}: is not {self.what} of judgekit; move it away, and a new one "
                "is made"
            )
        if version != self.version:
            raise ConfigError(
                f"{shown(self.path)}: is {self.what} in version {version}, and this judgekit reads "
                f"version {self.version}; use the judgekit that wrote it, or move it away"
            )

    def _empty(self) -> bytes:
        """Return the bytes of an empty database of this kind.

        A whole file is put in place at once, so that no other process ever finds half a schema.
        Bytes 18 and 19 say that it keeps a write-ahead log (SQLite file format, section 1.3.3).
        """
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(self.schema)
            connection.execute(f"PRAGMA application_id = {self.application_id}")
            connection.execute(f"PRAGMA user_version = {self.version}")
            data = connection.serialize()
        return data[:18] + _WAL + data[20:]

    @contextmanager
    def _faults(self, what_failed: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            why = _WHY.get(_primary(error), one_line(str(error)))
            raise ConfigError(
                f"{shown(self.path)}: {self.what} {what_failed} ({why}); nothing was changed"
            ) from None
        except UnicodeEncodeError:
            raise ConfigError(
                f"{shown(self.path)}: {self.what} {what_failed} (a text holds half of a surrogate "
                "pair; remove it); nothing was changed"
            ) from None


def _primary(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code; 0 where Python raised the error itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
