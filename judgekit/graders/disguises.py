"""The ways in which a text can be hidden in another, each undone by a pure function."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from judgekit.graders.equality import fold_case
from judgekit.graders.lookalikes import digits_as_letters, plain_letters

_BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{6,}")
_LINE_BREAK = re.compile(r"[ \t]*\r?\n[ \t]*")
_URL_SAFE = str.maketrans("-_", "+/")
_TAGS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}

MAX_LAYERS = 3
"""Most encodings put around one another that are undone."""

_MAX_GROWTH = 12
"""Most text that decoding examines, in lengths of the candidate."""


def compatible(text: str) -> str:
    """Undo compatibility forms (Unicode NFKC): full-width, mathematical, circled letters."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def visible(text: str) -> str:
    """Drop zero-width and other format characters; read Unicode tags as what they spell."""
    if text.isascii():
        return text
    text = text.translate(_TAGS)
    return "".join(letter for letter in text if not _is_invisible(letter))


def _is_invisible(letter: str) -> bool:
    return (
        unicodedata.category(letter) == "Cf"
        or "\ufe00" <= letter <= "\ufe0f"
        or "\U000e0100" <= letter <= "\U000e01ef"
        or letter in "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
    )


def one_space(text: str) -> str:
    """Read every run of white space as one space."""
    return " ".join(text.split())


FOLDS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("other case", fold_case),
    ("compatibility forms", compatible),
    ("zero-width characters", visible),
    ("homoglyphs", plain_letters),
    ("white space", one_space),
)
"""The ways to write the same text in other characters, simplest first."""


def folded(text: str) -> str:
    """Return `text` with every fold undone."""
    for _ in range(2):  # a fold can uncover what an earlier one undoes
        for _, fold in FOLDS[1:]:
            text = fold(text)
        text = fold_case(text)
    return text


def look_alike_digits(text: str) -> str:
    """Return folded `text` with digits read as letters."""
    return digits_as_letters(folded(text))


def from_base64(text: str) -> str:
    """Return what the base64 runs in `text` say, one a line; runs that say no text are left out."""
    joined = _LINE_BREAK.sub("", text)
    sources = {text, joined} if joined != text else {text}
    return "\n".join(sorted({said for source in sources for said in _base64_texts(source)}))


def _base64_texts(text: str) -> Iterator[str]:
    for run in _BASE64_RUN.finditer(text):
        letters = run.group().translate(_URL_SAFE)
        for start in range(4):  # a letter before the run shifts it
            said = _base64_text(letters[start:])
            if said:
                yield said


def _base64_text(letters: str) -> str:
    whole = letters[: len(letters) - 1] if len(letters) % 4 == 1 else letters
    try:
        data = base64.b64decode(whole + "=" * (-len(whole) % 4))
    except (binascii.Error, ValueError):
        return ""
    said = data.decode(errors="replace")
    readable = sum(letter.isprintable() and letter != "\ufffd" for letter in said)
    return said if readable * 4 >= len(said) * 3 else ""


def from_percent(text: str) -> str:
    """Undo percent-encoding (RFC 3986)."""
    return unquote(text, errors="replace") if "%" in text else text


def from_html(text: str) -> str:
    """Undo HTML character references."""
    return html.unescape(text) if "&" in text else text


def from_rot13(text: str) -> str:
    """Undo rot13."""
    return codecs.encode(text, "rot13")


ENCODINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("HTML entities", from_html),
    ("percent-encoding", from_percent),
    ("base64", from_base64),
    ("rot13", from_rot13),
)
"""The encodings that are undone, on their own and around one another."""

SURE_ENCODINGS = frozenset({"HTML entities", "percent-encoding"})
"""Encodings that plain text does not turn into other plain text under."""


def decodings(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield `text` under every chain of encodings, with the chain's names, shortest first.

    The text itself comes first, under no encoding. The work is bounded: chains end at `MAX_LAYERS`,
    and when the texts together exceed a stated multiple of the candidate.
    """
    layer: list[tuple[tuple[str, ...], str]] = [((), text)]
    seen = {text}
    budget = _MAX_GROWTH * max(len(text), 1024)
    for _ in range(MAX_LAYERS + 1):
        following: list[tuple[tuple[str, ...], str]] = []
        for chain, coded in layer:
            yield chain, coded
            for name, decode in ENCODINGS:
                if name == "rot13" and name in chain:
                    continue
                decoded = decode(coded)
                if decoded in seen or not decoded or budget < len(decoded):
                    continue
                budget -= len(decoded)
                seen.add(decoded)
                following.append(((*chain, name), decoded))
        layer = following
