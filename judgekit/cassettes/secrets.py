"""Finds secrets in text by their known forms: keys and tokens of the common providers.

Precise rather than broad: prose, hashes, UUIDs and base64 text are not secrets. Every pattern is
RE2's, so that the time is linear in the text whatever it holds. The forms are those that the
providers publish for secret scanners.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from judgekit.cassettes.plain_text import ways_to_read
from judgekit.cassettes.spans import Span, apart, compiled

_PATTERNS: Final[dict[str, str]] = {
    "private-key": (
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]*-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:\s+[A-Za-z0-9+/]{16,}=*)*)"
    ),
    "anthropic-key": r"\bsk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{20,}",
    "openrouter-key": r"\bsk-or-v1-[0-9a-f]{32,}\b",
    "openai-key": r"\bsk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,}\b)",
    "groq-key": r"\bgsk_[A-Za-z0-9]{40,}\b",
    "xai-key": r"\bxai-[A-Za-z0-9]{60,}\b",
    "hugging-face-token": r"\bhf_[A-Za-z0-9]{30,}\b",
    "replicate-token": r"\br8_[A-Za-z0-9]{37}\b",
    "github-token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})\b",
    "gitlab-token": r"\bgl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_-]{20,}",
    "aws-key": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    "aws-secret": (
        r"(?i)\baws_?(?:secret)?_?(?:access)?_?key[\"']?\s*[:=]\s*[\"']?[0-9a-z/+]{40}\b"
    ),
    "google-key": r"\bAIza[0-9A-Za-z_-]{35}",
    "google-client-secret": r"\bGOCSPX-[0-9A-Za-z_-]{28}",
    "google-token": r"\bya29\.[0-9A-Za-z_-]{20,}",
    "slack-token": r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}|\bxapp-\d-[0-9A-Za-z-]{10,}",
    "slack-webhook": r"\bhooks\.slack\.com/services/T[0-9A-Z]{6,}/B[0-9A-Z]{6,}/[0-9A-Za-z]{16,}",
    "stripe-key": r"\b(?:[sr]k_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/=]{24,})",
    "npm-token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "pypi-token": r"\bpypi-AgE[A-Za-z0-9_-]{50,}",
    "sendgrid-key": r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}",
    "twilio-key": r"\bSK[0-9a-f]{32}\b",
    "telegram-token": r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b",
    "digitalocean-token": r"\bdo[opr]_v1_[0-9a-f]{64}\b",
    "databricks-token": r"\bdapi[0-9a-f]{32}\b",
    "docker-token": r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}",
    "shopify-token": r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b",
    "json-web-token": r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "authorization-header": (
        r"(?i)\bauthorization[\"']?\s*[:=,]\s*[\"']?(?:bearer|basic|token)\s+"
        r"[A-Za-z0-9._~+/-]{7,}[A-Za-z0-9_~+/-]=*"
    ),
    "api-key-header": (
        r"(?i)\b(?:x-[a-z-]{0,20})?api-?key[\"']?\s*[:,]\s*[\"']?[A-Za-z0-9_-]{20,}\b"
    ),
    "url-password": (
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\[\]<>\"']{0,100}:[^\s/@<>\"'\[]{1,200}@"
    ),
}
"""By kind; of matches that overlap, the kind that stands first here counts."""

_URL_PLACEHOLDERS = (
    r"(?i)://(?:user|username|name|login|u|x|):(?:pass|password|passwd|pw|pwd|secret|p|x+|\*+)@"
)
"""User information that documentation writes, and nobody uses."""

_VALUE_PLACEHOLDERS = (
    r"(?i)\b(?:your|my|the|some|an?|insert)[_-](?:[a-z]+[_-]){0,3}(?:key|token|secret|here)\b"
)


_TELLING_NAMES = (
    r"(?i)(?:^|[^a-z0-9])(?:(?:api|access|auth|private|client|function|x)?[_-]?"
    r"(?:keys?|tokens?|secrets?|sig|signature|passwords?|passwd|pwd|auth|authorization|jwt|"
    r"credentials?))(?:$|[^a-z0-9])"
)


@dataclass(frozen=True, slots=True)
class SecretMatch:
    """A secret in a text.

    Attributes:
        kind: what it is, such as ``github-token``.
        start: index of its first character; `end` is one past its last.
    """

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> list[SecretMatch]:
    """Return the secrets in `text`, in the order of the text; they do not overlap.

    A text that is JSON, or holds some, is read as what it says: see `ways_to_read`.
    """
    found: list[SecretMatch] = []
    claimed: list[Span] = []
    for reading in ways_to_read(text):
        if _anything().search(reading.text) is None:
            continue
        for kind in _PATTERNS:
            spans = apart(map(reading.original, _of_kind(kind, reading.text)), claimed)
            found += [SecretMatch(kind, *span) for span in spans]
            claimed = sorted([*claimed, *spans]) if spans else claimed
    return sorted(found, key=lambda match: match.start)


def is_secret_parameter(name: str) -> bool:
    """Whether a query parameter's name says that its value is a secret: ``token``, ``api_key``."""
    return compiled(_TELLING_NAMES).search(name) is not None


def _of_kind(kind: str, text: str) -> Iterator[Span]:
    is_prose = _PROSE.get(kind)
    for match in compiled(_PATTERNS[kind]).finditer(text):
        if is_prose is None or not is_prose(match.group()):
            yield match.span()


def _is_url_placeholder(url: str) -> bool:
    return compiled(_URL_PLACEHOLDERS).search(url) is not None


def _is_word(header: str) -> bool:
    """Whether a header's value is a word of prose or a placeholder: ``Bearer authentication``."""
    value = compiled(r"[A-Za-z0-9._~+/=-]+$").search(header).group()
    if compiled(_VALUE_PLACEHOLDERS).search(value) is not None:
        return True
    return (
        len(value) < 24 and value.isalpha() and value[1:] in (value[1:].lower(), value[1:].upper())
    )


def _has_no_digit(token: str) -> bool:
    return not any(character.isdigit() for character in token)


_PROSE: Final[dict[str, Callable[[str], bool]]] = {
    "slack-token": _has_no_digit,
    "authorization-header": _is_word,
    "api-key-header": _has_no_digit,
    "url-password": _is_url_placeholder,
}
"""By kind, what tells from a whole match that it is no secret after all."""


@cache
def _anything() -> Any:
    return compiled("|".join(f"(?:{pattern})" for pattern in _PATTERNS.values()))
