"""Judge dialects: the protocols that judges speak, one module each, found by name.

A dialect is two pure functions, `encode` (request → body) and `decode` (body → `Reply`), and the
few facts about its protocol that recording needs. A new one is one new module here that calls
`register`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from judgekit.errors import ConfigError
from judgekit.judges.dialects.dialect import Dialect, Reply, registered

__all__ = ["Dialect", "Reply", "find_dialect"]


@cache
def dialects() -> dict[str, Dialect]:
    """Return every dialect by name, importing their modules on the first call."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(registered.items()))


def find_dialect(name: str) -> Dialect:
    """Return the dialect called `name`.

    Raises:
        ConfigError: there is none; the message lists them.
    """
    known = dialects()
    if name not in known:
        raise ConfigError(f"dialect {name!r} is not known; known are {', '.join(known)}")
    return known[name]
