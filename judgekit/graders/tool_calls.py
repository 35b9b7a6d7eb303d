"""Reads the tool calls out of a candidate, in the shapes that model servers and agents write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from judgekit.graders.candidate import as_json
from judgekit.graders.equality import difference
from judgekit.graders.grade import Grade, Json

LISTS = ("tool_calls", "tools_called", "toolCalls")
"""Fields that hold a list of calls; those that are there and not null must not differ."""

_ARGUMENTS = ("arguments", "args", "input", "parameters")
_TOOL_FIELDS = ("tool", "tool_name", "toolName")
_NAMES = ("name", *_TOOL_FIELDS)
_CALL_KINDS = ("tool", "action", "function")
_UNNAMED = ("tool_call", "function_call", "custom_tool_call", "mcp_call")
_DEFINITION = ("input_schema", "inputSchema", "description")
_OTHERS = ("user", "system", "developer", "tool", "function")
"""Roles of messages that a model did not write."""


class UnreadableError(ValueError):
    """The candidate holds no readable list of tool calls; never leaves the graders."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call.

    Attributes:
        arguments: by name; None where they can't be read (no object, and no JSON text of one).
        given: the arguments as the candidate holds them.
        raw: the call as the candidate holds it.
    """

    name: str
    arguments: dict[str, Json] | None
    given: Json = None
    raw: dict[str, Any] = field(default_factory=dict)

    @property
    def tells_arguments(self) -> bool:
        """Whether the candidate says what the call was given; a bare name does not."""
        inner = self.raw.get("function")
        held = inner if isinstance(inner, dict) else self.raw
        return any(name in held for name in _ARGUMENTS)


def read_tool_calls(candidate: Json) -> list[ToolCall] | Grade:
    """Return the calls in order, or the failed grade that says why there is no list of them.

    Read are: a list of names, calls, messages or content blocks; an object with `tool_calls`,
    `tools_called`, `toolCalls` or `tools`; a message, an object with `messages`, or a whole answer
    of OpenAI (chat, every choice, and responses), Anthropic or Ollama. A text without any such list
    is no evidence that no tool was called, and neither are two lists that differ.
    """
    value = as_json(candidate)
    if isinstance(value, Grade):
        return Grade.of(False, "the candidate holds no readable list of tool calls (no JSON)")
    try:
        calls = told_calls(value)
    except UnreadableError as error:
        return Grade.of(False, f"the candidate holds no readable list of tool calls: {error}")
    if calls is None:
        return Grade.of(False, "the candidate holds no readable list of tool calls")
    return calls


def kind_of(item: Any) -> str:
    """Return the `type` of a block or event in small letters: ``tool-call`` is ``toolcall``."""
    kind = item.get("type") if isinstance(item, dict) else None
    return kind.lower().replace("_", "").replace("-", "") if isinstance(kind, str) else ""


def is_call(item: Any) -> bool:
    """Whether a block or event is a call: by its type, or by a tool's name in it.

    Raises:
        UnreadableError: its type is none that is known, and it has a name: it may be a call.
    """
    kind = kind_of(item)
    if not kind or kind in _CALL_KINDS or kind.endswith(("call", "tooluse")):
        return True
    if is_result(item) or "approval" in kind:
        return False
    if any(isinstance(item.get(name), str) for name in _TOOL_FIELDS):
        return True
    if "name" in item and kind != "message":
        raise UnreadableError("an item of an unknown type has a name")
    return False


def is_result(item: Any) -> bool:
    """Whether a block or event is what a call gave."""
    return kind_of(item).endswith(("result", "output", "response", "observation"))


def told_calls(value: Json) -> list[ToolCall] | None:
    """Return the calls that a value tells of, or None when it says nothing about calls.

    Raises:
        UnreadableError: a call has no name, a list is none, or two lists differ.
    """
    if isinstance(value, list):
        return _of_list(value)
    return _of_object(value) if isinstance(value, dict) else None


def _of_list(items: list[Any]) -> list[ToolCall] | None:
    """Return the calls of a list of names, calls, messages and content blocks."""
    told = [_of_item(item) for item in items]
    if items and all(calls is None for calls in told):
        return None
    return [call for calls in told for call in calls or ()]


def _of_item(item: Any) -> list[ToolCall] | None:
    if isinstance(item, str):
        return [_call(item)]
    if isinstance(item, dict) and "role" in item:
        return None if item["role"] in _OTHERS else _of_object(item)
    return of_event(item)


def _of_object(value: dict[str, Any]) -> list[ToolCall] | None:
    """Return the calls of a record, a message or an answer: its lists must not differ."""
    told = [calls for calls in _sources(value) if calls is not None]
    if not told:
        return _of_tools(value.get("tools"))
    if not all(_agree(one, other) for one, other in combinations(told, 2)):
        raise UnreadableError("it holds two lists of calls that differ")
    return max(told, key=lambda calls: sum(call.tells_arguments for call in calls))


def _agree(one: list[ToolCall], other: list[ToolCall]) -> bool:
    """Whether two lists tell of the same calls; one of them may leave the arguments out."""
    return len(one) == len(other) and all(map(_are_one_call, one, other))


def _are_one_call(one: ToolCall, other: ToolCall) -> bool:
    if one.name != other.name:
        return False
    if not (one.tells_arguments and other.tells_arguments):
        return True
    return difference(_read(one), _read(other)) is None


def _read(call: ToolCall) -> Json:
    return call.given if call.arguments is None else call.arguments


def _sources(value: dict[str, Any]) -> Iterator[list[ToolCall] | None]:
    """Yield the calls of each part of an object that may tell of them."""
    named = [name for name in LISTS if value.get(name) is not None]
    for name in named:
        yield [_call(item) for item in _list(value[name], name)]
    for blocks in (value.get("content"), value.get("output")):
        if isinstance(blocks, list) and blocks and all(map(kind_of, blocks)):
            calls = [call for block in blocks for call in of_event(block)]
            yield calls if calls or not named else None
    if isinstance(value.get("function_call"), dict):
        yield [_call(value["function_call"])]
    if isinstance(value.get("message"), dict):
        yield told_calls(value["message"])
    if "messages" in value:
        yield told_calls(_list(value["messages"], "messages") or None)
    if "choices" in value:
        yield _of_choices(_list(value["choices"], "choices"))
    if isinstance(value.get("steps"), list):
        yield _of_steps(value["steps"])


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise UnreadableError(f"{name} is no list")
    return value


def of_event(item: Any) -> list[ToolCall]:
    """Return the call that a content block or event is, or nothing.

    Raises:
        UnreadableError: it has no name, or may be a call.
    """
    return [_call(item)] if is_call(item) else []


def _of_choices(choices: list[Any]) -> list[ToolCall] | None:
    """Return the calls of every choice; each must tell of some, or of none."""
    told = [told_calls(choice) for choice in choices]
    if not told or any(calls is None for calls in told):
        return None
    return [call for calls in told for call in calls or ()]


def _of_steps(steps: list[Any]) -> list[ToolCall] | None:
    """Return the calls that steps of a record tell of; None where none does."""
    calls: list[ToolCall] = []
    for step in filter(lambda item: isinstance(item, dict), steps):
        told = _of_object(step)
        calls += told if told is not None else of_event(step) if kind_of(step) else []
    return calls or None


def _of_tools(tools: Any) -> list[ToolCall] | None:
    """Return the calls of `tools`, which other systems use for definitions of tools."""
    if tools is None:
        return None
    for item in _list(tools, "tools"):
        inner = item.get("function", item) if isinstance(item, dict) else {}
        if isinstance(inner, dict) and _is_definition(inner):
            raise UnreadableError("tools defines tools, and tells of no calls")
    return [_call(item) for item in tools]


def _is_definition(tool: dict[str, Any]) -> bool:
    schema = tool.get("parameters")
    is_schema = isinstance(schema, dict) and ("properties" in schema or "type" in schema)
    return is_schema or any(key in tool for key in _DEFINITION)


def _call(item: Any) -> ToolCall:
    if isinstance(item, str) and item.strip():
        return ToolCall(item.strip(), None)
    if not isinstance(item, dict):
        raise UnreadableError("a call is neither a name nor an object")
    inner = item["function"] if isinstance(item.get("function"), dict) else item
    name = next((inner[key] for key in _NAMES if isinstance(inner.get(key), str)), _built_in(item))
    if not name.strip():
        raise UnreadableError("a call has no name")
    given: Any = next((inner[key] for key in _ARGUMENTS if key in inner), {})
    return ToolCall(name.strip(), _object(given), given, item)


def _built_in(item: dict[str, Any]) -> str:
    """Return the tool of a call without a name: ``web_search`` of a ``web_search_call``."""
    kind = item.get("type")
    if not isinstance(kind, str) or not kind.endswith("_call") or kind in _UNNAMED:
        return ""
    return kind.removesuffix("_call")


def _object(given: Any) -> dict[str, Json] | None:
    if isinstance(given, str):
        given = as_json(given)
    return given if isinstance(given, dict) else None
