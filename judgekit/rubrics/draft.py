"""The text of a new rubric file, made of what its author answers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from judgekit.documents import parse_yaml
from judgekit.judges.rubric import Anchor, Example, Kind
from judgekit.rubrics.files import RubricSource
from judgekit.rubrics.lint import Finding, lint_source, unsilenced

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 _'(),./-]*[A-Za-z0-9_'().-]|[A-Za-z]")
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off"})


@dataclass(frozen=True, slots=True)
class Draft:
    """What a new rubric is made of.

    Attributes:
        id: the file's name without ``.md``.
        minimum: least score of a score rubric; `maximum` the greatest.
        first_line: the changelog's first line, such as ``2026-11-03: first version``.
    """

    id: str
    kind: Kind
    criteria: str
    first_line: str
    minimum: float = 1
    maximum: float = 5
    anchors: tuple[Anchor, ...] = ()
    min_score: float = 0.5
    categories: tuple[str, ...] = ()
    passing_categories: tuple[str, ...] = ()
    examples: tuple[Example, ...] = field(default=())

    @property
    def text(self) -> str:
        """The rubric file."""
        lines = ["---", f"id: {_scalar(self.id)}", f"kind: {self.kind.value}"]
        if self.kind is Kind.SCORE:
            lines += self._scale()
        if self.kind is Kind.CATEGORY:
            lines += [
                f"categories: {_flow(self.categories)}",
                f"passing_categories: {_flow(self.passing_categories)}",
            ]
        if self.examples:
            lines.append("examples:")
            lines += [line for example in self.examples for line in _example(example)]
        lines += ["changelog:", f"  - {json.dumps(self.first_line, ensure_ascii=False)}", "---"]
        return "\n".join([*lines, self.criteria.strip(), ""])

    def _scale(self) -> list[str]:
        lines = ["scale:", f"  minimum: {self.minimum:g}", f"  maximum: {self.maximum:g}"]
        whole = float(self.minimum).is_integer() and float(self.maximum).is_integer()
        if whole and self.maximum - self.minimum > 1:
            lines.append("  whole: true")
        if self.anchors:
            lines.append("  anchors:")
        for anchor in sorted(self.anchors, key=lambda anchor: anchor.score):
            lines.append(f"    - score: {anchor.score:g}")
            lines.append(f"      meaning: {_scalar(anchor.meaning)}")
        return [*lines, f"min_score: {self.min_score:g}"]


def lint_draft(draft: Draft, path: Path) -> tuple[Finding, ...]:
    """Return what lint would find in a draft once it is written to `path`."""
    _, front, body = draft.text.split("---\n", 2)
    line = front.count("\n") + 3
    document = parse_yaml(front, path.name, first_line=2)
    return unsilenced(lint_source(RubricSource(path, document, body.strip(), line)))


def _example(example: Example) -> list[str]:
    fields = {} if example.input is None else {"input": _scalar(example.input)}
    verdict = example.verdict
    fields["output"] = _scalar(example.output)
    fields["verdict"] = _scalar(verdict) if isinstance(verdict, str) else f"{verdict:g}"
    if example.why:
        fields["why"] = _scalar(example.why)
    return [
        f"  {'-' if n == 0 else ' '} {name}: {text}"
        for n, (name, text) in enumerate(fields.items())
    ]


def _flow(labels: tuple[str, ...]) -> str:
    return f"[{', '.join(_scalar(label, flow=True) for label in labels)}]"


def _scalar(text: str, *, flow: bool = False) -> str:
    """Return text as a YAML scalar: plain where nothing can be misread, else in double quotes.

    A JSON string is a double-quoted scalar of YAML 1.2.
    """
    plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS and " #" not in text
    if plain and not (flow and "," in text):
        return text
    return json.dumps(text, ensure_ascii=False)
