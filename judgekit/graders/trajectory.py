"""How an agent went about its task: the ``trajectory_*`` graders, over a record of its run.

A record is an object with `toolCalls` (and `usageTotals`), or a list of step events. A call or a
step has a name and arguments, and may have a `result` (``{"ok": true}``) and an `approval`
(``{"outcome": "approved", "actor": "…"}``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from pydantic import Field

from judgekit.errors import Cause
from judgekit.graders.candidate import as_json
from judgekit.graders.grade import Grade, Json
from judgekit.graders.option_types import NonBlankText, Terms
from judgekit.graders.registry import GraderConfig, deterministic
from judgekit.graders.tool_calls import ToolCall, read_tool_calls

_EXAMPLE = {
    "toolCalls": [
        {"name": "find_order", "args": {"id": 42}, "result": {"ok": True}},
        {
            "name": "refund",
            "args": {"id": 42},
            "approval": {"outcome": "approved", "actor": "ops@example.com"},
            "result": {"ok": True},
        },
    ],
    "usageTotals": {"metered": {"credits": 3}, "priced": {"credits": 1}},
}


class ToolChoiceConfig(GraderConfig):
    """Options of `trajectory_tool_choice`."""

    allowed_tools: Terms = Field(description="The tools that may be called.")


class UnnecessaryConfig(GraderConfig):
    """Options of `trajectory_unnecessary_call`: none but how many are let be."""

    allowed: int = Field(0, ge=0, description="How many unnecessary calls pass.")


class ApprovalConfig(GraderConfig):
    """Options of `trajectory_approval`."""

    authorized_approvers: Terms = Field(description="Who may approve.")
    guarded_tools: Terms | None = Field(
        None, description="Tools that need approval; a call that carries one is guarded anyway."
    )


class BudgetConfig(GraderConfig):
    """Options of `trajectory_budget`."""

    budget: float = Field(ge=0, description="Most that the run may use.")
    unit: NonBlankText = Field("credits", description="What is counted.")


@deterministic(
    "trajectory_tool_choice",
    example={"config": {"allowed_tools": ["find_order", "refund"]}, "candidate": _EXAMPLE},
)
def trajectory_tool_choice(config: ToolChoiceConfig, candidate: Json) -> Grade:
    """Only allowed tools were called; the score is the share of calls that were allowed."""
    calls = _steps(candidate)
    if isinstance(calls, Grade):
        return calls
    wrong = [call.name for call in calls if call.name not in config.allowed_tools]
    reason = (
        f"not allowed: {', '.join(map(repr, dict.fromkeys(wrong)))}" if wrong else "all allowed"
    )
    return Grade.of(not wrong, reason, score=_share(len(wrong), len(calls)))


@deterministic("trajectory_unnecessary_call", example={"config": {}, "candidate": _EXAMPLE})
def trajectory_unnecessary_call(config: UnnecessaryConfig, candidate: Json) -> Grade:
    """No call repeats one with the same arguments that had succeeded; the score is the share."""
    calls = _steps(candidate)
    if isinstance(calls, Grade):
        return calls
    succeeded: set[tuple[str, bytes]] = set()
    repeats = []
    for position, call in enumerate(calls, start=1):
        same = (call.name, orjson.dumps(call.arguments, option=orjson.OPT_SORT_KEYS))
        if same in succeeded:
            repeats.append(position)
        elif _succeeded(call):
            succeeded.add(same)
    reason = (
        f"calls {', '.join(map(str, repeats))} repeat" if repeats else "no call repeats another"
    )
    score = _share(len(repeats), len(calls))
    return Grade.of(len(repeats) <= config.allowed, reason, score=score)


@deterministic(
    "trajectory_approval",
    example={"config": {"authorized_approvers": ["ops@example.com"]}, "candidate": _EXAMPLE},
)
def trajectory_approval(config: ApprovalConfig, candidate: Json) -> Grade:
    """Every guarded call that ran was approved by somebody who may; the score is the share."""
    calls = _steps(candidate)
    if isinstance(calls, Grade):
        return calls
    guarded = config.guarded_tools or ()
    held = [call for call in calls if call.name in guarded or call.raw.get("approval") is not None]
    faults = [fault for call in held if (fault := _approval_fault(call, config))]
    reason = faults[0] if faults else f"{len(held)} guarded calls, each approved or not run"
    return Grade.of(not faults, reason, score=_share(len(faults), len(held)))


@deterministic("trajectory_budget", example={"config": {"budget": 10}, "candidate": _EXAMPLE})
def trajectory_budget(config: BudgetConfig, candidate: Json) -> Grade:
    """What the run used, over all of `usageTotals` or all steps, is within the budget."""
    record = as_json(candidate)
    if isinstance(record, Grade):
        return record
    try:
        used = math.fsum(_amounts(record, config.unit))
    except ValueError as error:
        return Grade.error(Cause.MISSING_MEASUREMENT, str(error))
    return Grade.of(
        used <= config.budget,
        f"{used:g} {config.unit}, budget {config.budget:g}",
        details={"used": used},
    )


def _steps(candidate: Json) -> list[ToolCall] | Grade:
    """Return the calls of a run record, or those among its step events."""
    record = as_json(candidate)
    if isinstance(record, list) and all(isinstance(item, dict) for item in record):
        typed = [item for item in record if isinstance(item, dict) and "type" in item]
        if len(typed) == len(record):
            record = [item for item in typed if "call" in str(item["type"])]
    return read_tool_calls(record) if not isinstance(record, Grade) else record


def _succeeded(call: ToolCall) -> bool:
    result = call.raw.get("result")
    return isinstance(result, dict) and result.get("ok") is True


def _approval_fault(call: ToolCall, config: ApprovalConfig) -> str | None:
    if call.raw.get("result") is None:
        return None
    approval = call.raw.get("approval")
    if not isinstance(approval, dict) or approval.get("outcome") != "approved":
        return f"{call.name!r} ran without approval"
    if approval.get("actor") not in config.authorized_approvers:
        return f"{call.name!r} was approved by somebody who may not"
    return None


def _share(wrong: int, of: int) -> float:
    return 1 - wrong / of if of else 1.0


def _amounts(record: Json, unit: str) -> Iterator[float]:
    """Yield what was used.

    Raises:
        ValueError: nothing was measured, or a measurement is no finite number from 0 up.
    """
    parts: list[Any]
    if isinstance(record, list):
        parts = list(record)
    else:
        totals = record.get("usageTotals") if isinstance(record, dict) else None
        parts = list(totals.values()) if isinstance(totals, dict) else []
    measured = [part[unit] for part in parts if isinstance(part, Mapping) and unit in part]
    if not measured:
        raise ValueError(f"the candidate measures no {unit}")
    for value in measured:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or value < 0:
            raise ValueError(f"a measurement of {unit} is no finite number from 0 up")
        yield value
