"""The registry of graders: a name, a config model, and a function.

A grader module registers its functions by decorator and is found by its place in this package, so
that a new kind of evidence is one new module and no edit elsewhere::

    class ContainsConfig(GraderConfig):
        fragments: Fragments

    @deterministic("contains", example={"config": {"fragments": ["refund"]}, "candidate": "..."})
    def contains(config: ContainsConfig, candidate: Json) -> Grade:
        '''All of `fragments` stand in the candidate.'''
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from inspect import cleandoc
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from pydantic import BaseModel, ConfigDict, ValidationError

from judgekit.errors import Cause, ConfigError, JudgekitError
from judgekit.graders.candidate import unfit
from judgekit.graders.grade import Grade, Json

if TYPE_CHECKING:
    from judgekit.graders.judging import Judging


class GraderConfig(BaseModel):
    """Base of every grader's options: strict types, no unknown option, immutable."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, regex_engine="rust-regex"
    )


ConfigT = TypeVar("ConfigT", bound=GraderConfig)


@dataclass(frozen=True, slots=True)
class GraderSpec:
    """One registered grader.

    Attributes:
        name: what eval files call it.
        config_model: its options.
        summary: the first line of the function's docstring.
        evidence: the module that holds it, such as ``text`` or ``tools``.
        model_graded: whether it asks a judge (and so needs a `Judging`).
        example: ``{"config": …, "candidate": …}`` that passes.
    """

    name: str
    config_model: type[GraderConfig]
    summary: str
    evidence: str
    model_graded: bool
    example: Mapping[str, Any]
    function: Callable[..., Grade]

    def options(self) -> tuple[Option, ...]:
        """Return the grader's options, in the order of its config model."""
        return tuple(
            Option(
                name=field.alias or name,
                type=_type_name(field.annotation),
                required=field.is_required(),
                default=None
                if field.is_required()
                else field.get_default(call_default_factory=True),
                description=field.description or _documented(self.config_model, name),
            )
            for name, field in self.config_model.model_fields.items()
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a grader, as `judgekit graders show` prints it.

    Attributes:
        name: as eval files write it.
        type: in words, such as ``text`` or ``list of text``.
        default: what it is when left out; None when it is required.
    """

    name: str
    type: str
    required: bool
    default: Any
    description: str


def _documented(model: type[BaseModel], name: str) -> str:
    """Return what the docstrings of `model` and its bases say of the attribute `name`."""
    documents = [cleandoc(base.__doc__ or "") for base in model.__mro__ if base is not BaseModel]
    for document in documents:
        _, _, attributes = document.partition("\nAttributes:\n")
        found = re.search(rf"^ {{4}}{name}: (.*(?:\n {{8}}.*)*)", attributes, re.MULTILINE)
        if found:
            return " ".join(found[1].split())
    return documents[0].split("\n", 1)[0]


_TYPE_WORDS: Mapping[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    type(None): "null",
    Any: "any JSON value",
}


def _type_name(annotation: Any) -> str:
    """Return the words for an option's type."""
    if annotation in _TYPE_WORDS:
        return _TYPE_WORDS[annotation]
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_name(inner[0])
    if origin is Literal:
        return " | ".join(str(value) for value in inner)
    if origin in (tuple, list, set, frozenset, Sequence):
        return f"list of {_type_name(inner[0])}" if inner else "list"
    if origin in (dict, Mapping):
        return f"object of {_type_name(inner[1])}"
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_type_name(part) for part in inner))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " | ".join(str(member.value) for member in annotation)
    return getattr(annotation, "__name__", str(annotation))


_specs: dict[str, GraderSpec] = {}


def deterministic(
    name: str, *, example: Mapping[str, Any]
) -> Callable[[Callable[[ConfigT, Json], Grade]], Callable[[ConfigT, Json], Grade]]:
    """Register a pure grader ``(config, candidate) -> Grade`` under `name`."""

    def register(function: Callable[[ConfigT, Json], Grade]) -> Callable[[ConfigT, Json], Grade]:
        _register(name, function, example, model_graded=False)
        return function

    return register


def model_graded(
    name: str, *, example: Mapping[str, Any]
) -> Callable[
    [Callable[[ConfigT, Json, Judging], Grade]], Callable[[ConfigT, Json, Judging], Grade]
]:
    """Register a grader ``(config, candidate, judging) -> Grade`` that asks a judge."""

    def register(
        function: Callable[[ConfigT, Json, Judging], Grade],
    ) -> Callable[[ConfigT, Json, Judging], Grade]:
        _register(name, function, example, model_graded=True)
        return function

    return register


