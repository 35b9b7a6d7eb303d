"""When two JSON values are equal: numbers by value, booleans are not numbers, keys in any order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from judgekit.graders.candidate import clip
from judgekit.graders.grade import Json
from judgekit.graders.masking import quoted

# ECMAScript's WhiteSpace and LineTerminator, which String.prototype.trim removes.
WHITE_SPACE = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def nfc(text: str) -> str:
    """Return `text` composed (Unicode NFC), so that two spellings of one letter are equal."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold_case(text: str) -> str:
    """Return `text` without its case: lower case, then Unicode simple case folding, then NFC.

    Simple folding (CaseFolding.txt, statuses C and S) makes ς and σ equal, and K (kelvin) and k,
    but never changes a text's length: ``straße`` and ``STRASSE`` stay different.
    """
    if text.isascii():
        return text.lower()
    return nfc(_SIMPLE.sub(lambda run: run.group().casefold(), nfc(text).lower()))


# All but the letters that full case folding writes as several (CaseFolding.txt, status F).
_SIMPLE = re.compile("[^ßŉǰΐΰևẖ-ẚẞﬀ-ﬆﬓ-ﬗὐὒὔὖᾀ-ᾯᾲ-ᾴᾶᾷᾼῂ-ῄῆῇῌῒΐῖῗῢ-ῤῦῧῲ-ῴῶῷῼ\u1fd3\u1fe3]+")


def difference(
    expected: Json, found: Json, normal: Callable[[str], str] = str, path: str = ""
) -> str | None:
    """Return what differs first and where, or None when the two values are equal.

    Args:
        expected: the value that is right.
        found: the value to compare.
        normal: applied to both texts before they are compared; object keys are compared by NFC.
        path: where both stand, as a JSON pointer.
    """
    if kind(expected) != kind(found):
        return f"{_at(path)}expected {clip(expected)}, found {clip(found)}"
    if isinstance(expected, dict) and isinstance(found, dict):
        return _object_difference(expected, found, normal, path)
    if isinstance(expected, list) and isinstance(found, list):
        return _list_difference(expected, found, normal, path)
    if isinstance(expected, str) and isinstance(found, str):
        return _text_difference(expected, found, normal, path)
    return (
        None if expected == found else f"{_at(path)}expected {clip(expected)}, found {clip(found)}"
    )


def kind(value: Json) -> str:
    """Return the name of the value's JSON type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def pointer(path: str, key: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of the child `key` of the value at `path`."""
    return f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"


def _at(path: str) -> str:
    return f"at {path}: " if path else ""


def _object_difference(
    expected: dict[str, Json], found: dict[str, Json], normal: Callable[[str], str], path: str
) -> str | None:
    wanted, present = _by_key(expected), _by_key(found)
    for (key, value), (other_key, other) in zip(wanted, present, strict=False):
        if key != other_key:
            break
        differs = difference(value, other, normal, pointer(path, key))
        if differs is not None:
            return differs
    if [key for key, _ in wanted] == [key for key, _ in present]:
        return None
    lacking = [key for key, _ in wanted if key not in dict(present)]
    extra = [key for key, _ in present if key not in dict(wanted)]
    word, keys = ("lacks", lacking) if lacking else ("has besides", extra)
    return f"{_at(path)}the object {word} the key {clip(keys[0] if keys else '')}"


def _by_key(value: dict[str, Json]) -> list[tuple[str, Json]]:
    return sorted(((nfc(key), item) for key, item in value.items()), key=lambda pair: pair[0])


def _list_difference(
    expected: list[Json], found: list[Json], normal: Callable[[str], str], path: str
) -> str | None:
    if len(expected) != len(found):
        return f"{_at(path)}expected {len(expected)} items, found {len(found)}"
    for index, (value, other) in enumerate(zip(expected, found, strict=True)):
        differs = difference(value, other, normal, pointer(path, index))
        if differs is not None:
            return differs
    return None


def _text_difference(
    expected: str, found: str, normal: Callable[[str], str], path: str
) -> str | None:
    one, other = normal(expected), normal(found)
    if one == other:
        return None
    shorter = min(len(one), len(other))
    pairs = enumerate(zip(one, other, strict=False))
    offset = next((index for index, (left, right) in pairs if left != right), shorter)
    return (
        f"{_at(path)}differs at character {offset}: expected "
        f"{_around(expected, one, offset)}, found {_around(found, other, offset)}"
    )


def _around(text: str, folded: str, offset: int) -> str:
    """Return `text` from a little before `offset` of its folded form, as it was written.

    A key in other case is no longer known as one, so the folded form is never quoted; where its
    places are not those of the text, the text is quoted from its beginning.
    """
    start = max(0, offset - 10) if len(text) == len(folded) else 0
    return quoted(text, start)
