"""One disagreement on the terminal, and the reviewer's answer to it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from judgekit.review.comparison import Comparison
from judgekit.review.queue import Answer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

SHOWN = 4000
"""Characters of a text that are shown unless all are asked for."""

_KEPT = "\n\t\u200c\u200d"
_NARROW = 90
_WORDS: dict[str, Answer] = {
    "p": "pass",
    "pass": "pass",
    "f": "fail",
    "fail": "fail",
    "s": "skip",
    "skip": "skip",
}
_STOPS = ("q", "quit")
_NOTES = ("n", "note")
_KEYS = "p pass, f fail, s skip, n note, q stop"


@dataclass(frozen=True, slots=True)
class Given:
    """What the reviewer said."""

    answer: Answer
    note: str


def show(comparison: Comparison, console: Console, *, place: str, full: bool) -> None:
    """Print a disagreement: input and output, then the judge's side beside the person's.

    Args:
        place: where it stands in the queue, such as ``2 of 7``.
        full: whether to show long texts whole.
    """
    from rich.panel import Panel
    from rich.rule import Rule
    from rich.text import Text

    def panel(title: str, text: str, style: str = "") -> Panel:
        shown = Text(_visible(text if full else _cut(text)))
        return Panel(shown, title=Text(_visible(title)), title_align="left", border_style=style)

    console.print(Rule(Text(_visible(f"{' / '.join(comparison.place)}   {place}"))))
    console.print(panel("input", comparison.input))
    console.print(panel("output", comparison.output))
    judge = panel(f"judge: {comparison.judge_verdict}", _judge_side(comparison), "cyan")
    human = panel(f"human: {comparison.human_verdict}", _human_side(comparison), "magenta")
    console.print(_beside(judge, human, narrow=console.width < _NARROW))


def _beside(left: RenderableType, right: RenderableType, *, narrow: bool) -> RenderableType:
    from rich.console import Group
    from rich.table import Table

    if narrow:
        return Group(left, right)
    grid = Table.grid(expand=True)
    grid.add_column(ratio=1)
    grid.add_column(ratio=1)
    grid.add_row(left, right)
    return grid


def _judge_side(comparison: Comparison) -> str:
    measured = ""
    if comparison.score is not None:
        mark = "" if comparison.pass_mark is None else f", passes from {comparison.pass_mark:.4g}"
        measured = f"score {comparison.score:.4g}{mark}"
    return "\n".join(filter(None, (comparison.rationale, comparison.judge, measured)))


def _human_side(comparison: Comparison) -> str:
    return "\n".join(filter(None, (comparison.note or "(no note)", comparison.human)))


def _cut(text: str) -> str:
    if len(text) <= SHOWN:
        return text
    return f"{text[:SHOWN]}\n… and {len(text) - SHOWN:,} characters more (--full shows them)"


def _visible(text: str) -> str:
    """Return text that can do nothing to a terminal: what does not print is escaped."""
    return "".join(c if c.isprintable() or c in _KEPT else ascii(c)[1:-1] for c in text)


def ask(read_word: Callable[[], str | None], read_note: Callable[[], str | None]) -> Given | None:
    """Return the reviewer's answer; None to stop.

    A note may come before the answer, or behind it on the same line.

    Args:
        read_word: returns what was typed, or a key; None at the end of the input.
        read_note: returns a line; None at the end of the input.
    """
    note = ""
    while True:
        typed = read_word()
        if typed is None:
            return None
        word, _, rest = typed.strip().partition(" ")
        word = word.lower()
        if word in _STOPS:
            return None
        if word in _WORDS:
            return Given(_WORDS[word], rest.strip() or note)
        if word in _NOTES:
            note = (rest or read_note() or "").strip()
        elif word:
            click.echo(f"{_visible(word)!r} is no answer: {_KEYS}")


def ask_here() -> Given | None:
    """Return the answer from this process's input: single keys at a terminal, lines elsewhere."""
    return ask(_key, _note) if sys.stdin.isatty() else ask(_line, _line)


def _line() -> str | None:
    click.echo(f"{_KEYS}: ", nl=False)
    line = sys.stdin.readline()
    click.echo()
    return line.rstrip("\n") if line else None


def _key() -> str | None:
    click.echo(f"{_KEYS}: ", nl=False)
    try:
        key = click.getchar()
    except EOFError:
        return None
    click.echo(_visible(key))
    return key


def _note() -> str | None:
    click.echo("note: ", nl=False)
    return sys.stdin.readline().rstrip("\n")
