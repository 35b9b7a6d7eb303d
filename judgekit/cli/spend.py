"""``judgekit spend``: what judging took, and what replay saved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date

import click

from judgekit.cli.opening import open_session
from judgekit.cli.state import ledger_of
from judgekit.cli.tables import plain_table
from judgekit.ledger.spending import COLUMNS, Column, Line, Sum, summed

_WHOLE = "(whole run)"


@click.command()
@click.argument("evals", nargs=-1)
@click.option(
    "--by",
    type=click.Choice(COLUMNS),
    multiple=True,
    default=COLUMNS,
    help="Sum by this; may be given several times.  [default: eval, scorer and judge]",
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Only from this day on, in UTC.")
@click.option("--format", "form", type=click.Choice(["console", "json"]), default="console")
def command(evals: tuple[str, ...], by: tuple[Column, ...], since: date | None, form: str) -> None:
    """Sum what judge calls took: tokens, price and time, and what replay saved of them.

    Recordings enter each call; `judgekit run --save` enters what its replay saved.
    """
    day = "" if since is None else since.strftime("%Y-%m-%d")
    spends = [
        spend
        for spend in ledger_of(open_session()).spends()
        if (not evals or spend.eval in evals) and spend.when >= day
    ]
    columns = tuple(dict.fromkeys(by))
    lines, total = summed(spends, columns), summed(spends, ())
    if form == "json":
        click.echo(_json(columns, lines, total))
        return
    if not lines:
        click.echo("the ledger holds nothing of that: `judgekit record` and `run --save` fill it")
        return
    heads = [*columns, "asked", "tokens", "cost", "time", "replayed", "tokens", "saved", "time"]
    rows = [[*(part or _WHOLE for part in line.key), *_figures(line)] for line in lines]
    rows.append(["total", *[""] * (len(columns) - 1), *_figures(total[0])])
    for text in plain_table(heads, rows, figures=8):
        click.echo(text)


def _figures(line: Line) -> list[str]:
    return [*_sum(line.asked), *_sum(line.replayed)]


def _sum(part: Sum) -> list[str]:
    if not part.calls:
        return ["0", "–", "–", "–"]
    tokens = part.input_tokens + part.output_tokens
    return [f"{part.calls:,}", f"{tokens:,}", _cost(part), f"{part.wall_s:,.1f} s"]


def _cost(part: Sum) -> str:
    if part.cost_usd is None:
        return "no price"
    beside = f" + {part.unpriced:,} unpriced" if part.unpriced else ""
    return f"${part.cost_usd:,.6f}{beside}"


def _json(columns: Sequence[Column], lines: Sequence[Line], total: Sequence[Line]) -> str:
    whole = total[0] if total else Line(())
    document = {
        "by": list(columns),
        "lines": [{**dict(zip(columns, line.key, strict=True)), **_parts(line)} for line in lines],
        "total": _parts(whole),
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def _parts(line: Line) -> dict[str, object]:
    return {"asked": _record(line.asked), "replayed": _record(line.replayed)}


def _record(part: Sum) -> dict[str, object]:
    return {
        "calls": part.calls,
        "input_tokens": part.input_tokens,
        "output_tokens": part.output_tokens,
        "cost_usd": part.cost_usd,
        "unpriced": part.unpriced,
        "wall_s": part.wall_s,
    }
