"""The plan: what is recorded, what is not and why, and what recording the rest would cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean

from judgekit.bias.probes import probe_scorers
from judgekit.cassettes.file_form import parse
from judgekit.cassettes.index import Place
from judgekit.cassettes.naming import slug
from judgekit.errors import CassetteCorrupt
from judgekit.evals.definition import EvalDefinition
from judgekit.evals.session import Session
from judgekit.judges.dialects import find_dialect
from judgekit.judges.port import JudgeRequest
from judgekit.judges.survey import Surveyed

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text, used where nothing comparable is recorded."""

_REPLY_TOKENS = 60
_CALL_S = 5.0
_SAMPLE = 200
"""How many recordings an estimate looks at."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What recording the rest would take, judged by what is recorded.

    Attributes:
        calls: without re-asks.
        tokens: prompt and reply tokens.
        minutes: one call after another.
        measured: whether the means come from recordings; else from rules of thumb.
    """

    calls: int
    tokens: int
    minutes: float
    measured: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The state of every judge request of some evals.

    Attributes:
        requests: every request that the evals make, with its state.
        orphans: recordings that no request of theirs asks for, and that belong to no stale case.
    """

    requests: tuple[Surveyed, ...]
    orphans: tuple[Place, ...]
    estimate: Estimate

    def count(self, state: str) -> int:
        """Return how many requests are in a state (``hit``, ``miss``, ``stale``, ``corrupt``)."""
        return sum(each.state == state for each in self.requests)

    @property
    def missing(self) -> tuple[Surveyed, ...]:
        """The requests that replay can't serve."""
        return tuple(each for each in self.requests if each.state != "hit")


def make_plan(session: Session, evals: Sequence[EvalDefinition], *, whole: bool) -> Plan:
    """Survey evals and the cassettes beside them.

    Args:
        whole: whether `evals` are all of the project's, so that a cassette of any other eval is an
            orphan too.
    """
    found = tuple(session.survey(evals))
    return Plan(
        requests=found,
        orphans=tuple(_orphans(session, evals, found, whole=whole)),
        estimate=estimate(session, [each.request for each in found if each.state != "hit"]),
    )


def _orphans(
    session: Session, evals: Sequence[EvalDefinition], found: Sequence[Surveyed], *, whole: bool
) -> list[Place]:
    waiting = {
        (slug(o.eval), slug(o.scorer), slug(o.case))
        for each in found
        if each.state != "hit"
        for o in [each.request.origin]
    }
    folders = {(slug(e.name), slug(s.name)) for e in evals for s in e.scorers}
    if whole:
        folders |= set(session.cassettes.scorers()) - _probes(evals)
    return [
        place
        for eval_slug, scorer_slug in sorted(folders)
        for place in session.cassettes.unused(eval_slug, scorer_slug)
        if (eval_slug, scorer_slug, place.case) not in waiting
    ]


def _probes(evals: Sequence[EvalDefinition]) -> set[tuple[str, str]]:
    """Return where the bias probes of these evals are recorded, which no run asks for."""
    return {
        (slug(each.name), slug(name))
        for each in evals
        for name in probe_scorers(scorer.name for scorer in each.scorers)
    }


def estimate(session: Session, missing: Sequence[JudgeRequest]) -> Estimate:
    """Return what recording `missing` would take."""
    if not missing:
        return Estimate(0, 0, 0.0, measured=True)
    recorded = list(islice(_recorded_like(session, missing), _SAMPLE))
    prompt = sum(len(m.content) for r in missing for m in r.messages) // CHARACTERS_PER_TOKEN
    reply = fmean(tokens for tokens, _ in recorded) if recorded else _REPLY_TOKENS
    latency_s = fmean(seconds for _, seconds in recorded) if recorded else _CALL_S
    return Estimate(
        calls=len(missing),
        tokens=prompt + round(reply * len(missing)),
        minutes=round(latency_s * len(missing) / 60, 1),
        measured=bool(recorded),
    )


def _recorded_like(
    session: Session, missing: Sequence[JudgeRequest]
) -> Iterator[tuple[int, float]]:
    """Yield reply tokens and seconds of recordings of the same scorers."""
    for where, request in {(r.origin.eval, r.origin.scorer): r for r in missing}.items():
        for place in session.cassettes.places(*where):
            try:
                interaction = parse(place.read(), place)
            except CassetteCorrupt:
                continue
            dialect = find_dialect(interaction.call.dialect)
            reply = dialect.decode(request, interaction.response.json())
            yield reply.usage.output_tokens, interaction.recorded.latency_s
