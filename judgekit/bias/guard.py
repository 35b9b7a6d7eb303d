"""The family guard: a judge that shares a family with the subject model is refused before any call.

It judges resolved model names (what will really be asked, overrides and all), in replay as when
recording. What it lets through against the rule, it lets through by a dated, written waiver alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, field_validator, model_validator

from judgekit.bias.families import FamilyTable, resolve_families
from judgekit.errors import BiasGuardRefused

HUMAN: Final = "human"
"""What stands in the place of a subject model where a person wrote the outputs."""


def _as_date(value: object) -> object:
    return date.fromisoformat(value) if isinstance(value, str) else value


IsoDate = Annotated[date, BeforeValidator(_as_date)]
"""A calendar date, or its ISO 8601 text."""


class Waiver(BaseModel):
    """Leave for one judge to judge one subject model of its own family, for a time.

    Attributes:
        judge: the judge model that it is for.
        subject: the subject model that it is for.
        reason: why this is right here, in words.
        granted: the first day that it holds.
        expires: the last day that it holds.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", frozen=True)

    judge: str
    subject: str
    reason: str
    granted: IsoDate
    expires: IsoDate

    @field_validator("judge", "subject", "reason")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not any(char.isalnum() for char in value):
            raise ValueError("must not be blank")
        return value

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Waiver:
        if self.expires < self.granted:
            raise ValueError(f"expires {self.expires}, before it was granted ({self.granted})")
        return self

    def names(self, judge: str, subject: str) -> bool:
        """Whether this waiver is for `judge` and `subject`."""
        return (_same(self.judge), _same(self.subject)) == (_same(judge), _same(subject))

    def fault(self, today: date) -> str | None:
        """Return why this waiver does not hold on `today`, or None where it does."""
        if today > self.expires:
            return f"its waiver expired on {self.expires}"
        if today < self.granted:
            return f"its waiver holds only from {self.granted} on"
        return None

    def __str__(self) -> str:
        return (
            f"{self.judge} may judge {self.subject} until {self.expires} "
            f"(granted {self.granted}): {self.reason}"
        )


@dataclass(frozen=True, slots=True)
class FamilyCheck:
    """What the guard found where it refused nothing; all of it belongs into the report.

    Attributes:
        waiver: the waiver without which it would have refused.
        sharing: panel members of the subject's family, outvoted by the others.
        unknown: models that the family table does not know; each counts as its own family.
    """

    waiver: Waiver | None = None
    sharing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def check_family(
    judge_models: Sequence[str],
    subject: str | None,
    *,
    subject_is_human: bool = False,
    waiver: Waiver | None = None,
    today: date,
    extra: FamilyTable | None = None,
) -> FamilyCheck:
    """Refuse judges of the subject model's family.

    Of a panel, a strict majority must be outside the family (so of one judge, that one). A waived
    judge counts as outside.

    Args:
        judge_models: the resolved judge models of one scorer, one for each seat.
        subject: the resolved subject model; None where the eval names none.
        subject_is_human: the eval says that people wrote the outputs; then no model is the subject.
        waiver: leave for one of the judges.
        today: the day on which the waiver must hold.
        extra: the project's own families.

    Raises:
        BiasGuardRefused: a family is shared, or judge or subject is not named.
        ConfigError: an entry of `extra` is unusable.
    """
    if not judge_models or not all(model.strip() for model in judge_models):
        raise BiasGuardRefused("a judge model is not named: name it, so that its family is known")
    if subject_is_human:
        return _check_human(judge_models, subject, extra)
    if subject is None or not subject.strip():
        raise BiasGuardRefused(
            "the subject model is not named: set `subject_model`, or `subject: human` "
            "where people wrote the outputs"
        )
    unknown = _unknown([*judge_models, subject], extra)
    sharing = [judge for judge in judge_models if _shared(judge, subject, extra)]
    if _is_minority(sharing, judge_models):
        return FamilyCheck(sharing=tuple(sharing), unknown=unknown)
    if waiver is not None and waiver.fault(today) is None:
        waived = [judge for judge in sharing if waiver.names(judge, subject)]
        left = [judge for judge in sharing if judge not in waived]
        if waived and _is_minority(left, judge_models):
            return FamilyCheck(waiver=waiver, sharing=tuple(sharing), unknown=unknown)
    raise _refusal(judge_models, sharing, subject, waiver, today, extra)


def check_panel(judge_models: Sequence[str], extra: FamilyTable | None = None) -> None:
    """Refuse a panel whose judges all share one family: their errors are not independent.

    Raises:
        BiasGuardRefused: there are several judges, and one family holds them all.
        ConfigError: an entry of `extra` is unusable.
    """
    if len(judge_models) < 2:
        return
    families = [resolve_families(model, extra).families for model in judge_models]
    common = frozenset.intersection(*families)
    if common:
        raise BiasGuardRefused(
            f"the panel's judges {', '.join(map(repr, judge_models))} are all of one family "
            f"({', '.join(sorted(common))}): seat judges of at least two"
        )


def _check_human(
    judge_models: Sequence[str], subject: str | None, extra: FamilyTable | None
) -> FamilyCheck:
    if subject is not None and _same(subject) not in ("", HUMAN):
        raise BiasGuardRefused(
            f"the subject is said to be human and the model {subject!r}: keep the one that is true"
        )
    return FamilyCheck(unknown=_unknown(judge_models, extra))


def _unknown(models: Sequence[str], extra: FamilyTable | None) -> tuple[str, ...]:
    return tuple(m for m in dict.fromkeys(models) if not resolve_families(m, extra).known)


def _shared(judge: str, subject: str, extra: FamilyTable | None) -> frozenset[str]:
    return resolve_families(judge, extra).families & resolve_families(subject, extra).families


def _is_minority(sharing: Sequence[str], judges: Sequence[str]) -> bool:
    return 2 * (len(judges) - len(sharing)) > len(judges)


def _refusal(
    judges: Sequence[str],
    sharing: Sequence[str],
    subject: str,
    waiver: Waiver | None,
    today: date,
    extra: FamilyTable | None,
) -> BiasGuardRefused:
    found = ", ".join(
        f"{judge!r} ({', '.join(sorted(_shared(judge, subject, extra)))})"
        for judge in dict.fromkeys(sharing)
    )
    if len(judges) == 1:
        what = f"judge {found} shares a family with the subject model {subject!r}"
        remedy = "use a judge of another family, or write a dated waiver with a reason"
    else:
        outside = len(judges) - len(sharing)
        what = (
            f"of the panel, {found} share a family with the subject model {subject!r}, "
            f"and only {outside} of {len(judges)} do not"
        )
        remedy = "seat a strict majority of other families, or write a dated waiver with a reason"
    return BiasGuardRefused(f"{what}{_waiver_fault(sharing, subject, waiver, today)}: {remedy}")


def _waiver_fault(sharing: Sequence[str], subject: str, waiver: Waiver | None, today: date) -> str:
    if waiver is None:
        return ""
    if not any(waiver.names(judge, subject) for judge in sharing):
        return f" (the waiver is for {waiver.judge!r} judging {waiver.subject!r})"
    fault = waiver.fault(today)
    return f" ({fault or 'its waiver alone is not enough'})"


def _same(model: str) -> str:
    return model.strip().casefold()
