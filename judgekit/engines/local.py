"""The engine of this machine: threads, with results in the order of the items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from judgekit.errors import ConfigError
from judgekit.evals.engine import ItemT, ResultT


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Runs work in threads of this process.

    >>> LocalEngine(jobs=4).map(lambda word: word.upper(), ["a", "b", "c"])
    ['A', 'B', 'C']

    Attributes:
        jobs: how many items are worked on at once; 1 starts no thread.
    """

    jobs: int = 1

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise ConfigError(f"jobs must be 1 or more, not {self.jobs}")

    def map(self, function: Callable[[ItemT], ResultT], items: Iterable[ItemT]) -> list[ResultT]:
        """Return the results of `function` on `items`, in the order of `items`."""
        if self.jobs == 1:
            return [function(item) for item in items]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.jobs, thread_name_prefix="judgekit") as pool:
            return list(pool.map(function, items))
