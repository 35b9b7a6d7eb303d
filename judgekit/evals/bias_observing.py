"""Reads the recorded verdicts of evals and of their probes, as measures of bias take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgekit.bias.edits import marked_up
from judgekit.bias.families import model_families, resolve_families
from judgekit.bias.guard import HUMAN
from judgekit.bias.observation import Observation, Seat
from judgekit.bias.probes import SAMPLED
from judgekit.cassettes.interaction import Call
from judgekit.cassettes.store import CassetteStore
from judgekit.config import JudgeConfig
from judgekit.errors import CassetteMiss, Cause, ConfigError, JudgekitError
from judgekit.evals.bias_probes import judged, kind_of, probes, sampling, with_outputs
from judgekit.evals.cases import Case
from judgekit.evals.definition import EvalDefinition, Scorer
from judgekit.evals.judged_by import rubric_of
from judgekit.evals.references import resolved
from judgekit.evals.session import Session
from judgekit.graders.panel import MOST_SAMPLES
from judgekit.graders.question import is_swapped
from judgekit.judges.asking import Exchanged, ask
from judgekit.judges.dialects import find_dialect
from judgekit.judges.port import Judge, JudgeRequest, Verdict
from judgekit.judges.replay import served
from judgekit.judges.replies.statements import label_key, meets
from judgekit.judges.rubric import Kind, Rubric
from judgekit.net.replay_guard import refuse_network
from judgekit.rubrics.labels import Label, labels_for, said


@dataclass(frozen=True, slots=True)
class Gap:
    """Verdicts that an eval asks for and that could not be read.

    Attributes:
        judge: empty where the scorer asked none.
        problem: the first one's, in words.
    """

    eval: str
    scorer: str
    judge: str
    cause: Cause
    count: int
    problem: str


@dataclass(frozen=True, slots=True)
class Observed:
    """What is recorded of some evals' judges."""

    observations: tuple[Observation, ...]
    seats: tuple[Seat, ...]
    gaps: tuple[Gap, ...]


class _Recorded:
    """Serves calls from a cassette store; a miss costs no search for its like."""

    def __init__(self, store: CassetteStore) -> None:
        self._store = store

    def perform(self, call: Call, request: JudgeRequest, hear: Any) -> Exchanged:
        origin = request.origin
        interaction = self._store.look_up(origin.eval, origin.scorer, call.redacted())
        if interaction is None:
            raise CassetteMiss(f"{origin.eval} / {origin.scorer} / {origin.case}: not recorded")
        return served(interaction, hear)


@dataclass(frozen=True, slots=True)
class _Heard:
    judge: str
    request: JudgeRequest
    verdict: Verdict


@dataclass(slots=True)
class _Notes:
    """What was heard of the judges, and what was not."""

    heard: list[_Heard] = field(default_factory=list)
    problems: list[tuple[str, str, Cause, str]] = field(default_factory=list)


class _Noting:
    """Answers from recordings and notes each verdict with the request that it is on."""

    def __init__(self, name: str, config: JudgeConfig, store: CassetteStore, notes: _Notes) -> None:
        self._name = name
        self._dialect = find_dialect(config.dialect)
        self._re_asks = config.re_asks
        self._exchange = _Recorded(store)
        self._notes = notes

    def evaluate(self, request: JudgeRequest) -> Verdict:
        try:
            verdict = ask(request, self._dialect, self._exchange, self._re_asks)
        except JudgekitError as error:
            problem = (request.origin.scorer, self._name, error.cause, str(error))
            self._notes.problems.append(problem)
            raise
        self._notes.heard.append(_Heard(self._name, request, verdict))
        return verdict


def observed(
    session: Session,
    evals: Iterable[EvalDefinition],
    labels: Mapping[str, Sequence[Label]] | None = None,
) -> Observed:
    """Return every recorded verdict of the evals' judges, and of their probes. Asks nobody.

    Args:
        labels: people's, by eval.

    Raises:
        ConfigError: a label fits no verdict of its scorer's rubric; a task can't be run.
        NetworkRefused: something tried to reach the network.
    """
    found: list[Observation] = []
    seats: list[Seat] = []
    gaps: list[Gap] = []
    with refuse_network() as attempts:
        for whole in evals:
            own = judged(whole)
            if own is None:
                continue
            definition = with_outputs(own, session.project.root)
            seats += _seats(session, definition)
            people = _people(session, definition, (labels or {}).get(definition.name, ()))
            views, unread = _observe(session, definition, "", None, people)
            found += views
            gaps += unread
            views, unread = _observe_probes(session, definition, people)
            found += views
            gaps += unread
    attempts.raise_if_any()
    return Observed(tuple(found), tuple(seats), tuple(gaps))


def _observe_probes(
    session: Session, definition: EvalDefinition, people: Mapping[tuple[str, str], bool]
) -> tuple[list[Observation], list[Gap]]:
    found: list[Observation] = []
    gaps: list[Gap] = []
    drawing = sampling(session)
    for probe in probes(definition, samples=MOST_SAMPLES):
        own = probe.definition.scorers[0]
        if not session.cassettes.places(definition.name, own.name):
            continue
        opened = drawing if probe.variant is SAMPLED else session
        views, unread = _observe(opened, probe.definition, probe.variant.name, probe.scorer, people)
        found += views
        gaps += [gap for gap in unread if gap.cause is not Cause.MISS]
    return found, gaps


