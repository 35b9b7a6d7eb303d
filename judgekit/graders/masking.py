"""Keeps personal data and secrets out of what a grade says: every quotation goes through here.

A quotation is masked before it is cut, with what stands around it in view: the half of a key that a
cut leaves is still half a key, and no longer looks like one.
"""

from __future__ import annotations

import json

from judgekit.cassettes.secrets import find_secrets
from judgekit.graders.personal_data import FINDERS, Found, find_personal_data

MARGIN = 4_096
"""Characters on both sides of a quotation that are searched with it: a private key of 4,096 bits,
the longest secret that is known by its form, has fewer."""

ADDRESSES = frozenset({"ipv4", "ipv6"})
"""Kinds that an error may name: where a server that did not answer was looked for."""

_KINDS = tuple(kind for kind in FINDERS if kind != "api_key")


def masked(text: str, *, spared: frozenset[str] = frozenset()) -> str:
    """Return `text` with ``[redacted:KIND]`` in the place of each secret and personal value.

    Args:
        spared: kinds of personal data that are left as they are.
    """
    text = without_surrogates(text)
    return _masked(text, _sensitive(text, spared), 0, len(text))


def quoted(text: str, start: int = 0, end: int | None = None, limit: int = 60) -> str:
    """Return a part of `text` for a reason: masked, quoted as JSON, at most `limit` characters.

    Args:
        start: where the part begins; a value that it cuts is masked whole.
        end: one past its last character; the end of the text unless given.
    """
    end = len(text) if end is None else end
    return cut(
        json.dumps(excerpt(text, start, min(end, start + limit + 1)), ensure_ascii=False), limit
    )


def excerpt(text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` masked; a value that begins before it or ends after it is too."""
    low = max(0, start - MARGIN)
    window = without_surrogates(text[low : end + MARGIN])
    return _masked(window, _sensitive(window, frozenset()), start - low, min(end, len(text)) - low)


def without_surrogates(text: str) -> str:
    """Return `text` with U+FFFD in the place of each lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)
    return text


def cut(text: str, limit: int) -> str:
    """Return `text`, ended by an ellipsis if it is longer than `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _sensitive(text: str, spared: frozenset[str]) -> list[Found]:
    secrets = [Found(match.kind, match.start, match.end) for match in find_secrets(text)]
    kinds = [kind for kind in _KINDS if kind not in spared]
    personal = find_personal_data(text, kinds)
    if not (secrets and personal):
        return secrets or personal
    free = [each for each in personal if not any(_overlap(each, secret) for secret in secrets)]
    return sorted([*secrets, *free], key=lambda each: each.start)


def _overlap(one: Found, other: Found) -> bool:
    return one.start < other.end and other.start < one.end


def _masked(text: str, found: list[Found], start: int, end: int) -> str:
    """Return ``text[start:end]``, each of `found` that reaches into it replaced."""
    pieces: list[str] = []
    for each in found:
        if each.end > start and each.start < end:
            pieces += [text[start : each.start], f"[redacted:{each.kind}]"]
            start = each.end
    return "".join([*pieces, text[start:end]])
