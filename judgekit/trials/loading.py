"""Loading tasks: from YAML files, and from Python modules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgekit.documents import EVAL_LIMIT, Document, confined, nearest, read_yaml, shown
from judgekit.documents.document import Location, one_line
from judgekit.errors import ConfigError
from judgekit.graders.registry import graders
from judgekit.trials.environment import BoardEnvironment, GitCheckout, TemporaryFolder
from judgekit.trials.forms import (
    EVIDENCE,
    EnvironmentForm,
    GraderForm,
    SuiteForm,
    TaskForm,
    TrialModel,
)
from judgekit.trials.registered import SUMMARY, graded_by
from judgekit.trials.task import (
    Command,
    Environment,
    Run,
    Task,
    TrialGrader,
)

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class TrialSuite:
    """A suite of tasks, whole and validated.

    Attributes:
        prompt_version: immutable id of what drives the agents.
        subject: the model that drives them, or ``human`` (also where no model does).
    """

    name: str
    prompt_version: str
    subject: str
    tasks: tuple[Task, ...]


def load_suite(path: Path, *, root: Path | None = None) -> TrialSuite:
    """Return the suite of tasks in a YAML file.

    Args:
        path: the file.
        root: the project's folder: what the file names may not lie outside of it, and functions
            are imported from it; the file's own folder if None.

    Raises:
        ConfigError: the file is unreadable or invalid; the message names the line.
    """
    return suite_of(read_yaml(path, EVAL_LIMIT), root or path.parent, base=path.parent)


def load_suites(folder: Path, *, root: Path | None = None) -> tuple[TrialSuite, ...]:
    """Return the suites of a folder, sorted by name.

    Raises:
        ConfigError: as `load_suite`; also when the folder holds none, or two have one name.
    """
    if not folder.is_dir():
        raise ConfigError(f"{shown(folder)}: no such folder; put trials (*.yaml) into it")
    files = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES)
    suites = sorted((load_suite(path, root=root) for path in files), key=lambda each: each.name)
    if not suites:
        raise ConfigError(f"{shown(folder)}: holds no trials (*.yaml); write some")
    names = [suite.name.casefold() for suite in suites]
    twice = next((suite.name for suite in suites if names.count(suite.name.casefold()) > 1), None)
    if twice is not None:
        raise ConfigError(f"{shown(folder)}: two files are named {twice!r} inside; rename one")
    return tuple(suites)


def suite_of(document: Document, root: Path, *, base: Path | None = None) -> TrialSuite:
    """Return the suite that a document describes.

    Raises:
        ConfigError: a key is unknown or missing, a value wrong, a grader unknown, a path leads out
            of the project, a function can't be imported, or two tasks have one id.
    """
    if document.value is None:
        raise document.fault((), "is empty; describe tasks in it")
    form = document.parse(SuiteForm)
    seen: dict[str, int] = {}
    for place, each in enumerate(form.tasks):
        if seen.setdefault(each.id.casefold(), place) != place:
            message = f"{each.id!r} is the id of another task too (case does not count); rename it"
            raise document.fault(("tasks", place, "id"), message)
    reader = _Reader(document, root, base or root)
    return TrialSuite(
        name=form.name,
        prompt_version=form.prompt_version,
        subject=form.subject_model or "human",
        tasks=tuple(reader.task(place, each) for place, each in enumerate(form.tasks)),
    )


def find_tasks(name: str, *, root: Path | None = None) -> tuple[Task, ...]:
    """Return the tasks that a Python module holds.

    Args:
        name: ``package.module:NAME``, where NAME is a task, tasks, or a function that makes them.
        root: the project's folder, from which modules are imported too.

    Raises:
        ConfigError: the module can't be imported, or holds no task of that name.
    """
    found = imported(name, root)
    if callable(found):
        found = found()
    tasks = (found,) if isinstance(found, Task) else tuple(_listed(name, found))
    if not tasks or not all(isinstance(task, Task) for task in tasks):
        raise ConfigError(f"{name!r}: holds no tasks; name a Task, or a list of them")
    return tasks


def _listed(name: str, found: Any) -> Iterable[Any]:
    if not isinstance(found, Iterable):
        raise ConfigError(f"{name!r}: is a {type(found).__name__}; name a Task, or a list of them")
    return found


def imported(name: str, root: Path | None) -> Any:
    """Return what ``package.module:NAME`` names.

    Raises:
        ConfigError: it is no such name, or importing the module fails.
    """
    module_name, _, path = name.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), *path.split("."))):
        raise ConfigError(f"{name!r}: must be written as package.module:name")
    if root is not None and str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        found: Any = importlib.import_module(module_name)
        for step in path.split("."):
            found = getattr(found, step)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
        said = one_line(f"{type(error).__name__}: {error}")
        raise ConfigError(f"{name!r}: cannot be imported ({said}); check the name") from None
    return found


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes tasks of the forms of one document."""

    document: Document
    root: Path
    base: Path

    def task(self, place: int, form: TaskForm) -> Task:
        here: Location = ("tasks", place)
        fields = form.model_dump(include=_SAME_FIELDS)
        try:
            return Task(
                **fields,
                tags=tuple(form.tags),
                run=self._run(here, form),
                command=self._command(here, form),
                environment=self._environment(here, form.environment),
                graders=tuple(
                    self._grader((*here, "graders", i), each) for i, each in enumerate(form.graders)
                ),
            )
        except _Placed as error:
            raise error.fault from None
        except ConfigError as error:
            raise self.document.fault(here, str(error)) from None

    def _run(self, here: Location, form: TaskForm) -> Run | None:
        if form.run is None:
            return None
        with _placed(self.document, (*here, "run")):
            function: Run = imported(form.run, self.root)
            if not callable(function):
                raise ConfigError(f"{form.run!r} is no function; name one")
        return function

    def _command(self, here: Location, form: TaskForm) -> Command | None:
        if form.command is None:
            for field in ("env", "exit_codes"):
                if field in form.model_fields_set:
                    message = "belongs to a command, and the task has none"
                    raise _Placed(self.document.fault((*here, field), message))
            return None
        return Command(tuple(form.command), form.env, tuple(form.exit_codes))

    def _environment(self, here: Location, form: EnvironmentForm) -> Environment:
        where = (*here, "environment")
        with _placed(self.document, where):
            if form.folder is not None and form.git is not None:
                raise ConfigError("has a folder and a git checkout; keep one of the two")
            environment: Environment = TemporaryFolder()
            if form.folder is not None:
                environment = TemporaryFolder(self._path(where, form.folder))
            if form.git is not None:
                repository = self._path(where, form.git.repository)
                environment = GitCheckout(repository, form.git.commit)
        return BoardEnvironment(environment) if form.board else environment

    def _path(self, where: Location, path: str) -> Path:
        named_by = f"{self.document.name}:{self.document.line(where) or 1}: environment"
        try:
            return confined(self.root, path, base=self.base, named_by=named_by)
        except ConfigError as error:
            raise _Placed(error) from None

    def _grader(self, where: Location, form: GraderForm) -> TrialGrader:
        with _placed(self.document, where):
            if form.grader in EVIDENCE:
                return self._evidence(where, form)
            if form.grader not in graders():
                known = (*EVIDENCE, *graders())
                raise ConfigError(f"unknown grader {form.grader!r}; {nearest(form.grader, known)}")
            return graded_by(
                form.grader,
                form.config,
                on=form.on or SUMMARY,
                given=form.given,
                name=form.name or "",
                weight=form.weight,
            )

    def _evidence(self, where: Location, form: GraderForm) -> TrialGrader:
        if form.on is not None or form.given is not None:
            option = "given" if form.on is None else "on"
            raise ConfigError(f"{form.grader}: {option}: unknown; it grades the environment")
        make, options = EVIDENCE[form.grader]
        try:
            parsed = self._options(where, options)
        except ConfigError as error:
            raise _Placed(error) from None
        fields = {name: getattr(parsed, name) for name in options.model_fields}
        return make(**fields, name=form.name or "", weight=form.weight)

    def _options(self, where: Location, options: type[TrialModel]) -> TrialModel:
        if "config" in self.document.at(where):
            return self.document.parse(options, (*where, "config"))
        line = self.document.line(where)
        return Document(self.document.name, {}, {} if line is None else {(): line}).parse(options)


_SAME_FIELDS = {
    "id",
    "suite",
    "kind",
    "description",
    "scoring",
    "threshold",
    "timeout_s",
    "floor",
    "smoke",
    "reference_note",
}


class _Placed(Exception):
    """A fault whose message says already where it stands."""

    def __init__(self, fault: ConfigError) -> None:
        super().__init__(str(fault))
        self.fault = fault


@contextmanager
def _placed(document: Document, where: Location) -> Iterator[None]:
    """Give errors of the block the place in the document that they are about."""
    try:
        yield
    except ConfigError as error:
        raise _Placed(document.fault(where, str(error))) from None
