"""Explains a miss: the nearest recording of the same case, and what changed since."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.cassettes.interaction import Call, Interaction, Recorded

_DIFF_LINES = 40
_FENCE = re.compile(r"^--- BEGIN .+ ([0-9a-f]{12,}) ---$", re.MULTILINE)
_LONGEST_LINE = 160


@dataclass(frozen=True, slots=True)
class MissExplanation:
    """Why a request has no recording.

    Attributes:
        key: of the request that was not found.
        changed: what differs from the nearest recording: ``rubric``, ``template``, ``input``,
            ``output``, ``model``, ``parameters``, …; empty where the case was never recorded.
        nearest: the nearest recording of the case, if it has any.
        diff: unified diff from the nearest recording's request to this one, shortened.
    """

    key: str
    changed: tuple[str, ...]
    nearest: Interaction | None
    diff: str

    @property
    def stale(self) -> bool:
        """Whether the case was recorded under another request (else it never was)."""
        return self.nearest is not None


def explain(call: Call, wanted: Recorded, recordings: Iterable[Interaction]) -> MissExplanation:
    """Return why `call` misses.

    Args:
        call: the request that was not found.
        wanted: what would have been recorded for it (case, model, rubric, parts).
        recordings: what is recorded for the same case.
    """
    nearest = min(recordings, key=lambda old: _distance(call, wanted, old), default=None)
    if nearest is None:
        return MissExplanation(call.key, (), None, "")
    changed = tuple(_changes(call, wanted, nearest)) or ("messages",)
    return MissExplanation(call.key, changed, nearest, _diff(nearest.call, call))


def _distance(call: Call, wanted: Recorded, old: Interaction) -> tuple[bool, bool, int]:
    """Order recordings: same attempt and sample first, then the fewest changes."""
    changes = sum(1 for _ in _changes(call, wanted, old))
    return (old.call.attempt != call.attempt, old.call.sample != call.sample, changes)


def _changes(call: Call, wanted: Recorded, old: Interaction) -> Iterator[str]:
    if old.recorded.model != wanted.model:
        yield "model"
    if (old.call.dialect, old.call.path) != (call.dialect, call.path):
        yield "dialect"
    for part in sorted(set(wanted.parts) | set(old.recorded.parts)):
        if wanted.parts.get(part) != old.recorded.parts.get(part):
            yield part
    if _parameters(old.call.body) != _parameters(call.body):
        yield "parameters"
    if (old.call.sample, old.call.attempt) != (call.sample, call.attempt):
        yield "sample"


def _parameters(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in {"model", "messages"}}


def _diff(old: Call, new: Call) -> str:
    lines = list(
        difflib.unified_diff(
            _lines(old.body), _lines(new.body), "recorded", "requested", lineterm="", n=1
        )
    )
    shown = [line[:_LONGEST_LINE] for line in lines[:_DIFF_LINES]]
    if len(lines) > _DIFF_LINES:
        shown.append(f"… {len(lines) - _DIFF_LINES} more lines")
    return "\n".join(shown)


def _lines(value: Any, path: str = "") -> list[str]:
    """Return a body as lines to compare: one for each scalar, several for long text."""
    if isinstance(value, Mapping):
        return [line for name, item in value.items() for line in _lines(item, f"{path}.{name}")]
    if isinstance(value, list | tuple):
        return [line for i, item in enumerate(value) for line in _lines(item, f"{path}[{i}]")]
    if isinstance(value, str) and "\n" in value:
        return _without_fence_mark(value).split("\n")
    return [f"{path.lstrip('.')}: {value}"]


def _without_fence_mark(text: str) -> str:
    """Return a prompt with its fence's mark hidden: it changes with every text inside."""
    mark = _FENCE.search(text)
    return text.replace(mark[1], "·") if mark else text
