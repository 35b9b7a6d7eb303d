"""An httpx transport that connects only where it has looked: the guard against SSRF.

A name is resolved once for a connection; every address that it resolves to must be allowed, and
the connection goes to one of exactly these. A second look-up that answers otherwise (DNS
rebinding) never happens. The name stays in `Host` and in TLS (SNI and certificate check).

Each request is checked, so a client that follows redirects is safe too: the target of a redirect
is a request like any other. (judgekit's own clients follow none.) Give the transport to
`httpx.Client(transport=…, trust_env=False)`: a proxy would resolve names out of our sight.

Importing this module imports httpx; import it inside the function that makes a live call.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Final, TypeAlias

import httpcore
import httpx

from judgekit.clock import SystemClock
from judgekit.errors import MalformedVerdict
from judgekit.net.addresses import Address, blocked_reason
from judgekit.net.deadline import CallClock, DeadlineStream
from judgekit.net.targets import (
    blocked_host,
    check_target,
    parse_target,
    read_host,
)

Resolver: TypeAlias = Callable[[str, int], Sequence[str]]
"""Host name and port to its addresses, as text, best first; raises OSError where there is none."""

Origin: TypeAlias = tuple[str, str, int]
"""Scheme, host and port."""

REPLY_LIMIT_BYTES: Final = 1024 * 1024
"""The most bytes of a reply that `read_capped` reads unless told."""


def system_resolver(host: str, port: int) -> list[str]:
    """Return the addresses of `host` as the operating system resolves it."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def origins(urls: Iterable[str]) -> frozenset[Origin]:
    """Return the origins of `urls`, for an allow-list; paths do not count.

    Raises:
        AddressBlocked: a URL is unusable.
    """
    return frozenset(parse_target(url).origin for url in urls)


