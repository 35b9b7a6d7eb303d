"""Finds personal data in text, each kind by its form and, where it has one, its checksum.

Every scan is linear in the text: RE2 finds candidates, and what follows looks at a bounded piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Any

import re2

from judgekit.cassettes.secrets import find_secrets
from judgekit.graders import checksums

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Found:
    """One finding: a kind, and where it stands in the text (end is one past the last)."""

    kind: str
    start: int
    end: int


def find_personal_data(
    text: str, entities: Sequence[str], region: str | None = None
) -> list[Found]:
    """Return what is found of the wanted kinds, in the order of the text, without overlaps.

    Args:
        entities: kinds out of `FINDERS`; of findings that overlap, the kind that stands first
            there counts.
        region: country whose national phone numbers count too.
    """
    found: list[Found] = []
    taken: list[Span] = []
    for kind, finder in FINDERS.items():
        if kind not in entities:
            continue
        spans = [s for s in finder(text, region) if not _overlaps(s, taken)]
        found += [Found(kind, *span) for span in spans]
        taken += spans
    return sorted(found, key=lambda each: each.start)


def _overlaps(span: Span, taken: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)


@cache
def _pattern(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def _keys(text: str, region: str | None) -> Iterator[Span]:
    for match in find_secrets(text):
        yield match.start, match.end


_LOCAL_SIGNS = frozenset("._%+'-")
_LONGEST_LOCAL, _LONGEST_DOMAIN, _LONGEST_LABEL = 64, 253, 63


def _emails(text: str, region: str | None) -> Iterator[Span]:
    """RFC 5322 addresses in their common form, with letters of any script."""
    at = text.find("@")
    while at >= 0:
        start = at
        while start > max(0, at - _LONGEST_LOCAL) and _is_local(text[start - 1]):
            start -= 1
        end = _domain_end(text, at + 1)
        is_ssh_remote = text[start:at] == "git" and text[end : end + 1] == ":"
        if start < at and end > at + 1 and not is_ssh_remote:
            yield start, end
        at = text.find("@", max(end, at + 1))


def _is_local(character: str) -> bool:
    return character.isalnum() or character in _LOCAL_SIGNS


def _domain_end(text: str, start: int) -> int:
    """Return where the domain that begins at `start` ends; `start` itself if there is none."""
    end = start
    limit = min(len(text), start + _LONGEST_DOMAIN)
    while end < limit and (text[end].isalnum() or text[end] in "-."):
        end += 1
    while end > start and text[end - 1] in "-.":
        end -= 1
    labels = text[start:end].split(".")
    well_formed = len(labels) > 1 and all(
        0 < len(label) <= _LONGEST_LABEL and "-" not in (label[0], label[-1]) for label in labels
    )
    top = labels[-1]
    named = len(top) > 1 and (top.isalpha() or top.lower().startswith("xn--"))
    return end if well_formed and named else start


_MOST_CARD_GROUPS = 8
_CARD_GROUPS = r"[0-9]{1,19}(?:[ .\x{a0}-][0-9]{1,19})*"


def _credit_cards(text: str, region: str | None) -> Iterator[Span]:
    """Numbers of 13 to 19 digits of a known issuer that pass Luhn, whatever digits follow."""
    for run in _pattern(_CARD_GROUPS).finditer(text):
        if run.end() - run.start() < 13:
            continue
        parts = _pattern(r"[0-9]+").finditer(run.group())
        groups = [(part.start() + run.start(), part.group()) for part in parts]
        position = 0
        while position < len(groups):
            length = _card_at(text, groups, position)
            if length:
                last_start, last = groups[position + length - 1]
                yield groups[position][0], last_start + len(last)
            position += length or 1


def _card_at(text: str, groups: Sequence[tuple[int, str]], first: int) -> int:
    """Return how many groups, from the one at `first`, make up a card number; 0 if none do."""
    start = groups[first][0]
    if groups[first][1][0] not in checksums.FIRST_CARD_DIGITS:
        return 0
    if start and text[start - 1].isdecimal() and text[start - 1].isascii():
        return 0
    digits = ""
    for count, (_, group) in enumerate(groups[first : first + _MOST_CARD_GROUPS], start=1):
        digits += group
        if len(digits) > 19:
            return 0
        if checksums.is_card_number(digits):
            end = groups[first + count - 1][0] + len(group)
            if not text[end : end + 1].isdigit() or not text[end : end + 1].isascii():
                return count
    return 0


def _ibans(text: str, region: str | None) -> Iterator[Span]:
    """ISO 13616 numbers of a known country's length that pass mod 97, spaces or not."""
    for match in _pattern(r"(?i)\b[a-z]{2}[0-9]{2}").finditer(text):
        length = checksums.IBAN_LENGTHS.get(text[match.start() : match.start() + 2].upper())
        if length is None:
            continue
        end = _end_of(text, match.start(), length)
        if end is not None and checksums.is_iban(_compact(text[match.start() : end])):
            yield match.start(), end


