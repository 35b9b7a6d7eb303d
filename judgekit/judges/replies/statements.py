"""What counts as a statement of a verdict, whatever form it came in."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgekit.judges.rubric import Kind, Rubric, Scale

FIELDS = {
    Kind.PASS_FAIL: "passed",
    Kind.SCORE: "score",
    Kind.CATEGORY: "category",
    Kind.PAIRWISE: "winner",
    Kind.ANSWER_MATCH: "match",
}
"""The field of a JSON reply that holds the verdict, by rubric kind."""

REASON_FIELDS = ("reason", "rationale", "explanation", "reasoning")
BLANKS = " \t\v\f"
"""The only white space allowed around a value; wider or invisible blanks make it unreadable."""


TOLERANCE = 1e-9
"""Mapping a scale to [0, 1] rounds; a score this close below the pass mark meets it."""


class NoVerdict(ValueError):
    """The statement says nothing that the rubric allows; its text is one line."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A verdict as stated at one place of a reply."""

    outcome: str
    score: float
    rationale: str = ""

    def agrees(self, other: Statement) -> bool:
        """Return whether both say the same, whatever their reasons."""
        return self.outcome == other.outcome and self.score == other.score


def verdict_fields(kind: Kind) -> tuple[str, ...]:
    """Return the fields that make an object a statement of a verdict under `kind`."""
    return ("score", "passed") if kind is Kind.SCORE else (FIELDS[kind],)


def is_statement(value: Mapping[str, Any], kind: Kind) -> bool:
    """Return whether an object claims to be a verdict under `kind`, readable or not."""
    return any(key.strip().casefold() in verdict_fields(kind) for key in value)


def from_object(value: Mapping[str, Any], rubric: Rubric) -> Statement:
    """Return the verdict that a JSON object states.

    Raises:
        NoVerdict: a field is missing, of the wrong type, out of range, or contradicts another.
    """
    name = FIELDS[rubric.kind]
    if name not in value:
        raise NoVerdict(f"the field {name!r} is missing")
    stated = value[name]
    if rubric.kind in (Kind.PASS_FAIL, Kind.ANSWER_MATCH):
        statement = truth(stated, name, rubric.kind)
    elif rubric.kind is Kind.SCORE:
        statement = scored(stated, rubric)
    elif not isinstance(stated, str):
        raise NoVerdict(f"{name!r} must be text, not {_shown(stated)}")
    else:
        statement = chosen(stated, rubric)
    _check_companions(value, statement, rubric)
    return Statement(statement.outcome, statement.score, _rationale(value))


def truth(value: Any, name: str, kind: Kind) -> Statement:
    """Return the verdict of a boolean."""
    if not isinstance(value, bool):
        raise NoVerdict(f"{name!r} must be true or false, not {_shown(value)}")
    words = ("fail", "pass") if kind is Kind.PASS_FAIL else ("no-match", "match")
    return Statement(words[value], float(value))


def scored(value: Any, rubric: Rubric) -> Statement:
    """Return the verdict of a number on the rubric's scale, mapped linearly to [0, 1].

    Raises:
        NoVerdict: it is no number, not finite, or outside the scale. It is never clamped.
    """
    scale = rubric.scale or Scale()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoVerdict(f"'score' must be a number, not {_shown(value)}")
    if not scale.minimum <= value <= scale.maximum:
        raise NoVerdict(
            f"the score {_shown(value)} is outside {scale.minimum:.15g} to {scale.maximum:.15g}"
        )
    if scale.whole and value != int(value):
        raise NoVerdict(f"the score {_shown(value)} is no whole number, as the scale wants")
    if scale.minimum >= 0 and math.copysign(1, value) < 0:
        raise NoVerdict("the score has a minus sign")
    return Statement("scored", (value - scale.minimum) / (scale.maximum - scale.minimum))


def chosen(value: str, rubric: Rubric) -> Statement:
    """Return the verdict of a category or a winner; case and outer blanks don't count."""
    if rubric.kind is Kind.PAIRWISE:
        winner = value.strip(BLANKS).upper()
        if winner not in ("A", "B", "TIE"):
            raise NoVerdict(f"the winner must be A, B or TIE, not {_shown(value)}")
        return Statement(winner, {"A": 1.0, "B": 0.0, "TIE": 0.5}[winner])
    wanted = label_key(value)
    matching = [label for label in rubric.categories if label_key(label) == wanted]
    if len(matching) != 1:
        known = ", ".join(rubric.categories)
        raise NoVerdict(f"{_shown(value)} is not one of the categories: {known}")
    passing = wanted in {label_key(label) for label in rubric.passing_categories}
    return Statement(matching[0], float(passing))


def meets(score: float, min_score: float) -> bool:
    """Return whether a mapped score passes: `min_score` itself does."""
    return score >= min_score - TOLERANCE


def label_key(label: str) -> str:
    """Return what two spellings of one category share: NFC, case folded, outer blanks off."""
    return unicodedata.normalize("NFC", label.strip(BLANKS).casefold())


def _check_companions(value: Mapping[str, Any], statement: Statement, rubric: Rubric) -> None:
    """Refuse an object whose `passed` or `score`, beside the verdict, says the opposite."""
    if rubric.kind is Kind.SCORE and "passed" in value:
        passes = meets(statement.score, rubric.min_score)
        if truth(value["passed"], "passed", Kind.PASS_FAIL).score != float(passes):
            raise NoVerdict("'passed' contradicts 'score' under the rubric's pass rule")
    if rubric.kind is Kind.PASS_FAIL and "score" in value:
        score = value["score"]
        number = isinstance(score, int | float) and not isinstance(score, bool)
        if not number or (score == 0 and statement.score) or (score == 1 and not statement.score):
            raise NoVerdict("'score' contradicts 'passed'")


def _rationale(value: Mapping[str, Any]) -> str:
    for name in REASON_FIELDS:
        reason = value.get(name)
        if reason is not None:
            if not isinstance(reason, str):
                raise NoVerdict(f"{name!r} must be text, not {_shown(reason)}")
            return reason
    return ""


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**40 else "a huge number"
    text = text.encode("ascii", "backslashreplace").decode() if not text.isprintable() else text
    return text if len(text) <= 60 else text[:59] + "…"
