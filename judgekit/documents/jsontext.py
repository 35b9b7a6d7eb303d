"""Strict JSON and JSON Lines: finite numbers, no key twice, whole characters, bounded depth."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judgekit.documents.document import DEPTH_LIMIT, Document, one_line, shown
from judgekit.documents.reading import DATA_LIMIT, EVAL_LIMIT, read_text, text_lines
from judgekit.errors import ConfigError


def read_json(path: Path, limit: int = EVAL_LIMIT) -> Document:
    """Return the JSON document in the file at `path`.

    Raises:
        ConfigError: the file is unreadable or not strict JSON.
    """
    return parse_json(read_text(path, limit), shown(path))


def read_jsonl(path: Path, limit: int = DATA_LIMIT) -> Iterator[Document]:
    """Yield one document a line, without the empty lines; the file is never held whole.

    Raises:
        ConfigError: the file is unreadable, or a line is too long or not strict JSON.
    """
    name = shown(path)
    for number, text in text_lines(path, limit):
        if text and not text.isspace():
            yield parse_json(text, name, number)


def parse_json(text: str, name: str, first_line: int = 1) -> Document:
    """Return the JSON value in `text`, which begins at line `first_line` of the file `name`.

    Raises:
        ConfigError: bad syntax, a key twice, NaN or infinity, half a surrogate pair, nesting deeper
            than `DEPTH_LIMIT`.
    """
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise ConfigError(
            f"{name}:{line}: is not JSON (column {error.colno}: {one_line(error.msg)}); mend it"
        ) from None
    except ValueError as error:
        raise ConfigError(f"{name}:{first_line}: {one_line(str(error))}") from None
    except RecursionError:
        raise _too_deep(name, first_line) from None
    if text.count("[") + text.count("{") > DEPTH_LIMIT and _depth(value) > DEPTH_LIMIT:
        raise _too_deep(name, first_line)
    if "\\u" in text and _splits_a_surrogate(value):
        raise ConfigError(
            f"{name}:{first_line}: holds half of a surrogate pair (\\ud800 to \\udfff); remove it"
        )
    one_line_long = "\n" not in text.strip()
    return Document(name, value, {(): first_line} if one_line_long else {})


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object; keep one")
    return fields


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits[:40]} is out of range; numbers must be finite")
    return value


def _whole(digits: str) -> int:
    if len(digits) > 400:
        raise ValueError("a number has more than 400 digits; write it as text")
    return int(digits)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON; numbers must be finite")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_finite, parse_int=_whole, parse_constant=_no_constant
)


def _too_deep(name: str, line: int) -> ConfigError:
    return ConfigError(f"{name}:{line}: is nested more than {DEPTH_LIMIT} levels deep; flatten it")


def _depth(value: Any) -> int:
    """Return how many lists and mappings stand in one another, counted without recursion."""
    level, depth = [value], 0
    while level := [each for each in level if isinstance(each, list | dict)]:
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        depth += 1
    return depth


def _splits_a_surrogate(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
