"""The survey judge: says for every request whether it is recorded, without asking anybody."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from judgekit.cassettes.miss import MissExplanation
from judgekit.errors import CassetteCorrupt
from judgekit.judges.port import JudgeRequest, Verdict
from judgekit.judges.replay import Miss, ReplayJudge
from judgekit.judges.rubric import Kind

_STAND_IN = {
    Kind.PASS_FAIL: "pass",
    Kind.SCORE: "scored",
    Kind.PAIRWISE: "TIE",
    Kind.ANSWER_MATCH: "match",
}


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What the survey found of one request.

    Attributes:
        miss: why it misses; None for a hit.
        damage: what is wrong with its recording, if anything.
    """

    request: JudgeRequest
    miss: MissExplanation | None = None
    damage: str | None = None

    @property
    def state(self) -> str:
        """``hit``, ``miss`` (never recorded), ``stale`` (it was, but changed) or ``corrupt``."""
        if self.damage is not None:
            return "corrupt"
        if self.miss is None:
            return "hit"
        return "stale" if self.miss.stale else "miss"


class SurveyJudge:
    """Looks up every request; where nothing is recorded, goes on with a stand-in verdict.

    The stand-in lets a grader go on to its next question (the other order of a pair, the next
    sample), so that all that it would ask is found. The grades of a survey mean nothing.
    """

    def __init__(self, replay: ReplayJudge) -> None:
        self._replay = replay
        self._lock = threading.Lock()
        self.found: list[Surveyed] = []

    def evaluate(self, request: JudgeRequest) -> Verdict:
        """Return the recorded verdict, or a stand-in after noting the miss.

        Raises:
            JudgeError: what is recorded holds no usable verdict.
        """
        try:
            verdict = self._replay.evaluate(request)
        except Miss as miss:
            self._note(Surveyed(request, miss=miss.explanation))
            return stand_in(request)
        except CassetteCorrupt as error:
            self._note(Surveyed(request, damage=str(error)))
            return stand_in(request)
        self._note(Surveyed(request))
        return verdict

    def _note(self, surveyed: Surveyed) -> None:
        with self._lock:
            self.found.append(surveyed)


def stand_in(request: JudgeRequest) -> Verdict:
    """Return a verdict that lets a grader go on to its next question, and means nothing."""
    rubric = request.rubric
    outcome = rubric.categories[0] if rubric.categories else _STAND_IN.get(rubric.kind, "pass")
    return Verdict(outcome=outcome, score=1.0, rationale="stand-in of a survey")
