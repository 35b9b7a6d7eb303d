"""Tables as plain aligned lines: whole at any width, and easy to search and cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgekit.gate.errors import one_line


def plain_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, figures: int = 0
) -> Iterator[str]:
    """Yield the lines of a table.

    Args:
        heads: names of the columns.
        rows: as many cells each.
        figures: how many of the last columns are figures, set to the right.
    """
    from rich.cells import cell_len

    table = [[one_line(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(cell_len(row[i]) for row in table) for i in range(len(heads))]
    first_figure = len(heads) - figures
    for row in table:
        cells = []
        for i, cell in enumerate(row):
            blank = " " * (widths[i] - cell_len(cell))
            cells.append(blank + cell if i >= first_figure else cell + blank)
        yield "  ".join(cells).rstrip()
