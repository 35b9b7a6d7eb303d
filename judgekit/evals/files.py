"""Eval files (``evals/*.yaml``) and their datasets, read into definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from judgekit.documents import (
    EVAL_LIMIT,
    Document,
    confined,
    nearest,
    read_csv,
    read_jsonl,
    read_yaml,
    shown,
)
from judgekit.documents.document import Location
from judgekit.errors import ConfigError
from judgekit.evals.cases import Case, checked_cases
from judgekit.evals.definition import (
    EvalDefinition,
    EvalForm,
    NeededCalibration,
    defined,
    read_form,
)
from judgekit.evals.held_to_people import labels_in
from judgekit.rubrics.labels import check_cases, read_labels

SUFFIXES = (".yaml", ".yml")
COLUMNS = ("id", "input", "output", "expected", "cluster")
DOTTED_COLUMNS = ("input", "expected", "metadata")


def load_eval(path: Path, *, root: Path | None = None) -> EvalDefinition:
    """Return the eval in the file at `path`, with its cases.

    Args:
        path: the eval file.
        root: the folder that the file's dataset may not lie outside; the eval file's own if None.

    Raises:
        ConfigError: the file or its dataset is unreadable or invalid; the message names the line.
    """
    document = read_yaml(path, EVAL_LIMIT)
    return _with_cases(path, document, read_form(document), root)


def load_evals(
    folder: Path, names: Iterable[str] | None = None, *, root: Path | None = None
) -> tuple[EvalDefinition, ...]:
    """Return the evals of a folder, sorted by name.

    Args:
        folder: holds the eval files; folders in it are not looked into.
        names: the evals to load; all if None. Only theirs are the datasets that are read.
        root: as in `load_eval`.

    Raises:
        ConfigError: as `load_eval`; also when the folder is missing or holds no eval, two evals
            have one name, or a name is unknown.
    """
    forms: dict[str, tuple[Path, Document, EvalForm]] = {}
    for path in _eval_files(folder):
        document = read_yaml(path, EVAL_LIMIT)
        form = read_form(document)
        key = form.name.casefold()
        if key in forms:
            raise document.fault(
                ("name",), f"{form.name!r} is the name of {shown(forms[key][0])} too; rename one"
            )
        forms[key] = (path, document, form)
    chosen = _chosen({form.name: key for key, (_, _, form) in forms.items()}, names, folder)
    return tuple(_with_cases(*forms[key], root) for key in sorted(chosen))


def _eval_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise ConfigError(f"{shown(folder)}: no such folder; `judgekit init` lays out a project")
    files = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)
    if not files:
        raise ConfigError(f"{shown(folder)}: holds no eval (*.yaml); write one")
    return files


def _chosen(known: dict[str, str], names: Iterable[str] | None, folder: Path) -> set[str]:
    if names is None:
        return set(known.values())
    wanted = list(names)
    for name in wanted:
        if name not in known:
            raise ConfigError(f"{shown(folder)}: no eval is named {name!r}; {nearest(name, known)}")
    return {known[name] for name in wanted}


def _with_cases(
    path: Path, document: Document, form: EvalForm, root: Path | None
) -> EvalDefinition:
    if isinstance(form.cases, str):
        rows = _dataset(path, document, form.cases, root or path.parent)
    else:
        rows = ((document, ("cases", index)) for index in range(len(document.value["cases"])))
    cases = checked_cases(rows, made_by_task=form.task is not None)
    if not cases:
        raise document.fault(("cases",), "there is no case; add at least one")
    calibration = _calibration(path, document, form, cases, root or path.parent)
    return defined(form, cases, source=document.name, calibration=calibration)


def _calibration(
    path: Path, document: Document, form: EvalForm, cases: tuple[Case, ...], root: Path
) -> NeededCalibration | None:
    """Return what the eval's judges must reach, with the labels that they are held to."""
    asked = form.calibration
    if asked is None:
        return None
    where = ("calibration", "labels")
    if asked.labels is None:
        labels = labels_in(cases, document.name)
    else:
        named_by = f"{document.name}:{document.line(where)}: calibration.labels"
        labels = read_labels(confined(root, asked.labels, base=path.parent, named_by=named_by))
        check_cases(labels, form.name, (case.id for case in cases))
    return NeededCalibration(labels, asked.min_kappa, asked.scorers)


def _dataset(
    path: Path, document: Document, reference: str, root: Path
) -> Iterator[tuple[Document, Location]]:
    named_by = f"{document.name}:{document.line(('cases',))}: cases"
    file = confined(root, reference, base=path.parent, named_by=named_by)
    if file.suffix == ".jsonl":
        return ((row, ()) for row in read_jsonl(file))
    if file.suffix == ".csv":
        return ((_nested(row), ()) for row in read_csv(file))
    raise document.fault(("cases",), f"{reference!r} must be a .jsonl or .csv file")


def _nested(row: Document) -> Document:
    """Return a CSV row as a case: ``expected.x`` columns in `expected`; empty cells are left out.

    An empty cell can't be told from a missing one: an output that is empty text needs JSONL.
    """
    case: dict[str, Any] = {}
    for column, text in row.value.items():
        root, *steps = column.split(".")
        if (steps and root not in DOTTED_COLUMNS) or (not steps and column not in COLUMNS):
            known = (*COLUMNS, *(f"{name}.…" for name in DOTTED_COLUMNS))
            raise row.fault((), f"the column {column!r} is unknown; {nearest(column, known)}")
        if text or steps:
            _place(row, case, column, [root, *steps], text)
    return Document(row.name, case, row.lines)


def _place(row: Document, case: dict[str, Any], column: str, steps: list[str], text: str) -> None:
    *around, last = steps
    target = case
    for step in around:
        target = target.setdefault(step, {})
        if not isinstance(target, dict):
            break
    if not all(steps) or not isinstance(target, dict) or last in target:
        raise row.fault((), f"the column {column!r} contradicts another; rename one")
    target[last] = text
