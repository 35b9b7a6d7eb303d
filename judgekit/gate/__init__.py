"""The gate: runs held against a committed baseline. Standard library only, no I/O.

`gate` is the whole of it in one call; the modules hold the parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .decision import decide as gate

__all__ = ["gate"]


def __getattr__(name: str) -> Any:
    """Load the gate when it is first used: other layers need no more than its exit codes."""
    if name != "gate":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .decision import decide

    return decide