def _end_of(text: str, start: int, length: int) -> int | None:
    """Return where `length` letters and digits end, single spaces or hyphens between them."""
    seen, index = 0, start
    while index < len(text) and seen < length:
        character = text[index]
        if character.isascii() and character.isalnum():
            seen += 1
        elif character not in " -\u00a0" or text[index - 1] in " -\u00a0":
            return None
        index += 1
    following = text[index : index + 1]
    whole = seen == length and not (following.isascii() and following.isalnum())
    return index if whole else None


def _compact(text: str) -> str:
    return "".join(character for character in text if character.isalnum()).upper()


_IPV4 = r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}"
_VERSION_BEFORE = (
    r"(?i)(?:\bv|\bver\.?|\bversion|\brelease|\bbuild|\brev\.?|\brevision)[ :=#]{0,3}$"
)
_DOCUMENTED = tuple(
    ip_network(net) for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "3fff::/20")
)
"""RFC 5737 and RFC 9637. 2001:db8::/32 counts as an address: the known cases want it so."""


def _ipv4s(text: str, region: str | None) -> Iterator[Span]:
    """Dotted addresses; no version numbers, and none that RFC 5737 keeps for documentation."""
    for match in _pattern(_IPV4).finditer(text):
        start, end = match.start(), match.end()
        if _joined(text, start, end, ".") or _search(
            _VERSION_BEFORE, text[max(0, start - 12) : start]
        ):
            continue
        try:
            address = IPv4Address(match.group())
        except ValueError:
            continue
        if not any(address in net for net in _DOCUMENTED if net.version == 4):
            yield start, end


def _ipv6s(text: str, region: str | None) -> Iterator[Span]:
    """RFC 4291 addresses; no times of day, and no scopes in code such as ``a::b``."""
    if ":" not in text:
        return
    for match in _pattern(r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(?:\.[0-9]{1,3}){0,3}").finditer(text):
        start, end = match.start(), match.end()
        value = match.group()
        if value.endswith(":") and not value.endswith("::"):
            value, end = value[:-1], end - 1
        if len(value) > 45 or _joined(text, start, end, ":"):
            continue
        if not any(c.isdigit() for c in value) and value.count(":") < 3:
            continue
        try:
            address = IPv6Address(value)
        except ValueError:
            continue
        if not any(address in net for net in _DOCUMENTED if net.version == 6):
            yield start, end


def _joined(text: str, start: int, end: int, separator: str) -> bool:
    """Whether what stands at start..end is part of a longer word or number."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isalnum() or before in ("_", separator) or after.isalnum() or after == "_":
        return bool(before or after)
    return after == separator and text[end + 1 : end + 2].isalnum()


def _search(pattern: str, text: str) -> bool:
    return _pattern(pattern).search(text) is not None


_PLUS = r"\+[0-9](?:[ ().\x{a0}/-]{0,2}[0-9]){6,17}"


def _phones(text: str, region: str | None) -> Iterator[Span]:
    """International numbers of 7 to 15 digits (ITU-T E.164), and a region's national ones."""
    found = []
    for match in _pattern(_PLUS).finditer(text):
        start, end = match.start(), match.end()
        digits = sum(character.isdigit() for character in match.group())
        if (
            digits <= 15
            and not _joined(text, start, end, "+")
            and not text[end : end + 1].isdigit()
        ):
            found.append((start, end))
    yield from found
    if region is not None:
        import phonenumbers

        for number in phonenumbers.PhoneNumberMatcher(text, region):
            span = (number.start, number.end)
            if not _overlaps(span, found):
                yield span


_ADDRESS = (
    r"\b(?:[13][1-9A-HJ-NP-Za-km-z]{25,34}|0x[0-9A-Fa-f]{40}|(?i:bc1|ltc1|tb1)[0-9A-Za-z]{11,87})\b"
)


def _crypto(text: str, region: str | None) -> Iterator[Span]:
    """Bitcoin and Ethereum addresses that pass their checksums."""
    for match in _pattern(_ADDRESS).finditer(text):
        if checksums.is_crypto_address(match.group()):
            yield match.start(), match.end()


def _ssns(text: str, region: str | None) -> Iterator[Span]:
    """US social security numbers that can have been issued (SSA, randomised since 2011)."""
    for match in _pattern(r"[0-9]{3}([ -])[0-9]{2}[ -][0-9]{4}").finditer(text):
        start, end = match.start(), match.end()
        area, group, serial = match.group()[:3], match.group()[4:6], match.group()[7:]
        impossible = area in ("000", "666") or area >= "900" or group == "00" or serial == "0000"
        same_separator = match.group()[3] == match.group()[6]
        if impossible or not same_separator or _joined(text, start, end, "-"):
            continue
        if f"{area}{group}{serial}" not in ("078051120", "219099999"):
            yield start, end


FINDERS: Mapping[str, Callable[[str, str | None], Iterator[Span]]] = {
    "api_key": _keys,
    "email": _emails,
    "iban": _ibans,
    "credit_card": _credit_cards,
    "crypto": _crypto,
    "ipv6": _ipv6s,
    "ipv4": _ipv4s,
    "us_ssn": _ssns,
    "phone": _phones,
}
"""By kind, in the order in which they claim the text."""
