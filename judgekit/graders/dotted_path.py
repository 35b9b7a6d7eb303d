"""Dotted paths: ``items.0.id`` names one place in a JSON value."""

from __future__ import annotations

import re

from judgekit.graders.grade import Json

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def at_dotted_path(value: Json, path: str) -> tuple[Json, ...]:
    """Return the one value that stands at `path`, or nothing.

    Between dots stands the key of an object, exactly, or the index of a list in canonical digits:
    ``1``, not ``01``, ``1e0`` or ``-1``. The empty path names the key ``""``.
    """
    for part in path.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and _INDEX.fullmatch(part) and int(part) < len(value):
            value = value[int(part)]
        else:
            return ()
    return (value,)
