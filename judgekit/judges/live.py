"""The live judge: httpx to a model server, with deadlines, bounded retries and no redirects."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from judgekit.cassettes.interaction import Call, Response
from judgekit.cassettes.response_body import response_of
from judgekit.clock import Clock, SystemClock
from judgekit.documents.document import one_line
from judgekit.errors import ConfigError, JudgeUnreachable, TruncatedReply
from judgekit.judges.asking import DEFAULT_RE_ASKS, Exchanged, Heard, ask
from judgekit.judges.dialects import Dialect, find_dialect
from judgekit.judges.port import JudgeRequest, Verdict
from judgekit.net.targets import parse_target

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState

RETRIED_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
LARGEST_ANSWER = 16 * 1024 * 1024
"""Bytes of an answer that are read at most."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a live judge is, and how long to wait for it.

    Attributes:
        url: base URL; the dialect's path is appended (a ``/v1`` that both have is taken once).
        api_key_env: name of the environment variable that holds the key; None sends none.
        connect_s: seconds to connect.
        attempt_s: seconds for one attempt, from connecting to the last byte.
        call_s: seconds for the whole call, its retries and pauses among them.
        largest_answer: bytes of an answer that are read at most.
        allowed: URLs that may be called although they lead to this machine or a private network;
            a judge's own `url` always may.
        key_envs: variables that hold the keys of other origins than `url`'s, by a URL of each.
    """

    url: str
    api_key_env: str | None = None
    connect_s: float = 10.0
    attempt_s: float = 300.0
    call_s: float = 900.0
    headers: Mapping[str, str] = field(default_factory=dict)
    largest_answer: int = LARGEST_ANSWER
    allowed: tuple[str, ...] = ()
    key_envs: Mapping[str, str] = field(default_factory=dict)

    def api_key(self, path: str = "/") -> str | None:
        """Return the key that is sent to a dialect's path, or None; no message ever shows it.

        A key goes to its own origin only: scheme, host and port.

        Raises:
            ConfigError: the variable is not set, or its value can't stand in an HTTP header.
        """
        if path.startswith("/"):
            return None if self.api_key_env is None else _key_in("api_key_env", self.api_key_env)
        origin = parse_target(path).origin
        for url, variable in self.key_envs.items():
            if parse_target(url).origin == origin:
                return _key_in("webhook_keys", variable)
        return None

    def endpoint(self, path: str) -> str:
        """Return the URL of a dialect's path; a path that is a whole URL is itself, in ASCII."""
        if not path.startswith("/"):
            return _plain(path)
        base = self.url.rstrip("/")
        if base.endswith("/v1") and path.startswith("/v1/"):
            base = base.removesuffix("/v1")
        return base + path


def _plain(url: str) -> str:
    """Return `url` with its host spelled as the guard against SSRF reads it."""
    target, parts = parse_target(url), urlsplit(url)
    host = f"[{target.host}]" if ":" in target.host else target.host
    return parts._replace(netloc=f"{host}:{target.port}", fragment="").geturl()


def _key_in(option: str, variable: str) -> str:
    key = os.environ.get(variable)
    if not key:
        raise ConfigError(f"{option}: the environment variable {variable} is not set")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError(
            f"{option}: the value of {variable} holds white space or characters that no HTTP "
            "header can carry; set it to the key alone"
        )
    return key


class _PassingFault(Exception):
    """Something that a retry may cure; never leaves this module."""

    def __init__(
        self, why: str, retry_after_s: float | None = None, *, connected: bool = True
    ) -> None:
        super().__init__(why)
        self.retry_after_s = retry_after_s
        self.connected = connected


