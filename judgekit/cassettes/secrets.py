"""Finds secrets in text by their known forms: keys and tokens of the common providers.

Precise rather than broad: prose, hashes, UUIDs and base64 text are not secrets. Every pattern is
RE2's, so that the time is linear in the text whatever it holds. The forms are those that the
providers publish for secret scanners.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import re2

_PATTERNS: Final[dict[str, str]] = {
    "private-key": (
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]*-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?"
    ),
    "anthropic-key": r"\bsk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{20,}",
    "openrouter-key": r"\bsk-or-v1-[0-9a-f]{32,}\b",
    "openai-key": r"\bsk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{40,}\b)",
    "groq-key": r"\bgsk_[A-Za-z0-9]{40,}\b",
    "xai-key": r"\bxai-[A-Za-z0-9]{60,}\b",
    "hugging-face-token": r"\bhf_[A-Za-z0-9]{30,}\b",
    "replicate-token": r"\br8_[A-Za-z0-9]{37}\b",
    "github-token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})\b",
    "gitlab-token": r"\bgl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_-]{20,}",
    "aws-key": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    "google-key": r"\bAIza[0-9A-Za-z_-]{35}",
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
    "json-web-token": r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "authorization-header": (
        r"(?i)\bauthorization\s*[:=]\s*(?:bearer|basic)\s+"
        r"[A-Za-z0-9._~+/-]{7,}[A-Za-z0-9_~+/-]=*"
    ),
    "url-password": r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\[\]<>\"']{1,100}:[^\s/@<>\"'\[]{1,200}@",
}
"""By kind; of matches that overlap, the kind that stands first here counts."""

_PLACEHOLDERS = r"(?i)://(?:user|username|name|login|u|x):(?:pass|password|pw|secret|p|x+|\*+)@"
"""User information that documentation writes, and nobody uses."""


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
    """Return the secrets in `text`, in the order of the text; they do not overlap."""
    anything, patterns, placeholder = _compiled()
    if anything.search(text) is None:
        return []
    found = [
        SecretMatch(kind, match.start(), match.end())
        for kind, pattern in patterns
        for match in pattern.finditer(text)
        if kind != "url-password" or placeholder.search(match.group()) is None
    ]
    return _apart(found)


def _apart(found: list[SecretMatch]) -> list[SecretMatch]:
    """Keep, of matches that overlap, the one whose kind stands first in the table."""
    kept: list[SecretMatch] = []
    for match in found:
        if all(match.end <= other.start or other.end <= match.start for other in kept):
            kept.append(match)
    return sorted(kept, key=lambda match: match.start)


@cache
def _compiled() -> tuple[Any, tuple[tuple[str, Any], ...], Any]:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    anything = re2.compile("|".join(f"(?:{p})" for p in _PATTERNS.values()), options)
    patterns = tuple((kind, re2.compile(p, options)) for kind, p in _PATTERNS.items())
    return anything, patterns, re2.compile(_PLACEHOLDERS, options)
