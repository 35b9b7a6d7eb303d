"""Reads JSON objects that a model wrote almost right, by repairs that cannot change a meaning.

Mended: comments, trailing commas, single or typographic quotes, raw line breaks in strings,
needless backslashes, Python's ``True``/``False``/``None``. Everything else stays unreadable:
missing commas, bare words, ``NaN``, quotes inside quotes, fields given twice.
"""

from __future__ import annotations

import re
from typing import Any

DEEPEST = 32
"""Levels of nesting that a mended object may have."""

_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.{0,2000}?\*/", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])")
_WORD = re.compile(r"(?:true|false|null|True|False|None)(?!\w)")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_QUOTES = {'"': '"', "'": "'", "“": "”"}
_PLAIN = {q: re.compile(rf"[^{q}\\\x00-\x08\x0b\x0c\x0e-\x1f]+") for q in _QUOTES.values()}
_HEX = re.compile(r"[0-9A-Fa-f]{4}")


class Unreadable(ValueError):
    """The text is not an object, even with every allowed repair."""


def checked_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return `pairs` as an object.

    Raises:
        Unreadable: two names are equal, or differ by case or outer blanks only.
    """
    value = dict(pairs)
    if len(value) == len(pairs) and len({key.strip().casefold() for key in value}) == len(value):
        return value
    raise Unreadable("a field is given twice")


class Mender:
    """Reads one object of `text`; `position` is where it ended, `repairs` what was mended."""

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.repairs: list[str] = []

    def object(self, depth: int = 0) -> dict[str, Any]:
        """Return the object whose opening brace is at `position`.

        Raises:
            Unreadable: it is damaged beyond the allowed repairs.
        """
        pairs: list[tuple[str, Any]] = []
        self.position += 1
        while self._more("}", pairs):
            key = self._string()
            self._skip_blanks()
            self._take(":")
            pairs.append((key, self._value(depth)))
        return checked_object(pairs)

    def _array(self, depth: int) -> list[Any]:
        items: list[Any] = []
        self.position += 1
        while self._more("]", items):
            items.append(self._value(depth))
        return items

    def _more(self, close: str, read: list[Any]) -> bool:
        """Step over the comma or the closing bracket; say whether another element follows."""
        self._skip_blanks()
        if read and not self._at(close):
            self._take(",")
            self._skip_blanks()
            if self._at(close):
                self._mended("trailing comma dropped")
        if self._at(close):
            self.position += 1
            return False
        return True

    def _value(self, depth: int) -> Any:
        self._skip_blanks()
        if depth >= DEEPEST:
            raise Unreadable("it is nested too deeply")
        if self._at("{"):
            return self.object(depth + 1)
        if self._at("["):
            return self._array(depth + 1)
        if number := _NUMBER.match(self.text, self.position):
            self.position = number.end()
            return float(number[0])
        if word := _WORD.match(self.text, self.position):
            self.position = word.end()
            if word[0][0].isupper():
                self._mended("Python literal read as JSON")
            return _WORDS[word[0]]
        return self._string()

    def _string(self) -> str:
        close = _QUOTES.get(self.text[self.position : self.position + 1])
        if close is None:
            raise self._unexpected()
        if close != '"':
            self._mended("typographic quotes" if close == "”" else "single quotes")
        self.position += 1
        parts: list[str] = []
        while not self._at(close):
            if self._at("\\"):
                parts.append(self._escape())
            elif plain := _PLAIN[close].match(self.text, self.position):
                self.position = plain.end()
                parts.append(plain[0])
            else:
                raise self._unexpected()
        self.position += 1
        text = "".join(parts)
        if close == '"' and re.search(r"[\n\r\t]", text):
            self._mended("raw line break or tab in a string")
        return text

    def _escape(self) -> str:
        letter = self.text[self.position + 1 : self.position + 2]
        self.position += 2
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        digits = _HEX.match(self.text, self.position)
        if letter == "u" and digits:
            self.position += 4
            return chr(int(digits[0], 16))
        if not letter:
            raise Unreadable("the object is not closed")
        self._mended("needless backslash")
        return letter if letter in "'”“" else "\\" + letter

    def _skip_blanks(self) -> None:
        while True:
            self.position = _BLANK.match(self.text, self.position).end()  # type: ignore[union-attr]
            comment = _COMMENT.match(self.text, self.position)
            if comment is None:
                return
            self.position = comment.end()
            self._mended("comment dropped")

    def _at(self, character: str) -> bool:
        return self.text.startswith(character, self.position)

    def _take(self, character: str) -> None:
        if not self._at(character):
            raise self._unexpected()
        self.position += 1

    def _unexpected(self) -> Unreadable:
        found = self.text[self.position : self.position + 1]
        return Unreadable(
            f"unexpected {found!r} in the object" if found else "the object is not closed"
        )

    def _mended(self, what: str) -> None:
        if what not in self.repairs:
            self.repairs.append(what)
