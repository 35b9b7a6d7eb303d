"""Checksums that tell a card or bank account number from a look-alike."""

from __future__ import annotations

_IBANS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 "
    "CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 "
    "GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 "
    "KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 "
    "MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 "
    "SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 "
    "VA22 VG24 XK20 YE30"
)

IBAN_LENGTHS = {entry[:2]: int(entry[2:]) for entry in _IBANS.split()}
"""Characters of an IBAN by country (the registry of ISO 13616)."""


FIRST_CARD_DIGITS = frozenset("2345689")
"""What a payment card's number begins with."""

_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def is_card_number(digits: str) -> bool:
    """Whether digits can be a payment card's: a known issuer's prefix and length, and Luhn."""
    return len(digits) >= 13 and _known_issuer(digits) and passes_luhn(digits)


def _known_issuer(digits: str) -> bool:
    """Whether prefix and length are of a network that issues cards (ISO/IEC 7812)."""
    length, two, four = len(digits), int(digits[:2] or 0), int(digits[:4] or 0)
    if digits[:1] == "4":
        return length in (13, 16, 19)
    if 51 <= two <= 55 or 2221 <= four <= 2720:
        return length == 16
    if 2200 <= four <= 2204:
        return 16 <= length <= 19
    if two in (34, 37):
        return length == 15
    if two in (36, 38, 39) or 3000 <= four <= 3059 or four == 3095:
        return 14 <= length <= 19
    if 3528 <= four <= 3589 or two in (62, 64, 65, 81, 82) or four == 6011:
        return 16 <= length <= 19
    if four == 9792:
        return length == 16
    return two in (50, 56, 57, 58, 60, 61, 63, 66, 67, 68, 69) and 13 <= length <= 19


def passes_luhn(digits: str) -> bool:
    """Whether digits end in their check digit (ISO/IEC 7812-1, annex B)."""
    plain = sum(map(int, digits[-1::-2]))
    return (plain + sum(_DOUBLED[int(digit)] for digit in digits[-2::-2])) % 10 == 0


def is_iban(compact: str) -> bool:
    """Whether upper-case letters and digits are an IBAN of a known country (ISO 13616, mod 97)."""
    if len(compact) != IBAN_LENGTHS.get(compact[:2]) or not compact[2:4].isdecimal():
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1
