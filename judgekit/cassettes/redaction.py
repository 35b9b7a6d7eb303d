"""Keeps secrets out of recordings: replaced before keying, scanned for before writing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from judgekit.cassettes.canonical import walked
from judgekit.cassettes.secrets import find_secrets

T = TypeVar("T")

_KEY_LIKE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)", re.IGNORECASE)
_SHORTEST_SECRET = 8
"""Shorter values of key-like variables (``TOKEN=1``) would match ordinary text."""

_SHORTEST_KEY = 6
"""The judge's own key is looked for from this length on; ``none`` and ``EMPTY`` are no secrets."""


def redacted(value: T) -> T:
    """Return a JSON value with every secret in its strings replaced by ``[redacted:KIND]``.

    The same in recording and in replay, so that both compute one key. A value without a secret is
    returned itself.
    """
    if not holds_secret(walked(value)[1]):
        return value
    return _redact(value)  # type: ignore[no-any-return]


def holds_secret(texts: Iterable[str]) -> bool:
    """Whether any of `texts` holds a secret; one scan over all is cheaper than one for each."""
    return bool(find_secrets("\n".join(texts)))


def _redact(value: Any) -> Any:
    if isinstance(value, str):
        return _redact_text(value)
    if isinstance(value, Mapping):
        return {name: _redact(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redact(item) for item in value]
    return value


def _redact_text(text: str) -> str:
    pieces, end = [], 0
    for match in find_secrets(text):
        pieces += [text[end : match.start], f"[redacted:{match.kind}]"]
        end = match.end
    return "".join([*pieces, text[end:]]) if pieces else text


def leaked_secret(
    text: str, environment: Mapping[str, str] | None = None, *, key: str | None = None
) -> str | None:
    """Return the kind of a secret that `text` still holds, or None.

    Args:
        text: the very text that is about to be written.
        environment: variables whose values must not appear where their names look like a key's;
            the process environment unless given.
        key: the key that the judge is sent, whatever its variable is called.
    """
    found = next(iter(find_secrets(text)), None)
    if found is not None:
        return found.kind
    if key is not None and len(key) >= _SHORTEST_KEY and _stands_in(key, text):
        return "the judge's own key"
    variables = os.environ if environment is None else environment
    for name, value in variables.items():
        if not _KEY_LIKE.search(name) or len(value) < _SHORTEST_SECRET:
            continue
        if _stands_in(value, text):
            return f"the value of ${name}"
    return None


def _stands_in(value: str, text: str) -> bool:
    """Whether `value` stands in a JSON file's text, as it is or escaped."""
    return value in text or json.dumps(value)[1:-1] in text
