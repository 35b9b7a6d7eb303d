"""Asking a judge by a rubric outside a run: what it would be sent, what it says now, what it said.

All of it goes through the graders, so that a preview is what a run sends and a trial grades as a
run does. Nothing is recorded or staged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from judgekit.cassettes.interaction import Interaction
from judgekit.cassettes.store import CassetteStore
from judgekit.config import JudgeConfig
from judgekit.errors import CassetteMiss, JudgeUnreachable
from judgekit.evals.definition import EvalDefinition
from judgekit.evals.judged_by import Rubrics
from judgekit.evals.session import Session, connection_of
from judgekit.gate.run import EvalRun, GradeRecord
from judgekit.judges.live import LiveJudge
from judgekit.judges.port import Judge, JudgeRequest, Verdict
from judgekit.judges.replay import Miss, ReplayJudge
from judgekit.judges.survey import Surveyed, SurveyJudge, stand_in
from judgekit.net.replay_guard import refuse_network

_SHOWN = ("input", "output", "baseline", "expected", "order")
"""Parts of a prompt that say what was judged; the others say how it was asked."""


class _KeepingJudge:
    """Keeps every request, and answers with a stand-in so that the grader goes on."""

    def __init__(self) -> None:
        self.requests: list[JudgeRequest] = []

    def evaluate(self, request: JudgeRequest) -> Verdict:
        self.requests.append(request)
        return stand_in(request)


def requests_of(
    session: Session, definition: EvalDefinition, rubrics: Rubrics | None = None
) -> tuple[tuple[JudgeRequest, ...], EvalRun]:
    """Return every request that an eval would make, in order, and the run that made them.

    The grades of the run mean nothing but for those in error, which say why a case asks nothing.
    """
    keeping = _KeepingJudge()
    with refuse_network():
        run = session.run_by(definition, lambda _, config: keeping, rubrics)
    return tuple(keeping.requests), run


def surveyed(
    session: Session, definition: EvalDefinition, rubrics: Rubrics | None = None
) -> tuple[Surveyed, ...]:
    """Return every request that an eval would make, with whether it is recorded. Asks nobody."""
    surveys: list[SurveyJudge] = []

    def surveying(_: str, config: JudgeConfig) -> Judge:
        surveys.append(SurveyJudge(session.replay_judge(config)))
        return surveys[-1]

    with refuse_network():
        session.run_by(definition, surveying, rubrics)
    return tuple(found for survey in surveys for found in survey.found)


def replayed(
    session: Session, definition: EvalDefinition, rubrics: Rubrics | None = None
) -> EvalRun:
    """Return the run of an eval by recorded verdicts; what is not recorded is a grade in error."""
    with refuse_network() as attempts:
        run = session.run_by(definition, lambda _, config: session.replay_judge(config), rubrics)
    attempts.raise_if_any()
    return run


class _AskingNow:
    """A live judge that is connected when it is first asked, and given up once out of reach."""

    def __init__(self, config: JudgeConfig, observe: Callable[[JudgeRequest], None]) -> None:
        self._config = config
        self._observe = observe
        self._judge: LiveJudge | None = None
        self._lock = threading.Lock()
        self._fault: JudgeUnreachable | None = None

    def evaluate(self, request: JudgeRequest) -> Verdict:
        with self._lock:
            if self._judge is None:
                config = self._config
                connection = connection_of(config)
                self._judge = LiveJudge(connection, config.dialect, config.re_asks)
        if self._fault is not None:
            raise JudgeUnreachable(f"not asked again: {self._fault}")
        try:
            return self._judge.evaluate(request)
        except JudgeUnreachable as error:
            self._fault = error
            raise
        finally:
            self._observe(request)

    def close(self) -> None:
        if self._judge is not None:
            self._judge.close()


def asked_now(
    session: Session,
    definition: EvalDefinition,
    rubrics: Rubrics | None = None,
    observe: Callable[[JudgeRequest], None] = lambda request: None,
) -> EvalRun:
    """Return the run of an eval by its live judges; nothing is recorded.

    Args:
        observe: is told of every request that was answered, or failed; called from many threads.
    """
    asking: list[_AskingNow] = []

    def made(_: str, config: JudgeConfig) -> Judge:
        asking.append(_AskingNow(config, observe))
        return asking[-1]

    try:
        return session.run_by(definition, made, rubrics)
    finally:
        for judge in asking:
            judge.close()


class _LastRecorded:
    """Answers with what was recorded last for the same output, whatever the rubric said then."""

    def __init__(
        self, replay: ReplayJudge, store: CassetteStore, changed: dict[tuple[str, str], set[str]]
    ) -> None:
        self._replay = replay
        self._store = store
        self._changed = changed

    def evaluate(self, request: JudgeRequest) -> Verdict:
        origin = request.origin
        try:
            return self._replay.evaluate(request)
        except Miss:
            pass
        found = [
            recording
            for recording in self._store.recorded_for(origin.eval, origin.scorer, origin.case)
            if "outcome" in recording.verdict and _of_the_same(recording, request)
        ]
        if not found:
            raise CassetteMiss(f"case {origin.case}: nothing is recorded for this output")
        last = max(found, key=lambda each: (each.recorded.when, each.call.attempt, each.key))
        self._changed.setdefault((origin.scorer, origin.case), set()).update(
            _changes(last, request)
        )
        return Verdict(
            outcome=str(last.verdict["outcome"]),
            score=float(last.verdict["score"]),
            rationale=str(last.verdict.get("rationale", "")),
            model=last.recorded.model_answered or last.recorded.model,
            replayed=True,
        )


def _of_the_same(recording: Interaction, request: JudgeRequest) -> bool:
    parts = recording.recorded.parts
    same = all(parts.get(name) == request.parts.get(name) for name in _SHOWN)
    return same and recording.call.sample == request.sample_index


def _changes(recording: Interaction, request: JudgeRequest) -> set[str]:
    recorded = recording.recorded
    parts = {*recorded.parts, *request.parts}
    changed = {part for part in parts if recorded.parts.get(part) != request.parts.get(part)}
    changed |= {"model"} if recorded.model != request.model else set()
    return changed or {"parameters"}


def last_recorded(
    session: Session, definition: EvalDefinition, rubrics: Rubrics | None = None
) -> tuple[EvalRun, Mapping[tuple[str, str], set[str]]]:
    """Return the run of an eval by what was recorded last for each output.

    Returns:
        The run, in error where nothing is recorded; and what has changed since (``rubric``,
        ``model``, …) by scorer and case, where anything has.
    """
    changed: dict[tuple[str, str], set[str]] = {}

    def made(_: str, config: JudgeConfig) -> Judge:
        return _LastRecorded(session.replay_judge(config), session.cassettes, changed)

    with refuse_network():
        run = session.run_by(definition, made, rubrics)
    return run, changed


@dataclass(frozen=True, slots=True)
class Tried:
    """A case as the judge sees it now, beside what it said last.

    Attributes:
        before: what was recorded last for this output; None where nothing was.
        changed: what has changed since.
    """

    scorer: str
    case: str
    now: GradeRecord
    before: GradeRecord | None
    changed: tuple[str, ...]

    @property
    def flipped(self) -> bool:
        """Whether the case passes where it failed, or the other way."""
        statuses = {self.now.status, self.before.status if self.before is not None else None}
        return statuses == {"passed", "failed"}


def tried(
    session: Session,
    definition: EvalDefinition,
    rubrics: Rubrics | None = None,
    observe: Callable[[JudgeRequest], None] = lambda request: None,
) -> tuple[Tried, ...]:
    """Ask the live judges of an eval now, and set each verdict beside the last recorded one."""
    before, changed = last_recorded(session, definition, rubrics)
    now = asked_now(session, definition, rubrics, observe)
    last = {case.id: case.grades for case in before.cases}
    return tuple(
        Tried(
            scorer,
            case.id,
            grade,
            None if (old := last[case.id][scorer]).status == "error" else old,
            tuple(sorted(changed.get((scorer, case.id), ()))),
        )
        for case in now.cases
        for scorer, grade in case.grades.items()
    )
