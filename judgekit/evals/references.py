"""References from a scorer's config to the case: ``{$case: expected.must_mention}``.

A value may refer to the case's input, expected or metadata; never to its output, so that what is
judged can't say how it is judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judgekit.documents import Document, nearest
from judgekit.documents.document import Location
from judgekit.errors import ConfigError
from judgekit.evals.cases import Case

REFERENCE = "$case"
ROOTS = ("input", "expected", "metadata")


def references(value: Any, location: Location = ()) -> Iterator[Location]:
    """Yield where references stand in `value`."""
    if isinstance(value, dict):
        if REFERENCE in value:
            yield location
            return
        for key, item in value.items():
            yield from references(item, (*location, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from references(item, (*location, index))


def check_reference(document: Document, location: Location) -> None:
    """Refuse the reference at `location` where it can't lead to a value of a case.

    Raises:
        ConfigError: it has other keys beside, no path, or leads to no input, expected or metadata.
    """
    reference = document.at(location)
    where = (*location, REFERENCE)
    if len(reference) != 1:
        raise document.fault(location, f"has keys beside {REFERENCE}; a reference stands alone")
    steps = _steps(reference[REFERENCE])
    if not steps:
        raise document.fault(
            where, "must be a path such as expected.must_mention, or a list of its keys"
        )
    if steps[0] == "output":
        raise document.fault(where, "must not refer to the output; use input, expected or metadata")
    if steps[0] not in ROOTS:
        hint = nearest(str(steps[0]), ROOTS)
        raise document.fault(where, f"{steps[0]!r} is no part of a case; {hint}")


def resolved(value: Any, case: Case) -> Any:
    """Return `value` with every reference replaced by what it leads to in `case`.

    Raises:
        ConfigError: the case has nothing there.
    """
    if isinstance(value, dict):
        if REFERENCE in value:
            return _look_up(value[REFERENCE], case)
        return {key: resolved(item, case) for key, item in value.items()}
    return [resolved(item, case) for item in value] if isinstance(value, list) else value


def _steps(path: Any) -> list[str | int]:
    """Return the keys of a path: text with dots, or the list of keys itself."""
    steps: Any = path.split(".") if isinstance(path, str) else path
    if not isinstance(steps, list) or not all(
        (isinstance(step, str) and step.strip()) or type(step) is int for step in steps
    ):
        return []
    return list(steps)


def _look_up(path: Any, case: Case) -> Any:
    root, *steps = _steps(path)
    value = getattr(case, str(root))
    for step in steps:
        if isinstance(value, dict) and str(step) in value:
            value = value[str(step)]
        elif isinstance(value, list) and str(step).isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            shown = path if isinstance(path, str) else ".".join(map(str, path))
            raise ConfigError(f"case {case.id!r}: has no {shown}, which the scorer refers to")
    if value is None and not steps:
        raise ConfigError(f"case {case.id!r}: has no {root}, which the scorer refers to")
    return value