class LiveExchange:
    """Sends calls to a model server.

    Args:
        connection: where it is.
        dialect: its protocol.
        clock: tells how long things take.
        sleep: waits between attempts.
    """

    def __init__(
        self,
        connection: Connection,
        dialect: Dialect,
        clock: Clock | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.connection = connection
        self.dialect = dialect
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._client = _client(connection)

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def perform(
        self, call: Call, request: JudgeRequest, hear: Callable[[Response], Heard]
    ) -> Exchanged:
        """Return what the server answers, retrying passing faults until the call's deadline.

        Raises:
            JudgeUnreachable: refused, timed out, disconnected, or an HTTP error that stays.
            TruncatedReply: the prompt does not fit the server's context.
        """
        response, latency_s = self.fetch(call)
        return Exchanged(hear(response), latency_s, replayed=False)

    def model_digest(self, model: str) -> str | None:
        """Return the digest of a model's weights, where the server tells it; else None."""
        import httpx

        if not self.dialect.models_path:
            return None
        try:
            path = self.dialect.models_path
            answer = self._client.get(self.connection.endpoint(path), headers=self._headers(path))
            return self.dialect.digest_in(answer.json(), model)
        except (httpx.HTTPError, ValueError):
            return None

    def fetch(self, call: Call) -> tuple[Response, float]:
        """Return the server's 200 answer to `call`, and the seconds that the attempt took."""
        from tenacity import Retrying, retry_if_exception_type

        now = self._clock.monotonic_s
        start = now()
        deadline = start + self.connection.call_s
        retrying = Retrying(
            retry=retry_if_exception_type(_PassingFault),
            wait=_pause,
            stop=lambda state: now() + _pause(state) >= self._give_up(state, start),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return retrying(self._attempt, call, deadline)
        except _PassingFault as fault:
            tries = retrying.statistics.get("attempt_number", 1)
            took = self._clock.monotonic_s() - start
            raise JudgeUnreachable(
                f"{self._who(call)}: {fault} (tried {tries} times in {took:.0f} s); check that "
                "the server runs and is not overloaded, or raise timeouts"
            ) from None

    def _give_up(self, state: RetryCallState, start: float) -> float:
        """Return when to stop trying: a server that is not there is not waited for as long."""
        error = state.outcome.exception() if state.outcome is not None else None
        absent = isinstance(error, _PassingFault) and not error.connected
        connection = self.connection
        return start + (
            min(connection.connect_s, connection.call_s) if absent else connection.call_s
        )

    def _who(self, call: Call) -> str:
        host = urlsplit(self.connection.endpoint(call.path)).netloc.rpartition("@")[2]
        return f"{'judge' if self.connection.url else 'webhook'} {host}"

    def _attempt(self, call: Call, deadline: float) -> tuple[Response, float]:
        import httpx

        start = self._clock.monotonic_s()
        end = min(deadline, start + self.connection.attempt_s)
        try:
            status, headers, body = self._exchange(call, end)
        except (httpx.TimeoutException, httpx.TransportError) as error:
            absent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            raise _PassingFault(_transport_fault(error), connected=not absent) from None
        if status != httpx.codes.OK:
            self._refuse(call, status, headers, body)
        response = response_of(status, headers, body, self.dialect.lasting)
        return response, round(self._clock.monotonic_s() - start, 3)

    def _exchange(self, call: Call, end: float) -> tuple[int, Mapping[str, str], bytes]:
        """Send one request and read its answer within `end` (monotonic seconds)."""
        import httpx

        from judgekit.net.pinned_transport import read_capped

        limit = max(end - self._clock.monotonic_s(), 0.001)
        timeout = httpx.Timeout(limit, connect=min(self.connection.connect_s, limit))
        url = self.connection.endpoint(call.path)
        with self._client.stream(
            call.method, url, json=call.body, timeout=timeout, headers=self._headers(call.path)
        ) as answer:
            return (
                answer.status_code,
                answer.headers,
                read_capped(answer, self.connection.largest_answer),
            )

    def _headers(self, path: str) -> dict[str, str]:
        key = self.connection.api_key(path)
        return {} if key is None else {"Authorization": f"Bearer {key}"}

    def _refuse(self, call: Call, status: int, headers: Mapping[str, str], body: bytes) -> None:
        said = one_line(" ".join(body[:2000].decode("utf-8", "replace").split()))[:200]
        if status in RETRIED_STATUS:
            raise _PassingFault(f"answers HTTP {status}: {said}", _retry_after(headers))
        if status == 400 and "context" in said.lower():
            raise TruncatedReply(
                f"{self._who(call)}: the prompt does not fit the judge's context: {said}; start "
                "the server with a larger context or shorten the case"
            )
        if 300 <= status < 400:
            raise JudgeUnreachable(
                f"{self._who(call)}: answers with a redirect (HTTP {status}), which is refused; "
                "give the URL that it leads to"
            )
        remedy = ""
        if status in (401, 403):
            option = "api_key_env" if call.path.startswith("/") else "webhook_keys"
            remedy = f"; give the variable that holds its key in {option}"
        raise JudgeUnreachable(f"{self._who(call)}: answers HTTP {status}: {said}{remedy}")


def _client(connection: Connection) -> httpx.Client:
    import httpx

    from judgekit.net.pinned_transport import PinnedTransport

    headers = {"Accept-Encoding": "identity", **connection.headers}
    connection.api_key()  # a key that is missing is said before the first case is judged
    allowed = [url for url in (connection.url, *connection.allowed) if url]
    transport = PinnedTransport(allowed=allowed, deadline_s=connection.attempt_s)
    return httpx.Client(
        transport=transport, headers=headers, follow_redirects=False, trust_env=False
    )


def _transport_fault(error: Exception) -> str:
    import httpx

    if isinstance(error, httpx.ConnectError):
        return "refused the connection"
    if isinstance(error, httpx.TimeoutException):
        return "gave no answer in time"
    return f"broke off the connection ({error})"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for (RFC 9110, 10.2.3)."""
    value = headers.get("retry-after", "")
    return float(value) if value.isdecimal() else None


def _pause(state: RetryCallState) -> float:
    """Seconds before the next attempt: what the server asked for, else 0.5, 1, 2, … up to 30."""
    error = state.outcome.exception() if state.outcome is not None else None
    asked = error.retry_after_s if isinstance(error, _PassingFault) else None
    return asked if asked is not None else min(0.5 * 2 ** (state.attempt_number - 1), 30.0)


class LiveJudge:
    """A judge that asks a model server each time.

    Args:
        connection: where the server is.
        dialect: the name of its protocol.
        re_asks: how often a malformed reply is asked for anew.
    """

    def __init__(
        self,
        connection: Connection,
        dialect: str | Dialect = "openai-chat",
        re_asks: int = DEFAULT_RE_ASKS,
    ) -> None:
        self._dialect = find_dialect(dialect) if isinstance(dialect, str) else dialect
        self._exchange = LiveExchange(connection, self._dialect)
        self._re_asks = re_asks

    def evaluate(self, request: JudgeRequest) -> Verdict:
        """Return the judge's verdict.

        Raises:
            JudgeError: the judge gave no usable verdict.
        """
        return ask(request, self._dialect, self._exchange, self._re_asks)

    def close(self) -> None:
        """Close every connection."""
        self._exchange.close()

    def __enter__(self) -> LiveJudge:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
