"""Two wordings of a rubric side by side: what recordings a change costs, what verdicts it turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from judgekit.evals.definition import EvalDefinition
from judgekit.evals.plan import CHARACTERS_PER_TOKEN, Estimate, estimate
from judgekit.evals.rubric_asking import asked_now, surveyed
from judgekit.evals.rubric_use import OneReplaced, RubricUse, narrowed
from judgekit.evals.session import Session
from judgekit.gate.run import EvalRun, GradeRecord
from judgekit.gate.statistics.agreement import counterfactual_stability
from judgekit.gate.statistics.distributions import Interval
from judgekit.gate.statistics.proportions import wilson_interval
from judgekit.judges.port import JudgeRequest
from judgekit.judges.rubric import Rubric
from judgekit.judges.survey import Surveyed
from judgekit.rubrics.rewording import Rewording

Place = tuple[str, str, str]
"""Eval, scorer and case."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What taking a new version of a rubric costs in recordings.

    Attributes:
        lost: where the old version is recorded, and the new one is not.
        kept: how many requests are recorded under the new one.
        missing: how many were recorded under neither.
        estimate: of recording everything that the new one lacks.
        usd: its price in US dollars; None where a judge has no price.
    """

    lost: tuple[Place, ...]
    kept: int
    missing: int
    estimate: Estimate
    usd: float | None = None


def recording_cost(session: Session, uses: Sequence[RubricUse], old: Rubric, new: Rubric) -> Cost:
    """Return which cases of the scorers `uses` lose their recordings, and what new ones take."""
    lost: dict[Place, None] = {}
    due: list[JudgeRequest] = []
    kept = missing = 0
    for use in uses:
        before = {_question(e.request): e.state for e in _survey(session, use, old)}
        for each in _survey(session, use, new):
            if each.state == "hit":
                kept += 1
                continue
            due.append(each.request)
            origin = each.request.origin
            if before.get(_question(each.request)) == "hit":
                lost[origin.eval, origin.scorer, origin.case] = None
            else:
                missing += 1
    return Cost(tuple(lost), kept, missing, estimate(session, due), _price(session, due))


def _price(session: Session, due: Sequence[JudgeRequest]) -> float | None:
    """Return what recording `due` costs, each judge's calls at its own price."""
    total = 0.0
    for config in session.project.judges.values():
        own = [request for request in due if request.model == config.model]
        prices = (
            config.price_usd_per_million_input_tokens,
            config.price_usd_per_million_output_tokens,
        )
        if own and None in prices:
            return None
        if own:
            took = estimate(session, own)
            prompt = sum(len(m.content) for r in own for m in r.messages) // CHARACTERS_PER_TOKEN
            reply = took.tokens - prompt
            total += (prompt * (prices[0] or 0) + reply * (prices[1] or 0)) / 1_000_000
    return total


def _survey(session: Session, use: RubricUse, version: Rubric) -> tuple[Surveyed, ...]:
    definition = narrowed(use.definition, [use.scorer])
    return surveyed(session, definition, replacing(session, [use], version))


def _question(request: JudgeRequest) -> tuple[str, str, int, str | None]:
    """Return what is the same of a request, whatever the rubric says."""
    origin = request.origin
    return (origin.case, request.model, request.sample_index, request.parts.get("order"))


def replacing(session: Session, uses: Iterable[RubricUse], rubric: Rubric) -> OneReplaced:
    """Return what loads `rubric` wherever `uses` name theirs, and the project's rubrics else."""
    return OneReplaced(session.rubrics, frozenset(use.reference for use in uses), rubric)


@dataclass(frozen=True, slots=True)
class Turned:
    """How a rewording changed verdicts that it should have left alone.

    Attributes:
        n: cases with a verdict under both wordings.
        cases: those of them that pass under one and fail under the other.
        interval: Wilson's, of the share that turned.
        errors: cases without a verdict under one of the two.
    """

    rewording: Rewording
    n: int
    cases: tuple[str, ...]
    interval: Interval
    errors: int


@dataclass(frozen=True, slots=True)
class Flips:
    """How stable a judge's verdicts are under rewordings of its rubric.

    Attributes:
        stable: verdicts that stayed, of `total`, over all rewordings.
        errors: grades in error under the rubric as it is.
    """

    by_rewording: tuple[Turned, ...]
    stable: int
    total: int
    interval: Interval
    errors: tuple[GradeRecord, ...] = ()


def flips(
    session: Session,
    definition: EvalDefinition,
    rubrics: OneReplaced,
    variants: Sequence[Rewording],
    observe: Callable[[JudgeRequest], None] = lambda request: None,
) -> Flips:
    """Ask the live judges by a rubric and by rewordings of it, and count the verdicts that turn.

    Args:
        definition: an eval with one scorer.
        rubrics: loads the rubric where the scorer names it.
    """

    def ask(version: Rubric) -> dict[str, GradeRecord]:
        loads = replace(rubrics, rubric=version)
        return _grades(asked_now(session, definition, loads, observe))

    base = ask(rubrics.rubric)
    found = tuple(_turned(variant, base, ask(variant.rubric)) for variant in variants)
    total = sum(each.n for each in found)
    stable = total - sum(len(each.cases) for each in found)
    errors = tuple(grade for grade in base.values() if grade.status == "error")
    return Flips(found, stable, total, wilson_interval(stable, total), errors)


def _grades(run: EvalRun) -> dict[str, GradeRecord]:
    return {case.id: grade for case in run.cases for grade in case.grades.values()}


def _turned(
    variant: Rewording, base: Mapping[str, GradeRecord], now: Mapping[str, GradeRecord]
) -> Turned:
    statuses = {case: (base[case].status, now[case].status) for case in base}
    both = [case for case, pair in statuses.items() if "error" not in pair]
    turned = tuple(
        case
        for case in both
        if not counterfactual_stability(statuses[case][0], statuses[case][1:]).agree
    )
    interval = wilson_interval(len(turned), len(both))
    return Turned(variant, len(both), turned, interval, len(base) - len(both))
