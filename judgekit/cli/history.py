"""``judgekit history``: how the scores of the kept runs went."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from judgekit.cli.opening import open_session
from judgekit.cli.state import history_of
from judgekit.cli.tables import plain_table
from judgekit.documents import nearest, write_atomically
from judgekit.errors import ConfigError
from judgekit.ledger.history import HistoryStore, KeptRun
from judgekit.ledger.trend import Series, Trend, sparkline, trends


@click.command()
@click.argument("eval_name", metavar="[EVAL]", required=False)
@click.option("--format", "form", type=click.Choice(["console", "json", "svg"]), default="console")
@click.option("--output", type=click.Path(path_type=Path), help="File for it.")
@click.option(
    "--last",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Only so many runs of each eval, the newest.",
)
def command(eval_name: str | None, form: str, output: Path | None, last: int) -> None:
    """Show how the runs that `judgekit run --save` kept came out, by eval and scorer."""
    found = trends(_runs(history_of(open_session()), eval_name, last))
    text = {"console": _console, "json": _json, "svg": _svg}[form](found)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_atomically(output, text.encode())


def _runs(history: HistoryStore, name: str | None, last: int) -> tuple[KeptRun, ...]:
    runs = history.runs(name, last)
    if name is not None and not runs:
        known = dict.fromkeys(run.eval for run in history.runs(last=1))
        raise ConfigError(f"no run of eval {name!r} is kept; {nearest(name, known)}")
    return runs


def _svg(found: Sequence[Trend]) -> str:
    from judgekit.ledger.plot import to_svg

    return to_svg(found)


def _json(found: Sequence[Trend]) -> str:
    document = {
        "evals": [
            {"eval": trend.eval, "runs": [asdict(run) for run in trend.runs]} for trend in found
        ]
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _console(found: Sequence[Trend]) -> str:
    if not found:
        return "no run is kept yet: `judgekit run --save` keeps one\n"
    return "\n".join("\n".join(_lines(trend)) + "\n" for trend in found)


def _lines(trend: Trend) -> Iterator[str]:
    yield trend.eval
    heads = ["scorer", "trend", "last", "change", "least", "most"]
    yield from plain_table(heads, [_series(each) for each in trend.series], figures=4)
    yield ""
    heads = ["run", "when", "label", "prompt", "score", "cases", "errors"]
    yield from plain_table(heads, [_run(run) for run in trend.runs], figures=3)


def _series(series: Series) -> list[str]:
    name = "(whole eval)" if series.scorer is None else series.scorer
    known, change = series.known, series.change
    last = series.values[-1]
    return [
        name,
        sparkline(series.values),
        _number(last),
        "–" if change is None else f"{change:+.4g}",
        _number(min(known, default=None)),
        _number(max(known, default=None)),
    ]


def _run(run: KeptRun) -> list[str]:
    score = _number(run.score)
    return [
        str(run.id),
        run.when,
        run.label,
        run.prompt_version,
        score,
        f"{run.cases:,}",
        f"{run.errors:,}",
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"
