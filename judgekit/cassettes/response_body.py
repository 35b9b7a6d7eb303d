"""How an HTTP answer becomes a kept response: decoded, without what is volatile or secret."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import orjson

from judgekit.cassettes.file_form import foldable
from judgekit.cassettes.interaction import Response
from judgekit.cassettes.redaction import redacted

KEPT_HEADERS = ("content-type",)


_SMALL = re.compile(r"-?[1-9](\.\d*[1-9])?e-0?[1-9]\d*")


class _NotPlain(ValueError):
    """Writing the value again would not give the same JSON."""


def response_of(
    status: int, headers: Mapping[str, str], body: bytes, lasting: Callable[[Any], Any]
) -> Response:
    """Return an HTTP answer as it is kept.

    JSON is kept as JSON where writing it again loses nothing; a body with a number such as ``1E5``
    or ``0.1000``, a duplicate key or a lone surrogate is kept as text; what is not UTF-8 as bytes.

    Args:
        lasting: drops a JSON body's volatile fields.
    """
    kept = {name: headers[name] for name in KEPT_HEADERS if name in headers}
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return Response(status, body, "base64", kept)
    try:
        value = plain_json(text)
    except (ValueError, RecursionError):
        return Response(status, redacted(text), "text", kept)
    return Response(status, redacted(lasting(value)), "json", kept)


def plain_json(text: str) -> Any:
    """Return the value of JSON that can be written again without loss.

    Raises:
        ValueError: it is not JSON, or not plain.
    """
    value = json.loads(
        text,
        object_pairs_hook=_distinct,
        parse_float=_same_float,
        parse_int=_same_int,
        parse_constant=_refuse,
    )
    if not foldable(value):
        raise _NotPlain("it has a field named $lines")
    try:
        orjson.dumps(value)
    except TypeError as error:
        raise _NotPlain(str(error)) from None
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _NotPlain("duplicate key")
    return made


def _same_float(literal: str) -> float:
    value = float(literal)
    written = orjson.dumps(value).decode()
    if written != literal and not _same_small_number(written, literal):
        raise _NotPlain(f"the number {literal}")
    return value


def _same_small_number(written: str, literal: str) -> bool:
    """Whether only the exponent is spelled otherwise: servers write log-probabilities so."""
    return bool(_SMALL.fullmatch(literal)) and Decimal(written) == Decimal(literal)


def _same_int(literal: str) -> int:
    value = int(literal)
    if str(value) != literal or abs(value) >= 2**53:
        raise _NotPlain(f"the number {literal}")
    return value


def _refuse(literal: str) -> Any:
    raise _NotPlain(literal)
