"""JSON objects in a judge's reply: strictly read where possible, else mended without guessing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from judgekit.judges.replies.mending import Mender, Unreadable, checked_object

MOST_UNREADABLE = 50
"""After so many unreadable objects the rest of a reply is taken as one: it bounds the work."""

_START = re.compile(r"\{(?=\s*(?:[\"'“”}]|//|/\*))")
_SKIP = re.compile(r'[^"{}]+|"(?:[^"\\]|\\.)*+"?|[{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A brace block in a reply.

    Attributes:
        start: index of its opening brace; `end` is one past its closing brace.
        value: the object; None where it could not be read, and `problem` says why.
        repairs: what had to be mended.
        closed: whether its closing brace was found.
    """

    start: int
    end: int
    value: dict[str, Any] | None
    repairs: tuple[str, ...] = ()
    problem: str = ""
    closed: bool = True


def _constant(name: str) -> NoReturn:
    raise Unreadable(f"{name} is not a JSON number")


_STRICT = json.JSONDecoder(object_pairs_hook=checked_object, parse_constant=_constant)


def strict_value(text: str) -> Any:
    """Return the JSON value that `text` is.

    Raises:
        ValueError: it is none, or a field is given twice.
        RecursionError: it is nested too deeply.
    """
    return _STRICT.decode(text)


def extract_json_block(text: str) -> dict[str, Any] | None:
    """Return the first readable object in `text` (bare, fenced, or amid prose), else None."""
    return next((block.value for block in blocks(text) if block.value is not None), None)


def blocks(text: str) -> Iterator[Block]:
    """Yield the outermost brace blocks that look like JSON objects, in order, in linear time.

    What lies inside a block is never tried by itself: quoted text inside a damaged object must not
    become a verdict.
    """
    unreadable = 0
    start = _START.search(text)
    while start is not None:
        block = _read(text, start.start())
        unreadable += block.value is None
        if unreadable > MOST_UNREADABLE:
            problem = "too many unreadable objects"
            block = Block(block.start, len(text), None, problem=problem, closed=False)
        yield block
        start = _START.search(text, block.end)


def _read(text: str, start: int) -> Block:
    try:
        value, end = _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _mended(text, start)
    return Block(start, end, value)


def _mended(text: str, start: int) -> Block:
    mender = Mender(text, start)
    try:
        value = mender.object()
    except Unreadable as error:
        end = _closing_brace(text, start)
        if end is None:
            return Block(start, len(text), None, problem="the object is not closed", closed=False)
        return Block(start, end, None, problem=str(error))
    return Block(start, mender.position, value, tuple(mender.repairs))


def _closing_brace(text: str, start: int) -> int | None:
    """Return one past the brace that closes the one at `start`; braces in strings don't count."""
    depth = 0
    for token in _SKIP.finditer(text, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                return token.end()
    return None
