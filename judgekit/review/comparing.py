"""Holding human labels against the grades of a run, to find where judge and person disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from judgekit.documents import nearest
from judgekit.errors import ConfigError
from judgekit.gate.run import EvalRun, GradeRecord, ScorerInfo
from judgekit.review.comparison import Comparison
from judgekit.review.labels import Label

PASS_MARK = 0.5
"""Where a judge's score turns from fail to pass, unless its scorer says otherwise."""


@dataclass(frozen=True, slots=True)
class CaseText:
    """What a reviewer reads of a case."""

    input: str
    output: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What holding labels against a run gave.

    Attributes:
        comparisons: one for each label whose grade is no error, those that agree among them.
        in_error: how many labels have a grade in error: it is no verdict, and so no disagreement.
    """

    comparisons: tuple[Comparison, ...]
    in_error: int = 0


def of_eval(labels: Iterable[Label], run: EvalRun, *, alone: bool) -> tuple[Label, ...]:
    """Return the labels that belong to `run`'s eval.

    Args:
        alone: whether it is the only eval there is, so that a label may leave it out.

    Raises:
        ConfigError: a label names no eval and there are several.
    """
    found = []
    for label in labels:
        if not label.eval and not alone:
            raise ConfigError(f"{label.source}: eval: is missing, and there are several; add it")
        if label.eval in ("", run.name):
            found.append(replace(label, eval=run.name))
    return tuple(found)


def compare(
    run: EvalRun,
    labels: Sequence[Label],
    texts: Mapping[str, CaseText],
    pass_marks: Mapping[str, float],
    when: str = "",
) -> Compared:
    """Compare each label with the run's grade of its case and scorer.

    Args:
        labels: of this run's eval; one that names no scorer belongs to the only judged one.
        texts: by case id. Labels of cases without a text are left out.
        pass_marks: least passing scores in [0, 1], by scorer.
        when: ISO 8601, UTC.

    Raises:
        ConfigError: a label names a case or scorer that the run does not have, a scorer that asks
            no judge, or none where several do.
    """
    cases = {case.id: case for case in run.cases}
    judged = {scorer.name: scorer for scorer in run.scorers if scorer.judges}
    comparisons: list[Comparison] = []
    in_error = 0
    for label in labels:
        if label.case not in cases:
            raise ConfigError(
                f"{label.source}: case {label.case!r} is none of eval {run.name!r}; check its id"
            )
        scorer = _scorer(label, run, judged)
        text = texts.get(label.case)
        grade = cases[label.case].grades[scorer.name]
        if text is not None and grade.status == "error":
            in_error += 1
        elif text is not None:
            mark = pass_marks.get(scorer.name, PASS_MARK)
            comparisons.append(_comparison(label, scorer, grade, text, mark, when))
    return Compared(tuple(comparisons), in_error)


def _scorer(label: Label, run: EvalRun, judged: Mapping[str, ScorerInfo]) -> ScorerInfo:
    if label.scorer in judged:
        return judged[label.scorer]
    where = f"{label.source}: eval {run.name!r}"
    if label.scorer:
        if any(scorer.name == label.scorer for scorer in run.scorers):
            raise ConfigError(f"{where}: scorer {label.scorer!r} asks no judge; name one that does")
        raise ConfigError(
            f"{where}: no scorer is named {label.scorer!r}; {nearest(label.scorer, judged)}"
        )
    if len(judged) != 1:
        names = ", ".join(judged) or "none"
        raise ConfigError(f"{where}: case {label.case!r}: say which scorer is meant ({names})")
    return next(iter(judged.values()))


def _comparison(
    label: Label, scorer: ScorerInfo, grade: GradeRecord, text: CaseText, mark: float, when: str
) -> Comparison:
    return Comparison(
        eval=label.eval,
        scorer=scorer.name,
        case=label.case,
        input=text.input,
        output=text.output,
        judge_verdict="pass" if grade.status == "passed" else "fail",
        human_verdict=label.label,
        judge=", ".join(scorer.judges),
        score=grade.score,
        pass_mark=mark,
        rationale=grade.reason,
        human=label.reviewer,
        note=label.note,
        when=when,
    )
