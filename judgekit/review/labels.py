"""Human labels as JSON Lines: what people give, and what a review exports for calibration."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from judgekit.documents import read_jsonl, shown
from judgekit.errors import ConfigError

NonBlank = Annotated[str, Field(min_length=1, pattern=r"\S")]


@dataclass(frozen=True, slots=True)
class Label:
    """What a person said of one case's output.

    Attributes:
        eval: empty where the file does not say; so is `scorer`.
        reviewer: who said so; empty where it is not known.
        source: file and line, for messages; empty for a label that was not read from one.
    """

    case: str
    eval: str
    scorer: str
    label: Literal["pass", "fail"]
    reviewer: str = ""
    note: str = ""
    source: str = ""


class _LabelForm(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", frozen=True)

    case: NonBlank
    label: Literal["pass", "fail"]
    eval: NonBlank | None = None
    scorer: NonBlank | None = None
    reviewer: str = ""
    note: str = ""


def read_labels(path: Path) -> tuple[Label, ...]:
    """Return the labels in a JSON Lines file: ``{"case", "label"}`` and more as in `Label`.

    Raises:
        ConfigError: the file is unreadable or empty, a line is no label, or one reviewer labels one
            output twice; each names the line.
    """
    found: dict[tuple[str, ...], Label] = {}
    for document in read_jsonl(path):
        form = document.parse(_LabelForm)
        source = f"{document.name}:{document.line()}"
        label = Label(
            form.case,
            form.eval or "",
            form.scorer or "",
            form.label,
            form.reviewer,
            form.note,
            source,
        )
        key = (label.eval, label.scorer, label.case, label.reviewer)
        if key in found:
            raise ConfigError(
                f"{source}: case {label.case!r} is labelled already in {found[key].source}; keep "
                "one"
            )
        found[key] = label
    if not found:
        raise ConfigError(f"{shown(path)}: holds no label; write one a line")
    return tuple(found.values())


def labels_text(labels: Iterable[Label]) -> str:
    """Return labels as JSON Lines; the same labels give the same bytes."""
    return "".join(json.dumps(_fields(label), ensure_ascii=False) + "\n" for label in labels)


def _fields(label: Label) -> dict[str, Any]:
    return {name: value for name, value in asdict(label).items() if name != "source"}
