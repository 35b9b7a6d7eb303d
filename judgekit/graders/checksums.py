"""Checksums that tell a number from a look-alike: cards, bank accounts, crypto addresses."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_CONSTANTS = (1, 0x2BC830A3)
"""Final value of the checksum: bech32 (BIP 173) and bech32m (BIP 350)."""

_VERSIONS = (0x00, 0x05)
"""First byte of Bitcoin's base58 addresses: to a public key's hash, and to a script's."""

_IBANS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 "
    "CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 "
    "GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 "
    "KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 "
    "MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 "
    "SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 "
    "VA22 VG24 XK20 YE30"
)

IBAN_LENGTHS = {entry[:2]: int(entry[2:]) for entry in _IBANS.split()}
"""Characters of an IBAN by country (the registry of ISO 13616)."""


FIRST_CARD_DIGITS = frozenset("234568")
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
    if two in (34, 37):
        return length == 15
    if two in (36, 38, 39) or 3000 <= four <= 3059 or four == 3095:
        return 14 <= length <= 19
    if 3528 <= four <= 3589 or two in (62, 64, 65, 81) or four == 6011:
        return 16 <= length <= 19
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


def is_crypto_address(text: str) -> bool:
    """Whether text is an address of Bitcoin (base58check, bech32, bech32m) or Ethereum (EIP-55)."""
    if text.startswith("0x"):
        return _is_ethereum(text[2:])
    if text[0] in "13" and not text.lower().startswith(("1x",)):
        return _is_base58check(text)
    return _is_bech32(text)


def _is_base58check(text: str) -> bool:
    number = 0
    for character in text:
        index = _BASE58.find(character)
        if index < 0:
            return False
        number = number * 58 + index
    if number >= 1 << 200:
        return False
    payload = number.to_bytes(25, "big")
    checksum = hashlib.sha256(hashlib.sha256(payload[:21]).digest()).digest()[:4]
    return payload[0] in _VERSIONS and payload[21:] == checksum


def _is_bech32(text: str) -> bool:
    if text not in (text.lower(), text.upper()):
        return False
    prefix, _, data = text.lower().rpartition("1")
    values = [_BECH32.find(character) for character in data]
    if not prefix or len(values) < 8 or min(values) < 0:
        return False
    expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    return _polymod([*expanded, *values]) in _BECH32_CONSTANTS


def _polymod(values: Sequence[int]) -> int:
    """BIP 173's checksum over a field of 32 elements."""
    generator = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
    checksum = 1
    for value in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, coefficient in enumerate(generator):
            if top >> bit & 1:
                checksum ^= coefficient
    return checksum


def _is_ethereum(digits: str) -> bool:
    """Whether 40 hex digits are an address: in mixed case, by EIP-55; in one case, as they are."""
    lower = digits.lower()
    if digits in (lower, digits.upper()):
        return len(set(lower)) > 4
    digest = keccak_256(lower.encode()).hex()
    return all(
        character.isdigit() or character.isupper() == (int(digest[index], 16) >= 8)
        for index, character in enumerate(digits)
    )


def keccak_256(data: bytes) -> bytes:
    """Return Ethereum's hash: Keccak with the padding of the competition, before FIPS 202."""
    rate = 136
    padded = data + b"\x01" + bytes(-(len(data) + 1) % rate)
    padded = padded[:-1] + bytes([padded[-1] | 0x80])
    state = [0] * 25
    for block in range(0, len(padded), rate):
        for lane in range(rate // 8):
            offset = block + 8 * lane
            state[lane] ^= int.from_bytes(padded[offset : offset + 8], "little")
        state = _keccak_f(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])


_MASK = (1 << 64) - 1
_ROTATIONS = (
    *(0, 1, 62, 28, 27),
    *(36, 44, 6, 55, 20),
    *(3, 10, 43, 25, 39),
    *(41, 45, 15, 21, 8),
    *(18, 2, 61, 56, 14),
)
_ROUNDS = 24


def _rotated(lane: int, by: int) -> int:
    return (lane << by | lane >> (64 - by)) & _MASK if by else lane


def _round_constants() -> list[int]:
    """Return iota's constants, from the linear feedback shift register of the specification."""
    constants, register = [], 1
    for _ in range(_ROUNDS):
        constant = 0
        for j in range(7):
            if register & 1:
                constant |= 1 << ((1 << j) - 1)
            register = register << 1 ^ (0x171 if register & 0x80 else 0)
        constants.append(constant)
    return constants


def _keccak_f(state: list[int]) -> list[int]:
    """Keccak-f[1600] (Bertoni et al., 2011): theta, rho and pi, chi, iota, 24 times."""
    for constant in _round_constants():
        columns = [
            state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]
            for x in range(5)
        ]
        mixed = [columns[(x - 1) % 5] ^ _rotated(columns[(x + 1) % 5], 1) for x in range(5)]
        moved = [0] * 25
        for index in range(25):
            x, y = index % 5, index // 5
            moved[y + 5 * ((2 * x + 3 * y) % 5)] = _rotated(
                state[index] ^ mixed[x], _ROTATIONS[index]
            )
        state = [
            moved[i] ^ (~moved[i - i % 5 + (i + 1) % 5] & moved[i - i % 5 + (i + 2) % 5] & _MASK)
            for i in range(25)
        ]
        state[0] ^= constant
    return state
