"""Rubric files: Markdown with YAML front matter; the body is what the judge reads.

::

    ---
    id: support-answer
    kind: score
    scale: {minimum: 1, maximum: 5}
    min_score: 0.75
    changelog: ["2026-11-03: first version"]
    ---
    The answer names the deadline and the form to use.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from judgekit.documents import CONFIG_LIMIT, Document, confined, parse_yaml, read_text, shown
from judgekit.errors import ConfigError
from judgekit.judges.rubric import CRITERIA_LIMIT, Kind, Rubric

_FENCE = "---"


def load_rubric(path: Path) -> Rubric:
    """Return the rubric in the file at `path`.

    Raises:
        ConfigError: the file is unreadable, has no front matter or no criteria, the front matter
            has an unknown, missing or wrong field, or its id is not the file's name.
    """
    text = read_text(path, CONFIG_LIMIT)
    name = shown(path)
    front, body, body_line = _split(text, name)
    document = parse_yaml(front, name, first_line=2)
    if not isinstance(document.value, dict):
        raise ConfigError(f"{name}:2: the front matter must be a mapping (key: value)")
    _check_body(document, body, name, body_line)
    whole = Document(name, {**document.value, "criteria": body}, document.lines)
    rubric = whole.parse(Rubric)
    _check(document, rubric, path)
    return rubric


class RubricFolder:
    """Loads the rubrics of one folder by file name; each file is read once. Thread-safe.

    Args:
        path: the folder; no reference leads outside it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._loaded: dict[Path, Rubric] = {}
        self._lock = threading.Lock()

    def __call__(self, reference: str) -> Rubric:
        """Return the rubric that `reference` (such as ``support-answer.md``) names.

        Raises:
            ConfigError: it names no Markdown file in the folder, or an invalid one.
        """
        if not reference.endswith(".md"):
            raise ConfigError(
                f"rubric {reference!r}: must name a Markdown file of {shown(self.path)}, "
                "such as 'answer.md'"
            )
        file = confined(self.path, reference, named_by="rubric")
        with self._lock:
            if file not in self._loaded:
                self._loaded[file] = load_rubric(file)
            return self._loaded[file]

    def files(self) -> tuple[Path, ...]:
        """Return the folder's rubric files, sorted by name."""
        return tuple(sorted(self.path.glob("*.md")))


def _split(text: str, name: str) -> tuple[str, str, int]:
    """Return front matter, body, and the line that the body begins at."""
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE:
        raise ConfigError(f"{name}:1: has no front matter; open the file with a line of ---")
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == _FENCE:
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :]).strip(), number + 2
    raise ConfigError(f"{name}:1: the front matter is not closed; end it with a line of ---")


def _check_body(document: Document, body: str, name: str, line: int) -> None:
    if "criteria" in document.value:
        raise document.fault(("criteria",), "must stand below the front matter, as the body")
    if not body:
        raise ConfigError(f"{name}:{line}: criteria: the rubric is empty; write what to judge by")
    if len(body) > CRITERIA_LIMIT:
        raise ConfigError(
            f"{name}:{line}: criteria: has {len(body)} characters, over the limit of "
            f"{CRITERIA_LIMIT}; cut it down, or split the rubric"
        )


def _check(document: Document, rubric: Rubric, path: Path) -> None:
    """Refuse what no judge could be asked by."""
    if "id" not in document.value or rubric.id != path.stem:
        raise document.fault(("id",), f"must be {path.stem!r}, the name of the file")
    categories: Any = rubric.categories
    if rubric.kind is Kind.CATEGORY and len(set(categories)) < 2:
        raise document.fault(("categories",), "a category rubric needs at least two")
    if len(set(categories)) != len(categories):
        raise document.fault(("categories",), "one stands twice; keep one")
    for index, label in enumerate(rubric.passing_categories):
        if label not in categories:
            where = ("passing_categories", index)
            raise document.fault(where, f"{label!r} is none of the categories")
    if rubric.kind is Kind.CATEGORY and not rubric.passing_categories:
        raise document.fault(("passing_categories",), "is missing; say which categories pass")
    _check_anchors(document, rubric)


def _check_anchors(document: Document, rubric: Rubric) -> None:
    if rubric.scale is None:
        return
    if rubric.kind is not Kind.SCORE:
        raise document.fault(("scale",), f"a rubric of kind {rubric.kind} has no scale; remove it")
    scores = [anchor.score for anchor in rubric.scale.anchors]
    for index, score in enumerate(scores):
        where = ("scale", "anchors", index, "score")
        if not rubric.scale.minimum <= score <= rubric.scale.maximum:
            raise document.fault(where, f"{score:g} is off the scale")
        if score in scores[:index]:
            raise document.fault(where, f"{score:g} is anchored twice; keep one")
