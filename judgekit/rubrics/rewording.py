"""Rewordings of a rubric's criteria that leave the meaning alone: mechanical, the same every time.

No synonyms: two words that mean the same to an author may not to a judge. A verdict that turns with
one of these turned for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from judgekit.judges.rubric import CRITERIA_LIMIT, Kind, Rubric

_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,2}([.)]))(\s+)")
_STOP = (".", "!", "?")

_POLITE = "Please judge with care.\n\n"
_FRAME = "Judge by what follows and by nothing else:\n\n"
_NEGATED = {
    Kind.PASS_FAIL: "Do not pass an ANSWER for which what follows does not hold:\n\n",
    Kind.SCORE: "Do not let the score depend on anything but what follows:\n\n",
    Kind.CATEGORY: "Do not choose the category by anything but what follows:\n\n",
    Kind.PAIRWISE: "Do not prefer an answer for anything but what follows:\n\n",
    Kind.ANSWER_MATCH: "Do not say that the two match if what follows does not hold:\n\n",
}


@dataclass(frozen=True, slots=True)
class Rewording:
    """A rubric that means the same in other words.

    Attributes:
        name: short, for tables.
        what: what was done to the criteria.
    """

    name: str
    what: str
    rubric: Rubric


def rewordings(rubric: Rubric) -> tuple[Rewording, ...]:
    """Return the rewordings that can be made of a rubric, in a fixed order.

    One that would change nothing, or make the criteria too long, is left out.
    """
    made: list[tuple[str, str, Callable[[str], str]]] = [
        ("order", "the criteria in reverse order", _reversed),
        ("marks", "other list marks, or no full stops at the ends of lines", _other_marks),
        ("layout", "all lines joined to one", _joined),
        ("polite", "asked politely", lambda text: _POLITE + text),
        ("frame", "framed by a sentence that adds nothing", lambda text: _FRAME + text),
        ("negation", "framed by a double negation", lambda text: _NEGATED[rubric.kind] + text),
    ]
    found = []
    for name, what, reword in made:
        criteria = reword(rubric.criteria)
        if criteria != rubric.criteria and len(criteria) <= CRITERIA_LIMIT:
            reworded = rubric.model_copy(update={"criteria": criteria})
            reworded.__dict__.pop("digest", None)
            found.append(Rewording(name, what, reworded))
    return tuple(found)


def _reversed(text: str) -> str:
    """Reverse the items of each list; without a list, sentences that have a line each."""
    lines = text.split("\n")
    if any(_ITEM.match(line) for line in lines):
        return "\n".join(_lists_reversed(lines))
    said = [line for line in lines if line.strip()]
    if len(said) > 1 and all(line.rstrip().endswith(_STOP) for line in said):
        return "\n".join(reversed(said))
    return text


def _lists_reversed(lines: list[str]) -> list[str]:
    """Reverse every flat list; each item keeps its further lines, each place keeps its mark."""
    done: list[str] = []
    run: list[list[str]] = []
    for line in [*lines, ""]:
        if _ITEM.match(line) and (not run or _indent(line) == _indent(run[0][0])):
            run.append([line])
        elif run and line.strip() and line[:1].isspace():
            run[-1].append(line)
        else:
            done += _turned(run)
            run = []
            done.append(line)
    return done[:-1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _turned(run: list[list[str]]) -> list[str]:
    marks = [found[0] for item in run if (found := _ITEM.match(item[0]))]
    texts = [[_ITEM.sub("", item[0], count=1), *item[1:]] for item in reversed(run)]
    return [
        line
        for mark, (first, *more) in zip(marks, texts, strict=True)
        for line in (mark + first, *more)
    ]


def _other_marks(text: str) -> str:
    lines = text.split("\n")
    if any(_ITEM.match(line) for line in lines):
        return "\n".join(_ITEM.sub(_other_mark, line) for line in lines)
    said = [line for line in lines if line.strip()]
    if all(line.rstrip().endswith(".") for line in said):
        return "\n".join(line.rstrip().removesuffix(".") for line in lines)
    return text


def _other_mark(found: re.Match[str]) -> str:
    mark = found[2]
    other = {"-": "*", "*": "-", "+": "-"}.get(mark) or mark[:-1] + {".": ")", ")": "."}[mark[-1]]
    return f"{found[1]}{other}{found[4]}"


def _joined(text: str) -> str:
    """Join lines that end a sentence; a list is no list on one line."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if any(_ITEM.match(line) for line in text.split("\n")):
        return text
    return " ".join(lines) if all(line.endswith(_STOP) for line in lines) else text
