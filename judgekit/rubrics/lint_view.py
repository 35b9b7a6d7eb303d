"""What lint rules look at: a rubric's fields with their lines, and its criteria by sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from judgekit.documents.document import Location
from judgekit.errors import ConfigError
from judgekit.judges.prompts import example_verdict
from judgekit.judges.replies.statements import NoVerdict, label_key, meets, scored
from judgekit.judges.rubric import Example, Kind, Rubric
from judgekit.rubrics.files import RubricSource

_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)]|\([a-z0-9]\))\s+")
_HEADING = re.compile(r"\s*#{1,6}\s")
_CODE_FENCE = re.compile(r"\s*(?:```|~~~)")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[A-Z\"“(\d])")
_QUOTED = re.compile(r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|`[^`\n]{1,200}`|«[^»\n]{1,200}»")
_COUNTED = re.compile(
    r"\b(?:counts?|matters?|considered?|judged?|rewards?|rewarded|penali[sz]ed?|affects?|influences?|"
    r"changes?|ignor\w+|regardless|irrelevant|disregard\w*|elsewhere)\b",
    re.IGNORECASE,
)
LIMITING = re.compile(
    r"\b(?:not|cannot|never|no|none|nor|neither|nothing|without|ignor\w+|disregard\w*|regardless|"
    r"irrelevant|irrespective|avoids?|rather than|instead of|free of|even if|however|"
    r"too|unless|elsewhere|whatever|alone)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the criteria.

    Attributes:
        text: as written, on one line, without a list's mark.
        line: the line of the file that it begins at.
        item: the number of the list item that it stands in, from 1; 0 outside lists.
    """

    text: str
    line: int
    item: int = 0

    @property
    def said(self) -> str:
        """The text without what it quotes: a word that is quoted is not asked for."""
        return _QUOTED.sub('"…"', self.text)

    @property
    def limits(self) -> bool:
        """Whether it says what does not count, and so demands nothing by its other words."""
        return LIMITING.search(self.said) is not None

    @property
    def excludes(self) -> bool:
        """Whether it takes something out of what is judged: "length does not count"."""
        return self.limits and _COUNTED.search(self.said) is not None


@dataclass(frozen=True, slots=True)
class KnownCase:
    """What a dataset that a rubric is used on holds of one case, as text.

    Attributes:
        answers: texts that are expected of the output.
    """

    eval: str
    case: str
    output: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True)
class LintView:
    """A rubric as lint rules see it.

    Attributes:
        rubric: None where a field is missing or wrong; then only the criteria can be looked at.
        known: cases of the datasets that the rubric is used on.
    """

    source: RubricSource
    rubric: Rubric | None
    known: tuple[KnownCase, ...] = ()

    @property
    def kind(self) -> Kind | None:
        """What the front matter says that a verdict is, if it says so."""
        stated = self.source.front.value.get("kind")
        return Kind(stated) if stated in list(Kind) else None

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the criteria, without headings and code blocks."""
        return tuple(_sentences(self.source.body, self.source.body_line))

    @property
    def demands(self) -> tuple[Sentence, ...]:
        """The sentences that do not only say what does not count."""
        return tuple(each for each in self.sentences if not each.limits)

    def line(self, *location: str | int) -> int:
        """Return the line of a field of the front matter, or of the nearest one around it."""
        return self.source.front.line(location) or 1

    def anchors(self) -> Iterator[tuple[float, Sentence]]:
        """Yield each anchor's score, and its meaning as a sentence."""
        scale = self.rubric.scale if self.rubric is not None else None
        for index, anchor in enumerate(scale.anchors if scale is not None else ()):
            where: Location = ("scale", "anchors", index, "meaning")
            yield anchor.score, Sentence(" ".join(anchor.meaning.split()), self.line(*where))

    def examples(self) -> Iterator[tuple[Example, int, bool | None]]:
        """Yield each example, its line, and whether its verdict passes (None: it can't be told)."""
        for index, example in enumerate(self.rubric.examples if self.rubric is not None else ()):
            passes = example_passes(self.rubric, example) if self.rubric is not None else None
            yield example, self.line("examples", index), passes


def example_passes(rubric: Rubric, example: Example) -> bool | None:
    """Return whether an example's verdict passes by the rubric's pass rule.

    Returns:
        None where the verdict does not fit the kind, and under a pairwise rubric, where an example
        shows one output only.
    """
    try:
        verdict = example_verdict(rubric, example)
        if isinstance(verdict, bool):
            return verdict
        if not isinstance(verdict, str):
            return meets(scored(verdict, rubric).score, rubric.min_score)
    except (ConfigError, NoVerdict):
        return None
    passing = {label_key(label) for label in rubric.passing_categories}
    return label_key(verdict) in passing if rubric.kind is Kind.CATEGORY else None


def _sentences(body: str, first_line: int) -> Iterator[Sentence]:
    for item, lines in _blocks(body, first_line):
        yield from _split(lines, item)


def _blocks(body: str, first_line: int) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Yield paragraphs and list items as numbered lines, each with its item's number."""
    item, items, block, in_code = 0, 0, list[tuple[int, str]](), False
    for number, line in enumerate(body.split("\n"), first_line):
        fence = _CODE_FENCE.match(line) is not None
        in_code = in_code is not fence
        mark = _ITEM.match(line)
        if in_code or fence or mark or not line.strip() or _HEADING.match(line):
            if block:
                yield item, block
            block, item = [], 0
        if in_code or fence or not line.strip() or _HEADING.match(line):
            continue
        if mark:
            items += 1
            item = items
        block.append((number, line[mark.end() :] if mark else line))
    if block:
        yield item, block


def _split(lines: list[tuple[int, str]], item: int) -> Iterator[Sentence]:
    """Split a block's text into sentences, each with the line that it begins at."""
    text, starts = "", list[tuple[int, int]]()
    for number, line in lines:
        starts.append((len(text), number))
        text += " ".join(line.split()) + " "
    begin = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        if said := text[begin:end].strip():
            first = max(number for start, number in starts if start <= begin)
            yield Sentence(said, first, item)
        begin = end
