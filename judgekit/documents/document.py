"""A document: a JSON value that knows its file and the line of each of its fields."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from judgekit.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

Location = tuple[str | int, ...]
"""The way to a field: keys and list indices, from the top."""

DEPTH_LIMIT = 100
"""How deeply lists and mappings may be nested."""

FAULTS_SHOWN = 5
"""How many faults of one document are named in one message."""

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_$-]+")
_UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+"
)
_KEY_SHOWN = 60
_MESSAGES = {
    "missing": "is missing; add it",
    "string_type": "must be text (put it in quotes)",
    "string_too_short": "must not be empty",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "bool_type": "must be true or false",
    "finite_number": "must be a finite number",
    "dict_type": "must be a mapping (key: value)",
    "model_type": "must be a mapping (key: value)",
    "model_attributes_type": "must be a mapping (key: value)",
    "mapping_type": "must be a mapping (key: value)",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
}

ModelT = TypeVar("ModelT", bound="BaseModel")


@dataclass(frozen=True, slots=True)
class Document:
    """A value read from a file, or given in Python, with where its fields stand.

    Attributes:
        name: how messages call it: the file, or the function that was called.
        value: the JSON value.
        lines: the line (from 1) of every mapping key and list item; empty where there are none.
    """

    name: str
    value: Any
    lines: Mapping[Location, int] = field(default_factory=dict)

    def line(self, location: Location = ()) -> int | None:
        """Return the line of the field, or of the nearest field around it that has one."""
        for size in range(len(location), -1, -1):
            if (found := self.lines.get(location[:size])) is not None:
                return found
        return None

    def fault(self, location: Location, message: str) -> ConfigError:
        """Return the error that says what is wrong with the field at `location`."""
        return ConfigError(one_line(f"{self._place(location)}: {self._field(location)}{message}"))

    def parse(self, model: type[ModelT], location: Location = ()) -> ModelT:
        """Return the field at `location` as `model`.

        Raises:
            ConfigError: it does not fit; up to `FAULTS_SHOWN` faults are named, each with its line.
        """
        from pydantic import ValidationError

        text = json.dumps(self.at(location), ensure_ascii=False, allow_nan=False)
        try:
            return model.model_validate_json(text)
        except ValidationError as error:
            raise self.rejected(error.errors(include_url=False), model, location) from None

    def at(self, location: Location) -> Any:
        """Return the value at `location`."""
        value = self.value
        for step in location:
            value = value[step]
        return value

    def rejected(
        self, details: Iterable[ErrorDetails], model: type[BaseModel], location: Location = ()
    ) -> ConfigError:
        """Return what pydantic found wrong with the field at `location`, in our words."""
        faults: dict[Location, str] = {}
        for fault in details:
            where = self._real(location, fault["loc"], missing=fault["type"] == "missing")
            faults.setdefault(where, _message(fault, model))
        first, *rest = sorted(faults, key=lambda where: (self.line(where) or 0, dotted(where)))
        parts = [f"{self._place(first)}: {self._field(first)}{faults[first]}"]
        for where in rest[: FAULTS_SHOWN - 1]:
            line = self.line(where)
            parts.append(f"{f'line {line}: ' if line else ''}{self._field(where)}{faults[where]}")
        if len(rest) >= FAULTS_SHOWN:
            parts.append(f"and {len(rest) - FAULTS_SHOWN + 1} more")
        return ConfigError(one_line("; ".join(parts)))

    def _real(self, location: Location, inner: Location, *, missing: bool) -> Location:
        """Return where `inner` leads, without the steps that name a branch of a union."""
        try:
            value = self.at(location)
        except (KeyError, IndexError, TypeError):
            value = None
        steps = list(location)
        for step in inner:
            if _leads_on(value, step):
                value = value[step]
                steps.append(step)
        return (*steps, inner[-1]) if missing else tuple(steps)

    def _place(self, location: Location) -> str:
        line = self.line(location)
        return f"{self.name}:{line}" if line else self.name

    @staticmethod
    def _field(location: Location) -> str:
        return f"{dotted(location)}: " if location else ""


def _leads_on(value: Any, step: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, dict) and step in value


def dotted(location: Location) -> str:
    """Return `location` as people write it: ``scorers.tone.config`` or ``cases[3].id``."""
    text = ""
    for step in location:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            short = step if len(step) <= _KEY_SHOWN else f"{step[:_KEY_SHOWN]}…"
            key = short if _PLAIN_KEY.fullmatch(short) else json.dumps(short, ensure_ascii=False)
            text += f".{key}" if text else key
    return text


def printable(text: str) -> str:
    """Return `text` with a space for each run of line breaks and control characters."""
    return text if text.isascii() and text.isprintable() else _UNPRINTABLE.sub(" ", text)


def one_line(text: str) -> str:
    """Return `text` as one printable line, without white space around it."""
    return printable(text).strip()


_ROOT_MARKS = ("judgekit.toml", "pyproject.toml", ".git")


def shown(path: Path) -> str:
    """Return how messages name `path`: relative to the working directory where both are near.

    Near is what lies below that directory, or below the root of the project that it is in; so a
    project's files have the same names on every machine, in whichever of its folders one works.
    """
    try:
        here, whole = Path.cwd(), path.absolute()
        if whole.is_relative_to(here):
            return one_line(whole.relative_to(here).as_posix())
        root = _project_root(here)
        if root is not None and whole.is_relative_to(root):
            return one_line(os.path.relpath(whole, here).replace(os.sep, "/"))
    except OSError:
        pass
    return one_line(str(path))


def _project_root(folder: Path) -> Path | None:
    marked = (
        each
        for each in (folder, *folder.parents)
        if any((each / mark).exists() for mark in _ROOT_MARKS)
    )
    return next(marked, None)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'x'?``, or the list of what is known where nothing is near."""
    names = list(known)
    near = get_close_matches(word[:_KEY_SHOWN], names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names) or 'none'}"


