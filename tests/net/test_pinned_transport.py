"""Connections go only to checked addresses; real servers on loopback stand at the other end."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpcore
import httpx
import pytest
import trustme

from judgekit.errors import AddressBlocked, JudgekitError, MalformedVerdict
from judgekit.net.deadline import CallClock
from judgekit.net.pinned_transport import (
    PinnedBackend,
    PinnedTransport,
    origins,
    read_capped,
    system_resolver,
)

PUBLIC = "93.184.216.34"


@dataclass
class Look:
    """A resolver that answers from a script and counts how often it is asked."""

    answers: list[list[str]]
    asked: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append((host, port))
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


class Wire(httpcore.NetworkBackend):
    """Records the addresses that would be connected to; leads them to a loopback server."""

    def __init__(self, port: int) -> None:
        self.connected: list[str] = []
        self._port = port
        self._real = httpcore.SyncBackend()

    def connect_tcp(self, host: str, port: int, *args: object) -> httpcore.NetworkStream:
        self.connected.append(host)
        return self._real.connect_tcp("127.0.0.1", self._port)


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        routes: dict[str, Callable[[], None]] = {
            "/redirect": self._redirect,
            "/large": lambda: self._answer(b"x" * 5000),
            "/gzip": lambda: self._answer(gzip.compress(b"x" * 5000), "gzip"),
            "/drip": self._drip,
        }
        routes.get(self.path, lambda: self._answer(self.headers["Host"].encode()))()

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes, coding: str | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        if coding:
            self.send_header("Content-Encoding", coding)
        self.end_headers()
        self.wfile.write(body)

    def _redirect(self) -> None:
        self.send_response(302)
        self.send_header("Location", "http://127.0.0.1:9/secret")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        stop: threading.Event = self.server.stop  # type: ignore[attr-defined]
        while not stop.wait(0.02):
            try:
                self.wfile.write(b".")
            except OSError:
                return

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        server.stop = threading.Event()  # type: ignore[attr-defined]
        # Clients that refuse a certificate or a reply hang up; that is no news.
        server.handle_error = lambda *_: None  # type: ignore[method-assign, assignment]
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.stop.set()  # type: ignore[attr-defined]
            server.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    with serving() as running:
        yield running


@contextmanager
def client_on(transport: PinnedTransport) -> Iterator[httpx.Client]:
    with httpx.Client(transport=transport, trust_env=False) as client:
        yield client


def wired(
    server: ThreadingHTTPServer,
    resolver: Callable[[str, int], list[str]],
    *,
    ssl_context: ssl.SSLContext | None = None,
) -> tuple[PinnedTransport, Wire]:
    """Return a transport whose checked connections end at `server` instead of the internet."""
    transport = PinnedTransport(resolver=resolver, ssl_context=ssl_context)
    wire = Wire(server.server_port)
    backend = transport._pool._network_backend
    assert isinstance(backend, PinnedBackend)
    backend._inner = wire
    return transport, wire


def test_a_public_name_is_resolved_once_and_connected_to_as_checked(
    server: ThreadingHTTPServer,
) -> None:
    look = Look([[PUBLIC]])
    transport, wire = wired(server, look)
    with client_on(transport) as client:
        answer = client.get("http://judge.example.com/x")
    assert answer.text == "judge.example.com"
    assert look.asked == [("judge.example.com", 80)]
    assert wire.connected == [PUBLIC]


def test_a_second_look_up_that_turns_inward_is_blocked_or_never_made(
    server: ThreadingHTTPServer,
) -> None:
    look = Look([[PUBLIC], ["127.0.0.1"]])
    transport, wire = wired(server, look)
    with client_on(transport) as client:
        for _ in range(3):
            assert client.get("http://rebind.example.com/").status_code == 200
        assert len(look.asked) == 1
        client.get("http://rebind.example.com/", headers={"Connection": "close"})
        with pytest.raises(AddressBlocked, match=r"rebind\.example\.com \(127\.0\.0\.1\)"):
            client.get("http://rebind.example.com/")
    assert wire.connected == [PUBLIC]


@pytest.mark.parametrize(
    "answers",
    [
        ["127.0.0.1"],
        [PUBLIC, "10.0.0.1"],
        ["10.0.0.1", PUBLIC],
        [PUBLIC, "::1"],
        [PUBLIC, "fe80::1%2"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["169.254.169.254"],
        ["0.0.0.0"],
    ],
)
def test_a_name_with_any_blocked_address_is_blocked(
    answers: list[str], server: ThreadingHTTPServer
) -> None:
    transport, wire = wired(server, Look([answers]))
    with client_on(transport) as client, pytest.raises(AddressBlocked, match=r"mixed\.example"):
        client.get("http://mixed.example.com/")
    assert wire.connected == []


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "http://127.1:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.1:{port}/",
        "http://localhost:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://user:pw@127.0.0.1:{port}/",
    ],
)
def test_a_local_server_is_not_called_unless_allowed(url: str, server: ThreadingHTTPServer) -> None:
    with client_on(PinnedTransport()) as client, pytest.raises(AddressBlocked):
        client.get(url.format(port=server.server_port))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_allowed_origin_is_called_wherever_it_leads(
    host: str, server: ThreadingHTTPServer
) -> None:
    url = f"http://{host}:{server.server_port}"
    transport = PinnedTransport(allowed=[url + "/v1/"], resolver=lambda *_: ["127.0.0.1"])
    with client_on(transport) as client:
        assert client.get(url + "/other").text == f"{host}:{server.server_port}"
        assert client.post(url, content=b"body").content == b"body"


def test_an_allowed_origin_allows_no_other_port_scheme_or_spelling(
    server: ThreadingHTTPServer,
) -> None:
    port = server.server_port
    transport = PinnedTransport(allowed=[f"http://localhost:{port}"])
    with client_on(transport) as client:
        for url in (
            f"https://localhost:{port}/",
            f"http://localhost:{port + 1}/",
            f"http://127.0.0.1:{port}/",
        ):
            with pytest.raises(AddressBlocked):
                client.get(url)


def test_an_allowed_name_does_not_let_its_address_in_by_another_name(
    server: ThreadingHTTPServer,
) -> None:
    transport = PinnedTransport(
        allowed=[f"http://judge.lan:{server.server_port}"], resolver=lambda *_: ["127.0.0.1"]
    )
    with client_on(transport) as client:
        assert client.get(f"http://judge.lan:{server.server_port}/").status_code == 200
        with pytest.raises(AddressBlocked):
            client.get(f"http://evil.example.com:{server.server_port}/")


def test_a_redirect_inward_is_blocked_even_for_a_client_that_follows(
    server: ThreadingHTTPServer,
) -> None:
    transport, wire = wired(server, Look([[PUBLIC]]))
    with client_on(transport) as client:
        assert client.get("http://a.example.com/redirect").status_code == 302
        with pytest.raises(AddressBlocked, match=r"127\.0\.0\.1"):
            client.get("http://a.example.com/redirect", follow_redirects=True)
    assert wire.connected == [PUBLIC]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@contextmanager
def serving_tls(
    authority: trustme.CA, name: str, seen: list[str | None]
) -> Iterator[ThreadingHTTPServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    context.sni_callback = lambda _socket, server_name, _context: seen.append(server_name)
    with serving(context) as server:
        yield server


def test_tls_names_and_verifies_the_host_and_not_the_pinned_address(authority: trustme.CA) -> None:
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    seen: list[str | None] = []
    with serving_tls(authority, "judge.example.com", seen) as server:
        transport, wire = wired(server, Look([[PUBLIC]]), ssl_context=trusting)
        with client_on(transport) as client:
            assert client.get("https://judge.example.com/").text == "judge.example.com"
    assert seen == ["judge.example.com"]
    assert wire.connected == [PUBLIC]


def test_tls_refuses_a_certificate_of_another_name(authority: trustme.CA) -> None:
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    with serving_tls(authority, "other.example.com", []) as server:
        transport, _ = wired(server, Look([[PUBLIC]]), ssl_context=trusting)
        with client_on(transport) as client, pytest.raises(httpx.ConnectError, match="CERTIFICATE"):
            client.get("https://judge.example.com/")


def test_tls_refuses_an_unknown_authority_by_default(authority: trustme.CA) -> None:
    with serving_tls(authority, "judge.example.com", []) as server:
        transport, _ = wired(server, Look([[PUBLIC]]))
        with client_on(transport) as client, pytest.raises(httpx.ConnectError, match="CERTIFICATE"):
            client.get("https://judge.example.com/")


def test_the_next_checked_address_is_tried_where_one_takes_no_connection(
    server: ThreadingHTTPServer,
) -> None:
    with socket.socket() as closed:
        # Bound and not listening: connections are refused for as long as it is held.
        closed.bind(("127.0.0.2", server.server_port))
        url = f"http://judge.lan:{server.server_port}"
        transport = PinnedTransport(allowed=[url], resolver=lambda *_: ["127.0.0.2", "127.0.0.1"])
        with client_on(transport) as client:
            assert client.get(url).status_code == 200


def test_errors_of_the_network_are_httpx_errors_that_carry_their_request() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        with client_on(PinnedTransport(allowed=[url])) as client:
            with pytest.raises(httpx.ConnectError) as refused:
                client.get(url)
            assert str(refused.value.request.url) == url


def test_a_name_that_resolves_to_nothing_is_a_connect_error() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    for resolver in (unknown, lambda *_: []):
        with (
            client_on(PinnedTransport(resolver=resolver)) as client,
            pytest.raises(httpx.ConnectError, match=r"nowhere\.example\.com"),
        ):
            client.get("http://nowhere.example.com/")


def test_the_deadline_ends_a_look_up_that_hangs() -> None:
    release = threading.Event()

    def hang(host: str, port: int) -> list[str]:
        release.wait(30)
        return [PUBLIC]

    with (
        client_on(PinnedTransport(resolver=hang, deadline_s=0.05)) as client,
        pytest.raises(httpx.ConnectTimeout, match=r"looking up slow\.example\.com"),
    ):
        client.get("http://slow.example.com/")
    release.set()


def test_the_deadline_ends_a_reply_that_drips_for_ever(server: ThreadingHTTPServer) -> None:
    url = f"http://127.0.0.1:{server.server_port}/drip"
    with (
        client_on(PinnedTransport(allowed=[url], deadline_s=0.3)) as client,
        pytest.raises(httpx.ReadTimeout),
    ):
        client.get(url, timeout=30)


def test_each_call_on_a_kept_connection_has_the_whole_deadline(server: ThreadingHTTPServer) -> None:
    now = [0.0]
    url = f"http://127.0.0.1:{server.server_port}/"
    transport = PinnedTransport(allowed=[url], deadline_s=10, monotonic=lambda: now[0])
    with client_on(transport) as client:
        for _ in range(5):
            now[0] += 9
            assert client.get(url).status_code == 200
        with client.stream("GET", url + "drip") as response:
            parts = response.iter_raw()
            assert set(next(parts)) == set(b".")
            now[0] += 11
            with pytest.raises(httpx.ReadTimeout, match="deadline"):
                next(parts)


def test_a_wait_takes_the_smaller_of_its_time_out_and_what_is_left() -> None:
    clock = CallClock(lambda: 100.0)
    assert clock.left(5.0, TimeoutError) == 5.0
    assert clock.left(None, TimeoutError) is None
    with clock.until(clock.end_after(3.0)):
        assert clock.left(5.0, TimeoutError) == 3.0
        assert clock.left(2.0, TimeoutError) == 2.0
        assert clock.left(None, TimeoutError) == 3.0
        with clock.until(clock.end_after(None)):
            assert clock.left(5.0, TimeoutError) == 5.0
    with clock.until(100.0), pytest.raises(TimeoutError, match="deadline"):
        clock.left(5.0, TimeoutError)


@pytest.mark.parametrize(("path", "limit"), [("/large", 4999), ("/gzip", 10_000)])
def test_a_reply_that_is_too_large_or_compressed_is_refused(
    path: str, limit: int, server: ThreadingHTTPServer
) -> None:
    url = f"http://127.0.0.1:{server.server_port}"
    with (
        client_on(PinnedTransport(allowed=[url])) as client,
        client.stream("GET", url + path) as response,
        pytest.raises(MalformedVerdict) as error,
    ):
        read_capped(response, limit)
    assert str(error.value).startswith(url)


def test_a_reply_of_exactly_the_limit_is_read(server: ThreadingHTTPServer) -> None:
    url = f"http://127.0.0.1:{server.server_port}"
    with (
        client_on(PinnedTransport(allowed=[url])) as client,
        client.stream("GET", url + "/large") as response,
    ):
        assert read_capped(response, 5000) == b"x" * 5000


def test_threads_share_one_transport(server: ThreadingHTTPServer) -> None:
    url = f"http://127.0.0.1:{server.server_port}"
    bodies = [f"body {index}".encode() for index in range(60)]
    with (
        client_on(PinnedTransport(allowed=[url], deadline_s=30)) as client,
        ThreadPoolExecutor(8) as pool,
    ):
        answers = list(pool.map(lambda body: client.post(url, content=body).content, bodies))
    assert answers == bodies


def test_a_unix_socket_is_never_connected_to() -> None:
    backend = PinnedBackend(frozenset(), system_resolver, CallClock(lambda: 0.0))
    with pytest.raises(AddressBlocked, match="Unix socket"):
        backend.connect_unix_socket("/run/docker.sock")


def test_an_address_error_is_no_http_error_that_a_retry_would_take() -> None:
    assert issubclass(AddressBlocked, JudgekitError)
    assert not issubclass(AddressBlocked, OSError | httpx.HTTPError)


def test_the_system_resolver_gives_each_address_once() -> None:
    found = system_resolver("127.0.0.1", 80)
    assert found == ["127.0.0.1"]


def test_origins_leave_paths_out() -> None:
    assert origins(["http://127.1:8080/v1/chat", "https://a.example.com"]) == {
        ("http", "127.0.0.1", 8080),
        ("https", "a.example.com", 443),
    }
