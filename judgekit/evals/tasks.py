"""Tasks: the functions that make a case's output from its input."""

from __future__ import annotations

import importlib
import inspect
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgekit.documents import Document, checked_json
from judgekit.documents.document import one_line
from judgekit.errors import ConfigError
from judgekit.evals.cases import ExitSignal
from judgekit.evals.definition import Task
from judgekit.graders.grade import Json

_FAILURES = (Exception, SystemExit)
"""What foreign code may raise: a task that leaves the process must not end the run as passed."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a task made of one input.

    Attributes:
        output: what it returned; None when it failed.
        signal: how it ended.
        fault: why there is no output, in one line; None when there is one.
    """

    output: Json
    signal: ExitSignal
    fault: str | None = None


def find_task(task: str | Task, *, root: Path | None = None) -> Task:
    """Return the function that `task` names, importing its module.

    Args:
        task: ``package.module:function``, or the function itself.
        root: the project's folder, from which modules are imported too.

    Raises:
        ConfigError: the module or function does not exist, fails to import, or is asynchronous.
    """
    function = _imported(task, root) if isinstance(task, str) else task
    if not callable(function):
        raise ConfigError(f"task {task!r}: is not a function; name one")
    if inspect.iscoroutinefunction(function):
        raise ConfigError(f"task {task!r}: is asynchronous; name a plain function that runs it")
    return function


def make_output(task: Task, given: Json, timeout_s: float | None = None) -> Made:
    """Return what `task` makes of `given`; whatever it raises becomes part of the answer.

    Args:
        task: called with the case's input alone.
        given: the case's input.
        timeout_s: seconds after which it is given up. Its thread can't be stopped: it ends with
            the process at the latest.
    """
    try:
        output = task(given) if timeout_s is None else _within(task, given, timeout_s)
        checked: Json = checked_json(Document("the task's output", None), (), output)
    except TimeoutError as error:
        return _failed(error, ExitSignal(error=_said(error), timed_out=True))
    except _FAILURES as error:
        return _failed(error, ExitSignal(error=_said(error)))
    if checked is None:
        return Made(None, ExitSignal(error="returned nothing"), "the task returned nothing")
    return Made(checked, ExitSignal())


def _failed(error: BaseException, signal: ExitSignal) -> Made:
    return Made(None, signal, f"the task raised {_said(error)}")


def _said(error: BaseException) -> str:
    return one_line(f"{type(error).__name__}: {error}".removesuffix(": "))


def _within(task: Task, given: Json, timeout_s: float) -> Any:
    """Return what `task` returns, or raise what it raises, within `timeout_s` seconds."""
    ended: list[Callable[[], Any]] = []

    def work() -> None:
        try:
            output = task(given)
        except _FAILURES as error:
            failure = error
            ended.append(lambda: _raise(failure))
        else:
            ended.append(lambda: output)

    worker = threading.Thread(target=work, name="judgekit-task", daemon=True)
    worker.start()
    worker.join(timeout_s)
    if not ended:
        raise TimeoutError(f"gave no output within {timeout_s:g} s")
    return ended[0]()


def _raise(error: BaseException) -> None:
    raise error


def _imported(name: str, root: Path | None) -> Any:
    module_name, _, path = name.partition(":")
    if root is not None and str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        found: Any = importlib.import_module(module_name)
    except _FAILURES as error:
        raise ConfigError(
            f"task {name!r}: cannot import {module_name} ({_said(error)}); check the name"
        ) from None
    for step in path.split("."):
        found = getattr(found, step, None)
        if found is None:
            raise ConfigError(f"task {name!r}: {module_name} has no {path}; check the name")
    return found
