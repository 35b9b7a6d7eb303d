"""Graders of a value's shape: `json_shape` and `pydantic_schema`."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

from pydantic import (
    BaseModel,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from judgekit.graders.candidate import (
    as_json,
    clip,
    has_non_finite,
    json_text,
)
from judgekit.graders.dotted_path import at_dotted_path, path_fault
from judgekit.graders.equality import pointer
from judgekit.graders.grade import Grade, Json
from judgekit.graders.json_schema import faults_listed
from judgekit.graders.masking import masked, without_surrogates
from judgekit.graders.option_types import NonBlankText, Terms
from judgekit.graders.registry import GraderConfig, deterministic


class JsonShapeConfig(GraderConfig):
    """Options of `json_shape`."""

    required_keys: Terms = Field(
        description="Dotted paths that must be present, such as `user.name` or `items.0.id`; "
        "null is present."
    )

    @field_validator("required_keys")
    @classmethod
    def _dotted(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        for path in paths:
            fault = path_fault(path)
            if fault is not None:
                raise ValueError(f"{clip(path)}: {fault}")
        return paths


@deterministic(
    "json_shape",
    example={
        "config": {"required_keys": ["user.name", "items.0"]},
        "candidate": '{"user": {"name": "Ada"}, "items": [1]}',
    },
)
def json_shape(config: JsonShapeConfig, candidate: Json) -> Grade:
    """The candidate, read as JSON, has every path of `required_keys`."""
    value = as_json(candidate)
    if isinstance(value, Grade):
        return value
    lacking = [path for path in config.required_keys if not at_dotted_path(value, path)]
    if lacking:
        return Grade.of(False, f"not present: {', '.join(map(clip, lacking))}")
    return Grade.of(True, f"all {len(config.required_keys)} paths are present")


class PydanticSchemaConfig(GraderConfig):
    """Options of `pydantic_schema`."""

    model: NonBlankText = Field(
        description="The model as `module:Name`: a pydantic model of the project, imported by the "
        "grader."
    )
    strict: bool = Field(True, description="Whether JSON types must match: no number from text.")

    @model_validator(mode="after")
    def _check(self) -> PydanticSchemaConfig:
        _adapter(self.model)
        return self


@deterministic(
    "pydantic_schema",
    example={
        "config": {"model": "judgekit.judges.port:TokenUsage"},
        "candidate": '{"input_tokens": 12, "output_tokens": 3}',
    },
)
def pydantic_schema(config: PydanticSchemaConfig, candidate: Json) -> Grade:
    """The candidate, read as JSON, is valid under a pydantic model of the project."""
    value = as_json(candidate)
    if isinstance(value, Grade):
        return value
    if has_non_finite(value):
        return Grade.of(False, "the candidate holds NaN or an infinity, which JSON has not")
    document = without_surrogates(json_text(value))
    try:
        _adapter(config.model).validate_json(document, strict=config.strict)
    except ValidationError as error:
        return _invalid(error)
    except Exception as error:  # noqa: BLE001 - a model's own validators may raise anything
        return Grade.of(False, f"the model raised {type(error).__name__}: {clip(str(error), 200)}")
    return Grade.of(True, f"valid under {config.model}")


def _invalid(error: ValidationError) -> Grade:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    return faults_listed([(_place(fault["loc"]), masked(fault["msg"])) for fault in faults])


def _place(keys: tuple[int | str, ...]) -> str:
    place = ""
    for key in keys:
        place = pointer(place, key)
    return place


@lru_cache(maxsize=128)
def _adapter(reference: str) -> TypeAdapter[Any]:
    """Return what validates the model called ``module:Name``.

    Raises:
        ValueError: the module cannot be imported, or has no such pydantic model.
    """
    module_name, separator, name = reference.partition(":")
    if not (separator and module_name and name.isidentifier()):
        raise ValueError("write the model as module:Name")
    try:
        model = getattr(importlib.import_module(module_name), name, None)
    except Exception as error:  # noqa: BLE001 - importing a module may raise anything
        raise ValueError(f"cannot import {module_name}: {type(error).__name__}: {error}") from None
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise ValueError(f"{module_name} has no pydantic model called {name}")
    return TypeAdapter(model)
