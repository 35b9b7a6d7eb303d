"""Where the review queue's material comes from: human labels, and the grades held against them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from judgekit.errors import ConfigError
from judgekit.evals.cases import Case, case_digest
from judgekit.evals.definition import EvalDefinition, Scorer
from judgekit.evals.session import Session
from judgekit.evals.tasks import find_task, make_output
from judgekit.gate.run import EvalRun
from judgekit.graders.judge import RUBRIC_FILE
from judgekit.judges.rubric import Kind
from judgekit.net.replay_guard import refuse_network
from judgekit.review.comparing import PASS_MARK, CaseText
from judgekit.review.comparison import check_verdict
from judgekit.review.labels import Label

FIELD = "human_verdict"
"""The field of a case's `expected` that holds what a person said of its output."""


def dataset_labels(definition: EvalDefinition) -> Iterator[Label]:
    """Yield the labels that stand in an eval's own cases.

    ``expected.human_verdict`` is ``pass`` or ``fail``, or holds one of them for each scorer.

    Raises:
        ConfigError: one is neither.
    """
    for case in definition.cases:
        given = case.expected.get(FIELD) if isinstance(case.expected, dict) else None
        if given is None:
            continue
        where = f"eval {definition.name!r}: case {case.id!r}: expected.{FIELD}"
        by_scorer = given if isinstance(given, dict) else {"": given}
        for scorer, verdict in by_scorer.items():
            check_verdict(where, verdict)
            yield Label(case.id, definition.name, scorer, verdict, source=where)


@dataclass(frozen=True, slots=True)
class Readable:
    """What reviewers can read of a run's cases.

    Attributes:
        texts: by case id.
        missing: cases of the run that were edited or removed since, or whose task now fails.
    """

    texts: Mapping[str, CaseText]
    missing: tuple[str, ...]


def readable(session: Session, definition: EvalDefinition, run: EvalRun) -> Readable:
    """Return the input and output of each case of a run, as the dataset or the task gives it.

    A case that was edited since the run is left out: its grade is of another question.
    """
    cases = {case.id: case for case in definition.cases}
    make = _outputs(session, definition)
    texts: dict[str, CaseText] = {}
    with refuse_network() as attempts:
        for result in run.cases:
            case = cases.get(result.id)
            if case is not None and case_digest(case) == result.digest:
                output = make.output(case)
                if output is not None:
                    texts[case.id] = CaseText(as_text(case.input), as_text(output))
    attempts.raise_if_any()
    return Readable(texts, tuple(case.id for case in run.cases if case.id not in texts))


@dataclass(frozen=True, slots=True)
class _Outputs:
    definition: EvalDefinition
    task: object

    def output(self, case: Case) -> object:
        if not callable(self.task):
            return case.output
        return make_output(self.task, case.input, self.definition.task_timeout_s).output


def _outputs(session: Session, definition: EvalDefinition) -> _Outputs:
    task = definition.task
    found = None if task is None else find_task(task, root=session.project.root)
    return _Outputs(definition, found)


def pass_marks(session: Session, scorers: Iterable[Scorer]) -> dict[str, float]:
    """Return the score from which each scorer passes, in [0, 1]."""
    return {scorer.name: _pass_mark(session, scorer) for scorer in scorers}


def _pass_mark(session: Session, scorer: Scorer) -> float:
    given = scorer.config.get("min_score")
    if isinstance(given, int | float):
        return float(given)
    rubric = scorer.config.get("rubric")
    if isinstance(rubric, str) and rubric.endswith(RUBRIC_FILE):
        loaded = session.rubrics(rubric)
        if loaded.kind is Kind.SCORE and loaded.min_score is not None:
            return loaded.min_score
    return PASS_MARK


def as_text(value: object) -> str:
    """Return a JSON value as a reviewer reads it: text as it is, anything else indented."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def definitions_of(
    session: Session, runs: Iterable[EvalRun]
) -> list[tuple[EvalDefinition, EvalRun]]:
    """Return each run with its eval as the project has it now.

    Raises:
        ConfigError: the project has no such eval.
    """
    listed = list(runs)
    by_name = {each.name: each for each in session.evals([run.name for run in listed])}
    for run in listed:
        if run.name not in by_name:
            raise ConfigError(f"eval {run.name!r} of the run is no eval of this project")
    return [(by_name[run.name], run) for run in listed]
