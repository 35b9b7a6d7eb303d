"""`define_eval`: an eval from Python values, held to the same rules as an eval file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from judgekit.documents import Document, checked_json
from judgekit.errors import ConfigError
from judgekit.evals.cases import Case, checked_cases
from judgekit.evals.definition import EvalDefinition, Scorer, Task, defined, read_form
from judgekit.gate.run import GateSettings

NAME = "define_eval"


def define_eval(  # noqa: PLR0913 - the fields of an eval file
    name: str,
    *,
    prompt_version: str,
    threshold: float,
    cases: Iterable[Case | Mapping[str, Any]],
    scorers: Mapping[str, Scorer | Mapping[str, Any]],
    subject_model: str | None = None,
    wilson_floor: float | None = None,
    gate: GateSettings | Mapping[str, Any] | None = None,
    task: str | Task | None = None,
    task_timeout_s: float | None = None,
) -> EvalDefinition:
    """Return an eval, validated like an eval file.

    >>> from judgekit.evals.define import define_eval
    >>> answers = define_eval(
    ...     "answers",
    ...     prompt_version="answers/2026-11-03",
    ...     threshold=0.8,
    ...     cases=[{"id": "deadline", "input": "How long?", "output": "14 days."}],
    ...     scorers={"deadline": {"grader": "contains", "config": {"fragments": ["14 days"]}}},
    ... )
    >>> answers.subject, len(answers.cases)
    ('human', 1)

    Args:
        name: letters, digits, ``.``, ``_`` and ``-``.
        prompt_version: immutable id of the prompt that made the outputs.
        threshold: least score that may pass, in [0, 1].
        cases: at least one; a mapping has the fields of `Case`.
        scorers: by name, at least one; a mapping has ``grader``, ``config`` and ``wilson_floor``.
        subject_model: the model that made the outputs; None says that people wrote them.
        wilson_floor: least Wilson lower bound of the pass rate, in [0, 1].
        gate: a mapping has the fields of `GateSettings`.
        task: makes the output from a case's input: a function or ``package.module:function``;
            without one every case has an output.
        task_timeout_s: seconds after which a task is given up.

    Raises:
        ConfigError: as for an eval file; the message names the argument.
    """
    subject = {"subject": "human"} if subject_model is None else {"subject_model": subject_model}
    given = {
        "name": name,
        "prompt_version": prompt_version,
        **subject,
        "threshold": threshold,
        "wilson_floor": wilson_floor,
        "gate": asdict(gate) if isinstance(gate, GateSettings) else dict(gate or {}),
        "cases": [_fields(case) for case in cases],
        "task": None if callable(task) else task,
        "task_timeout_s": task_timeout_s,
        "scorers": _scorers(scorers),
    }
    document = Document(NAME, None)
    document = Document(NAME, checked_json(document, (), given))
    form = read_form(document)
    rows = ((document, ("cases", index)) for index in range(len(document.value["cases"])))
    checked = checked_cases(rows, made_by_task=task is not None)
    if not checked:
        raise document.fault(("cases",), "there is no case; add at least one")
    return defined(form, checked, source=NAME, task=task if callable(task) else None)


def _fields(case: Case | Mapping[str, Any]) -> Any:
    return case.model_dump(exclude_unset=True) if isinstance(case, Case) else case


def _scorers(scorers: Mapping[str, Scorer | Mapping[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, scorer in scorers.items():
        if isinstance(scorer, Scorer):
            if scorer.name != name:
                raise ConfigError(
                    f"{NAME}: scorers: {name!r} stands before the scorer {scorer.name!r}; "
                    "give it the scorer's own name"
                )
            fields[name] = {key: value for key, value in asdict(scorer).items() if key != "name"}
        else:
            fields[name] = scorer
    return fields
