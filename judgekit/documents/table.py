"""Strict CSV: a header, as many fields in every row, all of them text."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from judgekit.documents.document import Document, one_line, shown
from judgekit.documents.reading import DATA_LIMIT, LINE_LIMIT, text_lines
from judgekit.errors import ConfigError


def read_csv(path: Path, limit: int = DATA_LIMIT) -> Iterator[Document]:
    """Yield one document a row (RFC 4180), each a mapping from column to text.

    Raises:
        ConfigError: the file is unreadable or empty, a column has no name or another's, a row has
            more or fewer fields than the header, or a quote is not closed.
    """
    name = shown(path)
    # The csv module's limit is one for the process; it is only ever raised here.
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    lines = (text.replace("\r\n", "\n") for _, text in text_lines(path, limit))
    reader = csv.reader(lines, strict=True)
    header: list[str] = []
    line = 1
    try:
        for row in reader:
            if row and not header:
                header = _checked_header(name, line, row)
            elif row:
                yield _row(name, line, header, row)
            line = reader.line_num + 1
    except csv.Error as error:
        raise ConfigError(f"{name}:{line}: is not CSV ({one_line(str(error))}); mend it") from None
    if not header:
        raise ConfigError(f"{name}: is empty; its first line must name the columns")


def _checked_header(name: str, line: int, row: list[str]) -> list[str]:
    for column in row:
        if not column.strip():
            raise ConfigError(f"{name}:{line}: a column has no name; name it")
        if row.count(column) > 1:
            raise ConfigError(f"{name}:{line}: two columns are named {column!r}; rename one")
    return row


def _row(name: str, line: int, header: list[str], row: list[str]) -> Document:
    if len(row) != len(header):
        raise ConfigError(
            f"{name}:{line}: has {len(row)} fields where the header has {len(header)}; "
            "quote fields that hold a comma"
        )
    return Document(name, dict(zip(header, row, strict=True)), {(): line})
