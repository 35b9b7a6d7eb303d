"""Finds crypto addresses in text: those that pass the checksum of their kind."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

from judgekit.cassettes.spans import Span, compiled
from judgekit.graders.keccak import keccak_256

MAX_HASHED = 256
"""Most Ethereum addresses of one text whose checksum is computed; further ones count unchecked."""

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BASE58_VALUES = {character: value for value, character in enumerate(_BASE58)}
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_CONSTANTS = (1, 0x2BC830A3)
"""Final value of the checksum: bech32 (BIP 173) and bech32m (BIP 350)."""

_VERSIONS = frozenset(
    (
        *(0x00, 0x05, 0x6F, 0xC4),  # Bitcoin, and its test network
        *(0x30, 0x32, 0x3A),  # Litecoin
        *(0x1E, 0x16),  # Dogecoin
        *(0x4C, 0x10),  # Dash
        0x41,  # Tron
    )
)
"""First byte of base58 addresses, as each network's parameters state it."""

_ADDRESS = (
    r"0x[0-9A-Fa-f]{40}|(?i:bc1|bcrt1|tb1|ltc1|tltc1|addr1|cosmos1)[0-9A-Za-z]{11,100}"
    r"|[1-9A-HJ-NP-Za-km-z]{26,35}"
)


def crypto_addresses(text: str) -> Iterator[Span]:
    """Yield addresses in base58check, bech32, bech32m, or hexadecimal with EIP-55's case."""
    hashed = 0
    for match in compiled(_ADDRESS).finditer(text):
        start, end = match.span()
        if _is_within_word(text, start, end):
            continue
        value = match.group()
        if value.startswith("0x"):
            hashed += 1
            if hashed > MAX_HASHED or is_ethereum(value[2:]):
                yield start, end
        elif is_base58check(value) or is_bech32(value):
            yield start, end


def _is_within_word(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return any(sign.isascii() and sign.isalnum() for sign in (before, after) if sign)


def is_base58check(text: str) -> bool:
    """Whether text is 21 bytes and their checksum in base58, of a known network."""
    number = 0
    for character in text:
        value = _BASE58_VALUES.get(character)
        if value is None:
            return False
        number = number * 58 + value
    if number >= 1 << 200:
        return False
    payload = number.to_bytes(25, "big")
    if payload[0] not in _VERSIONS:
        return False
    return hashlib.sha256(hashlib.sha256(payload[:21]).digest()).digest()[:4] == payload[21:]


def is_bech32(text: str) -> bool:
    """Whether text ends in the checksum of BIP 173 or BIP 350."""
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


@lru_cache(maxsize=1024)
def is_ethereum(digits: str) -> bool:
    """Whether 40 hex digits are an address: in mixed case, by EIP-55; in one case, as they are."""
    lower = digits.lower()
    if digits in (lower, digits.upper()):
        return len(set(lower)) > 4
    digest = keccak_256(lower.encode()).hex()
    return all(
        character.isdigit() or character.isupper() == (int(digest[index], 16) >= 8)
        for index, character in enumerate(digits)
    )
