"""Probes as evals: the project's evals with one thing changed, recorded under other names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judgekit.bias.edits import known_names, renamed
from judgekit.bias.probes import (
    PROBE_TEMPERATURE,
    RENAMED,
    SAME_ANSWER,
    SAMPLED,
    VARIANTS,
    Variant,
    probe_scorer,
)
from judgekit.config import Project
from judgekit.errors import ConfigError
from judgekit.evals.cases import Case
from judgekit.evals.definition import EvalDefinition, Scorer
from judgekit.evals.judged_by import GRADERS
from judgekit.evals.references import REFERENCE
from judgekit.evals.session import Session
from judgekit.evals.tasks import find_task, make_output
from judgekit.graders.registry import find_grader
from judgekit.judges.rubric import Kind

_PAIRWISE = "llm_pairwise"
_SAME = "bias-probe-baseline"


def judged(definition: EvalDefinition) -> EvalDefinition | None:
    """Return the eval with the scorers that ask a judge, or None where none does."""
    scorers = tuple(s for s in definition.scorers if "judge" in _options(s))
    return replace(definition, scorers=scorers, calibration=None) if scorers else None


def _options(scorer: Scorer) -> Sequence[str]:
    return tuple(find_grader(scorer.grader).config_model.model_fields)


def with_outputs(definition: EvalDefinition, root: Path) -> EvalDefinition:
    """Return the eval with what its task makes as recorded outputs.

    Cases whose task fails are left out: there is nothing to judge.

    Raises:
        ConfigError: the task can't be found, or fails on every case.
    """
    if definition.task is None:
        return definition
    task = find_task(definition.task, root=root)
    made = [(case, make_output(task, case.input, definition.task_timeout_s))
            for case in definition.cases]  # fmt: skip
    cases = tuple(
        case.model_copy(update={"output": each.output}) for case, each in made if each.fault is None
    )
    if not cases:
        raise ConfigError(f"eval {definition.name}: no output to judge: {made[0][1].fault}")
    return replace(definition, task=None, cases=cases)


@dataclass(frozen=True, slots=True)
class Probe:
    """One variant of one scorer's cases, as an eval that can be run, recorded and surveyed.

    Attributes:
        scorer: the scorer that it varies; the eval's own scorer stands under another name.
        definition: has the cases that the variant changes, and no others.
    """

    scorer: str
    variant: Variant
    definition: EvalDefinition


def probes(
    definition: EvalDefinition, variants: Iterable[Variant] = VARIANTS, samples: int = 2
) -> tuple[Probe, ...]:
    """Return the probes of an eval; none where a variant changes no case or does not apply.

    Args:
        definition: with its outputs, and with scorers that ask judges only.
        samples: how many to ask for under `SAMPLED`, 2 or more.
    """
    found = []
    for scorer in definition.scorers:
        for variant in variants:
            probe = _probe(definition, scorer, variant, samples)
            if probe is not None:
                found.append(Probe(scorer.name, variant, probe))
    return tuple(found)


def _probe(
    definition: EvalDefinition, scorer: Scorer, variant: Variant, samples: int
) -> EvalDefinition | None:
    cases = tuple(
        changed
        for case in definition.cases
        if (changed := _changed(case, scorer, variant)) is not None
    )
    if not cases:
        return None
    config = _asked_once(scorer)
    if variant is SAMPLED:
        if "samples" not in _options(scorer):
            return None
        config = {**config, "samples": samples}
    if variant is SAME_ANSWER:
        config = {**config, "baseline": {REFERENCE: ["metadata", _SAME]}}
    own = Scorer(probe_scorer(scorer.name, variant), scorer.grader, config)
    return replace(definition, scorers=(own,), cases=cases)


def _asked_once(scorer: Scorer) -> dict[str, Any]:
    """Return a scorer's options with each of its judges asked once."""
    config = {name: value for name, value in scorer.config.items() if name != "samples"}
    if config.get("judges") is None:
        config.pop("aggregate", None)
    return config


def _changed(case: Case, scorer: Scorer, variant: Variant) -> Case | None:
    """Return the case as a variant has it; None where that leaves it as it is."""
    if variant is SAMPLED:
        return case
    if variant is RENAMED:
        return _renamed(case, scorer)
    if not isinstance(case.output, str) or not case.output.strip():
        return None
    if variant is SAME_ANSWER:
        if scorer.grader != _PAIRWISE:
            return None
        return case.model_copy(update={"metadata": {**case.metadata, _SAME: case.output}})
    edited = case.output if variant.edit is None else variant.edit(case.output)
    return None if edited == case.output else case.model_copy(update={"output": edited})


def _renamed(case: Case, scorer: Scorer) -> Case | None:
    """Return the case with other names all through; None where that would break what it means.

    It would, where a name stands in the scorer's own options, or the new name in the case already.
    """
    if renamed(case.output) == case.output or _names(scorer.config):
        return None
    fields = {name: getattr(case, name) for name in ("input", "output", "expected", "metadata")}
    changed = {name: renamed(value) for name, value in fields.items()}
    if _names(fields) & _names(changed):
        return None
    return case.model_copy(update=changed)


def _names(value: Any) -> set[str]:
    """Return the known first names in a JSON value."""
    return known_names(json.dumps(value, ensure_ascii=False, default=str))


def sampling(session: Session) -> Session:
    """Return the session with its greedy judges sampling, so that samples can differ."""
    project = session.project
    judges = {
        name: judge.model_copy(
            update={
                "sampling": judge.sampling.model_copy(update={"temperature": PROBE_TEMPERATURE})
            }
        )
        if judge.sampling.temperature == 0
        else judge
        for name, judge in project.config.judges.items()
    }
    config = project.config.model_copy(update={"judges": judges})
    return Session(
        Project(project.root, project.file, config), engine=session.engine, clock=session.clock
    )


def kind_of(scorer: Scorer) -> Kind:
    """Return what verdicts a scorer takes; a grader of the project's own counts as pass or fail."""
    return next((k for k, (name, _) in GRADERS.items() if name == scorer.grader), Kind.PASS_FAIL)
