"""How graders read a candidate: as text, or as JSON. Every reading is total: none raises.

A candidate reaches a grader only when `unfit` finds nothing in it, so that graders see JSON types
alone, of a bounded depth and size. What JSON cannot hold but Python's JSON values can is read so:

- a lone surrogate is read as U+FFFD, as any UTF-8 file of the text would hold it;
- NaN and infinities are written as ``NaN`` and ``Infinity`` and never read from text;
- a text with a key twice in one object is not JSON (I-JSON, RFC 7493, section 2.3): parsers differ
  on what it means, so a grader must not choose.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import NoReturn

from judgekit.graders.grade import Grade, Json
from judgekit.graders.masking import cut, excerpt, quoted, without_surrogates

MAX_DEPTH = 200
"""Most levels of lists and objects in a candidate."""

MAX_VALUES = 250_000
"""Most values in a candidate, shared ones counted each time that they are reached."""

MAX_INTEGER_BITS = 1023
"""Largest integer, in bits: what a double can still reach (I-JSON, RFC 7493, section 2.2)."""

_MAX_INTEGER_DIGITS = 308


def unfit(candidate: object) -> str | None:
    """Return why `candidate` is no JSON value that a grader may be given, or None when it is one.

    The walk is iterative and counts what it visits, so a list that holds itself ends it too.
    """
    if isinstance(candidate, str):
        return None
    pending: list[tuple[object, int]] = [(candidate, 0)]
    visited = 0
    while pending:
        value, depth = pending.pop()
        visited += 1
        if visited > MAX_VALUES:
            return f"the candidate holds more than {MAX_VALUES:,} values"
        fault = _unfit_value(value, depth)
        if fault is not None:
            return fault
        if isinstance(value, dict):
            pending.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, list):
            pending.extend((item, depth + 1) for item in value)
    return None


def _unfit_value(value: object, depth: int) -> str | None:
    if value is None or isinstance(value, str | bool | float):
        return None
    if isinstance(value, int):
        fits = value.bit_length() <= MAX_INTEGER_BITS
        return None if fits else f"the candidate holds an integer over {MAX_INTEGER_BITS} bits"
    if not isinstance(value, list | dict):
        return f"the candidate holds a value of type {type(value).__name__}, which JSON has not"
    if depth >= MAX_DEPTH:
        return f"the candidate is nested deeper than {MAX_DEPTH} levels"
    if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
        return "the candidate holds an object with a key that is not text"
    return None


def has_non_finite(value: Json) -> bool:
    """Return whether NaN or an infinity stands anywhere in `value`, which must be fit."""
    pending: list[Json] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, float) and not math.isfinite(item):
            return True
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return False


def as_text(candidate: Json) -> str:
    """Return the candidate's text: a string as it is, anything else as compact JSON.

    The text always encodes as UTF-8.
    """
    text = candidate if isinstance(candidate, str) else json_text(candidate)
    return text if text.isascii() else without_surrogates(text)


def readings(candidate: Json) -> list[str]:
    """Return the texts in which something forbidden is looked for.

    A text is one reading. A structure has two: its compact JSON, which `as_text` returns, and its
    keys and values unescaped, one a line; in the first a line break or quotation mark in a value is
    escaped, and so hides what stands beside it.
    """
    text = as_text(candidate)
    if isinstance(candidate, str):
        return [text]
    return [text, without_surrogates("\n".join(_leaves(candidate)))]


def _leaves(candidate: Json) -> Iterator[str]:
    """Yield every key and every value, as text, of a candidate that is fit."""
    pending: list[Json] = [candidate]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            for key, item in value.items():
                yield key
                pending.append(item)
        elif isinstance(value, list):
            pending.extend(value)
        else:
            yield value if isinstance(value, str) else json_text(value)


def json_text(value: Json) -> str:
    """Return `value` as compact JSON, text quoted; lone surrogates stay as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def as_json(candidate: Json) -> Json | Grade:
    """Return the candidate's value: text is parsed as JSON, anything else is taken as it is.

    Returns:
        The value, or a failed grade that says why the text is not JSON.
    """
    if not isinstance(candidate, str):
        return candidate
    try:
        value: Json = _DECODER.decode(candidate)
    except json.JSONDecodeError as error:
        return _not_json(f"{error.msg} at line {error.lineno}, column {error.colno}")
    except ValueError as error:
        return _not_json(str(error))
    except RecursionError:
        return _not_json(f"nested deeper than {MAX_DEPTH} levels")
    fault = unfit(value)
    return value if fault is None else Grade.of(False, fault)


def _not_json(why: str) -> Grade:
    return Grade.of(False, f"the candidate is not JSON: {why}")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {clip(twice)} stands twice in one object")
    return found


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > _MAX_INTEGER_DIGITS:
        raise ValueError(f"an integer of more than {_MAX_INTEGER_DIGITS} digits")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("a number too large for a double")
    return value


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)


def clip(value: Json, limit: int = 60) -> str:
    """Return `value` as JSON for a reason, masked, at most `limit` characters in one line."""
    if isinstance(value, str):
        return quoted(value, limit=limit)
    text = json_text(value)
    return cut(excerpt(text, 0, min(len(text), limit + 1)), limit)
