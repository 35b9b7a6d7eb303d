"""Running an eval: every case graded by every scorer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judgekit.cassettes.canonical import canonical_bytes
from judgekit.errors import BiasGuardRefused, Cause, ConfigError
from judgekit.evals import cases
from judgekit.evals.cases import Case, case_digest
from judgekit.evals.definition import HUMAN, RUBRIC_OPTIONS, EvalDefinition, Scorer, Task
from judgekit.evals.engine import Engine
from judgekit.evals.held_to_people import judged_by
from judgekit.evals.judged_by import RUBRIC_SUFFIX, Rubrics, rubric_of
from judgekit.evals.references import references, resolved
from judgekit.evals.tasks import Made, find_task, make_output
from judgekit.evals.usage import CountingJudge, Ledger
from judgekit.gate.exit_class import ExitSignal, classify_exit
from judgekit.gate.run import Calibration, CaseResult, EvalRun, GradeRecord, ScorerInfo
from judgekit.graders.candidate import as_text
from judgekit.graders.grade import Grade, Json
from judgekit.graders.judging import ConfiguredJudge, Judging, no_rubric_files
from judgekit.graders.registry import (
    GraderConfig,
    GraderSpec,
    find_grader,
    parse_config,
    run_grader,
)
from judgekit.judges.port import Judge, Origin
from judgekit.judges.rubric import Rubric
from judgekit.ledger.spending import Price
from judgekit.rubrics.calibration import calibration_bound
from judgekit.rubrics.labels import labels_for

INLINE = "inline"
"""The rubric id of criteria that are written in the scorer itself."""

Guard = Callable[[str, Sequence[str]], Sequence[str]]
"""The family guard: ``(subject, judge models)`` to the waivers that it let them through by.

