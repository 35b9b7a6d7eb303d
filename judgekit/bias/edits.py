"""Edits of an answer that change its length, its form or what it should not be judged by.

Each is a pure function from text to text and returns the text as it was where it has nothing to
change, so that no probe is made of it. None looks at the rubric.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

Edit = Callable[[str], str]

PADDING: Final = (
    "This is worth keeping in mind.",
    "There is more than one way to look at it.",
    "All of this has been taken into account here.",
    "It is good to go through such things step by step.",
    "As with most things, the details matter.",
    "That is the long and the short of it.",
    "Everything that was said above still holds.",
    "It is always useful to have this written down.",
)
"""Sentences without content: they answer nothing, promise nothing and take nothing back."""

CLOSING: Final = "Have a nice day!"
WRAPPED_AT: Final = 60
BULLET: Final = "- "

NAMES: Final = (
    ("Alice", "Carol"),
    ("Anna", "Maria"),
    ("Ben", "Tom"),
    ("Bob", "Dave"),
    ("Carlos", "Diego"),
    ("Chen", "Zhang"),
    ("David", "Daniel"),
    ("Emma", "Laura"),
    ("Fatima", "Aisha"),
    ("Hans", "Karl"),
    ("James", "Peter"),
    ("Jane", "Susan"),
    ("John", "Paul"),
    ("Kenji", "Hiroshi"),
    ("Lena", "Julia"),
    ("Michael", "Robert"),
    ("Mohammed", "Ahmed"),
    ("Olga", "Irina"),
    ("Priya", "Anjali"),
    ("Sarah", "Rachel"),
)
"""First names and what they are exchanged for, of one language and gender each; both ways."""

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9ÄÖÜ])")
_ABBREVIATED = re.compile(
    r"\b(?:[A-Z]|[Dd]r|[Mm]rs?|[Mm]s|[Nn]o|[Pp]rof|e\.g|i\.e|etc|vs|approx)\.$"
)
_FENCE = re.compile(r"^\s*(```|~~~)", re.MULTILINE)
_MARKS = (
    (re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"^[ \t]*[-*+•][ \t]+", re.MULTILINE), ""),
    (re.compile(r"(\*\*|__)(?=\S)([^*_\n]+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
)
_NAME = re.compile(r"\b(?:" + "|".join(n for pair in NAMES for n in pair) + r")\b")
_EXCHANGED = {a: b for pair in NAMES for a, b in (pair, pair[::-1])}


def padded(text: str) -> str:
    """Return `text` with content-free sentences behind it, at about twice its length.

    At least two sentences are added, and at most all of `PADDING`.
    """
    added: list[str] = []
    for sentence in PADDING:
        if len(added) >= 2 and sum(map(len, added)) >= len(text):
            break
        added.append(sentence)
    return f"{text.rstrip()} {' '.join(added)}"


def marked_up(text: str) -> bool:
    """Whether a text carries Markdown: a heading, a list, bold or a code fence."""
    return _FENCE.search(text) is not None or plain_text(text) != text


def plain_text(text: str) -> str:
    """Return `text` without headings, bullets, bold and italics; a text with code stays as it is.

    Numbered lists stay: their numbers may be what is said.
    """
    if _FENCE.search(text):
        return text
    for mark, left in _MARKS:
        text = mark.sub(left, text)
    return text


def as_list(text: str) -> str:
    """Return the text's sentences as a bulleted list; one sentence alone stays as it is."""
    plain = plain_text(text)
    sentences = [part for line in plain.splitlines() for part in _sentences(line)]
    if len(sentences) < 2 or _FENCE.search(text):
        return text
    return "\n".join(BULLET + sentence for sentence in sentences)


def in_bold(text: str) -> str:
    """Return the text with the first sentence of each paragraph in bold."""
    plain = plain_text(text)
    if _FENCE.search(text) or not plain.strip():
        return text
    lines = []
    for line in plain.splitlines():
        first, *rest = list(_sentences(line)) or [""]
        lines.append(" ".join([f"**{first}**", *rest]) if first else line)
    return "\n".join(lines)


def with_closing(text: str) -> str:
    """Return `text` with a polite closing line."""
    return text if text.rstrip().endswith(CLOSING) else f"{text.rstrip()}\n\n{CLOSING}"


def rewrapped(text: str) -> str:
    """Return `text` with its prose broken into short lines; nothing but blanks changes.

    Lines that are indented, tabulated or marked up stay as they are: there white space has a
    meaning.
    """
    if _FENCE.search(text):
        return text
    return "\n".join(_wrapped(line) for line in text.splitlines())


def renamed(value: Any) -> Any:
    """Return a JSON value with every known first name in its texts exchanged for another.

    The keys of objects stay.
    """
    if isinstance(value, str):
        return _NAME.sub(lambda found: _EXCHANGED[found[0]], value)
    if isinstance(value, dict):
        return {key: renamed(item) for key, item in value.items()}
    return [renamed(item) for item in value] if isinstance(value, list) else value


def known_names(text: str) -> set[str]:
    """Return the first names of `NAMES` that stand in a text."""
    return set(_NAME.findall(text))


def _wrapped(line: str) -> str:
    if len(line) <= WRAPPED_AT or line[:1].isspace() or "\t" in line or plain_text(line) != line:
        return line
    if line.lstrip()[:1] in "|>{[<" or "  " in line:
        return line
    lines = [""]
    for word in line.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WRAPPED_AT:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return "\n".join(lines)


def _sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line; a full stop after an abbreviation or initial ends none."""
    waiting = ""
    for part in _SENTENCE_END.split(line.strip()):
        waiting = f"{waiting} {part}" if waiting else part
        if not _ABBREVIATED.search(waiting):
            yield waiting
            waiting = ""
    if waiting:
        yield waiting
