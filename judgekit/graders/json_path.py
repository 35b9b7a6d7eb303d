"""JSONPath queries (RFC 9535) whose work is bounded before they run."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from judgekit.graders.candidate import clip
from judgekit.graders.grade import Json
from judgekit.graders.patterns import MAX_CANDIDATE_BYTES, compiled, too_much_work

MAX_PATH = 1024
"""Most characters of a path."""

MAX_VISITS = 250_000
"""Most values that a query may visit, by an upper bound taken before it runs."""

_MAX_RECURSION = 250


class TooMuchWork(Exception):
    """A query could visit more values than `MAX_VISITS`."""


@lru_cache(maxsize=256)
def compiled_path(path: str) -> Any:
    """Return the compiled query; the last 256 are kept.

    Raises:
        ValueError: the path is too long or is no RFC 9535 query.
    """
    from jsonpath.exceptions import JSONPathError

    if len(path) > MAX_PATH:
        raise ValueError(f"the path has {len(path):,} characters; {MAX_PATH:,} is the most")
    try:
        query = _environment().compile(path)
    except JSONPathError as error:
        raise ValueError(f"not an RFC 9535 query: {clip(str(error), 120)}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not an RFC 9535 query: {clip(str(error), 120)}") from None
    return query


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jsonpath import JSONPathEnvironment
    from jsonpath.function_extensions import ExpressionType, FilterFunction

    class LinearMatch(FilterFunction):
        """``match`` and ``search`` (RFC 9535, 2.4.6 and 2.4.7) in linear time."""

        arg_types = [ExpressionType.VALUE, ExpressionType.VALUE]  # noqa: RUF012
        return_type = ExpressionType.LOGICAL

        def __init__(self, *, whole: bool) -> None:
            self.whole = whole

        def __call__(self, value: object, pattern: object) -> bool:
            return _matches(value, pattern, whole=self.whole)

    environment = JSONPathEnvironment(strict=True)
    environment.max_recursion_depth = _MAX_RECURSION
    environment.function_extensions["match"] = LinearMatch(whole=True)
    environment.function_extensions["search"] = LinearMatch(whole=False)
    return environment


def _matches(value: object, pattern: object, *, whole: bool) -> bool:
    if not isinstance(value, str) or not isinstance(pattern, str):
        return False
    try:
        program = compiled(_dot_without_line_ends(pattern))
        if len(value.encode()) > MAX_CANDIDATE_BYTES or too_much_work(program, value):
            raise TooMuchWork(f"a text of {len(value):,} characters is too long for its pattern")
    except ValueError:  # RFC 9535: an invalid pattern matches nothing
        return False
    return (program.fullmatch if whole else program.search)(value) is not None


def _dot_without_line_ends(pattern: str) -> str:
    """Return the I-Regexp `pattern` (RFC 9485) for RE2, where ``.`` would match a return."""
    parts: list[str] = []
    escaped = in_class = False
    for letter in pattern:
        parts.append(r"[^\n\r]" if letter == "." and not (escaped or in_class) else letter)
        if not escaped and letter in "[]":
            in_class = letter == "["
        escaped = letter == "\\" and not escaped
    return "".join(parts)


def select(path: str, value: Json) -> list[Json]:
    """Return what `path` selects in `value`, in document order.

    Args:
        path: an RFC 9535 query that `compiled_path` takes.
        value: a fit JSON value.

    Raises:
        TooMuchWork: the query could visit too many values.
    """
    from jsonpath.match import JSONPathMatch

    query = compiled_path(path)
    count, depth = _size(value)
    visits = _visits(query.segments, count, depth)
    if visits > MAX_VISITS:
        raise TooMuchWork(
            f"the path could visit {visits:.0e} values of the candidate; {MAX_VISITS:,} is the most"
        )
    root = JSONPathMatch(
        filter_context={},
        obj=value,
        parent=None,
        path="$",
        parts=(),
        root=value,  # type: ignore[arg-type]
    )
    nodes: Iterable[Any] = [root]
    for segment in query.segments:
        nodes = segment.resolve(nodes)
    return [node.obj for node in nodes]


def _size(value: Json) -> tuple[int, int]:
    """Return how many values stand in `value`, and how many levels deep."""
    count = deepest = 0
    pending: list[tuple[Json, int]] = [(value, 1)]
    while pending:
        item, depth = pending.pop()
        count, deepest = count + 1, max(deepest, depth)
        if isinstance(item, dict):
            pending.extend((child, depth + 1) for child in item.values())
        elif isinstance(item, list):
            pending.extend((child, depth + 1) for child in item)
    return count, deepest


def _visits(segments: Iterable[Any], count: int, depth: int) -> float:
    """Return an upper bound of the values that `segments` visit in a value of this size.

    How often one place can stand in a node list multiplies by a segment's selectors, and by the
    depth under every descendant segment after the first.
    """
    from jsonpath.segments import JSONPathRecursiveDescentSegment

    times, visits, nested = 1.0, 0.0, False
    for segment in segments:
        if isinstance(segment, JSONPathRecursiveDescentSegment):
            times *= depth if nested else 1
            nested = True
        inner = sum(_filter_visits(selector, count, depth) for selector in segment.selectors)
        visits += min(times, 1e30) * (_touched(segment, count, nested) + count * inner)
        times = min(times * max(1, len(segment.selectors)), 1e30)
    return visits


def _touched(segment: Any, count: int, nested: bool) -> float:
    from jsonpath.selectors import IndexSelector, NameSelector

    named = all(isinstance(item, NameSelector | IndexSelector) for item in segment.selectors)
    return len(segment.selectors) if named and not nested else count * len(segment.selectors)


def _filter_visits(selector: Any, count: int, depth: int) -> float:
    """Return an upper bound of what a filter's own queries visit for one value."""
    from jsonpath.filter import FilterQuery
    from jsonpath.selectors import Filter

    if not isinstance(selector, Filter):
        return 0.0
    visits = 1.0
    pending: list[Any] = [selector.expression]
    while pending:
        expression = pending.pop()
        if isinstance(expression, FilterQuery):
            visits += _visits(expression.path.segments, count, depth)
        else:
            pending.extend(expression.children())
    return visits
