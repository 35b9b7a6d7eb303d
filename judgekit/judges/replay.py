"""The replay judge: answers from cassettes only. There is no code path from here to a socket."""

from __future__ import annotations

from collections.abc import Callable

from judgekit.cassettes.interaction import Call, Interaction, Recorded, Response
from judgekit.cassettes.miss import MissExplanation, explain
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import CassetteCorrupt, CassetteMiss
from judgekit.judges.asking import DEFAULT_RE_ASKS, Exchanged, Heard, ask
from judgekit.judges.dialects import Dialect, find_dialect
from judgekit.judges.port import JudgeRequest, Origin, Verdict


class Miss(CassetteMiss):
    """A miss that explains itself.

    Attributes:
        origin: the eval, case and scorer that asked.
        explanation: the nearest recording and what changed since.
        command: records what is missing.
    """

    def __init__(self, origin: Origin, explanation: MissExplanation) -> None:
        self.origin = origin
        self.explanation = explanation
        self.command = f"judgekit record {origin.eval}"
        super().__init__(f"{_why(origin, explanation)}; record it with `{self.command}`")


def _why(origin: Origin, explanation: MissExplanation) -> str:
    asked = f"eval {origin.eval}, case {origin.case}, scorer {origin.scorer}"
    key = explanation.key[:10]
    if explanation.nearest is None:
        return f"cassette miss: {asked}: never recorded (key {key})"
    changed = ", ".join(explanation.changed)
    return f"cassette miss: {asked}: stale, since {changed} changed (key {key})"


class ReplayExchange:
    """Serves calls from a cassette store.

    Args:
        store: the recordings.
    """

    def __init__(self, store: CassetteStore) -> None:
        self.store = store

    def perform(
        self, call: Call, request: JudgeRequest, hear: Callable[[Response], Heard]
    ) -> Exchanged:
        """Return the recorded answer to exactly this call.

        Raises:
            Miss: it was never recorded.
            CassetteCorrupt: its file is damaged, or records another verdict than its response.
        """
        kept = call.redacted()
        origin = request.origin
        interaction = self.store.look_up(origin.eval, origin.scorer, kept)
        if interaction is None:
            recordings = self.store.recorded_for(origin.eval, origin.scorer, origin.case)
            raise Miss(origin, explain(kept, recorded_of(request), recordings))
        return served(interaction, hear)


def served(interaction: Interaction, hear: Callable[[Response], Heard]) -> Exchanged:
    """Return what a recorded interaction answers, after holding its verdict to its response.

    An imported recording has no verdict to hold: nobody has read it yet.

    Raises:
        CassetteCorrupt: the recorded verdict is not what the response says.
    """
    heard = hear(interaction.response)
    if interaction.verdict and not heard.agrees_with(interaction.verdict):
        recorded = interaction.recorded
        raise CassetteCorrupt(
            f"cassette of eval {recorded.eval}, scorer {recorded.scorer}, case {recorded.case} "
            f"(key {interaction.key[:10]}): field verdict is not what the response says; restore "
            "the file, or record it again"
        )
    return Exchanged(heard, interaction.recorded.latency_s, replayed=True)


def recorded_of(request: JudgeRequest) -> Recorded:
    """Return what a recording of `request` says of where it comes from."""
    origin = request.origin
    return Recorded(
        eval=origin.eval,
        scorer=origin.scorer,
        case=origin.case,
        model=request.model,
        rubric=request.rubric.id,
        parts=dict(request.parts),
    )


class ReplayJudge:
    """A judge that answers from recordings.

    Args:
        store: the recordings.
        dialect: the name of the protocol that they were recorded in.
        re_asks: how often a malformed reply was asked for anew.
    """

    def __init__(
        self,
        store: CassetteStore,
        dialect: str | Dialect = "openai-chat",
        re_asks: int = DEFAULT_RE_ASKS,
    ) -> None:
        self._dialect = find_dialect(dialect) if isinstance(dialect, str) else dialect
        self._exchange = ReplayExchange(store)
        self._re_asks = re_asks

    def evaluate(self, request: JudgeRequest) -> Verdict:
        """Return the recorded verdict on exactly this request.

        Raises:
            Miss: it was never recorded; the error says what changed and how to record it.
            CassetteCorrupt: its recording is damaged.
            JudgeError: what was recorded holds no usable verdict.
        """
        return ask(request, self._dialect, self._exchange, self._re_asks)