def _register(
    name: str, function: Callable[..., Grade], example: Mapping[str, Any], *, model_graded: bool
) -> None:
    if name in _specs:
        raise ValueError(f"two graders are named {name!r}")
    _specs[name] = GraderSpec(
        name=name,
        config_model=_config_model(function),
        summary=(function.__doc__ or "").strip().split("\n", 1)[0],
        evidence=function.__module__.rpartition(".")[2],
        model_graded=model_graded,
        example=example,
        function=function,
    )


def _config_model(function: Callable[..., Grade]) -> type[GraderConfig]:
    annotation = function.__annotations__["config"]
    model = function.__globals__[annotation] if isinstance(annotation, str) else annotation
    if not issubclass(model, GraderConfig):
        raise TypeError(f"{function.__qualname__}: `config` must be a GraderConfig")
    return model  # type: ignore[no-any-return]


@cache
def graders() -> Mapping[str, GraderSpec]:
    """Return every registered grader by name, sorted; importing their modules on the first call."""
    package = importlib.import_module("judgekit.graders")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"judgekit.graders.{module.name}")
    return dict(sorted(_specs.items()))


def find_grader(name: str) -> GraderSpec:
    """Return the grader called `name`.

    Raises:
        ConfigError: there is none; the message names the nearest.
    """
    spec = graders().get(name)
    if spec is None:
        from difflib import get_close_matches

        near = get_close_matches(name, graders(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`judgekit graders list` shows them"
        raise ConfigError(f"unknown grader {name!r}: {hint}")
    return spec


def parse_config(spec: GraderSpec, config: Mapping[str, Any]) -> GraderConfig:
    """Validate `config` for `spec`.

    Raises:
        ConfigError: an option is unknown, missing or of the wrong type; all are named, in one line.
    """
    try:
        return spec.config_model.model_validate(config)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        raise ConfigError(f"{spec.name}: {'; '.join(_fault(spec, f) for f in faults)}") from None
    except RecursionError:
        raise ConfigError(f"{spec.name}: the config is nested too deeply") from None


def _fault(spec: GraderSpec, fault: Any) -> str:
    option = ".".join(map(str, fault["loc"])) or "config"
    if fault["type"] == "extra_forbidden":
        known = ", ".join(entry.name for entry in spec.options())
        return f"{option}: unknown option (options: {known or 'none'})"
    if fault["type"] == "missing":
        return f"{option}: this option is required"
    message = fault["msg"].removeprefix("Value error, ").replace("valid tuple", "valid list")
    return f"{option}: {message.replace('Tuple should', 'List should')}"


def grade(
    name: str, config: Mapping[str, Any], candidate: Json, *, judging: Judging | None = None
) -> Grade:
    """Grade `candidate` with the grader called `name`.

    Args:
        name: a registered grader.
        config: its options, as an eval file holds them.
        candidate: the judged output: text, or any JSON value.
        judging: the judge and what it may see; needed by model-graded graders only.

    Returns:
        The grade; an unknown grader or an invalid option is a grade in error, never a pass.
    """
    try:
        spec = find_grader(name)
        return run_grader(spec, parse_config(spec, config), candidate, judging)
    except JudgekitError as error:
        return Grade.from_error(error)


def run_grader(
    spec: GraderSpec, config: GraderConfig, candidate: Json, judging: Judging | None
) -> Grade:
    """Grade `candidate` with a validated config; judgekit's own errors become grades in error.

    A candidate that is no JSON value, or is nested or large beyond the caps of
    `judgekit.graders.candidate`, is a grade in error: the task gave nothing that can be judged.
    """
    fault = unfit(candidate)
    if fault is not None:
        return Grade.error(Cause.TASK_FAILED, f"{spec.name}: {fault}")
    try:
        if not spec.model_graded:
            return spec.function(config, candidate)
        if judging is None:
            return Grade.error(Cause.INVALID_CONFIG, f"{spec.name}: needs a judge, and none is set")
        return spec.function(config, candidate, judging)
    except JudgekitError as error:
        return Grade.from_error(error)
    except RecursionError:
        return Grade.error(Cause.INVALID_CONFIG, f"{spec.name}: the value is nested too deeply")
