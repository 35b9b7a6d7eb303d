"""Dotted paths: ``items.0.id`` names one place in a JSON value."""

from __future__ import annotations

import re

from judgekit.graders.grade import Json


def path_fault(path: str) -> str | None:
    """Return why `path` is likely no dotted path but another notation, or None.

    Such a path would name a key that nobody has, so that its absence proves nothing. Any key can
    still be named by a query: ``$['a[0]']``. The empty path is the key ``""``.
    """
    if not path:
        return None
    if "[" in path or "]" in path:
        return "a dotted path has no brackets: write items.0.id, or the query $.items[0].id"
    if path.startswith("/"):
        return "a dotted path has no slash before it: write items.0.id, or the query $['/items']"
    if not all(part.strip() for part in path.split(".")):
        return "a part of the path is blank: write items.0.id, or a query such as $.items['']"
    return None


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
