"""How graders read a candidate: as text, or as JSON."""

from __future__ import annotations

import orjson

from judgekit.graders.grade import Grade, Json


def as_text(candidate: Json) -> str:
    """Return the candidate's text: a string as it is, anything else as compact JSON."""
    if isinstance(candidate, str):
        return candidate
    return orjson.dumps(candidate).decode()


def as_json(candidate: Json) -> Json | Grade:
    """Return the candidate's value: text is parsed as JSON, anything else is taken as it is.

    Returns:
        The value, or a failed grade that says why the text is not JSON.
    """
    if not isinstance(candidate, str):
        return candidate
    try:
        value: Json = orjson.loads(candidate)
    except orjson.JSONDecodeError as error:
        return Grade.of(False, f"the candidate is not JSON: {error}")
    return value
