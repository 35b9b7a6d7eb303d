"""Reading JSON strictly: no duplicate keys, no NaN, no unknown keys; every refusal one line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from .errors import InvalidFile

_Default = TypeVar("_Default")
_REQUIRED: Any = object()
_SHOWN = 60

ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
"""Writes one value on one line, UTF-8 unescaped; refuses NaN and infinity."""


def load(text: str, what: str) -> Any:
    """Return the JSON value in `text`, called `what` in messages.

    A byte order mark and CRLF line ends, which editors add, are read over.

    Raises:
        InvalidFile: merge-conflict markers, a syntax error, a duplicate key, NaN or infinity, a
            number out of range, or nesting beyond what can be read.
    """
    text = text.removeprefix("\ufeff")
    _refuse_conflict_markers(text, what)
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_not_a_number)
    except json.JSONDecodeError as error:
        raise InvalidFile(
            f"{what}: line {error.lineno}, column {error.colno}: not JSON ({error.msg}); "
            "restore the file from version control"
        ) from None
    except InvalidFile as error:
        raise InvalidFile(f"{what}: {error}") from None
    except RecursionError:
        raise InvalidFile(f"{what}: nested too deeply to be one of judgekit's") from None
    except ValueError as error:
        raise InvalidFile(f"{what}: a number cannot be read ({error})") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InvalidFile(f"the key {shown(key)} stands twice in one object; remove one")
            seen.add(key)
    return found


def _not_a_number(word: str) -> NoReturn:
    raise InvalidFile(f"{word} is not a number that a score can be; only finite numbers are")


def _refuse_conflict_markers(text: str, what: str) -> None:
    if "<<<<<<<" not in text:
        return
    ours = theirs = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("<<<<<<<"):
            ours = f"{line[7:].strip() or 'ours'} (line {number})"
        elif line.startswith(">>>>>>>") and ours:
            theirs = f"{line[7:].strip() or 'theirs'} (line {number})"
            break
    if ours:
        raise InvalidFile(
            f"{what}: an unresolved merge conflict between {ours} and {theirs or 'the other side'};"
            " keep one side, then bless again"
        )


def shown(value: object) -> str:
    """Return `value` for a message: one line, cut to a readable length."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


class Fields:
    """A JSON object that is read field by field; `where` is its path in messages."""

    __slots__ = ("_value", "where")

    def __init__(self, value: Any, where: str, known: frozenset[str] | None = None) -> None:
        """Take `value`; refuse it when it is no object or has a key outside `known`."""
        if not isinstance(value, Mapping):
            raise InvalidFile(f"{where}: must be an object, not {shown(value)}")
        self._value, self.where = value, where
        if known is not None and not value.keys() <= known:
            unknown = next(key for key in value if key not in known)
            raise InvalidFile(
                f"{where}: unknown key {shown(unknown)} (known: {', '.join(sorted(known))})"
            )

    def refuse(self, key: str, must: str, value: object) -> NoReturn:
        """Raise that the field `key` `must` be something else."""
        raise InvalidFile(f"{self.where}.{key}: {must}, not {shown(value)}")

    def get(self, key: str, default: Any = _REQUIRED) -> Any:
        """Return the raw value of `key`."""
        value = self._value.get(key, default)
        if value is _REQUIRED:
            raise InvalidFile(f"{self.where}.{key}: missing")
        return value

    def text(self, key: str) -> str:
        """Return a text that is not blank."""
        value = self.get(key)
        if not isinstance(value, str) or not value.strip():
            self.refuse(key, "must be text that is not blank", value)
        return value

    def optional_text(self, key: str) -> str | None:
        """Return a text that is not blank, or None when absent or null."""
        return None if self.get(key, None) is None else self.text(key)

    def any_text(self, key: str, default: str = _REQUIRED) -> str:
        """Return a text, which may be empty."""
        value = self.get(key, default)
        if not isinstance(value, str):
            self.refuse(key, "must be text", value)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts; absent is empty."""
        value = self.get(key, ())
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
            self.refuse(key, "must be a list of texts", value)
        return tuple(value)

    def number(
        self, key: str, default: float = _REQUIRED, low: float = 0.0, high: float = 1.0
    ) -> float:
        """Return a finite number in [`low`, `high`]."""
        value = self.get(key, default)
        if type(value) not in (float, int) or not low <= value <= high or value == math.inf:
            bounds = f"in [{low:g}, {high:g}]" if high < math.inf else f"at least {low:g}"
            self.refuse(key, f"must be a finite number {bounds}", value)
        return float(value)

    def optional_number(self, key: str, low: float = 0.0, high: float = 1.0) -> float | None:
        """Return a finite number in [`low`, `high`], or None when absent or null."""
        return None if self.get(key, None) is None else self.number(key, low=low, high=high)

    def count(self, key: str, default: int = _REQUIRED) -> int:
        """Return a whole number, at least 0."""
        value = self.get(key, default)
        if type(value) is not int or value < 0:
            self.refuse(key, "must be a whole number, at least 0", value)
        return value

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self.get(key)
        if type(value) is not bool:
            self.refuse(key, "must be true or false", value)
        return value

    def items(self, key: str, default: Any = _REQUIRED) -> Iterator[tuple[str, Any]]:
        """Yield the entries of an object whose keys are names, none blank."""
        value = self.get(key, default)
        if not isinstance(value, Mapping):
            self.refuse(key, "must be an object", value)
        for name, item in value.items():
            if not isinstance(name, str) or not name.strip():
                self.refuse(key, "must have names that are not blank", name)
            yield name, item

    def sequence(self, key: str) -> list[Any]:
        """Return a list of anything."""
        value = self.get(key)
        if not isinstance(value, list):
            self.refuse(key, "must be a list", value)
        return value
