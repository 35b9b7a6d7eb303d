"""What a file of tasks may hold: its forms, before they become tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from judgekit.trials import evidence
from judgekit.trials.statuses import TaskStatus
from judgekit.trials.task import THRESHOLD, Kind, Scoring, Suite, TrialGrader

NonBlank = Annotated[str, Field(min_length=1, pattern=r"\S")]


class TrialModel(BaseModel):
    """Strict, closed and immutable; finite numbers only."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False
    )


class GitForm(TrialModel):
    """The git checkout of a task: a repository's folder in the project, and a commit."""

    repository: NonBlank = "."
    commit: NonBlank


class EnvironmentForm(TrialModel):
    """The environment of a task: a copy of a folder or a git checkout, with a board beside it."""

    folder: NonBlank | None = None
    git: GitForm | None = None
    board: bool = False


class GraderForm(TrialModel):
    """One grader of a task; `on` and `given` belong to registered graders alone."""

    grader: NonBlank
    name: NonBlank | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    weight: float = Field(default=1.0, gt=0)
    on: NonBlank | None = None
    given: Any = None


class TaskForm(TrialModel):
    """One task of a file; see `Task` for what the fields mean."""

    id: NonBlank
    suite: Suite
    kind: Kind
    description: NonBlank
    run: NonBlank | None = None
    command: list[NonBlank] | None = Field(default=None, min_length=1)
    env: dict[str, str] = Field(default_factory=dict)
    exit_codes: list[int] = Field(default=[0], min_length=1)
    environment: EnvironmentForm = EnvironmentForm()
    graders: list[GraderForm] = Field(min_length=1)
    scoring: Scoring = Scoring.BINARY
    threshold: float = Field(default=THRESHOLD, gt=0, le=1)
    timeout_s: float | None = Field(default=None, gt=0)
    floor: float | None = Field(default=None, ge=0, le=1)
    smoke: bool = False
    tags: list[NonBlank] = Field(default_factory=list)
    reference_note: str = ""


class SuiteForm(TrialModel):
    """A file of tasks."""

    name: NonBlank
    prompt_version: NonBlank = "unversioned"
    subject_model: NonBlank | None = None
    tasks: list[TaskForm] = Field(min_length=1)


class BoardStateOptions(TrialModel):
    """Options of `board_state`."""

    task: NonBlank
    expect: list[TaskStatus] = Field(min_length=1)


class ReadyOptions(TrialModel):
    """Options of `ready`."""

    task: NonBlank
    expect: bool = True


class LogParseOptions(TrialModel):
    """Options of `log_parse`."""

    kind: NonBlank
    min_count: int = Field(default=1, ge=1)
    task: NonBlank | None = None


class EventBudgetOptions(TrialModel):
    """Options of `event_budget`."""

    max_events: int = Field(ge=0)
    kind: NonBlank | None = None
    task: NonBlank | None = None


class FileExistsOptions(TrialModel):
    """Options of `file_exists`."""

    path: NonBlank


class FileMatchesOptions(TrialModel):
    """Options of `file_matches`."""

    path: NonBlank
    pattern: NonBlank


EVIDENCE: Mapping[str, tuple[Callable[..., TrialGrader], type[TrialModel]]] = {
    "board_state": (evidence.board_state, BoardStateOptions),
    "ready": (evidence.ready, ReadyOptions),
    "log_parse": (evidence.log_parse, LogParseOptions),
    "event_budget": (evidence.event_budget, EventBudgetOptions),
    "file_exists": (evidence.file_exists, FileExistsOptions),
    "file_matches": (evidence.file_matches, FileMatchesOptions),
}
"""Graders of the environment by name, with their options."""
