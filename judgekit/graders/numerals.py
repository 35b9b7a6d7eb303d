"""How numbers are written in text: grouped, signed, percent, fractions, exponents, with a unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

MAX_EXPONENT = 308
"""Largest power of ten that is read, up or down: the range of a double."""

_MAX_DIGITS = 400

_NUMBER = r"""
    (?P<sign>[-+−]?)[ ]?
    (?:
        (?P<whole>[0-9]{1,6})[ ](?P<mixed_top>[0-9]{1,6})/(?P<mixed_bottom>[0-9]{1,6})
      | (?P<top>[0-9]{1,15})[ ]?[/⁄][ ]?(?P<bottom>[0-9]{1,15})
      | (?P<integer>[0-9]{1,3}(?:GROUP[0-9]{3})+|[0-9]+)?
        (?:POINT(?P<decimals>[0-9]+))?
        (?:[eE](?P<exponent>[-+]?[0-9]{1,4}))?
    )
"""


class Numerals:
    """Reads numbers as one notation writes them.

    Args:
        decimal_comma: whether ``1.234,5`` is meant, and not ``1,234.5``.
        units: the factor of each unit that may stand before or after the number, to the unit of
            the expected number; ``%`` is 0.01 unless named here.
    """

    def __init__(self, *, decimal_comma: bool = False, units: Mapping[str, float]) -> None:
        point, group = (",", r"[.'’  ]") if decimal_comma else (r"\.", r"[,'’_  ]")
        number = _NUMBER.replace("GROUP", group).replace("POINT", point)
        self._number = re.compile(number, re.VERBOSE | re.ASCII)
        self._found = re.compile(
            rf"(?=(?:[-+−][ ]?)?(?:{point})?[0-9]){number}", re.VERBOSE | re.ASCII
        )
        self._factors = {"%": Fraction(1, 100), "‰": Fraction(1, 1000)} | {
            unit: Fraction(repr(factor)) for unit, factor in units.items()
        }
        self._units = sorted(filter(None, self._factors), key=len, reverse=True)
        self._beside = 2 + max(map(len, self._units))
        self._wants_unit = bool(units) and "" not in units

    def whole(self, text: str) -> Fraction | None:
        """Return the number that `text` is, but for white space and a full stop, or None."""
        text = text.strip().removesuffix(".")
        for unit in self._units:
            number = self._without_unit(text, unit)
            if number is not None:
                return number * self._factors[unit]
        return None if self._wants_unit else self._plain(text)

    def within(self, text: str) -> list[Fraction | None]:
        """Return every number that stands in `text`, in order; None for one that is malformed.

        A number touches no letter, digit or further decimal sign, but for a unit of the notation.
        """
        return [self._in_place(text, match) for match in self._found.finditer(text)]

    def _in_place(self, text: str, match: re.Match[str]) -> Fraction | None:
        start, end = match.span()
        before, after = text[max(0, start - self._beside) : start], text[end : end + self._beside]
        if match["sign"] and before[-1:].isalnum():  # a hyphen or a range, no sign
            start, before = match.end("sign"), before + match["sign"]
        for unit in self._units:
            for written in (unit, f" {unit}"):
                if after.startswith(written) and not after[len(written) :][:1].isalpha():
                    return self.whole(text[start:end] + unit)
            if before.endswith(unit):
                return self.whole(unit + text[start:end])
        if _runs_on(before[-2:], after[:2]):
            return None
        return self.whole(text[start:end])

    def _without_unit(self, text: str, unit: str) -> Fraction | None:
        if text.endswith(unit):
            return self._plain(text[: -len(unit)].rstrip())
        sign = text[:1] if text[:1] in "-+−" else ""
        rest = text[len(sign) :]
        if rest.startswith(unit) and rest[len(unit) :].lstrip()[:1] not in ("-", "+", "−"):
            return self._plain(sign + rest[len(unit) :].lstrip())
        return None

    def _plain(self, text: str) -> Fraction | None:
        if len(text) > _MAX_DIGITS:
            return None
        match = self._number.fullmatch(text)
        if match is None or not any(
            match[name] for name in ("integer", "decimals", "top", "whole")
        ):
            return None
        size = _magnitude(match)
        return -size if size is not None and match["sign"] in ("-", "−") else size


def _runs_on(before: str, after: str) -> bool:
    """Return whether a number goes on beyond its ends, given what stands beside it."""
    joined = before[-1:].isalnum() or after[:1].isalnum()
    cut = len(after) == 2 and after[0] in ".,/'" and after[1].isdigit()
    return joined or cut or (len(before) == 2 and before[1] in ".,/'" and before[0].isdigit())


def _magnitude(match: re.Match[str]) -> Fraction | None:
    if match["top"] or match["mixed_top"]:
        bottom = int(match["bottom"] or match["mixed_bottom"])
        if not bottom:
            return None
        return int(match["whole"] or 0) + Fraction(int(match["top"] or match["mixed_top"]), bottom)
    exponent = int(match["exponent"] or 0)
    if abs(exponent) > MAX_EXPONENT:
        return None
    digits = re.sub(r"\D", "", match["integer"] or "0", flags=re.ASCII)
    return Fraction(f"{digits}.{match['decimals'] or '0'}e{exponent}")


def exact(number: int | float) -> Fraction:
    """Return the number that `number` is written as: 0.1 is a tenth, not the nearest double."""
    return Fraction(number) if isinstance(number, int) else Fraction(Decimal(repr(number)))
