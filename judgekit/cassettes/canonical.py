"""Canonical JSON (RFC 8785): one value, one sequence of bytes."""

from __future__ import annotations

from typing import Any

import orjson
import rfc8785

from judgekit.errors import ConfigError

_EXACT = 2**53
"""RFC 8785 numbers are IEEE 754 doubles: an integer beyond ±2^53 is not one."""


def canonical_bytes(value: Any) -> bytes:
    """Return the RFC 8785 form of a JSON value, as UTF-8.

    orjson writes the same bytes an order of magnitude faster wherever no number is fractional and
    every key is ASCII (RFC 8785 sorts keys by UTF-16 code unit, orjson by UTF-8 byte; they write
    some floats differently), which is nearly every judge request. Anything else takes the slow way.

    Raises:
        ConfigError: the value has no canonical form: a lone surrogate, NaN, an infinity, or an
            integer beyond ±2^53.
    """
    try:
        if _orjson_agrees(value):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, orjson.JSONEncodeError, UnicodeEncodeError) as error:
        raise ConfigError(
            f"the text to be judged can't be sent as JSON ({error}): remove the offending value"
        ) from None


def _orjson_agrees(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is str or kind is bool or item is None:
            continue
        if kind is dict:
            for key in item:
                if type(key) is not str or not key.isascii():
                    return False
            waiting.extend(item.values())
        elif kind is list or kind is tuple:
            waiting.extend(item)
        elif kind is not int or not -_EXACT < item < _EXACT:
            return False
    return True
