r"""Reads text as it was before it was written as a JSON string, and without invisible characters.

What is sought in a text often stands in JSON, where a line break before it is the letter n of
``\n``, and looks like a part of it; and a character that nobody sees may part it in two.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from judgekit.cassettes.spans import Span, compiled

_INVISIBLE = r"[\x{ad}\x{200b}-\x{200f}\x{2060}-\x{2064}\x{feff}]+"
_ESCAPE = r'\\+(?:[bfnrt"/]|u[0-9A-Fa-f]{4})'
"""However often the text was escaped, so that calls whose arguments are JSON text are read too."""

_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "/": "/"}


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text that is read plainly, and where each of its characters came from.

    Attributes:
        starts: the original index of each character; None where the text is the original.
        ends: one past the last original index of each character.
    """

    text: str
    starts: array[int] | None = None
    ends: array[int] | None = None

    def original(self, span: Span) -> Span:
        """Return where a part of the plain text that is not empty stands in the original one."""
        if self.starts is None or self.ends is None:
            return span
        return self.starts[span[0]], self.ends[span[1] - 1]


def plain_text(text: str) -> PlainText:
    """Return `text` with JSON's escapes read and invisible characters left out.

    A backslash before a letter counts as an escape in any text: in ``C:\new`` that only parts two
    words more.
    """
    patterns = [_ESCAPE] * ("\\" in text) + [_INVISIBLE] * (not text.isascii())
    if not patterns:
        return PlainText(text)
    pieces: list[str] = []
    starts, ends = array("L"), array("L")
    done = 0
    for match in compiled("|".join(patterns)).finditer(text):
        start, end = match.span()
        pieces.append(text[done:start])
        starts.extend(range(done, start))
        ends.extend(range(done + 1, start + 1))
        if text[start] == "\\":
            pieces.append(_unescaped(text[start:end].lstrip("\\")))
            starts.append(start)
            ends.append(end)
        done = end
    if not pieces:
        return PlainText(text)
    pieces.append(text[done:])
    starts.extend(range(done, len(text)))
    ends.extend(range(done + 1, len(text) + 1))
    return PlainText("".join(pieces), starts, ends)


def ways_to_read(text: str) -> tuple[PlainText, ...]:
    r"""Return the ways to read `text`: plainly, and as it stands if that is another one.

    Both count, because nothing tells whether ``\\new`` is a line break and a word, or a folder.
    """
    plain = plain_text(text)
    return (plain,) if plain.starts is None else (plain, PlainText(text))


def _unescaped(letters: str) -> str:
    if letters[0] != "u":
        return _LETTERS[letters]
    code = int(letters[1:], 16)
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)
