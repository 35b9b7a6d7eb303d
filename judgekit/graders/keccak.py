"""Ethereum's hash, which its addresses are checked by: Keccak-256 as it was before FIPS 202."""

from __future__ import annotations

_RATE = 136
"""Bytes of one block: 1600 bits of state less 512 of capacity."""

_MASK = (1 << 64) - 1
_ROUNDS = 24
_ROTATIONS = (
    *(0, 1, 62, 28, 27),
    *(36, 44, 6, 55, 20),
    *(3, 10, 43, 25, 39),
    *(41, 45, 15, 21, 8),
    *(18, 2, 61, 56, 14),
)
_MOVES = tuple(
    (x + 5 * y, y + 5 * ((2 * x + 3 * y) % 5), _ROTATIONS[x + 5 * y])
    for y in range(5)
    for x in range(5)
)
"""Rho and pi: where each lane comes from, where it goes, and by how much it is turned."""


def _round_constants() -> tuple[int, ...]:
    """Return iota's constants, from the linear feedback shift register of the specification."""
    constants, register = [], 1
    for _ in range(_ROUNDS):
        constant = 0
        for j in range(7):
            if register & 1:
                constant |= 1 << ((1 << j) - 1)
            register = register << 1 ^ (0x171 if register & 0x80 else 0)
        constants.append(constant)
    return tuple(constants)


_CONSTANTS = _round_constants()


def keccak_256(data: bytes) -> bytes:
    """Return the hash of 32 bytes."""
    padded = bytearray(data + b"\x01" + bytes(-(len(data) + 1) % _RATE))
    padded[-1] |= 0x80
    state = [0] * 25
    for block in range(0, len(padded), _RATE):
        for lane in range(_RATE // 8):
            offset = block + 8 * lane
            state[lane] ^= int.from_bytes(padded[offset : offset + 8], "little")
        state = _keccak_f(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])


def _keccak_f(state: list[int]) -> list[int]:
    """Keccak-f[1600] (Bertoni et al., 2011): theta, rho and pi, chi, iota, 24 times."""
    for constant in _CONSTANTS:
        columns = [
            state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]
            for x in range(5)
        ]
        mixed = [
            columns[x - 1] ^ (columns[x - 4] << 1 & _MASK | columns[x - 4] >> 63) for x in range(5)
        ]
        moved = [0] * 25
        for source, target, by in _MOVES:
            lane = state[source] ^ mixed[source % 5]
            moved[target] = (lane << by | lane >> (64 - by)) & _MASK
        state = []
        for row in range(0, 25, 5):
            a, b, c, d, e = moved[row : row + 5]
            state += [a ^ ~b & c, b ^ ~c & d, c ^ ~d & e, d ^ ~e & a, e ^ ~a & b]
        state[0] ^= constant
    return state
