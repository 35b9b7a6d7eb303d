"""Places in a text, and how those that overlap are told apart."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeAlias

import re2

Span: TypeAlias = tuple[int, int]
"""Where something stands: the index of its first character, and one past its last."""


@cache
def compiled(pattern: str) -> Any:
    """Return an RE2 pattern, whose matching is linear in the text; compiled once."""
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    return re2.compile(pattern, options)


def apart(spans: Iterable[Span], claimed: Sequence[Span]) -> list[Span]:
    """Return the spans that overlap neither a claimed one nor an earlier one of theirs, in order.

    Args:
        claimed: sorted, and without overlaps.
    """
    kept: list[Span] = []
    for start, end in sorted(spans):
        after = bisect_left(claimed, (start, end))
        is_free = (after == 0 or claimed[after - 1][1] <= start) and (
            after == len(claimed) or end <= claimed[after][0]
        )
        if is_free and (not kept or kept[-1][1] <= start):
            kept.append((start, end))
    return kept
