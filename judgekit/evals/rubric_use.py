"""Where a rubric is used, and evals cut down to that use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from judgekit.documents import nearest
from judgekit.errors import ConfigError
from judgekit.evals.cases import Case
from judgekit.evals.definition import EvalDefinition, Scorer
from judgekit.evals.judged_by import GRADERS, Rubrics, reference_of
from judgekit.graders.candidate import as_text
from judgekit.judges.rubric import Kind, Rubric
from judgekit.rubrics.lint_view import KnownCase

_ALONE = (Kind.PASS_FAIL, Kind.SCORE, Kind.CATEGORY)
"""Kinds that need nothing of a scorer but the rubric."""

_SHORTEST_ANSWER = 3


@dataclass(frozen=True, slots=True)
class RubricUse:
    """A scorer of an eval that judges by a rubric file.

    Attributes:
        reference: how the scorer names the file.
    """

    definition: EvalDefinition
    scorer: Scorer
    reference: str

    def __str__(self) -> str:
        """Name the eval and the scorer."""
        return f"{self.definition.name} / {self.scorer.name}"


@dataclass(frozen=True)
class OneReplaced:
    """Loads rubrics, one of them another than its file holds.

    Attributes:
        folder: the project's rubrics.
        references: how scorers name the replaced one.
        rubric: what they get.
    """

    folder: Rubrics
    references: frozenset[str]
    rubric: Rubric

    def __call__(self, reference: str) -> Rubric:
        """Return the rubric that `reference` names, or what replaces it."""
        return self.rubric if reference in self.references else self.folder(reference)


def uses_of(file: Path, folder: Path, evals: Iterable[EvalDefinition]) -> tuple[RubricUse, ...]:
    """Return the scorers that judge by the rubric file, in order.

    Args:
        file: in `folder`, or a draft elsewhere that is to take the place of its namesake there.
        folder: what scorers' references are taken from.
    """
    in_folder = file.resolve().is_relative_to(folder.resolve())
    standing = file.resolve() if in_folder else (folder / file.name).resolve()
    return tuple(
        RubricUse(definition, scorer, reference)
        for definition in evals
        for scorer in definition.scorers
        if (reference := reference_of(scorer)) is not None
        and (folder / reference).resolve() == standing
    )


def narrowed(
    definition: EvalDefinition,
    scorers: Sequence[Scorer],
    cases: Sequence[str] | None = None,
    first: int | None = None,
) -> EvalDefinition:
    """Return the eval with these scorers only, and with some of its cases.

    Args:
        cases: ids; all if None.
        first: how many of them, from the first.

    Raises:
        ConfigError: a case is not in the dataset.
    """
    chosen = definition.cases
    if cases is not None:
        known = {case.id for case in chosen}
        for name in cases:
            if name not in known:
                raise ConfigError(
                    f"eval {definition.name}: no case {name!r}; {nearest(name, known)}"
                )
        chosen = tuple(case for case in chosen if case.id in set(cases))
    return replace(definition, scorers=tuple(scorers), cases=chosen[:first], calibration=None)


def scorer_for(rubric: Rubric, reference: str) -> Scorer:
    """Return a scorer for a rubric that no scorer uses yet, named as the rubric.

    Raises:
        ConfigError: its kind needs more than the rubric.
    """
    if rubric.kind not in _ALONE:
        needs = "baseline" if rubric.kind is Kind.PAIRWISE else "expected"
        raise ConfigError(
            f"rubric {rubric.id}: no scorer of the eval uses it, and one of kind "
            f"{rubric.kind.value} needs {needs} too; add a scorer to the eval"
        )
    grader, option = GRADERS[rubric.kind]
    return Scorer(rubric.id, grader, {option: reference})


def asking(scorer: Scorer, judge: str | None) -> Scorer:
    """Return the scorer asking one judge of that name instead of its own; None leaves it."""
    if judge is None:
        return scorer
    panel = ("judges", "samples", "aggregate")
    config = {name: value for name, value in scorer.config.items() if name not in panel}
    return replace(scorer, config={**config, "judge": judge})


def known_cases(uses: Iterable[RubricUse]) -> tuple[KnownCase, ...]:
    """Return the cases that a rubric is used on, as lint looks for them in it."""
    definitions = {use.definition.name: use.definition for use in uses}
    return tuple(
        KnownCase(
            definition.name,
            case.id,
            "" if case.output is None else as_text(case.output),
            tuple(_answers(case)),
        )
        for definition in definitions.values()
        for case in definition.cases
    )


def _answers(case: Case) -> Iterator[str]:
    """Yield every text in what is expected of a case."""
    waiting = [case.expected]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, str) and len(value.strip()) >= _SHORTEST_ANSWER:
            yield value.strip()
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
