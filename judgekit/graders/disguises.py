"""The ways in which a text can be hidden in another, each undone by a pure function."""

from __future__ import annotations

import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from judgekit.graders.equality import fold_case
from judgekit.graders.lookalikes import plain_letters

_BASE64_RUN = re.compile(r"[A-Za-z0-9+/]{8,}")
_READABLE = re.compile("[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]{4,}")
_TAGS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}

# Unicode's format characters (category Cf), variation selectors, and fillers that show nothing.
_INVISIBLE = re.compile(
    "[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ufe00-\ufe0f\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]+"
)

MAX_LAYERS = 3
"""Most encodings put around one another that are undone."""

_MAX_GROWTH = 4
"""Most text that decoding examines, in lengths of the candidate."""


def compatible(text: str) -> str:
    """Undo compatibility forms (Unicode NFKC): full-width, mathematical, circled letters."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def visible(text: str) -> str:
    """Drop zero-width and other format characters; read Unicode tags as what they spell."""
    if text.isascii():
        return text
    return _INVISIBLE.sub("", text.translate(_TAGS))


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
        if text.isascii():
            return one_space(text)
    return text


def from_base64(text: str) -> str:
    """Return what the base64 runs in `text` say, one a line; unreadable bytes are left out."""
    joined = "".join(line.strip(" \t\r") for line in text.split("\n"))
    sources = {text, joined} if joined != text else {text}
    return "\n".join(sorted({said for source in sources for said in _base64_texts(source)}))


def _base64_texts(text: str) -> Iterator[str]:
    for run in _BASE64_RUN.finditer(text.replace("-", "+").replace("_", "/")):
        letters = run.group()
        for start in range(4):  # a letter before the run shifts it
            said = _base64_text(letters[start:])
            if said:
                yield said


def _base64_text(letters: str) -> str:
    whole = letters[: len(letters) - 1] if len(letters) % 4 == 1 else letters
    try:
        data = binascii.a2b_base64(whole + "=" * (-len(whole) % 4))
    except binascii.Error:
        return ""
    return "\n".join(_READABLE.findall(data.decode(errors="replace")))


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
