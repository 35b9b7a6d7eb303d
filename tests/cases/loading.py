"""Loads the case files with known right values that lie beside the project, if they do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"


def load_cases(name: str) -> list[Any]:
    """Return the rows of a case file as pytest parameters, each under its own id.

    An absent file gives one skipped parameter, so that the test shows as skipped and not as green.
    """
    path = CASES / name
    if not path.exists():
        skip = pytest.mark.skip(reason=f"{name} is not beside this checkout")
        return [pytest.param({}, marks=skip, id="absent")]
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
    return [pytest.param(decode(row), id=row["id"]) for row in rows]


def decode(value: Any) -> Any:
    """Expand what JSON can't hold: ``$float``, ``$repeat`` (with ``sep``) and ``$repeat_list``."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"$float": str(name), **rest} if not rest:
            return float(name)
        case {"$repeat": {"unit": str(unit), "count": int(count), **extra}, **rest} if not rest:
            return str(extra.get("sep", "")).join([unit] * count)
        case {"$repeat_list": {"item": item, "count": int(count)}, **rest} if not rest:
            return [decode(item)] * count
    return {key: decode(item) for key, item in value.items()}
