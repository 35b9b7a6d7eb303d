"""Holds a rubric file to every lint rule, and leaves out what the file silences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from judgekit.documents import shown
from judgekit.documents.document import one_line
from judgekit.judges.rubric import CRITERIA_LIMIT, Rubric
from judgekit.rubrics.files import RubricSource, read_source
from judgekit.rubrics.lint_rules import BY_CODE, RULES, Rule
from judgekit.rubrics.lint_view import KnownCase, LintView

_INVALID, _UNKNOWN_IGNORE = BY_CODE["JK-R002"], BY_CODE["JK-R023"]
_STAND_IN = "Criteria stand here."
"""Stands for an empty body while the front matter is read: that is a finding of its own."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that lint found.

    Attributes:
        file: as messages name it.
        line: from 1.
        silenced: the reason that the file gives for letting it be; None where it does not.
    """

    rule: Rule
    file: str
    line: int
    message: str
    silenced: str | None = None

    @property
    def code(self) -> str:
        """The rule's code."""
        return self.rule.code

    @property
    def fix(self) -> str:
        """What to do about it."""
        return self.rule.fix

    def __str__(self) -> str:
        """One line: where, which rule, what, and what to do."""
        return f"{self.file}:{self.line}: {self.code} {self.message}; {self.fix}"


def lint(path: Path, known: Sequence[KnownCase] = ()) -> tuple[Finding, ...]:
    """Return everything that lint finds in the rubric file at `path`, by line, then by code.

    Args:
        known: cases of the datasets that the rubric is used on, so that leaks are found.

    Raises:
        ConfigError: the file is unreadable, or has no front matter.
    """
    return lint_source(read_source(path), known)


def lint_source(source: RubricSource, known: Sequence[KnownCase] = ()) -> tuple[Finding, ...]:
    """Return everything that lint finds in a rubric file that is taken apart already."""
    file = shown(source.path)
    rubric, faults = _read(source)
    found = [Finding(_INVALID, file, line, message) for line, message in faults]
    view = LintView(source, rubric, tuple(known))
    for rule in RULES:
        hits = dict.fromkeys(rule.find(view))
        found += [Finding(rule, file, line, one_line(message)) for line, message in hits]
    found += [
        Finding(_UNKNOWN_IGNORE, file, line, message) for line, message in _bad_ignores(source)
    ]
    silenced = {entry["code"]: entry["reason"] for _, entry in _ignores(source)}
    return tuple(
        sorted((_silence(each, silenced) for each in found), key=lambda f: (f.line, f.code))
    )


def unsilenced(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return the findings that the file does not silence."""
    return tuple(finding for finding in findings if finding.silenced is None)


def _silence(finding: Finding, reasons: dict[str, str]) -> Finding:
    reason = reasons.get(finding.code) if finding.rule.may_be_silenced else None
    if reason is None:
        return finding
    return Finding(finding.rule, finding.file, finding.line, finding.message, reason)


def _read(source: RubricSource) -> tuple[Rubric | None, list[tuple[int, str]]]:
    """Return the rubric, or what is wrong with single fields, each with its line."""
    whole = source.whole
    faults = []
    if "criteria" in source.front.value:
        line = source.front.line(("criteria",)) or 1
        faults.append((line, "criteria: must stand below the front matter, as the body"))
    if len(source.body) > CRITERIA_LIMIT:
        message = f"criteria: has {len(source.body)} characters, over the limit of {CRITERIA_LIMIT}"
        faults.append((source.body_line, message))
    criteria = (source.body or _STAND_IN)[:CRITERIA_LIMIT]
    try:
        rubric = Rubric.model_validate_json(_as_json({**whole.value, "criteria": criteria}))
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            said = str(whole.rejected([detail], Rubric))
            place = re.match(r":(\d+): ", said[len(whole.name) :])
            line = int(place[1]) if place else 1
            start = len(whole.name) + (place.end() if place else len(": "))
            faults.append((line, said[start:]))
        return None, faults
    return rubric, faults


def _as_json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def _ignores(source: RubricSource) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the whole entries of ``lint-ignore``; an entry without a reason silences nothing."""
    entries = source.front.value.get("lint-ignore")
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        fields = entry if isinstance(entry, dict) else {}
        code, reason = fields.get("code"), fields.get("reason")
        if isinstance(code, str) and isinstance(reason, str) and reason.strip():
            line = source.front.line(("lint-ignore", index)) or 1
            yield line, {"code": code.strip(), "reason": one_line(reason)}


def _bad_ignores(source: RubricSource) -> Iterator[tuple[int, str]]:
    for line, entry in _ignores(source):
        rule = BY_CODE.get(entry["code"])
        if rule is None:
            yield line, f"lint-ignore: there is no rule {entry['code']!r}"
        elif not rule.may_be_silenced:
            yield line, f"lint-ignore: {rule.code} ({rule.name}) can't be silenced"
