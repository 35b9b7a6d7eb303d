"""Finds card, account, social security and telephone numbers in text.

The text is expected folded: see `judgekit.graders.personal_data`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, takewhile

from judgekit.cassettes.spans import Span, compiled
from judgekit.graders import checksums
from judgekit.graders.internet_addresses import is_joined

MAX_DIGIT_GROUPS = 4_096
"""Most groups of digits in a text that is searched for a region's telephone numbers."""

_DIGITS = re.compile("[0-9]+")
"""The standard library's, which is linear for one class of characters and faster for each match."""

_CARD_SEPARATOR = r"(?: ?[._/\t\n-] ?| {1,2})"
_DIGITS_IN_GROUPS = rf"[0-9](?:{_CARD_SEPARATOR}?[0-9]){{12,}}"
_SHORTEST_HASH = 32


def credit_cards(text: str) -> Iterator[Span]:
    """Yield numbers of a known issuer that pass Luhn, grouped as cards are, whatever follows."""
    for run in compiled(_DIGITS_IN_GROUPS).finditer(text):
        offset = run.start()
        groups = [
            (part.start() + offset, part.end() + offset) for part in _DIGITS.finditer(run.group())
        ]
        position = 0
        while position < len(groups):
            count = _card_at(text, groups, position)
            if count:
                yield groups[position][0], groups[position + count - 1][1]
            position += count or 1


def _card_at(text: str, groups: Sequence[Span], first: int) -> int:
    """Return how many groups, from the one at `first`, make up a card number; 0 if none do."""
    start, end = groups[first]
    if text[start] not in checksums.FIRST_CARD_DIGITS:
        return 0
    if end - start >= 13:
        is_card = checksums.is_card_number(text[start:end])
        return int(is_card and not _is_fraction(text, start) and not _is_in_hash(text, start, end))
    for count in _card_layouts(groups, first):
        digits = "".join(text[slice(*group)] for group in groups[first : first + count])
        if checksums.is_card_number(digits):
            return count
    return 0


def _card_layouts(groups: Sequence[Span], first: int) -> Iterator[int]:
    """Yield how many groups could be one card's, by their sizes: 4-4-4-4-3, 4-6-5, 8-8, digits."""
    sizes = [end - start for start, end in groups[first : first + 5]]
    if sizes[0] == 4:
        if sizes[1:3] in ([6, 5], [6, 4]):
            yield 3
        yield from (n for n in (4, 5) if len(sizes) >= n and _are_fours(sizes[:n]))
    elif sizes[:2] == [8, 8]:
        yield 2
    elif sizes[:3] == [1, 1, 1] and not _is_single(groups, first - 1):
        ones = sum(1 for _ in takewhile(partial(_is_single, groups), range(first, first + 20)))
        if ones < 20:
            yield ones


def _is_single(groups: Sequence[Span], index: int) -> bool:
    """Whether there is such a group, and it is one digit."""
    return 0 <= index < len(groups) and groups[index][1] - groups[index][0] == 1


def _are_fours(sizes: Sequence[int]) -> bool:
    return all(size == 4 for size in sizes[:-1]) and sizes[-1] <= 4


def _is_fraction(text: str, start: int) -> bool:
    """Whether digits follow a decimal point, as in 0.4111111111111111."""
    return start > 1 and text[start - 1] == "." and text[start - 2].isdigit()


def _is_in_hash(text: str, start: int, end: int) -> bool:
    """Whether digits stand within a long hexadecimal number."""
    limit = 2 * _SHORTEST_HASH
    first, last = start, end
    while first > max(0, start - limit) and text[first - 1] in "0123456789abcdefABCDEF":
        first -= 1
    while last < min(len(text), end + limit) and text[last] in "0123456789abcdefABCDEF":
        last += 1
    return last - first >= _SHORTEST_HASH


def ibans(text: str) -> Iterator[Span]:
    """Yield ISO 13616 numbers of a known country's length that pass mod 97, in groups or not."""
    for match in compiled(r"(?i)[a-z]{2}[0-9]{2}").finditer(text):
        start = match.start()
        length = checksums.IBAN_LENGTHS.get(match.group()[:2].upper())
        if length is None or (start and text[start - 1].isascii() and text[start - 1].isalnum()):
            continue
        end = _end_of(text, start, length)
        if end is not None and checksums.is_iban(_compact(text[start:end])):
            yield start, end


