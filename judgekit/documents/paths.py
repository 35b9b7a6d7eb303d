"""Keeping a path that a file names inside the folder that it belongs to."""

from __future__ import annotations

from pathlib import Path

from judgekit.documents.document import one_line, shown
from judgekit.errors import ConfigError


def confined(
    root: Path, path: Path | str, *, base: Path | None = None, named_by: str = "path"
) -> Path:
    """Return `path` resolved and inside `root`.

    Symbolic links are followed first, so that one can't lead out of the folder.

    Args:
        root: the folder that nothing may leave, usually the project's.
        path: as the file names it.
        base: the folder that a relative path is taken from; `root` if None.
        named_by: file and field that name it, for the message.

    Raises:
        ConfigError: it leads outside `root`, or is no path at all.
    """
    try:
        top = root.resolve()
        target = (top / (base or top).resolve() / path).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigError(
            f"{named_by}: {one_line(str(path))!r} is not a usable path ({one_line(str(error))})"
        ) from None
    if not target.is_relative_to(top):
        raise ConfigError(
            f"{named_by}: {one_line(str(path))!r} leads outside {shown(top)}; "
            "keep the file inside the project"
        )
    return target
