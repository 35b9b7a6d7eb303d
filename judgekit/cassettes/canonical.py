"""Canonical JSON (RFC 8785): one value, one sequence of bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import rfc8785

from judgekit.errors import ConfigError

_EXACT = 2**53
"""RFC 8785 numbers are IEEE 754 doubles: an integer beyond ±2^53 is not one."""


def canonical_bytes(value: Any, *, plain: bool | None = None) -> bytes:
    """Return the RFC 8785 form of a JSON value, as UTF-8.

    orjson writes the same bytes an order of magnitude faster for a plain value (see `walked`),
    which nearly every judge request is. Anything else takes the slow way.

    Args:
        plain: whether the value is plain, where the caller knows; None finds out.

    Raises:
        ConfigError: the value has no canonical form: a lone surrogate, NaN, an infinity, or an
            integer beyond ±2^53.
    """
    try:
        if walked(value)[0] if plain is None else plain:
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, orjson.JSONEncodeError, UnicodeEncodeError) as error:
        raise ConfigError(
            f"the text to be judged can't be sent as JSON ({error}): remove the offending value"
        ) from None


def walked(value: Any) -> tuple[bool, list[str]]:
    """Return whether a JSON value is plain, and every text in it, in one walk.

    A value is plain where no number is fractional and every key is ASCII: RFC 8785 sorts keys by
    UTF-16 code unit, orjson by UTF-8 byte, and the two write some floats differently.
    """
    plain, texts, waiting = True, [], [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is str:
            texts.append(item)
        elif kind is dict:
            for key, inner in item.items():
                if type(inner) is str:
                    texts.append(inner)
                elif inner is not None and inner is not True and inner is not False:
                    waiting.append(inner)
                if type(key) is not str or not key.isascii():
                    plain = False
        elif kind is list or kind is tuple:
            waiting.extend(item)
        elif isinstance(item, Mapping):
            waiting.append(dict(item))
            plain = False
        elif kind is not bool and item is not None:
            plain = plain and kind is int and -_EXACT < item < _EXACT
    return plain, texts