def checked_json(document: Document, location: Location, value: Any, depth: int = 0) -> Any:
    """Return `value`, given in Python, as a JSON value: tuples become lists.

    Raises:
        ConfigError: it holds something that JSON can't: NaN, a key that is no text, an object.
    """
    if depth > DEPTH_LIMIT:
        raise document.fault(location, f"is nested more than {DEPTH_LIMIT} levels deep")
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        if _has_surrogate(value):
            raise document.fault(location, "holds half of a surrogate pair, which is not text")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise document.fault(location, f"must be a finite number, not {value}")
        return value
    if isinstance(value, list | tuple):
        return [
            checked_json(document, (*location, i), item, depth + 1) for i, item in enumerate(value)
        ]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise document.fault(location, f"has the key {key!r}; a key must be text")
        return {
            key: checked_json(document, (*location, key), item, depth + 1)
            for key, item in value.items()
        }
    raise document.fault(location, f"holds a {type(value).__name__}, which JSON has no word for")


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _message(fault: ErrorDetails, model: type[BaseModel]) -> str:
    """Say one fault that pydantic found."""
    kind, location = fault["type"], fault["loc"]
    if kind == "extra_forbidden":
        known = _fields_at(model, location[:-1])
        return f"unknown key; {nearest(str(location[-1]), known)}"
    if kind == "string_pattern_mismatch" and fault["ctx"]["pattern"] == r"\S":
        return "must not be blank"
    message = _MESSAGES.get(kind)
    if message is None:
        message = str(fault["msg"]).removeprefix("Value error, ")
        message = re.sub(r"^Input should", "must", message)
    given = fault.get("input")
    # A text that breaks a rule of ours is not shown: it may be a key that was put in a wrong place.
    shows = kind not in ("missing", "value_error", "string_pattern_mismatch")
    if shows and isinstance(given, str | int | float) and len(repr(given)) <= 60:
        return f"{message}, not {given!r}"
    return message


def _fields_at(model: type[BaseModel], location: Location) -> list[str]:
    """Return the field names of the model that stands at `location` inside `model`."""
    models = [model]
    for step in location:
        models = [
            inner
            for outer in models
            for name, info in outer.model_fields.items()
            if name == step
            for inner in _models_in(info.annotation)
        ] or models
    return [info.alias or name for each in models for name, info in each.model_fields.items()]


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    from pydantic import BaseModel

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
