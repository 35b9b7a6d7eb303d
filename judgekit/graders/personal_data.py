"""Finds personal data in text, each kind by its form and, where it has one, its checksum.

Every scan is linear in the text: RE2 finds candidates, and what follows looks at a bounded piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from judgekit.cassettes.plain_text import ways_to_read
from judgekit.cassettes.secrets import find_secrets
from judgekit.cassettes.spans import Span, apart
from judgekit.graders.crypto_addresses import crypto_addresses
from judgekit.graders.internet_addresses import emails, ipv4s, ipv6s
from judgekit.graders.personal_numbers import credit_cards, ibans, phones, us_ssns

MAX_FOUND = 1_000
"""Most findings of one kind; the text is not searched for more."""

_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000"
_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63"
_FOLDED: dict[int, int] = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, _SPACES), ord(" ")),
    **dict.fromkeys(map(ord, _HYPHENS), ord("-")),
}
"""Full-width signs as their ASCII ones, every space as a space, every hyphen or dash as ``-``."""


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

    A text that is JSON, or holds some, is read as what it says: see `ways_to_read`.

    Args:
        entities: kinds out of `FINDERS`; of findings that overlap, the kind that stands first
            there counts.
        region: country whose national phone numbers count too.

    Raises:
        TooManyDigits: a region is given, and the text is too full of digits to be searched.
    """
    found: list[Found] = []
    claimed: list[Span] = []
    for reading in ways_to_read(text):
        folded = reading.text if reading.text.isascii() else reading.text.translate(_FOLDED)
        for kind, finder in FINDERS.items():
            if kind not in entities:
                continue
            spans = islice(finder(folded, region), MAX_FOUND)
            free = apart(map(reading.original, spans), claimed)
            found += [Found(kind, *span) for span in free]
            claimed = sorted([*claimed, *free]) if free else claimed
    return sorted(found, key=lambda each: each.start)


def _keys(text: str) -> Iterator[Span]:
    for match in find_secrets(text):
        yield match.start, match.end


def _anywhere(
    finder: Callable[[str], Iterable[Span]],
) -> Callable[[str, str | None], Iterator[Span]]:
    """Return a finder that no region changes."""
    return lambda text, region: iter(finder(text))


FINDERS: Mapping[str, Callable[[str, str | None], Iterator[Span]]] = {
    "api_key": _anywhere(_keys),
    "email": _anywhere(emails),
    "iban": _anywhere(ibans),
    "credit_card": _anywhere(credit_cards),
    "crypto": _anywhere(crypto_addresses),
    "ipv6": _anywhere(ipv6s),
    "ipv4": _anywhere(ipv4s),
    "us_ssn": _anywhere(us_ssns),
    "phone": phones,
}
"""By kind, in the order in which they claim the text."""
