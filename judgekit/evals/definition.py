"""An eval: a dataset bound to a prompt version and to the scorers that grade it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, model_validator

from judgekit.documents import Document, nearest
from judgekit.documents.document import Location
from judgekit.errors import ConfigError
from judgekit.evals.cases import Case, EvalModel
from judgekit.evals.references import check_reference, references
from judgekit.gate.run import GateSettings
from judgekit.graders.registry import GraderSpec, find_grader
from judgekit.rubrics.labels import Label

NonBlank = Annotated[str, Field(min_length=1, pattern=r"\S")]
Share = Annotated[float, Field(ge=0, le=1)]


def _slug(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise ValueError(
            "must have up to 100 letters, digits, '.', '_' and '-', and open with a letter or digit"
        )
    return name


def _task_name(name: str) -> str:
    module, _, function = name.partition(":")
    steps = [*module.split("."), *function.split(".")]
    if not all(step.isidentifier() for step in steps):
        raise ValueError("must name a function as package.module:function")
    return name


Slug = Annotated[str, AfterValidator(_slug)]
TaskName = Annotated[str, AfterValidator(_task_name)]
Task = Callable[[Any], Any]

HUMAN = "human"
RUBRIC_OPTIONS = ("rubric", "prompt", "criteria")
"""Options of model-graded graders that hold what to judge by: text, or a rubric file (``….md``)."""
FIXED_OPTIONS = ("url", "judge", "judges", *RUBRIC_OPTIONS)
"""Options of model-graded graders that must be the same for every case: who judges, by what."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A named grader with its config.

    Attributes:
        grader: name of a registered grader.
        config: its options as the eval file holds them; values may be references to the case.
        wilson_floor: least Wilson lower bound of its pass rate, in [0, 1].
    """

    name: str
    grader: str
    config: Mapping[str, Any] = field(default_factory=dict)
    wilson_floor: float | None = None


@dataclass(frozen=True, slots=True)
class NeededCalibration:
    """What an eval's judges must reach against human labels before a gate may rest on them.

    Attributes:
        labels: people's, of this eval's cases.
        min_kappa: least lower confidence bound of Cohen's kappa, in [-1, 1].
        scorers: the scorers that it is asked of; None asks it of every one with a judge.
    """

    labels: tuple[Label, ...]
    min_kappa: float
    scorers: tuple[str, ...] | None = None

    def is_asked_of(self, scorer: str) -> bool:
        """Whether the judge of that scorer must reach it."""
        return self.scorers is None or scorer in self.scorers


@dataclass(frozen=True, slots=True)
class EvalDefinition:
    """An eval, whole and validated.

    Attributes:
        name: unique in the project.
        prompt_version: immutable id of the prompt that made the outputs.
        subject: the subject model, or ``human``.
        threshold: least score that may pass, in [0, 1].
        cases: at least one, each with an id of its own.
        scorers: at least one.
        wilson_floor: least Wilson lower bound of the pass rate, in [0, 1].
        task: makes the output from a case's input, as ``package.module:function`` or itself.
        task_timeout_s: seconds after which the task is given up; None waits for ever.
        calibration: what its judges must reach against human labels; None asks for nothing.
        source: the file it was read from, for messages.
    """

    name: str
    prompt_version: str
    subject: str
    threshold: float
    cases: tuple[Case, ...]
    scorers: tuple[Scorer, ...]
    wilson_floor: float | None = None
    gate: GateSettings = field(default_factory=GateSettings)
    task: str | Task | None = None
    task_timeout_s: float | None = None
    calibration: NeededCalibration | None = None
    source: str = ""


class GateForm(EvalModel):
    """The `gate` of an eval file; see `GateSettings`."""

    mode: Literal["strict", "statistical"] = "strict"
    alpha: float = Field(default=0.05, gt=0, lt=1)
    max_drop: Share = 0.0
    allowed_errors: int = Field(default=0, ge=0)
    confidence: float = Field(default=0.95, gt=0, lt=1)


class CalibrationForm(EvalModel):
    """The `calibration` of an eval file.

    Attributes:
        labels: a JSON Lines file of labels; the cases' own ``expected.human_verdict`` if None.
        scorers: names of the scorers that it is asked of; every one with a judge if None.
    """

    labels: NonBlank | None = None
    min_kappa: float = Field(ge=-1, le=1)
    scorers: tuple[Slug, ...] | None = Field(default=None, min_length=1)


class ScorerForm(EvalModel):
    """One scorer of an eval file."""

    grader: NonBlank
    config: dict[str, Any] = Field(default_factory=dict)
    wilson_floor: Share | None = None


class EvalForm(EvalModel):
    """An eval file without its cases."""

    name: Slug
    prompt_version: NonBlank
    subject: Literal["human"] | None = None
    subject_model: NonBlank | None = None
    threshold: Share
    wilson_floor: Share | None = None
    gate: GateForm = GateForm()
    calibration: CalibrationForm | None = None
    cases: NonBlank | list[Any]
    task: TaskName | None = None
    task_timeout_s: float | None = Field(default=None, gt=0)
    scorers: dict[Slug, ScorerForm]

    @model_validator(mode="after")
    def _one_subject(self) -> EvalForm:
        if (self.subject is None) is (self.subject_model is None):
            raise ValueError(
                "name who made the outputs, once: `subject: human` or `subject_model: <model>`"
            )
        if (self.subject_model or "").strip().lower() == HUMAN:
            raise ValueError("`subject_model: human` names no model; write `subject: human`")
        return self


def read_form(document: Document) -> EvalForm:
    """Return the eval that `document` describes, without its cases.

    Raises:
        ConfigError: a key is unknown or missing, a value wrong, there is no scorer, a grader is
            unknown or its config invalid; each with its line where `document` has lines.
    """
    value = document.value
    if value is None:
        raise document.fault((), "is empty; describe an eval in it")
    if isinstance(value, dict) and isinstance(value.get("cases"), list):
        value = {**value, "cases": []}
    form = Document(document.name, value, document.lines).parse(EvalForm)
    if not form.scorers:
        raise document.fault(("scorers",), "there is no scorer; name at least one")
    alike: dict[str, str] = {}
    for name, scorer in form.scorers.items():
        if (first := alike.setdefault(name.casefold(), name)) != name:
            message = f"differs from the scorer {first!r} by case alone; rename one"
            raise document.fault(("scorers", name), message)
        check_scorer(document, ("scorers", name), scorer)
    for index, name in enumerate((form.calibration and form.calibration.scorers) or ()):
        if name not in form.scorers:
            where = ("calibration", "scorers", index)
            raise document.fault(where, f"no scorer {name!r}; {nearest(name, form.scorers)}")
    return form


def defined(
    form: EvalForm,
    cases: tuple[Case, ...],
    *,
    source: str,
    task: Task | None = None,
    calibration: NeededCalibration | None = None,
) -> EvalDefinition:
    """Return the definition that a validated form and its cases make."""
    return EvalDefinition(
        name=form.name,
        prompt_version=form.prompt_version,
        subject=form.subject_model or HUMAN,
        threshold=form.threshold,
        cases=cases,
        scorers=tuple(
            Scorer(name, scorer.grader, scorer.config, scorer.wilson_floor)
            for name, scorer in form.scorers.items()
        ),
        wilson_floor=form.wilson_floor,
        gate=GateSettings(**form.gate.model_dump()),
        task=task or form.task,
        task_timeout_s=form.task_timeout_s,
        calibration=calibration,
        source=source,
    )


def check_scorer(document: Document, location: Location, scorer: ScorerForm) -> None:
    """Refuse a scorer that could grade no case.

    Raises:
        ConfigError: its grader is unknown, a reference leads nowhere, or an option is invalid.
    """
    try:
        spec = find_grader(scorer.grader)
    except ConfigError as error:
        raise document.fault((*location, "grader"), str(error)) from None
    config = (*location, "config")
    places = list(references(scorer.config))
    if () in places:
        raise document.fault(config, "must hold the options by name; refer to the case in them")
    for place in places:
        check_reference(document, (*config, *place))
        if spec.model_graded and place[0] in FIXED_OPTIONS:
            raise document.fault(
                (*config, *place), "must be the same for every case; a reference can't stand here"
            )
    _check_config(document, config, spec, scorer, {place[0] for place in places})


def _check_config(
    document: Document,
    location: Location,
    spec: GraderSpec,
    scorer: ScorerForm,
    referring: set[str | int],
) -> None:
    """Validate the options; one that refers to the case is validated case by case, in the run."""
    try:
        spec.config_model.model_validate(scorer.config)
    except ValidationError as error:
        faults = [
            fault
            for fault in error.errors(include_url=False)
            if not referring or (fault["loc"] and fault["loc"][0] not in referring)
        ]
        if faults:
            raise document.rejected(faults, spec.config_model, location) from None
