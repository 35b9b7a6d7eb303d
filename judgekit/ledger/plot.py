"""Trends as an SVG picture: no script, no font, no network; the same bytes for the same runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from unicodedata import category
from xml.sax.saxutils import escape

from judgekit.ledger.trend import Series, Trend

_WIDTH, _PANEL, _TOP, _BOTTOM = 860.0, 330.0, 46.0, 46.0
_LEFT, _RIGHT = 52.0, 250.0
_LABEL_GAP = 17.0
_NAME_SHOWN = 22
_DASHES = ("", "7 4", "2 3", "10 3 2 3")
_COLOURS = 6
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_STYLE = """
svg { --text: #1b1f24; --soft: #59636e; --line: #d1d9e0; --page: #ffffff; --c0: #1b1f24;
  --c1: #0550ae; --c2: #953800; --c3: #116329; --c4: #8250df; --c5: #a40e26; }
@media (prefers-color-scheme: dark) { svg { --text: #e6edf3; --soft: #9198a1; --line: #3d444d;
  --page: #0d1117; --c0: #e6edf3; --c1: #79c0ff; --c2: #ffa657; --c3: #56d364; --c4: #d2a8ff;
  --c5: #ff8182; } }
text { font: 13px system-ui, sans-serif; fill: var(--text); }
.soft { fill: var(--soft); font-size: 12px; } .title { font-size: 15px; font-weight: 600; }
.grid { stroke: var(--line); stroke-width: 1; } .page { fill: var(--page); }
path { fill: none; stroke-width: 2; }
"""


def to_svg(trends: Sequence[Trend]) -> str:
    """Return one panel for each trend, one below another; scores from 0 to 1, runs left to right.

    Lines differ by colour and by dashes; a run without a score leaves a gap. Follows the reader's
    light or dark colours.
    """
    heights = [_height(trend) for trend in trends]
    height = sum(heights) or _PANEL
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(_WIDTH)}" height="{_n(height)}" '
        f'viewBox="0 0 {_n(_WIDTH)} {_n(height)}" role="img" aria-label="judgekit run history">',
        "<title>judgekit run history</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{_n(_WIDTH)}" height="{_n(height)}"/>',
    ]
    if not trends:
        lines.append(f'<text x="{_n(_LEFT)}" y="{_n(_TOP)}">no run is kept yet</text>')
    tops = accumulate(heights, initial=0.0)
    for trend, top in zip(trends, tops, strict=False):
        lines += _panel(trend, _Frame(top, _height(trend), len(trend.runs)))
    return "\n".join([*lines, "</svg>"]) + "\n"


def _height(trend: Trend) -> float:
    """Return how high a panel is: higher where many lines have to be named beside it."""
    return max(_PANEL, _TOP + _BOTTOM + _LABEL_GAP * len(trend.series))


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a panel's scores and runs stand."""

    top: float
    height: float
    runs: int

    @property
    def end(self) -> float:
        return _WIDTH - _RIGHT

    def x(self, index: int) -> float:
        return (
            (_LEFT + self.end) / 2
            if self.runs == 1
            else _LEFT + 12 + index * (self.end - _LEFT - 24) / (self.runs - 1)
        )

    def y(self, score: float) -> float:
        return self.top + _TOP + (1 - score) * (self.height - _TOP - _BOTTOM)


def _panel(trend: Trend, frame: _Frame) -> Iterator[str]:
    name = _text(trend.eval, 60)
    yield f'<text class="title" x="{_n(_LEFT)}" y="{_n(frame.top + 24)}">{name}</text>'
    for tick in _TICKS:
        y = frame.y(tick)
        yield f'<path class="grid" d="M{_n(_LEFT)} {_n(y)}H{_n(frame.end)}"/>'
        yield (
            f'<text class="soft" x="{_n(_LEFT - 8)}" y="{_n(y + 4)}" text-anchor="end">'
            f"{tick:g}</text>"
        )
    yield from _run_names(trend, frame)
    for number, series in enumerate(trend.series):
        yield from _line(series, frame, number)
    yield from _names(trend.series, frame)


def _run_names(trend: Trend, frame: _Frame) -> Iterator[str]:
    y = frame.top + frame.height - _BOTTOM + 20
    ends = {0: trend.runs[0], len(trend.runs) - 1: trend.runs[-1]}
    for index, run in ends.items():
        # The first name begins at the axis and the last one ends with it, so that they stay apart.
        anchor = "middle" if len(ends) == 1 else "start" if index == 0 else "end"
        x = frame.x(index) + {"middle": 0, "start": -12, "end": 12}[anchor]
        yield (
            f'<text class="soft" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">'
            f"run {run.id}, {_text(run.when[:10], 20)}</text>"
        )


def _line(series: Series, frame: _Frame, number: int) -> Iterator[str]:
    colour, dash = _look(number)
    path = "".join(_steps(series.values, frame))
    if path:
        yield f'<path d="{path}" style="stroke: {colour}"{dash}/>'
    for index, value in enumerate(series.values):
        if value is not None:
            yield (
                f'<circle cx="{_n(frame.x(index))}" cy="{_n(frame.y(value))}" r="3.5" '
                f'style="fill: {colour}"><title>{_name(series)}: {value:.4g}</title></circle>'
            )


def _steps(values: Sequence[float | None], frame: _Frame) -> Iterator[str]:
    drawing = False
    for index, value in enumerate(values):
        if value is not None:
            yield f"{'L' if drawing else 'M'}{_n(frame.x(index))} {_n(frame.y(value))}"
        drawing = value is not None


def _names(every: Sequence[Series], frame: _Frame) -> Iterator[str]:
    """Name each line beside its end, moved apart where two would overlap."""
    ends = [
        (frame.y(series.known[-1] if series.known else 0.0), number)
        for number, series in enumerate(every)
    ]
    for y, number in _apart(ends, frame.y(0.0)):
        series = every[number]
        colour, dash = _look(number)
        last = f"{series.known[-1]:.4g}" if series.known else "–"
        x = frame.end + 10
        yield f'<path d="M{_n(x)} {_n(y)}h24" style="stroke: {colour}"{dash}/>'
        yield f'<text x="{_n(x + 32)}" y="{_n(y + 4)}">{_name(series)} {last}</text>'


def _apart(ends: Sequence[tuple[float, int]], bottom: float) -> Iterator[tuple[float, int]]:
    """Yield the heights from the top down, each a gap from the last, and none below `bottom`."""
    ordered, least = sorted(ends), 0.0
    for place, (y, number) in enumerate(ordered):
        room_below = bottom - (len(ordered) - 1 - place) * _LABEL_GAP
        shown = max(min(y, room_below), least)
        least = shown + _LABEL_GAP
        yield shown, number


def _look(number: int) -> tuple[str, str]:
    dashes = _DASHES[(number // _COLOURS + number) % len(_DASHES)]
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f"var(--c{number % _COLOURS})", dash


def _name(series: Series) -> str:
    return "whole eval" if series.scorer is None else _text(series.scorer, _NAME_SHOWN)


def _text(text: str, longest: int) -> str:
    """Return text as XML holds it: cut to `longest`, without what XML or a line can't show."""
    shown = "".join(c if category(c)[0] != "C" else "�" for c in text)
    return escape(shown if len(shown) <= longest else f"{shown[: longest - 1]}…")


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
