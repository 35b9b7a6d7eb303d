"""The engine port: what runs a function over many items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


class Engine(Protocol):
    """Something that runs work, one item or many at a time."""

    def map(self, function: Callable[[ItemT], ResultT], items: Iterable[ItemT]) -> list[ResultT]:
        """Return the results of `function` on `items`, in the order of `items`.

        Whatever `function` raises is raised here, for the first such item, and no further item is
        begun.
        """
        ...
