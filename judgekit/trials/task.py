"""An agent task: what is run, in which environment, and by which graders its outcome is graded."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from judgekit.cassettes.canonical import canonical_bytes
from judgekit.errors import ConfigError
from judgekit.graders.grade import Grade, Json

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from judgekit.trials.board import Board
    from judgekit.trials.judging import TrialJudges

THRESHOLD = 0.7
"""The least weighted mean score that passes a trial under weighted scoring."""

COMMAND_TIMEOUT_S = 300.0
"""Seconds that a command may run where the task says nothing."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Suite(StrEnum):
    """What a task is for: to show what agents can do, or to hold what they must never lose."""

    CAPABILITY = "capability"
    REGRESSION = "regression"


class Kind(StrEnum):
    """The kind of work."""

    CODING = "coding"
    RESEARCH = "research"
    COORDINATION = "coordination"


class Scoring(StrEnum):
    """How a trial's grades make one result: all must pass, or their weighted mean must."""

    BINARY = "binary"
    WEIGHTED = "weighted"


@dataclass(frozen=True, slots=True)
class TrialContext:
    """What a task is given in one trial: a clean environment, and nothing of other trials.

    Attributes:
        task: the task's id.
        trial: which trial it is, from 0.
        seed: the trial's own seed, in [0, 2**32).
        folder: the working folder; removed after the trial.
        home: a further folder, for what a command keeps in its home; removed too.
        flags: for each subsystem of an ablation, whether it is on; empty outside of one.
        project: the project's folder, which a trial only reads.
    """

    task: str
    trial: int
    seed: int
    folder: Path
    home: Path
    flags: Mapping[str, bool] = field(default_factory=dict)
    project: Path | None = None
    opened_board: Board | None = None

    @property
    def board(self) -> Board:
        """The trial's board.

        Raises:
            ConfigError: the task's environment has none.
        """
        if self.opened_board is None:
            raise ConfigError(f"task {self.task!r}: has no board; give it the board environment")
        return self.opened_board

    def is_on(self, subsystem: str) -> bool:
        """Whether a subsystem is on; all are, outside of an ablation."""
        return self.flags.get(subsystem, True)


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What a trial left behind, beside its environment: what is graded, never the narration.

    Attributes:
        summary: text for graders of text.
        data: JSON values by name.
    """

    summary: str | None = None
    data: Mapping[str, Json] = field(default_factory=dict)


class Environment(Protocol):
    """Makes the clean environment of each trial: the port that adapters fill.

    The runner has made `context.folder` and removes it afterwards, whatever happens; what the
    adapter opens beyond that folder it closes itself.
    """

    def describe(self) -> Json:
        """Return what the environment is made of, for the task's digest."""
        ...

    def open(self, context: TrialContext) -> AbstractContextManager[TrialContext]:
        """Prepare the environment of one trial; leaving the context manager closes it."""
        ...


Run: TypeAlias = Callable[[TrialContext], TrialOutcome | Awaitable[TrialOutcome]]


