"""Which places in a code base an answer names: `localization_f1`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import normpath
from typing import Any

from pydantic import Field, model_validator

from judgekit.graders.candidate import as_json
from judgekit.graders.grade import Grade, Json
from judgekit.graders.option_types import JsonOption
from judgekit.graders.registry import GraderConfig, deterministic

MAX_RANGES = 10_000
"""Most ranges of lines in one answer."""

LAST_LINE = 10_000_000
"""Largest line number that is believed."""

Range = tuple[int, int]
Places = Mapping[str, Sequence[Range]]

_COMPACT = re.compile(r"(?P<path>.*\S)\s*:\s*(?P<first>[0-9]{1,9})(?:\s*-\s*(?P<last>[0-9]{1,9}))?")


class UnreadableError(ValueError):
    """A list of places can't be read; never leaves this module."""


class LocalizationConfig(GraderConfig):
    """Options of `localization_f1`."""

    reference: JsonOption = Field(
        description="The right places: lines `path:start-end`, a list of them, a list of "
        '{"path", "lines": [[start, end]]}, or an object of ranges by path.'
    )
    threshold: float = Field(0.5, ge=0, le=1, description="Least of both F1 figures that passes.")

    @model_validator(mode="after")
    def _check_reference(self) -> LocalizationConfig:
        try:
            read_places(self.reference)
        except UnreadableError as error:
            raise ValueError(f"reference: {error}") from None
        return self


@deterministic(
    "localization_f1",
    example={
        "config": {"reference": "app/refund.py:10-24\napp/mail.py:7"},
        "candidate": "app/refund.py:12-24\napp/mail.py:7",
    },
)
def localization_f1(config: LocalizationConfig, candidate: Json) -> Grade:
    """The files and the lines that are named overlap with the right ones, each by its F1."""
    try:
        found = read_places(candidate)
    except UnreadableError as error:
        return Grade.of(False, f"the candidate names no readable places: {error}")
    wanted = read_places(config.reference)
    shared = sorted(wanted.keys() & found.keys())
    file_f1 = _f1(len(shared), len(wanted), len(found))
    line_f1 = sum(_line_f1(wanted[p], found[p]) for p in shared) / len(shared) if shared else 0.0
    passed = 0 < file_f1 >= config.threshold and 0 < line_f1 >= config.threshold
    return Grade.of(
        passed,
        f"file F1 {file_f1:.4f}, line F1 {line_f1:.4f}, threshold {config.threshold:g}; "
        f"{len(shared)} of {len(wanted)} files found, {len(found)} named",
        score=min(file_f1, line_f1),
        details={"file_f1": round(file_f1, 12), "line_f1": round(line_f1, 12)},
    )


def read_places(value: Any) -> Places:
    """Return the ranges of lines by path, merged and sorted; `./a.py` is `a.py`.

    A text that is a JSON list or object is read as one.

    Raises:
        UnreadableError: nothing is named, or one of the places can't be read.
    """
    places: dict[str, list[Range]] = {}
    count = 0
    for path, ranges in _entries(value):
        places.setdefault(_normal(path), []).extend(ranges)
        count += len(ranges)
        if count > MAX_RANGES:
            raise UnreadableError(f"over {MAX_RANGES:,} ranges")
    if not places:
        raise UnreadableError("no place is named")
    return {path: merged(ranges) for path, ranges in places.items()}


def _entries(value: Any) -> list[tuple[str, list[Range]]]:
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        read = as_json(value)
        value = value if isinstance(read, Grade) else read
    if isinstance(value, str):
        return [_compact(line) for line in value.splitlines() if line.strip()]
    if isinstance(value, list):
        return [_entry(item) for item in value]
    if isinstance(value, dict) and "path" in value:
        return [_entry(value)]
    if isinstance(value, dict):
        return [(path, _ranges(ranges)) for path, ranges in value.items()]
    raise UnreadableError("it is neither text, list nor object")


def _entry(item: Any) -> tuple[str, list[Range]]:
    if isinstance(item, str):
        return _compact(item)
    if isinstance(item, dict) and isinstance(item.get("path"), str) and item["path"].strip():
        return item["path"], _ranges(item.get("lines"))
    raise UnreadableError("an entry is neither `path:start-end` nor an object with path and lines")


def _compact(line: str) -> tuple[str, list[Range]]:
    match = _COMPACT.fullmatch(line.strip())
    if match is None:
        raise UnreadableError("a line is not `path:start-end`")
    first = int(match["first"])
    return match["path"], [_range(first, int(match["last"] or first))]


def _ranges(value: Any) -> list[Range]:
    if not isinstance(value, list) or not value:
        raise UnreadableError("an entry has no list of lines")
    if len(value) == 2 and all(_is_number(item) for item in value):
        return [_range(*value)]
    ranges = []
    for item in value:
        if _is_number(item):
            ranges.append(_range(item, item))
        elif isinstance(item, list) and len(item) == 2 and all(map(_is_number, item)):
            ranges.append(_range(*item))
        else:
            raise UnreadableError("a range is not [start, end]")
    return ranges


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _range(first: int, last: int) -> Range:
    if not 1 <= first <= last <= LAST_LINE:
        raise UnreadableError(f"a range is reversed, zero or beyond line {LAST_LINE:,}")
    return first, last


def _normal(path: str) -> str:
    """Return a path without the parts that change nothing: ``./a//b/../c.py`` is ``a/c.py``."""
    normal = normpath(path.strip())
    if normal in (".", "/", "//"):
        raise UnreadableError("a path is empty")
    return normal


def merged(ranges: Sequence[Range]) -> list[Range]:
    """Return ranges sorted, those that touch or overlap made one."""
    made: list[Range] = []
    for first, last in sorted(ranges):
        if made and first <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(made[-1][1], last))
        else:
            made.append((first, last))
    return made


def _line_f1(wanted: Sequence[Range], found: Sequence[Range]) -> float:
    return _f1(_common(wanted, found), _size(wanted), _size(found))


def _size(ranges: Sequence[Range]) -> int:
    return sum(last - first + 1 for first, last in ranges)


def _common(one: Sequence[Range], other: Sequence[Range]) -> int:
    """Return how many lines two merged lists of ranges share."""
    i = j = shared = 0
    while i < len(one) and j < len(other):
        shared += max(0, min(one[i][1], other[j][1]) - max(one[i][0], other[j][0]) + 1)
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return shared


def _f1(hits: int, wanted: int, found: int) -> float:
    """Harmonic mean of precision and recall, as 2 hits / (wanted + found)."""
    return 2 * hits / (wanted + found)
