"""Portable names: an interaction's folder and file name, on any file system."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from judgekit.cassettes.interaction import Interaction

KEY_DIGITS = 10
"""How many hex digits of the key a file name carries: the index is made of them."""

SUFFIX = ".json"
PACKED_SUFFIX = ".jsonl"

_LONGEST = 60
_UNSAFE = re.compile(r"[^a-z0-9._-]+")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


@lru_cache(maxsize=4096)
def slug(name: str) -> str:
    """Return a portable file-name part for `name`: lower-case ASCII, at most 67 characters.

    A name that is not already its own slug gets six hex digits of its hash, so that two names never
    share a slug (not even on a file system that ignores case), and nothing escapes the folder.
    """
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    safe = _UNSAFE.sub("-", folded)[:_LONGEST].strip("-.")
    if safe == name and not _DEVICES.fullmatch(safe):
        return safe
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{safe}-{digest}" if safe else digest


def file_name(case: str, key: str) -> str:
    """Return the file name of a case's interaction: ``<case>.<first 10 hex of key>.json``."""
    return f"{slug(case)}.{key[:KEY_DIGITS]}{SUFFIX}"


def relative_path(interaction: Interaction) -> str:
    """Return where an interaction is kept: ``<eval>/<scorer>/<case>.<key>.json``."""
    recorded = interaction.recorded
    name = file_name(recorded.case, interaction.key)
    return f"{slug(recorded.eval)}/{slug(recorded.scorer)}/{name}"
