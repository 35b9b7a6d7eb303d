"""The recording judge: wraps a live one, serves what is recorded, and stages what is new."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum

from judgekit.cassettes.file_form import to_file
from judgekit.cassettes.interaction import Call, Interaction, Response
from judgekit.cassettes.redaction import leaked_secret
from judgekit.cassettes.staging import Staging
from judgekit.errors import JudgekitError, JudgeUnreachable, RecordingRefused
from judgekit.judges.asking import DEFAULT_RE_ASKS, Exchanged, Heard, ask
from judgekit.judges.live import LiveExchange
from judgekit.judges.port import JudgeRequest, TokenUsage, Verdict
from judgekit.judges.replay import recorded_of, served

GIVE_UP_AFTER = 3
"""After so many calls in a row that found no judge, the rest of a recording asks no more."""


class Progress(StrEnum):
    """What happened to one call while recording."""

    ASKED = "asked"
    RECORDED = "recorded"
    SERVED = "served"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RecordingEvent:
    """One step of a recording, for whoever shows its progress.

    Attributes:
        what: the call was asked (is in flight), recorded, served from a recording, or failed.
        problem: why there is no verdict, where there is none.
        judge: the judge's name in the configuration.
        answered: whether the live judge gave an answer, so that the call has a cost.
    """

    what: Progress
    request: JudgeRequest
    key: str
    attempt: int
    usage: TokenUsage = field(default_factory=TokenUsage)
    latency_s: float = 0.0
    problem: str = ""
    judge: str = ""
    answered: bool = False


def ignore_event(event: RecordingEvent) -> None:
    """Show nothing."""


Permit = Callable[[JudgeRequest], Callable[[TokenUsage], None]]
"""Asked before each live call, it raises `BudgetReached` or returns what to tell its usage to."""


def permit_all(request: JudgeRequest) -> Callable[[TokenUsage], None]:
    """Permit every call."""
    return lambda usage: None


class RecordingExchange:
    """Serves what is recorded or staged; asks the live judge for the rest, and stages it.

    Args:
        live: asks the model server.
        staging: takes what was answered; it knows the cassettes too.
        now: the time to write into a recording, ISO 8601.
        again: whether to ask anew for what the cassettes hold (what is staged is never asked anew,
            so that an interrupted recording goes on where it stopped).
        observe: is told of every step; called from many threads.
        permit: is asked before each live call; called from many threads.
        judge: the judge's name in the configuration, for events.
    """

    def __init__(
        self,
        live: LiveExchange,
        staging: Staging,
        now: Callable[[], str],
        *,
        again: bool = False,
        observe: Callable[[RecordingEvent], None] = ignore_event,
        permit: Permit = permit_all,
        judge: str = "",
    ) -> None:
        self._live = live
        self._staging = staging
        self._now = now
        self._again = again
        self._digests: dict[str, str | None] = {}
        self._observe = observe
        self._permit = permit
        self._judge = judge
        self._claims = _Claims()
        self._unanswered = 0

    def perform(
        self, call: Call, request: JudgeRequest, hear: Callable[[Response], Heard]
    ) -> Exchanged:
        """Return the recorded answer, or the live judge's after staging it.

        Raises:
            JudgeError: the live judge can't be asked; nothing is staged.
            RecordingRefused: what would be written holds a secret; nothing is written.
            BudgetReached: the call could cross the budget; the judge is not asked.
        """
        kept = call.redacted()
        with self._claims.on(kept.key):
            standing = self._standing(kept, request)
            if standing is not None:
                done = served(standing, hear)
                self._tell(Progress.SERVED, request, kept, done)
                return done
            return self._ask(call, kept, request, hear)

    def _ask(
        self, call: Call, kept: Call, request: JudgeRequest, hear: Callable[[Response], Heard]
    ) -> Exchanged:
        """Return the live judge's answer, staged, its usage settled and told of."""
        settle = self._permit(request)
        done: Exchanged | None = None
        try:
            self._tell(Progress.ASKED, request, kept)
            response, latency_s = self._fetch(call)
            done = Exchanged(hear(response), latency_s, replayed=False)
            self._stage(kept, request, response, done)
        except JudgekitError as error:
            self._tell(Progress.FAILED, request, kept, done, str(error))
            raise
        finally:
            settle(_usage(done))
        self._tell(Progress.RECORDED, request, kept, done, done.heard.reading.problem)
        return done

    def _fetch(self, call: Call) -> tuple[Response, float]:
        """Ask the live judge, unless it gave no answer several times in a row."""
        if self._unanswered >= GIVE_UP_AFTER:
            raise JudgeUnreachable(
                f"not asked: {GIVE_UP_AFTER} calls in a row got no answer; see the first of them"
            )
        try:
            answer = self._live.fetch(call)
        except JudgeUnreachable:
            self._unanswered += 1
            raise
        self._unanswered = 0
        return answer

    def _standing(self, call: Call, request: JudgeRequest) -> Interaction | None:
        origin = request.origin
        staged = self._staging.store.look_up(origin.eval, origin.scorer, call)
        if staged is not None or self._again:
            return staged
        return self._staging.cassettes.look_up(origin.eval, origin.scorer, call)

    def _stage(
        self, call: Call, request: JudgeRequest, response: Response, done: Exchanged
    ) -> None:
        recorded = replace(
            recorded_of(request),
            model_answered=done.heard.reply.model,
            model_digest=self._model_digest(request.model),
            when=self._now(),
            latency_s=done.latency_s,
        )
        interaction = Interaction(call, response, recorded, done.heard.summary)
        key = self._live.connection.api_key(call.path)
        leak = leaked_secret(to_file(interaction).decode(), key=key)
        if leak is not None:
            raise RecordingRefused(
                f"eval {recorded.eval}, scorer {recorded.scorer}, case {recorded.case}: the "
                f"recording would hold a secret ({leak}); nothing was written; take it out of the "
                "case or the judge's answer"
            )
        self._staging.add(interaction)

    def _model_digest(self, model: str) -> str | None:
        """Return the digest of the judge model's weights, asked for once."""
        if model not in self._digests:
            self._digests[model] = self._live.model_digest(model)
        return self._digests[model]

    def _tell(
        self,
        what: Progress,
        request: JudgeRequest,
        call: Call,
        done: Exchanged | None = None,
        problem: str = "",
    ) -> None:
        event = RecordingEvent(
            what,
            request,
            call.key,
            call.attempt,
            usage=_usage(done),
            latency_s=done.latency_s if done is not None else 0.0,
            problem=problem,
            judge=self._judge,
            answered=done is not None and not done.replayed,
        )
        self._observe(event)


def _usage(done: Exchanged | None) -> TokenUsage:
    return done.heard.reply.usage if done is not None else TokenUsage()


class _Claims:
    """Lets one thread at a time work on a key, so that no request is asked twice."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, threading.Lock] = {}

    @contextmanager
    def on(self, key: str) -> Iterator[None]:
        """Hold `key` until the block ends."""
        with self._lock:
            lock = self._held.setdefault(key, threading.Lock())
        with lock:
            yield


class RecordingJudge:
    """A judge that records what it is asked.

    Args:
        exchange: serves, asks and stages.
        live: the live exchange's dialect is the recording's.
        re_asks: how often a malformed reply is asked for anew; each attempt is recorded.
    """

    def __init__(
        self, exchange: RecordingExchange, live: LiveExchange, re_asks: int = DEFAULT_RE_ASKS
    ) -> None:
        self._exchange = exchange
        self._dialect = live.dialect
        self._re_asks = re_asks

    def evaluate(self, request: JudgeRequest) -> Verdict:
        """Return the verdict, recorded now or before.

        Raises:
            JudgeError: the judge gave no usable verdict, or can't be reached.
            RecordingRefused: the recording would hold a secret.
        """
        return ask(request, self._dialect, self._exchange, self._re_asks)