def _end_of(text: str, start: int, length: int) -> int | None:
    """Return where `length` letters and digits end, at most two separators between them."""
    seen, separators, index = 0, 0, start
    is_upper = text[start : start + 2].isupper()
    while index < len(text) and seen < length:
        character = text[index]
        if character.isascii() and character.isalnum():
            if separators and character.isalpha() and character.isupper() is not is_upper:
                return None
            seen, separators = seen + 1, 0
        elif character not in " -.\t\n" or separators == 2:
            return None
        else:
            separators += 1
        index += 1
    following = text[index : index + 1]
    whole = seen == length and not (following.isascii() and following.isalnum())
    return index if whole else None


def _compact(text: str) -> str:
    return "".join(character for character in text if character.isalnum()).upper()


_SSN = r"[0-9]{3}[ .-][0-9]{2}[ .-][0-9]{4}"
_NAMED_SSN = r"(?i)\b(?:ssn|social security(?: number| no\.?)?)[\s:#=]*(?:is )?[0-9]{9}\b"
_ADVERTISED_SSNS = ("078051120", "219099999")


def us_ssns(text: str) -> Iterator[Span]:
    """Yield US social security numbers that can have been issued (SSA, randomised since 2011)."""
    for match in compiled(_SSN).finditer(text):
        value = match.group()
        digits = value[:3] + value[4:6] + value[7:]
        is_part = is_joined(text, match.start(), match.end(), value[3].strip())
        if value[3] == value[6] and not is_part and _can_be_issued(digits):
            yield match.span()
    for match in compiled(_NAMED_SSN).finditer(text):
        if _can_be_issued(match.group()[-9:]):
            yield match.end() - 9, match.end()


def _can_be_issued(digits: str) -> bool:
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    impossible = area in ("000", "666") or area >= "900" or group == "00" or serial == "0000"
    return not impossible and digits not in _ADVERTISED_SSNS


_PHONE = r"\+[0-9](?:[ ().\t/-]{0,3}[0-9]){6,}"
_EXTENSION = r"^(?i:x|ext\.?) ?[0-9]"
_LEAST_PHONE_DIGITS, _MOST_PHONE_DIGITS = 7, 15


def phones(text: str, region: str | None) -> Iterator[Span]:
    """Yield international numbers of 7 to 15 digits (ITU-T E.164), and a region's national ones.

    Raises:
        TooManyDigits: a region is given, and the text has over `MAX_DIGIT_GROUPS` groups of digits.
    """
    if region is not None:
        yield from _national_phones(text, region)
    for run in compiled(_PHONE).finditer(text):
        start, end = run.start(), run.start() + _phone_length(run.group())
        after = text[end : end + 8]
        is_part = is_joined(text, start, end, "+") and not compiled(_EXTENSION).search(after)
        if end > start and not is_part and not _is_quantity(text[start + 1 : end], after):
            yield start, end


def _phone_length(run: str) -> int:
    """Return how long the number is that a ``+`` and groups of digits begin with; 0 if none is."""
    digits, end = 0, 0
    for group in _DIGITS.finditer(run):
        digits += group.end() - group.start()
        if digits > _MOST_PHONE_DIGITS:
            digits -= group.end() - group.start()
            break
        end = group.end()
    return end if digits >= _LEAST_PHONE_DIGITS else 0


def _is_quantity(number: str, after: str) -> bool:
    """Whether it is a quantity: 1234.5678, which has no country code, or 1.234.567,89."""
    whole, *groups = number.split(".")
    if not groups or not all(part.isdigit() for part in (whole, *groups)):
        return False
    in_thousands = all(len(group) == 3 for group in groups)
    is_cents = after[:1] == "," and after[1:2].isdigit()
    return (len(groups) == 1 and len(whole) > 3) or (in_thousands and is_cents)


class TooManyDigits(ValueError):
    """The text has more groups of digits than a search for telephone numbers is tried on."""


def _national_phones(text: str, region: str) -> Iterator[Span]:
    import phonenumbers

    groups = _DIGITS.finditer(text)
    if next(islice(groups, MAX_DIGIT_GROUPS, None), None) is not None:
        raise TooManyDigits(f"over {MAX_DIGIT_GROUPS:,} groups of digits")
    for number in phonenumbers.PhoneNumberMatcher(text, region):
        yield number.start, number.end
