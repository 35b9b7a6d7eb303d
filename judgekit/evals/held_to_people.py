"""An eval's judges held to the people who labelled its cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judgekit.errors import ConfigError
from judgekit.evals.cases import Case
from judgekit.gate.run import CaseResult, GradeRecord
from judgekit.rubrics.calibration import Judged
from judgekit.rubrics.labels import Label, label_of

VERDICT_FIELD = "human_verdict"
"""Where a case's `expected` may hold what people said of its output."""


def labels_in(cases: Iterable[Case], source: str) -> tuple[Label, ...]:
    """Return the labels in the cases' own ``expected.human_verdict``: one, or one a reviewer.

    Args:
        source: the eval file, for messages.

    Raises:
        ConfigError: a label is none, or no case has one.
    """
    field = f"{source}: expected.{VERDICT_FIELD}"
    labels = tuple(
        label
        for case in cases
        if isinstance(case.expected, dict) and case.expected.get(VERDICT_FIELD) is not None
        for label in label_of(case.expected[VERDICT_FIELD], case.id, field)
    )
    if not labels:
        raise ConfigError(f"{field}: no case has it; add people's verdicts, or name a labels file")
    return labels


def judged_by(
    scorer: str, results: Iterable[CaseResult], slices: Mapping[str, str] | None = None
) -> tuple[Judged, ...]:
    """Return a scorer's grades as calibration takes them.

    Args:
        slices: the slice of each case that is in one, by case id.
    """
    return tuple(
        _judged(case.id, case.grades[scorer], (slices or {}).get(case.id)) for case in results
    )


def _judged(case: str, grade: GradeRecord, slice_: str | None) -> Judged:
    return Judged(
        case=case,
        passed=None if grade.status == "error" else grade.status == "passed",
        outcome=str(grade.details.get("outcome", "")),
        score=grade.score,
        reason=grade.reason,
        cause=grade.cause,
        slice=slice_,
    )


def slices_by(field: str, cases: Sequence[Case]) -> dict[str, str]:
    """Return the value of a field of each case's metadata, by case id; dots lead inwards.

    Raises:
        ConfigError: no case has the field.
    """
    found = {}
    for case in cases:
        value: Any = case.metadata
        for step in field.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if value is not None:
            found[case.id] = value if isinstance(value, str) else str(value)
    if not found:
        raise ConfigError(f"--slice {field}: no case has metadata.{field}; name a field of theirs")
    return found
