"""Reads what an agent did, step by step: its calls, what they gave, and who approved them.

A record of a run is an object with `toolCalls`, or a list of step events. A call has a name and
arguments, and may have a `result` (``{"ok": true}``) and an `approval` (``{"outcome": "approved",
"actor": "…"}``); a call of a record that has no result did not run. In a list these may also be
events of their own, ``tool_result`` and ``approval``, which name their call by its id or follow it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from judgekit.graders.candidate import as_json
from judgekit.graders.grade import Grade, Json
from judgekit.graders.tool_calls import (
    ToolCall,
    UnreadableError,
    is_result,
    kind_of,
    of_event,
    told_calls,
)

_CALL_IDS = ("id", "call_id", "tool_call_id", "toolCallId", "tool_use_id")
_REFERENCES = ("tool_call_id", "toolCallId", "tool_use_id", "call_id")
_ABOUT_CALLS = ("tool", "call", "function", "action", "observation")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a run.

    Attributes:
        result: what it gave, as the record holds it; None where none is told.
        approval: who allowed it, as the record holds it; None where nobody is told.
        ran: whether it was carried out; a call of a list that tells of no results is taken to be.
    """

    call: ToolCall
    result: Json
    approval: Json
    ran: bool

    @property
    def succeeded(self) -> bool:
        """Whether its result is there and says nothing of a failure."""
        if isinstance(self.result, Mapping):
            if "ok" in self.result:
                return self.result["ok"] is True
            return not (self.result.get("error") or self.result.get("is_error"))
        return self.result is not None and self.result is not False


def read_steps(candidate: Json) -> list[Step] | Grade:
    """Return the calls of a run in order, or the failed grade that says why they can't be read."""
    record = as_json(candidate)
    if isinstance(record, Grade):
        return Grade.of(False, f"the record of the run can't be read: {record.reason}")
    try:
        return _steps(record)
    except UnreadableError as error:
        return Grade.of(False, f"the record of the run can't be read: {error}")


def _steps(record: Json) -> list[Step]:
    if isinstance(record, dict) and "toolCalls" not in record:
        messages = record.get("messages")
        record = messages if isinstance(messages, list) else record
    if isinstance(record, list):
        return _settled(_of_events(record))
    calls = told_calls(record)
    if calls is None:
        raise UnreadableError("it holds no list of tool calls")
    steps = [_step(call) for call in calls]
    return steps if isinstance(record, dict) and "toolCalls" in record else _settled(steps)


def _step(call: ToolCall) -> Step:
    result = call.raw.get("result")
    return Step(call, result, call.raw.get("approval"), ran=result is not None)


def _settled(steps: list[Step]) -> list[Step]:
    """Return steps of a form that need not tell of results: where none does, every call ran."""
    if any(step.result is not None for step in steps):
        return steps
    return [replace(step, ran=True) for step in steps]


def _of_events(items: list[Any]) -> list[Step]:
    steps: list[Step] = []
    for event in _events(items):
        if isinstance(event, ToolCall):
            steps.append(_step(event))
        elif "approval" in kind_of(event):
            index = _index_of_call(steps, event)
            if steps[index].result is None:
                steps[index] = replace(steps[index], approval=event)
        elif _is_about_a_call(event):
            index = _index_of_call(steps, event)
            steps[index] = replace(steps[index], result=_result(event), ran=True)
        else:
            steps += map(_step, of_event(event))
    if items and not steps and not any(map(kind_of, items)):
        raise UnreadableError("no message says which tools were called")
    return steps


def _events(items: list[Any]) -> Iterator[Any]:
    """Yield events and calls, those of messages among them, each in its place."""
    for item in items:
        role = item.get("role") if isinstance(item, dict) else None
        if role is None:
            yield item
        elif role in ("tool", "function"):
            yield {**item, "type": "tool_result"}
        elif role in ("user", "system", "developer"):
            content = item.get("content")
            yield from filter(is_result, content if isinstance(content, list) else ())
        else:
            yield from told_calls(item) or ()


def _is_about_a_call(event: Any) -> bool:
    """Whether an event is a call's result, and not that of the whole run."""
    if not is_result(event):
        return False
    return any(word in kind_of(event) for word in _ABOUT_CALLS) or any(
        event.get(name) is not None for name in _REFERENCES
    )


def _index_of_call(steps: list[Step], event: dict[str, Any]) -> int:
    """Return which step an event is about: the one that it names, or else the last.

    Raises:
        UnreadableError: there is no such step.
    """
    named = next((event[name] for name in _REFERENCES if event.get(name) is not None), None)
    sought = event.get("id") if named is None else named
    for index in reversed(range(len(steps))):
        if sought is not None and sought in (steps[index].call.raw.get(key) for key in _CALL_IDS):
            return index
    if named is not None or not steps:
        raise UnreadableError(f"an event of type {kind_of(event)} is about no call before it")
    return len(steps) - 1


def _result(event: dict[str, Any]) -> Json:
    """Return what a result event says: its flags, or else what it holds."""
    flags: dict[str, Json] = {
        name: event[name] for name in ("ok", "error", "is_error") if name in event
    }
    held: Json = next(
        (event[name] for name in ("result", "content", "output") if name in event), {}
    )
    if isinstance(held, dict):
        return {**held, **flags}
    return flags or ({} if held is None else held)
