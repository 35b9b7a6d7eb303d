"""The JSON Schema that a judge's reply is held to, where its server can constrain."""

from __future__ import annotations

from typing import Any

from judgekit.judges.replies.statements import FIELDS
from judgekit.judges.rubric import Kind, Rubric, Scale


def response_schema(rubric: Rubric) -> dict[str, Any]:
    """Return the schema of the reply that `rubric` asks for: the reason first, then the verdict.

    A reason that comes after the verdict cannot inform it, and constrained decoding keeps the
    order of `properties`.
    """
    name = FIELDS[rubric.kind]
    return {
        "type": "object",
        "properties": {"reason": {"type": "string"}, name: _verdict_schema(rubric)},
        "required": ["reason", name],
        "additionalProperties": False,
    }


def _verdict_schema(rubric: Rubric) -> dict[str, Any]:
    if rubric.kind is Kind.SCORE:
        scale = rubric.scale or Scale()
        if scale.whole:
            ends = {"minimum": int(scale.minimum), "maximum": int(scale.maximum)}
            return {"type": "integer", **ends}
        return {"type": "number", "minimum": scale.minimum, "maximum": scale.maximum}
    if rubric.kind is Kind.CATEGORY:
        return {"type": "string", "enum": list(rubric.categories)}
    if rubric.kind is Kind.PAIRWISE:
        return {"type": "string", "enum": ["A", "B", "TIE"]}
    return {"type": "boolean"}