@dataclass(frozen=True, slots=True)
class Command:
    """A task as a subprocess.

    Attributes:
        argv: program and arguments. ``{python}``, ``{project}``, ``{folder}`` and ``{seed}`` in
            them stand for the running Python, the project's and the trial's folder, and the seed.
        env: further environment variables; of the outer ones only PATH and the locale are passed.
        exit_codes: those that are no fault.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    exit_codes: tuple[int, ...] = (0,)

    def __post_init__(self) -> None:
        if not self.argv or not self.argv[0].strip():
            raise ConfigError("command: is empty; name a program")
        if any("\0" in part for part in (*self.argv, *self.env, *self.env.values())):
            raise ConfigError("command: holds a NUL character, which no program can be given")


GradeFunction: TypeAlias = Callable[
    [TrialContext, TrialOutcome, "TrialJudges | None"], Grade | Awaitable[Grade]
]


@dataclass(frozen=True, slots=True)
class TrialGrader:
    """A named grader of a trial's outcome.

    Attributes:
        name: unique in its task.
        kind: which grader it is, such as ``board_state``.
        config: its options, for the digest.
        weight: its share in a weighted score; above 0.
        asks: the judges that it asks, by name (None is the default one); empty if it asks none.
    """

    name: str
    kind: str
    grade: GradeFunction
    config: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0
    asks: tuple[str | None, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ConfigError(f"grader {self.kind}: its name must not be blank")
        if isinstance(self.weight, bool) or not 0 < self.weight < float("inf"):
            raise ConfigError(f"grader {self.name!r}: weight must be above 0, not {self.weight!r}")


@dataclass(frozen=True, slots=True)
class Task:
    """One agent task.

    Attributes:
        id: letters, digits, ``.``, ``_`` and ``-``; unique in its suite.
        run: drives the agent in the given context, in this process; may be asynchronous.
        command: drives it as a subprocess instead; a task has the one or the other.
        environment: makes the clean context of each trial; a temporary folder if None.
        scoring: how its grades make one result.
        threshold: least weighted mean score that passes under weighted scoring, in (0, 1].
        timeout_s: seconds that one trial may take; a command has 300 where None.
        floor: least share of trials that must pass, in [0, 1]. None asks all of a regression task
            and one of a capability task, so that no mean hides a task that always fails.
        smoke: whether it belongs to the cheap subset.
        reference_note: where its expected outcome comes from.
    """

    id: str
    suite: Suite
    kind: Kind
    description: str
    graders: tuple[TrialGrader, ...]
    run: Run | None = None
    command: Command | None = None
    environment: Environment | None = None
    scoring: Scoring = Scoring.BINARY
    threshold: float = THRESHOLD
    timeout_s: float | None = None
    floor: float | None = None
    smoke: bool = False
    tags: tuple[str, ...] = ()
    reference_note: str = ""

    def __post_init__(self) -> None:
        where = f"task {self.id!r}"
        if not _ID.fullmatch(self.id):
            raise ConfigError(f"{where}: id must be up to 100 letters, digits, '.', '_' and '-'")
        if (self.run is None) is (self.command is None):
            raise ConfigError(f"{where}: needs `run` or `command`, and not both")
        if not self.graders:
            raise ConfigError(f"{where}: has no grader; a trial that nothing grades can't pass")
        names = [grader.name for grader in self.graders]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ConfigError(f"{where}: two graders are named {twice!r}; rename one")
        _check_share(f"{where}: threshold", self.threshold, above_zero=True)
        if self.floor is not None:
            _check_share(f"{where}: floor", self.floor)
        if self.timeout_s is not None and not 0 < self.timeout_s < float("inf"):
            raise ConfigError(f"{where}: timeout_s must be above 0, not {self.timeout_s!r}")

    @property
    def limit_s(self) -> float | None:
        """Seconds that one trial may take, or None for no limit."""
        default = COMMAND_TIMEOUT_S if self.command is not None else None
        return self.timeout_s if self.timeout_s is not None else default

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of what the task asks and how that is graded, whoever's code does it."""
        return self._digest(self._parts())

    @property
    def run_digest(self) -> str:
        """SHA-256 (hex) of the task with the source of its `run`: a changed one is not resumed."""
        source = None if self.run is None else _source(self.run)
        return self._digest([self._parts(), source])

    def _digest(self, parts: Json) -> str:
        try:
            return hashlib.sha256(canonical_bytes(parts)).hexdigest()
        except ConfigError:
            raise ConfigError(
                f"task {self.id!r}: the options and names of its graders must be JSON values"
            ) from None

    def _parts(self) -> dict[str, Json]:
        return {
            "id": self.id,
            "suite": self.suite.value,
            "kind": self.kind.value,
            "command": None if self.command is None else _described(self.command),
            "environment": None if self.environment is None else self.environment.describe(),
            "graders": [
                [each.name, each.kind, _plain(each.config), float(each.weight)]
                for each in self.graders
            ],
            "scoring": self.scoring.value,
            "threshold": float(self.threshold),
            "timeout_s": None if self.limit_s is None else float(self.limit_s),
            "floor": None if self.floor is None else float(self.floor),
        }


def _check_share(what: str, value: float, *, above_zero: bool = False) -> None:
    low = value > 0 if above_zero else value >= 0
    if isinstance(value, bool) or not (low and value <= 1):
        bounds = "(0, 1]" if above_zero else "[0, 1]"
        raise ConfigError(f"{what} must be a number in {bounds}, not {value!r}")


def _described(command: Command) -> Json:
    return [list(command.argv), dict(command.env), list(command.exit_codes)]


def _plain(value: Any) -> Any:
    """Return `value` as JSON: functions by their source, tuples as lists, enums by their value."""
    if callable(value):
        return _source(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = [_plain(item) for item in value]
        return sorted(items, key=str) if isinstance(value, set | frozenset) else items
    return value.value if isinstance(value, StrEnum) else value


def _source(function: Callable[..., Any]) -> Json:
    """Return a function's source with the plain values that it closes over.

    Where there is no source to be had, its name stands for it.
    """
    if isinstance(function, partial):
        return [_source(function.func), repr(function.args), repr(sorted(function.keywords))]
    cells = getattr(function, "__closure__", None) or ()
    closed = [cell.cell_contents for cell in cells]
    plain = [repr(value) for value in closed if isinstance(value, str | int | float | tuple)]
    try:
        return [inspect.getsource(function), *plain]
    except (OSError, TypeError):
        module = getattr(function, "__module__", "")
        return [f"{module}:{getattr(function, '__qualname__', type(function).__qualname__)}"]
