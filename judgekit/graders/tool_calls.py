"""Reads the tool calls out of a candidate, in the shapes that model servers and agents write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from judgekit.graders.candidate import as_json
from judgekit.graders.grade import Grade, Json

LISTS = ("tool_calls", "tools_called", "tools", "toolCalls")
"""Fields that hold a list of calls."""

_ARGUMENTS = ("arguments", "args", "input", "parameters")
_NAMES = ("name", "tool", "tool_name", "toolName")
_CALL_TYPES = ("function_call", "tool_call", "custom_tool_call", "mcp_call")


class UnreadableError(ValueError):
    """The candidate holds no readable list of tool calls; never leaves the graders."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call.

    Attributes:
        arguments: by name; None where they can't be read (no object, and no JSON text of one).
        raw: the call as the candidate holds it.
    """

    name: str
    arguments: dict[str, Json] | None
    raw: dict[str, Any] = field(default_factory=dict)


def read_tool_calls(candidate: Json) -> list[ToolCall] | Grade:
    """Return the calls in order, or the failed grade that says why there is no list of them.

    Read are: a list of names or calls; an object with `tool_calls`, `tools_called` or `tools`; a
    message, a list of messages, or a whole answer of OpenAI (chat and responses), Anthropic or
    Ollama. A text without any such list is no evidence that no tool was called.
    """
    value = as_json(candidate)
    if isinstance(value, Grade):
        return Grade.of(False, "the candidate holds no readable list of tool calls (no JSON)")
    try:
        return list(_calls(value))
    except UnreadableError as error:
        return Grade.of(False, f"the candidate holds no readable list of tool calls: {error}")


def _calls(value: Json) -> Iterator[ToolCall]:
    if isinstance(value, list):
        if value and all(isinstance(item, dict) and "role" in item for item in value):
            yield from _of_messages(value)
        else:
            yield from map(_call, value)
    elif isinstance(value, dict):
        yield from _of_object(value)
    else:
        raise UnreadableError("it is no list and no object")


def _of_object(value: dict[str, Any]) -> Iterator[ToolCall]:
    """Yield the calls of the one list that the object holds, wherever it stands in it.

    Lists that say the same count once. Lists that differ are no evidence, neither that a tool was
    called nor that it was not.
    """
    told = list(_lists(value))
    blocks = [each for name in ("content", "output") for each in _blocks(value.get(name))]
    calls = [_call(block) for block in blocks if _is_call(block)]
    if calls or (blocks and not told):
        told.append(calls)
    if not told:
        raise UnreadableError(f"it has no {', '.join(LISTS[:3])}")
    if any(calls != told[0] for calls in told):
        raise UnreadableError("it has several lists of calls, and they differ")
    yield from told[0]


def _blocks(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _lists(value: dict[str, Any]) -> Iterator[list[ToolCall]]:
    given = [name for name in LISTS if value.get(name) is not None]
    if len(given) > 1 and "tools" in given:
        given.remove("tools")  # beside a list of calls it says which tools there are
    for name in given:
        if not isinstance(value[name], list):
            raise UnreadableError(f"{name} is no list")
        yield [_call(each) for each in value[name]]
    messages = _messages(value)
    if messages:
        with suppress(UnreadableError):
            yield list(_of_messages(messages))
    if isinstance(value.get("messages"), list):
        yield list(_of_messages(value["messages"]))
    if isinstance(value.get("function_call"), dict):
        yield [_call(value["function_call"])]


def _messages(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of a whole answer: of its choices, or its one message."""
    holders = [*_blocks(value.get("choices")), value]
    found = (holder.get("message") for holder in holders if isinstance(holder, dict))
    return [message for message in found if isinstance(message, dict)]


def _of_messages(messages: list[Any]) -> Iterator[ToolCall]:
    """Yield the calls of every message; at least one must tell of calls, or of none."""
    told = False
    for message in messages:
        try:
            yield from list(_of_object(message))
            told = True
        except (UnreadableError, AttributeError):
            continue
    if not told:
        raise UnreadableError("no message says which tools were called")


def _is_call(block: Any) -> bool:
    kind = block.get("type") if isinstance(block, dict) else None
    return isinstance(kind, str) and (kind in _CALL_TYPES or kind.endswith("tool_use"))


def _call(item: Any) -> ToolCall:
    if isinstance(item, str) and item.strip():
        return ToolCall(item.strip(), None)
    if not isinstance(item, dict):
        raise UnreadableError("a call is neither a name nor an object")
    inner = item["function"] if isinstance(item.get("function"), dict) else item
    name = next((inner[key] for key in _NAMES if isinstance(inner.get(key), str)), None)
    if not name or not name.strip():
        raise UnreadableError("a call has no name")
    given: Any = next((inner[key] for key in _ARGUMENTS if key in inner), {})
    return ToolCall(name.strip(), _object(given), item)


def _object(given: Any) -> dict[str, Json] | None:
    if isinstance(given, str):
        given = as_json(given)
    return given if isinstance(given, dict) else None
