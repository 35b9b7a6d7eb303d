"""Finds e-mail and IP addresses in text, and tells them from version numbers and code."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_network

from judgekit.cassettes.spans import Span, compiled

_LOCAL_SIGNS = frozenset("._%+'-")
_RARE_LOCAL_SIGNS = frozenset("!#$&*/=?^`{|}~") | _LOCAL_SIGNS
_LONGEST_LOCAL, _LONGEST_DOMAIN, _LONGEST_LABEL = 64, 253, 63


def emails(text: str) -> Iterator[Span]:
    """Yield RFC 5322 addresses in their common form, letters of any script, ``@`` or ``%40``."""
    for match in compiled("@|%40").finditer(text):
        at, domain = match.span()
        end = _domain_end(text, domain)
        if end == domain:
            continue
        start = _local_start(text, at)
        is_ssh_remote = text[start:at] == "git" and text[end : end + 1] == ":"
        if start < at and not is_ssh_remote:
            yield start, end


def _local_start(text: str, at: int) -> int:
    """Return where the local part that ends at `at` begins; `at` itself if there is none."""
    start = _run_start(text, at, _LOCAL_SIGNS)
    while start < at and text[start] in ".'-":
        start += 1
    if start == at and text[at - 1 : at] == '"':
        return _quoted_start(text, at)
    return start if start < at else _run_start(text, at, _RARE_LOCAL_SIGNS, named=True)


def _run_start(text: str, at: int, signs: frozenset[str], named: bool = False) -> int:
    """Return where the run of letters, digits and `signs` begins that ends at `at`."""
    start = at
    while start > max(0, at - _LONGEST_LOCAL) and (
        _is_letter(text[start - 1]) or text[start - 1] in signs
    ):
        start -= 1
    return at if named and not any(map(str.isalnum, text[start:at])) else start


def _quoted_start(text: str, at: int) -> int:
    """Return where the quoted local part that ends before `at` begins (RFC 5322, 3.2.4)."""
    start = text.rfind('"', max(0, at - _LONGEST_LOCAL), at - 1)
    inside = text[start + 1 : at - 1]
    is_local = start >= 0 and inside[:1].isalnum() and inside[-1:].isalnum()
    return start if is_local and "\n" not in inside else at


def _is_letter(character: str) -> bool:
    """Whether it is a letter, a digit, or a mark on one, as in Devanagari and decomposed text."""
    return character.isalnum() or (
        not character.isascii() and unicodedata.category(character).startswith("M")
    )


def _domain_end(text: str, start: int) -> int:
    """Return where the domain that begins at `start` ends; `start` itself if there is none."""
    end = start
    limit = min(len(text), start + _LONGEST_DOMAIN)
    while end < limit and (text[end] in "-." or _is_letter(text[end])):
        end += 1
    while end > start and text[end - 1] in "-.":
        end -= 1
    labels = text[start:end].split(".")
    well_formed = len(labels) > 1 and all(
        0 < len(label) <= _LONGEST_LABEL and "-" not in (label[0], label[-1]) for label in labels
    )
    top = labels[-1]
    is_word = all(_is_letter(letter) and not letter.isnumeric() for letter in top)
    named = len(top) > 1 and (is_word or top.lower().startswith("xn--"))
    return end if well_formed and named else start


_IPV4 = r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}"
_NUMBERED = (
    r"(?i:(?:^|[^a-z])(?:v|ver|versions?|releases?|builds?|rev|revisions?|firmware"
    r"|sections?|sec|chapters?|clauses?))|[a-z](?:Version|Build|Release)|§"
)
_BEFORE_VERSION = (
    rf"(?:{_NUMBERED})[\"'`)\]]?\.?(?: (?:is|was|number|no\.?))?[\s:=#(\"'`_-]{{0,4}}$"
    r"|(?:[<>~]=|~>|\^)\s?$"
)
_BETWEEN_VERSIONS = r"^[\s\"'`),]*(?:to|and|or|through|until|vs\.?|->|→|–|-|/|&|,)[\s\"'`(v]*$"
_PRODUCT_BEFORE = r"[A-Za-z]/$"
_DOCUMENTED = tuple(
    ip_network(net) for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
)
"""RFC 5737."""
_DOCUMENTED_6 = ip_network("3fff::/20")
"""RFC 9637. 2001:db8::/32 counts as an address: the known cases want it so."""


def ipv4s(text: str) -> Iterator[Span]:
    """Yield dotted addresses; no version numbers, and none that RFC 5737 keeps for documents."""
    version_end = None
    for match in compiled(_IPV4).finditer(text):
        start, end = match.span()
        if _is_version(text, start, end, version_end):
            version_end = end
        elif not is_joined(text, start, end, ".") and _is_ipv4(match.group()):
            yield start, end


def _is_version(text: str, start: int, end: int, version_end: int | None) -> bool:
    """Whether what stands before says that it is a version: a word, or another one."""
    if _search(_BEFORE_VERSION, text[max(0, start - 24) : start]):
        return True
    if text[start:end].endswith(".0.0.0") and _search(_PRODUCT_BEFORE, text[:start][-2:]):
        return True
    between = text[version_end:start] if version_end is not None else ""
    return 0 < len(between) <= 12 and _search(_BETWEEN_VERSIONS, between)


def _is_ipv4(value: str) -> bool:
    try:
        address = IPv4Address(value)
    except ValueError:
        return False
    return not any(address in net for net in _DOCUMENTED)


_IPV6 = r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(?:\.[0-9]{1,3}){0,3}"
_LONGEST_IPV6 = 45


def ipv6s(text: str) -> Iterator[Span]:
    """Yield RFC 4291 addresses; no times of day, slices (``a[::2]``) or scopes (``a::b``)."""
    if ":" not in text:
        return
    for match in compiled(_IPV6).finditer(text):
        start, end = match.span()
        if text.startswith(":", start) and not text.startswith("::", start):
            start += 1
        if text.endswith(":", start, end) and not text.endswith("::", start, end):
            end -= 1
        is_whole = end - start <= _LONGEST_IPV6 and not is_joined(text, start, end, "")
        if is_whole and _is_ipv6(text[start:end]) and not _is_slice(text, start):
            yield start, end


def _is_ipv6(value: str) -> bool:
    try:
        address = IPv6Address(value)
    except ValueError:
        return False
    mapped = address.ipv4_mapped
    documented = any(mapped in net for net in _DOCUMENTED) if mapped else address in _DOCUMENTED_6
    return not documented and (address.is_loopback or "." in value or _is_allocated(value))


def _is_allocated(value: str) -> bool:
    """Whether the groups are like those in use, and not like code that only has their form."""
    groups = [group for group in value.split(":") if group]
    has_digit = any(character.isdigit() for character in value)
    if "::" not in value or len(groups) > 3:
        return has_digit
    first = value.split(":", 1)[0].lower()
    is_special = first.startswith(("fc", "fd", "fe8", "fe9", "fea", "feb", "ff"))
    return first == "64" or (len(first) == 4 and (is_special or has_digit))


def _is_slice(text: str, start: int) -> bool:
    before = text[max(0, start - 2) : start]
    return before[1:] == "[" and (before[0].isalnum() or before[0] in "_)]")


def is_joined(text: str, start: int, end: int, separator: str) -> bool:
    """Whether what stands at start..end is part of a longer word or number; ``_`` parts words.

    Args:
        separator: a sign that joins more to it; may be empty.
    """
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before.isalnum() or after.isalnum() or (before and before == separator):
        return True
    return bool(separator) and after == separator and text[end + 1 : end + 2].isalnum()


def _search(pattern: str, text: str) -> bool:
    return compiled(pattern).search(text) is not None
