"""Tells a JSON Schema that accepts every value, and so can fail nothing.

``{}``, ``{"if": {...}}`` alone or a reference to itself are valid schemas; in a gate they are
mistakes. Where it can't be told, a schema is taken to reject something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from judgekit.graders.grade import Json

_ALL_TYPES = frozenset({"null", "boolean", "object", "array", "string", "number"})

_ANNOTATIONS = frozenset(
    [
        *["$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"],
        *["$comment", "$defs", "definitions", "title", "description", "default", "examples"],
        *["deprecated", "readOnly", "writeOnly"],
        *["contentEncoding", "contentMediaType", "contentSchema", "if"],
    ]
)

Accepts: TypeAlias = Callable[[Json], bool]


def accepts_everything(schema: Json) -> bool:
    """Whether `schema`, whose keywords are known, is valid for every JSON value."""
    return _accepts(schema, schema, frozenset())


def _accepts(schema: Json, root: Json, entered: frozenset[str]) -> bool:
    if not isinstance(schema, dict):
        return schema is True

    def accepts(inner: Json) -> bool:
        return _accepts(inner, root, entered)

    for keyword, value in schema.items():
        if keyword in _ANNOTATIONS or keyword.startswith("x-"):
            continue
        if keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if not _reference_accepts(value, root, entered):
                return False
        elif not _KEYWORDS.get(keyword, _may_reject)(value, schema, accepts):
            return False
    return True


def _reference_accepts(reference: Json, root: Json, entered: frozenset[str]) -> bool:
    """Whether what a reference leads to accepts everything; one that leads to itself does."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return False
    if reference in entered:
        return True
    found = root
    for step in reference.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or key not in found:
            return False
        found = found[key]
    return _accepts(found, root, entered | {reference})


def _may_reject(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return False


def _one(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return all(map(accepts, value)) if isinstance(value, list) else accepts(value)


def _by_name(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return isinstance(value, dict) and all(
        not item if isinstance(item, list) else accepts(item) for item in value.values()
    )


def _any_of(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return isinstance(value, list) and any(map(accepts, value))


def _one_of(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return isinstance(value, list) and len(value) == 1 and accepts(value[0])


def _branch(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return "if" not in schema or accepts(value)


def _contains(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return schema.get("minContains") == 0


def _most(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return "contains" not in schema


def _nothing(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    """Whether the keyword asks for nothing: at least 0, none required, not unique."""
    return value in (0, False, [])


def _not_false(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return value is False


def _least(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return True  # what it asks for, `contains` asks for


def _types(value: Json, schema: Mapping[str, Json], accepts: Accepts) -> bool:
    return isinstance(value, list) and _ALL_TYPES.issubset(map(str, value))


_KEYWORDS: Mapping[str, Callable[[Json, Mapping[str, Json], Accepts], bool]] = {
    **dict.fromkeys(["properties", "patternProperties", "dependentSchemas"], _by_name),
    **dict.fromkeys(["dependencies", "dependentRequired"], _by_name),
    **dict.fromkeys(["additionalProperties", "unevaluatedProperties", "propertyNames"], _one),
    **dict.fromkeys(["items", "prefixItems", "additionalItems", "unevaluatedItems"], _one),
    "allOf": _one,
    "anyOf": _any_of,
    "oneOf": _one_of,
    **dict.fromkeys(["then", "else"], _branch),
    "contains": _contains,
    "minContains": _least,
    "maxContains": _most,
    **dict.fromkeys(["minLength", "minItems", "minProperties"], _nothing),
    **dict.fromkeys(["required", "uniqueItems"], _nothing),
    "not": _not_false,
    "type": _types,
}
"""By keyword, whether it rejects nothing; a keyword that is not here may reject something."""
