"""The JSON Schema of a rubric's front matter, for editors that complete and check YAML."""

from __future__ import annotations

from typing import Any

from judgekit.judges.rubric import Kind, Rubric

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DESCRIPTIONS = {
    "id": "The file's name without .md.",
    "kind": "What a verdict says.",
    "scale": "Of a score rubric: what the judge scores on; mapped linearly to 0 … 1.",
    "min_score": "Pass rule of a score rubric, after mapping to 0 … 1; the judge is not shown it.",
    "categories": "Of a category rubric: the labels that the judge chooses from.",
    "passing_categories": "Pass rule of a category rubric: the labels that pass.",
    "examples": "Outputs with the right verdicts, shown to the judge.",
    "changelog": "One line a change, newest first; part of no digest.",
    "lint-ignore": "Lint findings to let be, each with a reason.",
}


def front_matter_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a rubric's front matter.

    The criteria are not in it: they are the body of the file. What a kind needs or can't have is.
    """
    schema = Rubric.model_json_schema(by_alias=True)
    properties = {name: dict(schema["properties"][name]) for name in _DESCRIPTIONS}
    for name, text in _DESCRIPTIONS.items():
        properties[name]["description"] = text
    del properties["id"]["default"]
    return {
        "$schema": DIALECT,
        "title": "judgekit rubric, front matter",
        "type": "object",
        "required": ["id", "kind"],
        "additionalProperties": False,
        "properties": properties,
        "allOf": [*_only_of(Kind.SCORE), *_only_of(Kind.CATEGORY)],
        "$defs": schema["$defs"],
    }


def _only_of(kind: Kind) -> list[dict[str, Any]]:
    """Return what makes a kind's own fields needed there, and refused elsewhere."""
    own = {
        Kind.SCORE: ("scale", "min_score"),
        Kind.CATEGORY: ("categories", "passing_categories"),
    }[kind]
    needed = own if kind is Kind.CATEGORY else ()
    enough = {"categories": {"minItems": 2}, "passing_categories": {"minItems": 1}}
    then: dict[str, Any] = {"required": list(needed), "properties": enough} if needed else {}
    return [
        {
            "if": {"properties": {"kind": {"const": kind.value}}, "required": ["kind"]},
            "then": then,
            "else": {"properties": dict.fromkeys(own, False)},
        }
    ]
