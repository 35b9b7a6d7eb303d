"""Which tools were called, how often, in what order and with what: the ``tool_*`` graders."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from judgekit.graders.dotted_path import at_dotted_path
from judgekit.graders.equality import difference
from judgekit.graders.grade import Grade, Json
from judgekit.graders.json_path import TooMuchWork, select
from judgekit.graders.json_path_assertion import check_path
from judgekit.graders.option_types import JsonOption, NonBlankText, Terms
from judgekit.graders.registry import GraderConfig, deterministic
from judgekit.graders.tool_calls import ToolCall, read_tool_calls

_EXAMPLE = {
    "tool_calls": [
        {"function": {"name": "find_order", "arguments": '{"id": 42}'}},
        {"function": {"name": "refund", "arguments": '{"id": 42, "euros": 24.9}'}},
    ]
}


class ToolsConfig(GraderConfig):
    """Options of `tool_called` and `tool_not_called`."""

    tools: Terms = Field(description="Names of tools, as they are called; case counts.")


class SequenceConfig(GraderConfig):
    """Options of `tool_sequence`."""

    tools: Terms = Field(description="Names of tools in order; case counts.")
    exact: bool = Field(
        False, description="Whether no other call may stand before, between, after."
    )


class ArgumentConfig(GraderConfig):
    """Options of `tool_argument_assertion`: `equals` or `exists`."""

    tool: NonBlankText = Field(description="Name of the tool.")
    path: str = Field(description="Where in the arguments: a dotted path, or a JSONPath ($…).")
    equals: JsonOption = Field(None, description="The value there, type and all.")
    exists: bool | None = Field(None, description="Whether anything must stand there.")

    @model_validator(mode="after")
    def _one_assertion(self) -> ArgumentConfig:
        if ("equals" in self.model_fields_set) is (self.exists is not None):
            raise ValueError("give one of equals and exists")
        check_path(self.path)
        if not self.path and not self.exists and "equals" not in self.model_fields_set:
            raise ValueError('path: "" names the key "", whose absence proves nothing')
        return self


class CountConfig(GraderConfig):
    """Options of `tool_call_count`."""

    tool: NonBlankText | None = Field(None, description="Name of the tool; any tool if left out.")
    minimum: int = Field(0, ge=0, description="Fewest calls that pass.")
    maximum: int | None = Field(
        None, ge=0, description="Most calls that pass; no limit if left out."
    )

    @model_validator(mode="after")
    def _says_something(self) -> CountConfig:
        if self.maximum is None and self.minimum == 0:
            raise ValueError("give a minimum above 0, a maximum, or both")
        if self.maximum is not None and self.maximum < self.minimum:
            raise ValueError("maximum must not be less than minimum")
        return self


@deterministic("tool_called", example={"config": {"tools": ["find_order"]}, "candidate": _EXAMPLE})
def tool_called(config: ToolsConfig, candidate: Json) -> Grade:
    """Every one of `tools` was called."""
    calls = read_tool_calls(candidate)
    if isinstance(calls, Grade):
        return calls
    called = {call.name for call in calls}
    missing = [name for name in config.tools if name not in called]
    reason = f"not called: {_listed(missing)}" if missing else f"called: {_listed(config.tools)}"
    return Grade.of(not missing, reason)


@deterministic(
    "tool_not_called", example={"config": {"tools": ["delete_account"]}, "candidate": _EXAMPLE}
)
def tool_not_called(config: ToolsConfig, candidate: Json) -> Grade:
    """None of `tools` was called; without a list of calls nothing shows that, and it fails."""
    calls = read_tool_calls(candidate)
    if isinstance(calls, Grade):
        return calls
    for position, call in enumerate(calls, start=1):
        if call.name in config.tools:
            return Grade.of(False, f"{call.name!r} was called (call {position} of {len(calls)})")
    return Grade.of(True, f"none of them is among the {len(calls)} calls")


@deterministic(
    "tool_sequence",
    example={"config": {"tools": ["find_order", "refund"]}, "candidate": _EXAMPLE},
)
def tool_sequence(config: SequenceConfig, candidate: Json) -> Grade:
    """The tools were called in this order; others may stand between them unless `exact`."""
    calls = read_tool_calls(candidate)
    if isinstance(calls, Grade):
        return calls
    names = [call.name for call in calls]
    if config.exact:
        passed = names == list(config.tools)
        return Grade.of(passed, f"calls: {_listed(names)}")
    left = iter(names)
    for name in config.tools:
        if name not in left:
            return Grade.of(False, f"{name!r} is not called after what must precede it")
    return Grade.of(True, f"{_listed(config.tools)} stand in this order")


@deterministic(
    "tool_argument_assertion",
    example={"config": {"tool": "refund", "path": "id", "equals": 42}, "candidate": _EXAMPLE},
)
def tool_argument_assertion(config: ArgumentConfig, candidate: Json) -> Grade:
    """A call of `tool` has, at `path` of its arguments, what is asserted; any one call will do.

    That nothing stands there (`exists: false`) must hold for every call.
    """
    calls = read_tool_calls(candidate)
    if isinstance(calls, Grade):
        return calls
    of_tool = [call for call in calls if call.name == config.tool]
    if not of_tool:
        return Grade.of(False, f"{config.tool!r} is not called")
    faults = [_argument_fault(config, call) for call in of_tool]
    if config.exists is False:
        fault = next(filter(None, faults), None)
        return Grade.of(fault is None, f"{config.tool!r}: {fault or config.path + ' is not there'}")
    if None in faults:
        return Grade.of(True, f"call {faults.index(None) + 1} of {config.tool!r} is as asserted")
    return Grade.of(False, f"{config.tool!r}: {faults[0]}")


def _argument_fault(config: ArgumentConfig, call: ToolCall) -> str | None:
    if call.arguments is None:
        return "its arguments are no JSON object"
    try:
        found = _at(config.path, call.arguments)
    except TooMuchWork as error:
        return str(error)
    if config.exists is not None:
        return None if bool(found) is config.exists else f"{config.path} is {_there(bool(found))}"
    if not found:
        return f"{config.path} is not there"
    faults = [difference(config.equals, value) for value in found]
    return next((f"{config.path}: {fault}" for fault in faults if fault), None)


def _at(path: str, arguments: dict[str, Json]) -> list[Json]:
    return (
        select(path, arguments) if path.startswith("$") else list(at_dotted_path(arguments, path))
    )


def _there(found: bool) -> str:
    return "there" if found else "not there"


@deterministic(
    "tool_call_count",
    example={"config": {"tool": "refund", "minimum": 1, "maximum": 1}, "candidate": _EXAMPLE},
)
def tool_call_count(config: CountConfig, candidate: Json) -> Grade:
    """A tool, or any tool, was called at least `minimum` and at most `maximum` times."""
    calls = read_tool_calls(candidate)
    if isinstance(calls, Grade):
        return calls
    count = sum(config.tool in (None, call.name) for call in calls)
    passed = config.minimum <= count and (config.maximum is None or count <= config.maximum)
    most = "any number" if config.maximum is None else config.maximum
    what = repr(config.tool) if config.tool else "tools"
    return Grade.of(
        passed,
        f"{what} called {count} times, expected {config.minimum} to {most}",
        details={"count": count},
    )


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names)) or "none"