def _observe(
    session: Session,
    definition: EvalDefinition,
    variant: str,
    scorer: str | None,
    people: Mapping[tuple[str, str], bool],
) -> tuple[list[Observation], list[Gap]]:
    """Replay one eval, and return what its judges said.

    Args:
        scorer: the name that the verdicts count under; the scorer's own if None.
    """
    notes = _Notes()

    def made(name: str, config: JudgeConfig) -> Judge:
        return _Noting(name, config, session.cassettes, notes)

    run = session.run_by(definition, made)
    cases = {case.id: case for case in definition.cases}
    scorers = {each.name: each for each in definition.scorers}
    observations = []
    for heard in notes.heard:
        origin = heard.request.origin
        name = scorer or origin.scorer
        observations.append(
            _observation(
                session,
                definition,
                heard,
                name,
                scorers[origin.scorer],
                cases[origin.case],
                variant,
                people.get((name, origin.case)),
            )
        )
    asked = {(h.request.origin.scorer, h.request.origin.case) for h in notes.heard}
    problems = list(notes.problems)
    for case in run.cases:
        for name, grade in case.grades.items():
            cause = None if grade.cause is None else Cause(grade.cause)
            if cause in (Cause.BIAS_GUARD, Cause.INVALID_CONFIG) and (name, case.id) not in asked:
                problems.append((name, "", cause, grade.reason))
    return observations, _gaps(definition.name, problems)


def _gaps(name: str, problems: Sequence[tuple[str, str, Cause, str]]) -> list[Gap]:
    counts = Counter(problem[:3] for problem in problems)
    first: dict[tuple[str, str, Cause], str] = {}
    for *where, said_ in problems:
        first.setdefault((where[0], where[1], where[2]), said_)  # type: ignore[arg-type]
    return [Gap(name, *where, count, first[where]) for where, count in sorted(counts.items())]


def _observation(
    session: Session,
    definition: EvalDefinition,
    heard: _Heard,
    scorer: str,
    own: Scorer,
    case: Case,
    variant: str,
    human: bool | None,
) -> Observation:
    request, verdict = heard.request, heard.verdict
    families = model_families(request.model, session.project.config.families)
    text = case.output if isinstance(case.output, str) else None
    baseline = _baseline(own, case) if request.rubric.kind is Kind.PAIRWISE else None
    return Observation(
        eval=definition.name,
        scorer=scorer,
        judge=heard.judge,
        model=request.model,
        kind=request.rubric.kind,
        rubric=request.rubric.digest,
        rubric_id=request.rubric.id,
        case=case.id,
        outcome=verdict.outcome,
        score=verdict.score,
        passed=_passes(verdict, request.rubric),
        families=families,
        subject=definition.subject,
        own_family=_is_own(session, request.model, definition.subject),
        cluster=case.cluster,
        variant=variant,
        sample=request.sample_index,
        swapped=is_swapped(request),
        length=None if text is None else len(text),
        baseline_length=None if baseline is None else len(baseline),
        marked=text is not None and marked_up(text),
        baseline_marked=baseline is not None and marked_up(baseline),
        human=human,
    )


def _is_own(session: Session, judge: str, subject: str) -> bool:
    extra = session.project.config.families
    if subject == HUMAN:
        return False
    return bool(model_families(judge, extra) & resolve_families(subject, extra).families)


def _baseline(scorer: Scorer, case: Case) -> str | None:
    try:
        given = resolved(scorer.config.get("baseline"), case)
    except ConfigError:
        return None
    return given if isinstance(given, str) else None


def _passes(verdict: Verdict, rubric: Rubric) -> bool:
    if rubric.kind is Kind.SCORE:
        return meets(verdict.score, rubric.min_score)
    if rubric.kind is Kind.CATEGORY:
        passing = {label_key(each) for each in rubric.passing_categories}
        return label_key(verdict.outcome) in passing
    return verdict.outcome in ("pass", "match", "A")


def _seats(session: Session, definition: EvalDefinition) -> list[Seat]:
    seats = []
    for scorer in definition.scorers:
        for name in scorer.config.get("judges") or [scorer.config.get("judge")]:
            judge, config = session.project.judge(name)
            seats.append(Seat(definition.name, scorer.name, judge, config.model, kind_of(scorer)))
    return seats


def _people(
    session: Session, definition: EvalDefinition, labels: Sequence[Label]
) -> dict[tuple[str, str], bool]:
    """Return whether people pass each output, by scorer and case; a split vote is none.

    Raises:
        ConfigError: a label fits no verdict of the scorer's rubric.
    """
    found: dict[tuple[str, str], bool] = {}
    for scorer in definition.scorers:
        own = labels_for(labels, definition.name, scorer.name)
        rubric = rubric_of(scorer, session.rubrics) if own else None
        if rubric is None:
            continue
        votes: dict[str, list[bool]] = {}
        for label in own:
            votes.setdefault(label.case, []).append(said(label, rubric).passed)
        for case, cast in votes.items():
            if 2 * sum(cast) != len(cast):
                found[scorer.name, case] = 2 * sum(cast) > len(cast)
    return found