class PinnedTransport(httpx.BaseTransport):
    """Sends requests to checked addresses only.

    Args:
        allowed: URLs whose exact origins (scheme, host, port) may be called wherever they lead,
            such as a local judge's.
        deadline_s: seconds for a whole call, from the look-up to the last byte; None sets none.
        resolver: looks names up.
        ssl_context: how servers are verified; the default trusts the usual authorities.
        monotonic: the clock of the deadline, in seconds; the machine's if None.

    Raises:
        AddressBlocked: an allowed URL is unusable; later, when a request is refused.
    """

    def __init__(
        self,
        *,
        allowed: Iterable[str] = (),
        deadline_s: float | None = None,
        resolver: Resolver = system_resolver,
        ssl_context: ssl.SSLContext | None = None,
        monotonic: Callable[[], float] | None = None,
    ) -> None:
        self._allowed = origins(allowed)
        self._deadline_s = deadline_s
        self._clock = CallClock(monotonic or SystemClock().monotonic_s)
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context or httpx.create_ssl_context(),
            network_backend=PinnedBackend(self._allowed, resolver, self._clock),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send `request`, unless its URL is blocked.

        Raises:
            AddressBlocked: the URL, or an address of its host, may not be called.
            httpx.TransportError: the call failed or was too late.
        """
        check_target(parse_target(str(request.url)), self._allowed)
        ends = self._clock.end_after(self._deadline_s)
        with _httpx_errors(request), self._clock.until(ends):
            answer = self._pool.handle_request(_to_httpcore(request))
        assert isinstance(answer.stream, Iterable)
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream, request, self._clock, ends),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class PinnedBackend(httpcore.NetworkBackend):
    """Resolves, checks and connects, in one step and in this order."""

    def __init__(
        self,
        allowed: Collection[Origin],
        resolver: Resolver,
        clock: CallClock,
        inner: httpcore.NetworkBackend | None = None,
    ) -> None:
        # The scheme was checked with the request; a connection knows host and port alone.
        self._allowed = frozenset((host, port) for _, host, port in allowed)
        self._resolver = resolver
        self._clock = clock
        self._inner = inner or httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Return a connection to the first checked address of `host` that takes one.

        Raises:
            AddressBlocked: `host`, or any address of it, is blocked.
            httpcore.ConnectError: no address took the connection, or the name has none.
        """
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in self._addresses(host, port, timeout):
            left = self._clock.left(timeout, httpcore.ConnectTimeout)
            try:
                stream = self._inner.connect_tcp(
                    str(address), port, left, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return DeadlineStream(stream, self._clock)
        raise failure

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """Refuse: a URL never leads to a file.

        Raises:
            AddressBlocked: always.
        """
        raise blocked_host(path, "a Unix socket")

    def sleep(self, seconds: float) -> None:
        """Wait; httpcore does so between its own connection attempts."""
        self._inner.sleep(seconds)

    def _addresses(self, host: str, port: int, timeout: float | None) -> Sequence[Address]:
        name, readings = read_host(f"[{host}]" if ":" in host else host)
        is_allowed = (name, port) in self._allowed
        addresses = readings[:1] or self._resolve(name, port, timeout)
        if not is_allowed:
            _check(name, readings or tuple(addresses))
        return addresses

    def _resolve(self, name: str, port: int, timeout: float | None) -> Sequence[Address]:
        left = self._clock.left(timeout, httpcore.ConnectTimeout)
        found = _within_time(lambda: self._resolver(name, port), left, name)
        return [ip_address(text) for text in found]


def read_capped(response: httpx.Response, limit_bytes: int = REPLY_LIMIT_BYTES) -> bytes:
    """Return the whole body of a streamed `response`, and read no more than `limit_bytes` of it.

    Ask for it with ``Accept-Encoding: identity``: a compressed reply is refused, since a small one
    may grow without bound.

    Raises:
        MalformedVerdict: the body is larger, or compressed.
        httpx.TransportError: reading failed or was too late.
    """
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        response.close()
        raise MalformedVerdict(f"{_place(response)} answered {coding}-compressed, unasked")
    body = bytearray()
    for chunk in response.iter_raw():
        body += chunk
        if len(body) > limit_bytes:
            response.close()
            raise MalformedVerdict(f"{_place(response)} answered more than {limit_bytes} bytes")
    return bytes(body)


class _Body(httpx.SyncByteStream):
    def __init__(
        self,
        parts: Iterable[bytes],
        request: httpx.Request,
        clock: CallClock,
        ends: float | None,
    ) -> None:
        self._parts = parts
        self._request = request
        self._clock = clock
        self._ends = ends

    def __iter__(self) -> Iterator[bytes]:
        parts = iter(self._parts)
        while True:
            with _httpx_errors(self._request), self._clock.until(self._ends):
                part = next(parts, None)
            if part is None:
                return
            yield part

    def close(self) -> None:
        close = getattr(self._parts, "close", None)
        if close is not None:
            close()


def _check(name: str, addresses: Iterable[Address]) -> None:
    """Refuse `name` for the first of `addresses` that is blocked."""
    for address in addresses:
        reason = blocked_reason(address)
        if reason is not None:
            shown = name if name == str(address) else f"{name} ({address})"
            raise blocked_host(shown, reason)


def _within_time(
    look_up: Callable[[], Sequence[str]], seconds: float | None, name: str
) -> Sequence[str]:
    """Run a look-up, which knows no time-out, in a thread that may be left behind."""
    result: list[Sequence[str]] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(look_up())
        except BaseException as error:  # noqa: BLE001 (raised again where the caller waits)
            failure.append(error)

    thread = threading.Thread(target=run, name=f"look-up of {name}", daemon=True)
    thread.start()
    thread.join(seconds)
    if result:
        return result[0]
    if not failure:
        raise httpcore.ConnectTimeout(f"looking up {name} took longer than {seconds:.3g} s")
    if isinstance(failure[0], OSError | UnicodeError):
        raise httpcore.ConnectError(f"looking up {name}: {failure[0]}") from failure[0]
    raise failure[0]


def _to_httpcore(request: httpx.Request) -> httpcore.Request:
    url = request.url
    assert isinstance(request.stream, Iterable)
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        ),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


@contextmanager
def _httpx_errors(request: httpx.Request) -> Iterator[None]:
    """Raise httpcore's errors as httpx's of the same name."""
    try:
        yield
    except (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.UnsupportedProtocol,
        httpcore.ProxyError,
    ) as error:
        kind: type[httpx.TransportError] = getattr(httpx, type(error).__name__)
        raise kind(str(error), request=request) from error


def _place(response: httpx.Response) -> str:
    url = response.request.url
    return f"{url.scheme}://{url.netloc.decode('ascii')}"
