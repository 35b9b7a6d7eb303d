"""Human labels: what people said of outputs that a judge judges, read and held to a rubric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from judgekit.documents import Document, read_jsonl, shown
from judgekit.documents.document import one_line
from judgekit.errors import ConfigError
from judgekit.judges.replies.statements import NoVerdict, label_key, meets, scored
from judgekit.judges.rubric import Kind, Rubric

NonBlank = Annotated[str, Field(min_length=1, pattern=r"\S")]


@dataclass(frozen=True, slots=True)
class Label:
    """What one person said of one case's output.

    Attributes:
        label: ``pass`` or ``fail``, a number on the rubric's scale, or a category.
        eval: the eval of the case; None where the file does not say. So is `scorer`.
        reviewer: who said so; empty where it is not known.
        slice: the group of cases that it is counted in beside all.
        note: the person's reason.
        source: where it stands, for messages.
    """

    case: str
    label: str | float
    eval: str | None = None
    scorer: str | None = None
    reviewer: str = ""
    slice: str | None = None
    note: str = ""
    source: str = ""


class _LabelForm(BaseModel):
    """One line of a file of labels."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False
    )

    case: NonBlank
    label: NonBlank | float
    eval: NonBlank | None = None
    scorer: NonBlank | None = None
    reviewer: str = ""
    slice: NonBlank | None = None
    note: str = ""


def read_labels(path: Path) -> tuple[Label, ...]:
    """Return the labels in a JSON Lines file, one a line.

    Raises:
        ConfigError: the file is unreadable or holds none, a line is no label, or one reviewer
            labels one case twice; the message names the line.
    """
    labels = tuple(_read(document) for document in read_jsonl(path))
    if not labels:
        raise ConfigError(
            f'{shown(path)}: holds no label; write one a line: {{"case": "…", "label": "pass"}}'
        )
    check_once(labels)
    return labels


def _read(document: Document) -> Label:
    if isinstance(document.value, dict) and isinstance(document.value.get("label"), bool):
        raise document.fault(("label",), "must be pass or fail (or a number, or a category)")
    form = document.parse(_LabelForm)
    return Label(**form.model_dump(), source=f"{document.name}:{document.line() or 1}")


def label_of(value: Any, case: str, source: str) -> tuple[Label, ...]:
    """Return the labels in a case's own field: one label, or one for each reviewer by name.

    Raises:
        ConfigError: it is neither.
    """
    if isinstance(value, dict) and value:
        each = [label_of(item, case, source) for item in value.values()]
        return tuple(
            replace(labels[0], reviewer=name) for name, labels in zip(value, each, strict=True)
        )
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise ConfigError(
            f"{source}: case {case!r}: must be pass or fail (or a number, or a category)"
        )
    stated = value if isinstance(value, str) else float(value)
    return (Label(case, stated, source=source),)


def check_once(labels: Iterable[Label]) -> None:
    """Refuse two labels of one reviewer for one output.

    Raises:
        ConfigError: there are such; where no reviewer is named, they can't be told apart.
    """
    seen: dict[tuple[str | None, ...], Label] = {}
    for label in labels:
        key = (label.eval, label.scorer, label.case, label.reviewer)
        if (first := seen.setdefault(key, label)) is not label:
            again = f"case {label.case!r} is labelled in {first.source} already"
            mend = "keep one" if label.reviewer else "name the reviewers, or keep one"
            raise ConfigError(f"{label.source}: {again}; {mend}")


def labels_for(labels: Iterable[Label], eval_name: str, scorer: str) -> tuple[Label, ...]:
    """Return the labels of one scorer's verdicts.

    One that names the eval or the scorer goes before one that does not.
    """
    chosen: dict[tuple[str, str], Label] = {}
    for label in labels:
        if label.eval in (None, eval_name) and label.scorer in (None, scorer):
            standing = chosen.get((label.case, label.reviewer))
            if standing is None or _particular(label) > _particular(standing):
                chosen[label.case, label.reviewer] = label
    return tuple(chosen.values())


def _particular(label: Label) -> int:
    return (label.eval is not None) + (label.scorer is not None)


def check_cases(labels: Sequence[Label], eval_name: str, cases: Iterable[str]) -> None:
    """Refuse a label of a case that the eval does not have: what it was given for is gone.

    Raises:
        ConfigError: there is one; the message names its line.
    """
    known = set(cases)
    for label in labels:
        if label.eval in (None, eval_name) and label.case not in known:
            raise ConfigError(
                f"{label.source}: eval {eval_name} has no case {one_line(label.case)!r}; mend the "
                "label, or name its eval in it"
            )


@dataclass(frozen=True, slots=True)
class Said:
    """What a label says under a rubric.

    Attributes:
        passed: whether the output passes by the rubric's pass rule.
        outcome: ``pass`` or ``fail``; the category where the label is one.
        score: mapped to [0, 1] where the label is a number, else None.
    """

    passed: bool
    outcome: str
    score: float | None = None


def said(label: Label, rubric: Rubric) -> Said:
    """Return what `label` says under `rubric`.

    Raises:
        ConfigError: it fits no verdict of the rubric's kind.
    """
    stated = label.label
    if isinstance(stated, str):
        return _said_in_words(stated, label, rubric)
    if rubric.kind is not Kind.SCORE:
        raise ConfigError(
            f"{label.source}: label: {stated:g} is a number, and the rubric {rubric.id} is of kind "
            f"{rubric.kind.value}; write {_words(rubric)}"
        )
    try:
        score = scored(stated, rubric).score
    except NoVerdict as error:
        raise ConfigError(f"{label.source}: label: {error}") from None
    passed = meets(score, rubric.min_score)
    return Said(passed, "pass" if passed else "fail", score)


def _said_in_words(stated: str, label: Label, rubric: Rubric) -> Said:
    key = label_key(stated)
    for category in rubric.categories:
        if label_key(category) == key:
            passing = {label_key(each) for each in rubric.passing_categories}
            return Said(key in passing, category)
    if key in ("pass", "fail"):
        return Said(key == "pass", key)
    raise ConfigError(
        f"{label.source}: label: {one_line(stated)[:60]!r} is no verdict of the rubric "
        f"{rubric.id}; write {_words(rubric)}"
    )


def _words(rubric: Rubric) -> str:
    also = {
        Kind.SCORE: ", or a number on the scale",
        Kind.CATEGORY: ", or one of the categories",
    }.get(rubric.kind, "")
    return f"pass or fail{also}"
