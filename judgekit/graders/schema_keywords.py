"""What a JSON Schema may be written with, by draft, so that a misspelt keyword is no silent pass.

JSON Schema lets a validator ignore a keyword that it does not know. For a gate that is failing
open (``requird`` checks nothing), so an unknown keyword is a fault here unless it begins with
``x-``. Sources: the meta-schemas of the drafts at json-schema.org.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from judgekit.graders.candidate import clip
from judgekit.graders.equality import pointer
from judgekit.graders.grade import Json

_ASSERTIONS = frozenset(
    [
        "type",
        "enum",
        "multipleOf",
        "maximum",
        "minimum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "minItems",
        "uniqueItems",
        "maxProperties",
        "minProperties",
        "required",
        "format",
    ]
)
_APPLICATORS = frozenset(["properties", "patternProperties", "additionalProperties", "items"])
_LOGIC = frozenset(["allOf", "anyOf", "oneOf", "not"])
_DRAFT_4 = (
    _ASSERTIONS
    | _APPLICATORS
    | _LOGIC
    | frozenset(
        ["$schema", "$ref", "id", "title", "description", "default", "definitions", "dependencies"]
    )
    | {"additionalItems"}
)
_DRAFT_6 = (_DRAFT_4 - {"id"}) | frozenset(
    ["$id", "const", "contains", "propertyNames", "examples"]
)
_DRAFT_7 = _DRAFT_6 | frozenset(
    [
        "if",
        "then",
        "else",
        "$comment",
        "readOnly",
        "writeOnly",
        "contentMediaType",
        "contentEncoding",
    ]
)
_DRAFT_2019 = _DRAFT_7 | frozenset(
    [
        "$anchor",
        "$recursiveRef",
        "$recursiveAnchor",
        "$defs",
        "$vocabulary",
        "dependentSchemas",
        "dependentRequired",
        "unevaluatedItems",
        "unevaluatedProperties",
        "maxContains",
        "minContains",
        "deprecated",
        "contentSchema",
    ]
)
_DRAFT_2020 = (_DRAFT_2019 - {"additionalItems", "$recursiveRef", "$recursiveAnchor"}) | frozenset(
    ["$dynamicRef", "$dynamicAnchor", "prefixItems"]
)

_DRAFTS = {
    "json-schema.org/draft-04/schema": _DRAFT_4,
    "json-schema.org/draft-06/schema": _DRAFT_6,
    "json-schema.org/draft-07/schema": _DRAFT_7,
    "json-schema.org/draft/2019-09/schema": _DRAFT_2019,
    "json-schema.org/draft/2020-12/schema": _DRAFT_2020,
}

_BESIDE_REF = frozenset(
    [
        *["$ref", "$schema", "$id", "id", "$comment", "title", "description", "default"],
        *["examples", "definitions", "readOnly", "writeOnly"],
    ]
)
"""What may stand beside `$ref` in drafts 4 to 7, where a reference hides its neighbours."""

_ONE_SCHEMA = frozenset(
    [
        "additionalProperties",
        "additionalItems",
        "not",
        "contains",
        "propertyNames",
        "if",
        "then",
        "else",
        "contentSchema",
        "unevaluatedItems",
        "unevaluatedProperties",
        "items",
    ]
)
_LIST_OF_SCHEMAS = frozenset(["allOf", "anyOf", "oneOf", "prefixItems", "items"])
_SCHEMAS_BY_NAME = frozenset(
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]
)


def schema_fault(schema: Json) -> str | None:
    """Return why `schema` cannot be trusted to check what it seems to, or None.

    Only what the meta-schema leaves open is looked at: the draft, unknown keywords, and keywords
    that an old draft ignores beside `$ref`.
    """
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return f"a schema is an object, true or false, not {clip(schema)}"
    known = _keywords(schema.get("$schema"))
    if known is None:
        drafts = ", ".join(_DRAFTS)
        return f"unknown $schema {clip(schema['$schema'])} (known: {drafts})"
    for place, inner in _schemas_in(schema):
        fault = _fault(place, inner, known)
        if fault is not None:
            return fault
    return None


def _fault(place: str, schema: dict[str, Json], known: frozenset[str]) -> str | None:
    for keyword in schema:
        if keyword not in known and not keyword.startswith("x-"):
            near = get_close_matches(keyword, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "prefix it with x- if it is a note"
            return f"unknown keyword {clip(keyword)} at {place or '(root)'}: {hint}"
    ignored = sorted(schema.keys() - _BESIDE_REF) if "$ref" in schema else []
    if ignored and "$defs" not in known:
        return (
            f"at {place or '(root)'}: this draft ignores {clip(ignored[0])} beside $ref: "
            "put both under allOf"
        )
    return None


def _keywords(draft: Json) -> frozenset[str] | None:
    if draft is None:
        return _DRAFT_2020
    if not isinstance(draft, str):
        return None
    name = draft.removeprefix("https://").removeprefix("http://").removesuffix("#")
    return _DRAFTS.get(name)


def _schemas_in(schema: dict[str, Json]) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield `schema` and every schema in it, each with its place."""
    pending: list[tuple[str, Json]] = [("", schema)]
    while pending:
        place, item = pending.pop()
        if not isinstance(item, dict):
            continue
        yield place, item
        for keyword, value in item.items():
            pending.extend(_schemas_under(pointer(place, keyword), keyword, value))


def _schemas_under(place: str, keyword: str, value: Json) -> list[tuple[str, Json]]:
    if isinstance(value, dict) and keyword in _SCHEMAS_BY_NAME:
        return [(pointer(place, name), item) for name, item in value.items()]
    if isinstance(value, list) and keyword in _LIST_OF_SCHEMAS:
        return [(pointer(place, index), item) for index, item in enumerate(value)]
    return [(place, value)] if keyword in _ONE_SCHEMA else []
