"""How an agent went about its task: the ``trajectory_*`` graders, over a record of its run.

What a record is: see `judgekit.graders.steps`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from pydantic import Field

from judgekit.errors import Cause
from judgekit.graders.candidate import as_json
from judgekit.graders.grade import Grade, Json
from judgekit.graders.option_types import NonBlankText, Terms
from judgekit.graders.registry import GraderConfig, deterministic
from judgekit.graders.steps import Step, read_steps
from judgekit.graders.tool_calls import LISTS

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
    steps = read_steps(candidate)
    if isinstance(steps, Grade):
        return steps
    names = [step.call.name for step in steps]
    wrong = [name for name in names if name not in config.allowed_tools]
    reason = (
        f"not allowed: {', '.join(map(repr, dict.fromkeys(wrong)))}" if wrong else "all allowed"
    )
    return Grade.of(not wrong, reason, score=_share(len(wrong), len(names)))


@deterministic("trajectory_unnecessary_call", example={"config": {}, "candidate": _EXAMPLE})
def trajectory_unnecessary_call(config: UnnecessaryConfig, candidate: Json) -> Grade:
    """No call repeats one with the same arguments that had succeeded; the score is the share."""
    steps = read_steps(candidate)
    if isinstance(steps, Grade):
        return steps
    succeeded: set[str] = set()
    repeats = []
    for position, step in enumerate(steps, start=1):
        same = json.dumps([step.call.name, _by_value(_arguments(step))], sort_keys=True)
        if same in succeeded:
            repeats.append(position)
        elif step.succeeded:
            succeeded.add(same)
    reason = (
        f"calls {', '.join(map(str, repeats))} repeat" if repeats else "no call repeats another"
    )
    score = _share(len(repeats), len(steps))
    return Grade.of(len(repeats) <= config.allowed, reason, score=score)


def _arguments(step: Step) -> Json:
    """Return what the call was given: arguments that can't be read are the same as no others."""
    return step.call.given if step.call.arguments is None else step.call.arguments


def _by_value(value: Json) -> Json:
    """Return `value` with whole numbers written one way: 1 and 1.0 are the same."""
    if isinstance(value, dict):
        return {key: _by_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_by_value(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@deterministic(
    "trajectory_approval",
    example={"config": {"authorized_approvers": ["ops@example.com"]}, "candidate": _EXAMPLE},
)
def trajectory_approval(config: ApprovalConfig, candidate: Json) -> Grade:
    """Every guarded call that ran was approved by somebody who may; the score is the share.

    A call of `guarded_tools` without a result and without a decision on it fails too: nothing shows
    that it did not run.
    """
    steps = read_steps(candidate)
    if isinstance(steps, Grade):
        return steps
    guarded = config.guarded_tools or ()
    held = [step for step in steps if step.call.name in guarded or step.approval is not None]
    faults = [fault for step in held if (fault := _approval_fault(step, config))]
    reason = faults[0] if faults else f"{len(held)} guarded calls, each approved or not run"
    return Grade.of(not faults, reason, score=_share(len(faults), len(held)))


@deterministic("trajectory_budget", example={"config": {"budget": 10}, "candidate": _EXAMPLE})
def trajectory_budget(config: BudgetConfig, candidate: Json) -> Grade:
    """What the run used, over all of `usageTotals` or all steps, is within the budget."""
    record = as_json(candidate)
    if isinstance(record, Grade):
        return record
    try:
        used = _total(record, config.unit)
    except ValueError as error:
        return Grade.error(Cause.MISSING_MEASUREMENT, str(error))
    return Grade.of(
        used <= config.budget,
        f"{used:g} {config.unit}, budget {config.budget:g}",
        details={"used": used},
    )


def _approval_fault(step: Step, config: ApprovalConfig) -> str | None:
    approval = step.approval
    if not step.ran:
        if approval is None or "error" in step.call.raw:
            return f"nothing shows that {step.call.name!r} was approved, or that it did not run"
        return None
    if not isinstance(approval, dict) or approval.get("outcome") != "approved":
        return f"{step.call.name!r} ran without approval"
    if approval.get("actor") not in config.authorized_approvers:
        return f"{step.call.name!r} was approved by somebody who may not"
    return None


def _share(wrong: int, of: int) -> float:
    return 1 - wrong / of if of else 1.0


def _total(record: Json, unit: str) -> float:
    """Return the sum of what was used, exact in decimals: 0.1 and 0.2 are 0.3.

    A record that holds both totals and steps is held to the larger sum.

    Raises:
        ValueError: nothing was measured, or a measurement is no finite number from 0 up.
    """
    sums = [
        sum(amounts)
        for parts in _accounts(record)
        if (amounts := [_amount(part[unit], unit) for part in parts if unit in part])
    ]
    if not sums:
        raise ValueError(f"the candidate measures no {unit}")
    total = float(max(sums))
    if not math.isfinite(total):
        raise ValueError(f"the measurements of {unit} add up to more than a number can hold")
    return total


def _accounts(record: Json) -> Iterator[list[Mapping[str, Any]]]:
    """Yield what a record tells of its usage, each account whole: its totals, its steps, its calls.

    Raises:
        ValueError: a part of `usageTotals` is no object.
    """
    if isinstance(record, list):
        yield list(_usage_of(record))
        return
    if not isinstance(record, dict):
        return
    totals = record.get("usageTotals")
    if isinstance(totals, dict):
        yield list(_totals(totals))
    for name in ("steps", *LISTS):
        steps = record.get(name)
        if isinstance(steps, list):
            yield list(_usage_of(steps))


def _totals(totals: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name, part in totals.items():
        if not isinstance(part, dict):
            raise ValueError(f"usageTotals: {name} is no object")
        yield part


def _usage_of(steps: list[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of steps that may hold measurements: the step, and its `usage`."""
    for step in steps:
        if isinstance(step, dict):
            yield step
            usage = step.get("usage")
            yield usage if isinstance(usage, dict) else {}


def _amount(value: Any, unit: str) -> Decimal:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < 0:
        raise ValueError(f"a measurement of {unit} is no finite number from 0 up")
    return Decimal(repr(value))
