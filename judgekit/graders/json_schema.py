"""The grader by JSON Schema: `json_schema`."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from threading import Lock
from typing import Annotated, Any, NoReturn

from pydantic import AfterValidator, Field

from judgekit.graders.candidate import as_json, clip, has_non_finite
from judgekit.graders.equality import pointer
from judgekit.graders.grade import Grade, Json
from judgekit.graders.masking import excerpt, masked
from judgekit.graders.option_types import JsonOption
from judgekit.graders.registry import GraderConfig, deterministic
from judgekit.graders.schema_keywords import schema_fault
from judgekit.graders.schema_reach import accepts_everything

_MOST_LISTED = 5
_MOST_COUNTED = 1_000
_KEPT = 128


def _usable(schema: Json) -> Json:
    _compiled(schema)
    return schema


class JsonSchemaConfig(GraderConfig):
    """Options of `json_schema`."""

    schema_: Annotated[JsonOption, AfterValidator(_usable)] = Field(
        alias="schema",
        description="A JSON Schema: draft 2020-12, or 4, 6, 7 or 2019-09 by its `$schema`. "
        "`format` is asserted; an unknown keyword is an error unless it begins with `x-`; "
        "a remote `$ref` is refused, and so is a schema that accepts every value.",
    )

    def validator(self) -> Any:
        """Return the compiled schema."""
        return _compiled(self.schema_)


@deterministic(
    "json_schema",
    example={
        "config": {
            "schema": {
                "type": "object",
                "required": ["answer"],
                "properties": {"answer": {"type": "integer", "minimum": 0}},
            }
        },
        "candidate": '{"answer": 42}',
    },
)
def json_schema(config: JsonSchemaConfig, candidate: Json) -> Grade:
    """The candidate, read as JSON, is valid under `schema`; every fault is listed by its place."""
    value = as_json(candidate)
    if isinstance(value, Grade):
        return value
    if has_non_finite(value):
        return Grade.of(False, "the candidate holds NaN or an infinity, which JSON has not")
    try:
        faults = _faults(config.validator(), value)
    except ValueError as error:
        return Grade.of(False, f"the candidate cannot be validated: {clip(str(error), 200)}")
    if not faults:
        return Grade.of(True, "valid under the schema")
    return faults_listed(faults)


def faults_listed(faults: list[tuple[str, str]]) -> Grade:
    """Return the failed grade of a value with `faults`: a JSON pointer and a message each.

    The reason says the first few; ``details["errors"]`` lists up to a hundred.
    """
    listed: list[Json] = [f"{masked(place) or '(root)'}: {message}" for place, message in faults]
    first = "; ".join(str(fault) for fault in listed[:_MOST_LISTED])
    more = f"; and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    count = "1 fault" if len(listed) == 1 else f"{len(listed)} faults"
    return Grade.of(False, f"{count}: {first}{more}", details={"errors": listed[:100]})


def _faults(validator: Any, value: Json) -> list[tuple[str, str]]:
    faults: list[tuple[str, str]] = []
    for error in validator.iter_errors(value):
        faults.append((_place(value, error.instance_path), clip_message(error.message)))
        if len(faults) == _MOST_COUNTED:
            break
    return sorted(faults)


def _place(value: Json, path: list[str | int]) -> str:
    """Return the JSON pointer of `path`, where jsonschema-rs reads a key ``01`` as 1."""
    place = ""
    for step in path:
        if isinstance(value, list) and isinstance(step, int):
            key, value = str(step), value[step]
        elif isinstance(value, dict):
            key = _written(value, step) if isinstance(step, int) else step
            value = value.get(key)
        else:
            key = str(step)
        place = pointer(place, key)
    return place


def _written(value: dict[str, Json], number: int) -> str:
    plain = str(number)
    if plain in value:
        return plain
    same = re.compile(rf"\+?0*{plain}")
    return next(filter(same.fullmatch, value), plain)


def clip_message(message: str, limit: int = 90) -> str:
    """Return `message` masked, in one line of at most about `limit` characters."""
    line = message.split("\n", 1)[0]
    if len(line) <= limit:
        return masked(line)
    half = limit // 2
    return f"{excerpt(line, 0, half)}…{excerpt(line, len(line) - half + 1, len(line))}"


_cache: OrderedDict[str, Any] = OrderedDict()
_cache_lock = Lock()


def _compiled(schema: Json) -> Any:
    """Return the validator of `schema`; the last `_KEPT` are kept."""
    key = json.dumps(schema, sort_keys=True)
    with _cache_lock:
        if key in _cache:
            _cache.move_to_end(key)
            return _cache[key]
    validator = _compile(schema)
    with _cache_lock:
        _cache[key] = validator
        while len(_cache) > _KEPT:
            _cache.popitem(last=False)
    return validator


def _compile(schema: Json) -> Any:
    import jsonschema_rs

    fault = schema_fault(schema)
    if fault is not None:
        raise ValueError(fault)
    try:
        validator = jsonschema_rs.validator_for(
            schema,  # type: ignore[arg-type]
            validate_formats=True,
            ignore_unknown_formats=False,
            retriever=_refuse,
            pattern_options=jsonschema_rs.RegexOptions(),
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        raise ValueError(_compile_fault(error)) from None
    if accepts_everything(schema):
        raise ValueError("it accepts every value, so it can't fail: say at least which type")
    return validator


def _compile_fault(error: Any) -> str:
    place = "".join(pointer("", key) for key in getattr(error, "instance_path", ()))
    return f"at {place or '(root)'}: {clip_message(error.message, 200)}"


def _refuse(uri: str) -> NoReturn:
    raise ValueError("a remote $ref is never fetched: put the schema under $defs")
