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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judgekit.documents import CONFIG_LIMIT, Document, confined, parse_yaml, read_text, shown
from judgekit.documents.document import Location
from judgekit.errors import ConfigError
from judgekit.judges.rubric import CRITERIA_LIMIT, Kind, Rubric

_FENCE = "---"


@dataclass(frozen=True, slots=True)
class RubricSource:
    """A rubric file taken apart, before its front matter is held to anything.

    Attributes:
        path: the file.
        front: the front matter with its lines; its value is a mapping.
        body: the criteria, without blank lines around them.
        body_line: the line of the file that the body begins at.
    """

    path: Path
    front: Document
    body: str
    body_line: int

    @property
    def whole(self) -> Document:
        """The document that a `Rubric` is read from: the front matter and the criteria."""
        value = {**self.front.value, "criteria": self.body}
        return Document(self.front.name, value, self.front.lines)


def read_source(path: Path) -> RubricSource:
    """Return the rubric file at `path` taken apart.

    Raises:
        ConfigError: the file is unreadable, has no front matter, or the front matter is no mapping.
    """
    text = read_text(path, CONFIG_LIMIT)
    name = shown(path)
    front, body, body_line = _split(text, name)
    document = parse_yaml(front, name, first_line=2)
    if not isinstance(document.value, dict):
        raise ConfigError(f"{name}:2: the front matter must be a mapping (key: value)")
    blank = len(body) - len(body.lstrip()) if body.strip() else 0
    return RubricSource(path, document, body.strip(), body_line + body.count("\n", 0, blank))


def load_rubric(path: Path) -> Rubric:
    """Return the rubric in the file at `path`.

    Raises:
        ConfigError: the file is unreadable, has no front matter or no criteria, the front matter
            has an unknown, missing or wrong field, or its id is not the file's name.
    """
    source = read_source(path)
    _check_body(source)
    rubric = source.whole.parse(Rubric)
    for location, message in misfits(source, rubric):
        raise source.front.fault(location, message)
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
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :]), number + 2
    raise ConfigError(f"{name}:1: the front matter is not closed; end it with a line of ---")


def _check_body(source: RubricSource) -> None:
    front, body = source.front, source.body
    where = f"{front.name}:{source.body_line}: criteria"
    if "criteria" in front.value:
        raise front.fault(("criteria",), "must stand below the front matter, as the body")
    if not body:
        raise ConfigError(f"{where}: the rubric is empty; write what to judge by")
    if len(body) > CRITERIA_LIMIT:
        raise ConfigError(
            f"{where}: has {len(body)} characters, over the limit of "
            f"{CRITERIA_LIMIT}; cut it down, or split the rubric"
        )


def misfits(source: RubricSource, rubric: Rubric) -> Iterator[tuple[Location, str]]:
    """Yield what is wrong with front matter whose fields are right one by one.

    No judge could be asked by such a rubric.
    """
    if "id" not in source.front.value or rubric.id != source.path.stem:
        yield ("id",), f"must be {source.path.stem!r}, the name of the file"
    yield from _category_misfits(rubric)
    yield from _anchor_misfits(rubric)


def _category_misfits(rubric: Rubric) -> Iterator[tuple[Location, str]]:
    categories = rubric.categories
    if rubric.kind is Kind.CATEGORY and len(set(categories)) < 2:
        yield ("categories",), "a category rubric needs at least two"
    if len(set(categories)) != len(categories):
        yield ("categories",), "one stands twice; keep one"
    for index, label in enumerate(rubric.passing_categories):
        if label not in categories:
            yield ("passing_categories", index), f"{label!r} is none of the categories"
    if rubric.kind is Kind.CATEGORY and not rubric.passing_categories:
        yield ("passing_categories",), "is missing; say which categories pass"


def _anchor_misfits(rubric: Rubric) -> Iterator[tuple[Location, str]]:
    if rubric.scale is None:
        return
    if rubric.kind is not Kind.SCORE:
        yield ("scale",), f"a rubric of kind {rubric.kind} has no scale; remove it"
        return
    scores = [anchor.score for anchor in rubric.scale.anchors]
    for index, score in enumerate(scores):
        where = ("scale", "anchors", index, "score")
        if not rubric.scale.minimum <= score <= rubric.scale.maximum:
            yield where, f"{score:g} is off the scale"
        if score in scores[:index]:
            yield where, f"{score:g} is anchored twice; keep one"