Raises `BiasGuardRefused` where the judges may not judge the subject. It is asked once for each
model-graded scorer, before any case is graded.
"""


def refuse_unguarded(subject: str, judges: Sequence[str]) -> Sequence[str]:
    """Let judges judge what people wrote, and nothing else: the guard where none is set.

    Raises:
        BiasGuardRefused: a model made the outputs.
    """
    if subject == HUMAN:
        return ()
    raise BiasGuardRefused(
        f"subject model {subject!r}, judged by {', '.join(judges)}: no family guard is set; "
        "pass one to run_eval"
    )


def run_eval(
    definition: EvalDefinition,
    judges: Mapping[str, ConfiguredJudge],
    rubrics: Rubrics = no_rubric_files,
    engine: Engine | None = None,
    *,
    guard: Guard = refuse_unguarded,
    prices: Mapping[str, Price] | None = None,
    root: Path | None = None,
    webhook: Judge | None = None,
) -> EvalRun:
    """Grade every case of an eval with every scorer.

    The result does not depend on the engine, on its order of work, or on the number of its workers.

    Args:
        definition: the eval.
        judges: by name; the first is the default.
        rubrics: loads a rubric by its reference, such as a `RubricFolder`.
        engine: runs the cases; one after another if None.
        guard: the family guard.
        prices: of judges' tokens, by judge name.
        root: the project's folder, from which a task's module may be imported.
        webhook: asks the webhooks that `custom_webhook` names.

    Returns:
        The run, with a result for each case of the dataset. What went wrong with a case is a grade
        in error; a scorer that the guard refuses is in error for every case.

    Raises:
        ConfigError: a scorer's judge, rubric or config, or the task, can't be used at all; nothing
            has been graded then and no judge asked.
    """
    ledger = Ledger()
    counted = {
        name: replace(each, judge=CountingJudge(name, each.judge, ledger))
        for name, each in judges.items()
    }
    scorers = [_ready(definition, scorer, counted, rubrics, guard) for scorer in definition.scorers]
    task = None if definition.task is None else find_task(definition.task, root=root)
    work = _Work(definition, scorers, counted, rubrics, task, webhook)
    results = (
        [work(case) for case in definition.cases]
        if engine is None
        else engine.map(work, definition.cases)
    )
    return EvalRun(
        name=definition.name,
        prompt_version=definition.prompt_version,
        subject=definition.subject,
        threshold=definition.threshold,
        scorers=tuple(_held_to_people(each, definition, results, rubrics) for each in scorers),
        cases=tuple(results),
        wilson_floor=definition.wilson_floor,
        gate=definition.gate,
        usage=ledger.usage(prices or {}),
        waivers=tuple(dict.fromkeys(waiver for scorer in scorers for waiver in scorer.waivers)),
    )


@dataclass(frozen=True, slots=True)
class _ReadyScorer:
    """A scorer with all that is the same for every case.

    Attributes:
        config: validated options; None where they refer to the case.
        refused: the grade that every case gets because the guard refused the scorer.
    """

    scorer: Scorer
    spec: GraderSpec
    info: ScorerInfo
    config: GraderConfig | None
    waivers: tuple[str, ...] = ()
    refused: Grade | None = None

    def grade(self, case: Case, output: Json, judging: Judging | None) -> Grade:
        if self.refused is not None:
            return self.refused
        config = self.config
        if config is None:
            try:
                config = parse_config(self.spec, resolved(self.scorer.config, case))
            except ConfigError as error:
                return Grade.from_error(error)
        return run_grader(self.spec, config, output, judging)


def _ready(
    definition: EvalDefinition,
    scorer: Scorer,
    judges: Mapping[str, ConfiguredJudge],
    rubrics: Rubrics,
    guard: Guard,
) -> _ReadyScorer:
    spec = find_grader(scorer.grader)
    where = f"{definition.name}/{scorer.name}"
    refers = next(references(scorer.config), None) is not None
    try:
        config = None if refers else parse_config(spec, scorer.config)
        asked = _asked(spec, scorer, config, judges)
        rubric = _judged_by(spec, scorer, config, rubrics)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    info = ScorerInfo(
        name=scorer.name,
        grader=scorer.grader,
        judges=asked,
        rubric=rubric[0] if rubric else None,
        rubric_digest=rubric[1] if rubric else None,
        config_digest=hashlib.sha256(canonical_bytes(scorer.config)).hexdigest(),
        wilson_floor=scorer.wilson_floor,
    )
    ready = _ReadyScorer(scorer, spec, info, config)
    if not asked:
        return ready
    try:
        return replace(ready, waivers=tuple(guard(definition.subject, asked)))
    except BiasGuardRefused as error:
        return replace(ready, refused=Grade.error(error.cause, f"{where}: {error}"))


def _held_to_people(
    ready: _ReadyScorer,
    definition: EvalDefinition,
    results: Sequence[CaseResult],
    rubrics: Rubrics,
) -> ScorerInfo:
    """Return what a scorer is, with how far its judge agrees with people where the eval asks.

    Raises:
        ConfigError: a label does not fit what the scorer judges by.
    """
    needed, info = definition.calibration, ready.info
    if needed is None or not info.judges or not needed.is_asked_of(info.name):
        return info
    rubric = rubric_of(ready.scorer, rubrics)
    if rubric is None:
        return replace(info, calibration=Calibration(needed.min_kappa))
    bound = calibration_bound(
        judged_by(info.name, results),
        labels_for(needed.labels, definition.name, info.name),
        rubric,
        needed.min_kappa,
        definition.gate.confidence,
    )
    return replace(info, calibration=bound)


def _option(spec: GraderSpec, scorer: Scorer, config: GraderConfig | None, name: str) -> Any:
    """Return an option of a scorer, or its default; None where the grader has none such."""
    if config is not None:
        return getattr(config, name, None)
    field = spec.config_model.model_fields.get(name)
    default = (
        None
        if field is None or field.is_required()
        else field.get_default(call_default_factory=True)
    )
    return scorer.config.get(name, default)


def _asked(
    spec: GraderSpec,
    scorer: Scorer,
    config: GraderConfig | None,
    judges: Mapping[str, ConfiguredJudge],
) -> tuple[str, ...]:
    """Return the judge models that a scorer asks, in order; a webhook is none."""
    if "judge" not in spec.config_model.model_fields:
        return ()
    named: list[str | None] = list(_option(spec, scorer, config, "judges") or ())
    if not named:
        named = [_option(spec, scorer, config, "judge")]
    judging = Judging(judges=judges, origin=Origin(eval="-", scorer=scorer.name, case="-"))
    return tuple(judging.judge(name).model for name in named)


def _judged_by(
    spec: GraderSpec, scorer: Scorer, config: GraderConfig | None, rubrics: Rubrics
) -> tuple[str, str] | None:
    """Return id and digest of what a model-graded scorer judges by, if it says."""
    if not spec.model_graded:
        return None
    for option in RUBRIC_OPTIONS:
        given = _option(spec, scorer, config, option)
        if isinstance(given, str) and given.endswith(RUBRIC_SUFFIX):
            given = rubrics(given)
        if isinstance(given, Rubric):
            return given.id, given.digest
        if isinstance(given, str):
            return INLINE, hashlib.sha256(" ".join(given.split()).encode()).hexdigest()
    return None


@dataclass(frozen=True, slots=True)
class _Work:
    """Grades one case; what an engine runs."""

    definition: EvalDefinition
    scorers: Sequence[_ReadyScorer]
    judges: Mapping[str, ConfiguredJudge]
    rubrics: Rubrics
    task: Task | None
    webhook: Judge | None

    def __call__(self, case: Case) -> CaseResult:
        made = self._made(case)
        grades = {
            each.scorer.name: _record(
                each.grade(case, made.output, self._judging(each, case))
                if made.fault is None
                else Grade.error(Cause.TASK_FAILED, made.fault)
            )
            for each in self.scorers
        }
        return CaseResult(
            id=case.id,
            digest=case_digest(case),
            grades=grades,
            cluster=case.cluster,
            exit_class=_exit_class(made),
        )

    def _made(self, case: Case) -> Made:
        if self.task is None:
            return Made(case.output, case.exit or cases.ExitSignal())
        return make_output(self.task, case.input, self.definition.task_timeout_s)

    def _judging(self, scorer: _ReadyScorer, case: Case) -> Judging | None:
        if not scorer.spec.model_graded:
            return None
        origin = Origin(eval=self.definition.name, scorer=scorer.scorer.name, case=case.id)
        return Judging(self.judges, origin, case.input, self.rubrics, self.webhook)


def _exit_class(made: Made) -> str:
    signal = made.signal
    return classify_exit(
        ExitSignal(
            error=signal.error is not None and not signal.timed_out,
            timed_out=signal.timed_out,
            budget_exhausted=signal.budget_exhausted,
            output=None if made.output is None else as_text(made.output),
            stop_reason=signal.stop_reason,
        )
    )


def _record(grade: Grade) -> GradeRecord:
    return GradeRecord(
        status=grade.status.value,
        score=grade.score,
        reason=grade.reason,
        cause=None if grade.cause is None else grade.cause.value,
        details=grade.details,
    )
