"""Any registered grader, deterministic or asking a judge, on a trial's summary or on its data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgekit.errors import Cause, ConfigError
from judgekit.graders.grade import Grade, Json
from judgekit.graders.json_path import TooMuchWork, compiled_path, select
from judgekit.graders.registry import (
    GraderConfig,
    GraderSpec,
    find_grader,
    parse_config,
    run_grader,
)
from judgekit.trials.judging import TrialJudges
from judgekit.trials.task import TrialContext, TrialGrader, TrialOutcome

SUMMARY = "summary"


def graded_by(
    grader: str,
    config: Mapping[str, Any] | None = None,
    *,
    on: str = SUMMARY,
    given: Json = None,
    name: str = "",
    weight: float = 1.0,
) -> TrialGrader:
    """Return a grader that applies a registered one to part of the outcome.

    Args:
        grader: the registered grader's name, such as ``contains`` or ``llm_score``.
        config: its options.
        on: ``summary``, or a JSONPath query (RFC 9535) into the outcome's data, such as
            ``$.exit_code``, that must select exactly one value.
        given: what the agent was asked, shown to a judge.

    Raises:
        ConfigError: the grader is unknown, an option is invalid, or `on` is no such query.
    """
    spec = find_grader(grader)
    parsed = parse_config(spec, config or {})
    if on != SUMMARY:
        try:
            compiled_path(on)
        except ValueError as error:
            raise ConfigError(f"{grader}: on: {error}; write `summary` or a JSONPath") from None
    label = name or (grader if on == SUMMARY else f"{grader} {on}")

    def grade(context: TrialContext, outcome: TrialOutcome, judges: TrialJudges | None) -> Grade:
        candidate = _selected(outcome, on)
        if isinstance(candidate, Grade):
            return candidate
        judging = None if judges is None else judges.judging(context.task, label, given)
        return run_grader(spec, parsed, candidate[0], judging)

    options = {"config": dict(config or {}), "on": on, "given": given}
    asks = asked_judges(spec, parsed)
    return TrialGrader(label, grader, grade, options, weight, asks)


def asked_judges(spec: GraderSpec, config: GraderConfig) -> tuple[str | None, ...]:
    """Return the judges that a configured grader asks, by name; None is the default one."""
    if "judge" not in spec.config_model.model_fields:
        return ()
    named = tuple(getattr(config, "judges", None) or ())
    return named or (getattr(config, "judge", None),)


def _selected(outcome: TrialOutcome, on: str) -> tuple[Json] | Grade:
    if on == SUMMARY:
        if outcome.summary is None:
            return _missing("the outcome has no summary")
        return (outcome.summary,)
    try:
        found = select(on, dict(outcome.data))
    except TooMuchWork as error:
        return _missing(f"on {on}: {error}")
    if len(found) != 1:
        return _missing(f"{on} selects {len(found)} values of the outcome's data, and not one")
    return (found[0],)


def _missing(why: str) -> Grade:
    return Grade.error(Cause.MISSING_MEASUREMENT, why)
