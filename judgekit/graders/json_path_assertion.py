"""The grader of one place in a JSON value: `json_path_assertion`."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from judgekit.graders.candidate import as_json, clip
from judgekit.graders.dotted_path import at_dotted_path, path_fault
from judgekit.graders.equality import difference
from judgekit.graders.grade import Grade, Json
from judgekit.graders.json_path import TooMuchWork, compiled_path, select
from judgekit.graders.option_types import JsonOption
from judgekit.graders.patterns import Pattern, compiled, searchable, too_much_work
from judgekit.graders.registry import GraderConfig, deterministic

_ASSERTIONS = ("equals", "exists", "matches", "count")


class JsonPathAssertionConfig(GraderConfig):
    """Options of `json_path_assertion`; at least one of the assertions is needed."""

    path: str = Field(
        description="`$…` is an RFC 9535 query; anything else a dotted path such as `items.0.id`."
    )
    equals: JsonOption = Field(
        None, description="Every selected value equals this, type and case alike; at least one."
    )
    exists: bool = Field(True, description="Whether the path must select something.")
    matches: Pattern | None = Field(
        None,
        description="Every selected value is text in which this pattern matches; at least one.",
    )
    count: int | None = Field(None, ge=0, description="How many values the path selects, exactly.")

    @model_validator(mode="after")
    def _check(self) -> JsonPathAssertionConfig:
        given = self.model_fields_set.intersection(_ASSERTIONS)
        if not given:
            raise ValueError(f"give at least one of {', '.join(_ASSERTIONS)}")
        for option in given.intersection({"matches", "count"}):
            if getattr(self, option) is None:
                raise ValueError(f"{option}: must not be null")
        if not self.exists and len(given) > 1:
            raise ValueError("exists: false stands alone: nothing can be said of what is absent")
        check_path(self.path)
        if not self.path and (not self.exists or self.count == 0):
            raise ValueError('path: "" names the key "", whose absence proves nothing')
        return self


@deterministic(
    "json_path_assertion",
    example={
        "config": {"path": "$.items[*].id", "count": 2},
        "candidate": '{"items": [{"id": 1}, {"id": 2}]}',
    },
)
def json_path_assertion(config: JsonPathAssertionConfig, candidate: Json) -> Grade:
    """What `path` selects in the candidate exists, equals, matches, or has a count, as asserted."""
    value = as_json(candidate)
    if isinstance(value, Grade):
        return value
    try:
        found = _selected(config.path, value)
    except TooMuchWork as error:
        return Grade.of(False, str(error))
    fault = _fault(config, found)
    where = f"{clip(config.path)} selects {len(found)} values"
    return Grade.of(fault is None, f"{where}: {fault or 'as asserted'}")


def check_path(path: str) -> None:
    """Refuse a path that is neither an RFC 9535 query nor a dotted path.

    Raises:
        ValueError: it is malformed, or written in another notation.
    """
    if path.startswith("$"):
        compiled_path(path)
        return
    fault = path_fault(path)
    if fault is not None:
        raise ValueError(f"path: {fault}")


def _selected(path: str, value: Json) -> list[Json]:
    return select(path, value) if path.startswith("$") else list(at_dotted_path(value, path))


def _fault(config: JsonPathAssertionConfig, found: list[Json]) -> str | None:
    given = config.model_fields_set
    if config.count is not None and len(found) != config.count:
        return f"expected {config.count}"
    if not config.exists:
        return "expected none" if found else None
    if not found and given.intersection({"exists", "equals", "matches"}):
        return "expected at least one"
    if "equals" in given:
        differing = (difference(config.equals, item) for item in found)
        fault = next((differs for differs in differing if differs is not None), None)
        if fault is not None:
            return fault
    return _unmatched(config.matches, found) if config.matches is not None else None


def _unmatched(pattern: str, found: list[Json]) -> str | None:
    program: Any = compiled(pattern)
    for item in found:
        if not isinstance(item, str):
            return f"expected text, found {clip(item)}"
        text = searchable(item.encode(errors="replace").decode())
        if isinstance(text, Grade):
            return text.reason
        fault = too_much_work(program, text)
        if fault is not None:
            return fault
        if program.search(text) is None:
            return f"the pattern {clip(pattern)} does not match {clip(item)}"
    return None
