"""The network is refused to the whole process while replay is on, and reported."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import textwrap
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from judgekit.errors import JudgekitError, NetworkRefused
from judgekit.gate.exit_codes import ExitCode
from judgekit.net.replay_guard import Attempt, refuse_network


class CountingServer(ThreadingHTTPServer):
    """A loopback server that counts the connections that reach it."""

    daemon_threads = True
    connections = 0

    def verify_request(self, request: object, client_address: object) -> bool:
        self.connections += 1
        return True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[CountingServer]:
    with CountingServer(("127.0.0.1", 0), Answer) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def with_httpx(server: CountingServer) -> None:
    httpx.get(server.url, trust_env=False)


def with_urllib(server: CountingServer) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(server.url) as response:
        response.read()


def with_raw_socket(server: CountingServer) -> None:
    with socket.create_connection(server.server_address[:2]):
        pass


def with_connect_ex(server: CountingServer) -> None:
    with socket.socket() as raw:
        raw.connect_ex(server.server_address)


async def _ask(port: int) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.close()
    await writer.wait_closed()


def with_asyncio(server: CountingServer) -> None:
    asyncio.run(_ask(server.server_port))


def with_async_httpx(server: CountingServer) -> None:
    async def get() -> None:
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.get(server.url)

    try:
        asyncio.run(get())
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None


CLIENTS = [
    with_httpx,
    with_urllib,
    with_raw_socket,
    with_connect_ex,
    with_asyncio,
    with_async_httpx,
]


@pytest.mark.parametrize("client", CLIENTS)
def test_no_client_reaches_a_real_server_and_each_is_reported(
    client: Callable[[CountingServer], None], server: CountingServer
) -> None:
    with refuse_network() as attempts, pytest.raises(NetworkRefused, match="replay is on"):
        client(server)
    assert server.connections == 0
    assert attempts
    assert any("127.0.0.1" in attempt.address for attempt in attempts)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_works_again_after_the_block(
    client: Callable[[CountingServer], None], server: CountingServer
) -> None:
    with refuse_network():
        pass
    client(server)
    # The server counts in another thread: a whole answer tells that it has.
    with_httpx(server)
    assert server.connections == 2


@pytest.mark.parametrize(
    "look_up",
    [
        lambda: socket.getaddrinfo("localhost", 80),
        lambda: socket.getaddrinfo(b"localhost", None),
        lambda: socket.gethostbyname("localhost"),
        lambda: socket.gethostbyname_ex("localhost"),
        lambda: socket.gethostbyaddr("127.0.0.1"),
        lambda: socket.getnameinfo(("127.0.0.1", 80), 0),
        lambda: asyncio.run(_look_up()),
    ],
)
def test_name_look_ups_are_refused(look_up: Callable[[], object]) -> None:
    with refuse_network() as attempts, pytest.raises(NetworkRefused, match="look up"):
        look_up()
    assert [attempt.action for attempt in attempts] == ["look up"]


async def _look_up() -> None:
    await asyncio.get_running_loop().getaddrinfo("localhost", 80)


def test_datagrams_are_refused() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(0)
        with refuse_network() as attempts:
            with pytest.raises(NetworkRefused):
                sender.sendto(b"x", receiver.getsockname())
            with pytest.raises(NetworkRefused):
                sender.sendmsg([b"x"], [], 0, receiver.getsockname())
        with pytest.raises(BlockingIOError):
            receiver.recv(1)
    assert [attempt.action for attempt in attempts] == ["send", "send"]


def test_a_judge_behind_a_unix_socket_is_refused_too(tmp_path: Path) -> None:
    path = str(tmp_path / "judge.sock")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        listener.bind(path)
        listener.listen()
        with refuse_network() as attempts, pytest.raises(NetworkRefused):
            client.connect(path)
    assert [attempt.address for attempt in attempts] == [path]


def test_socket_pairs_and_event_loops_work_inside_the_block() -> None:
    with refuse_network() as attempts:
        left, right = socket.socketpair()
        with left, right:
            left.sendmsg([b"x"])
            assert right.recv(1) == b"x"
        assert asyncio.run(asyncio.sleep(0, result="slept")) == "slept"
    assert list(attempts) == []


def test_a_swallowed_refusal_is_still_reported() -> None:
    with refuse_network() as attempts:
        with contextlib.suppress(Exception):
            socket.getaddrinfo("api.example.com", 443)
        with contextlib.suppress(Exception):
            socket.gethostbyname("other.example.com")
    assert [attempt.address for attempt in attempts] == [
        "api.example.com:443",
        "other.example.com",
    ]
    with pytest.raises(NetworkRefused, match=r"look up api\.example\.com:443 .*, and 1 more$"):
        attempts.raise_if_any()


def test_nothing_is_raised_where_nothing_was_tried() -> None:
    with refuse_network() as attempts:
        pass
    attempts.raise_if_any()
    assert len(attempts) == 0


def test_the_caller_is_the_own_code_and_not_the_client_library(server: CountingServer) -> None:
    with refuse_network() as attempts, pytest.raises(NetworkRefused) as refused:
        with_httpx(server)
    [attempt] = attempts
    assert attempt.caller.startswith(f"{__name__}:")
    assert attempt.caller.endswith(" in with_httpx")
    assert attempt.address == f"127.0.0.1:{server.server_port}"
    assert attempt.thread == threading.current_thread().name
    assert "\n" not in str(refused.value)


def test_threads_started_before_and_inside_the_block_are_refused(server: CountingServer) -> None:
    go, done = threading.Event(), threading.Event()
    caught: list[BaseException] = []

    def wait_and_ask() -> None:
        go.wait(10)
        try:
            with_raw_socket(server)
        except NetworkRefused as error:
            caught.append(error)
        done.set()

    early = threading.Thread(target=wait_and_ask, name="early")
    early.start()
    with refuse_network() as attempts:
        go.set()
        assert done.wait(10)
        with ThreadPoolExecutor(4, thread_name_prefix="late") as pool:
            results = [pool.submit(with_raw_socket, server) for _ in range(20)]
            assert all(isinstance(r.exception(), NetworkRefused) for r in results)
    early.join()
    assert len(caught) == 1
    assert len(attempts) == 21
    assert sum(attempt.thread == "early" for attempt in attempts) == 1
    assert server.connections == 0


def test_blocks_nest_and_each_sees_what_happened_while_it_was_on() -> None:
    def try_once(name: str) -> None:
        with pytest.raises(NetworkRefused):
            socket.gethostbyname(name)

    with refuse_network() as outer:
        try_once("one.example.com")
        with refuse_network() as inner:
            try_once("two.example.com")
        try_once("three.example.com")
    assert [a.address for a in outer] == ["one.example.com", "two.example.com", "three.example.com"]
    assert [a.address for a in inner] == ["two.example.com"]


def test_the_block_ends_when_its_body_raises(server: CountingServer) -> None:
    with pytest.raises(RuntimeError, match="body"), refuse_network():
        raise RuntimeError("body")
    with_httpx(server)
    assert server.connections == 1


def test_a_refusal_is_no_network_error_that_a_retry_loop_would_take() -> None:
    assert issubclass(NetworkRefused, JudgekitError)
    assert not issubclass(NetworkRefused, OSError | httpx.HTTPError | urllib.error.URLError)
    assert NetworkRefused.exit_code is ExitCode.CASSETTE


def test_addresses_cannot_break_the_one_line_message() -> None:
    with refuse_network() as attempts, pytest.raises(NetworkRefused) as refused:
        socket.getaddrinfo("a\nb\x1b[31m", "80")
    assert "\n" not in str(refused.value)
    assert [a.address for a in attempts] == ["a\\nb\\x1b[31m:80"]


def test_an_attempt_reads_as_one_sentence() -> None:
    attempt = Attempt("connect", "192.0.2.1:443", "task:3 in ask", "MainThread")
    assert str(attempt) == "connect 192.0.2.1:443 by task:3 in ask (thread MainThread)"


def _in_a_fresh_process(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_forked_child_is_refused() -> None:
    output = _in_a_fresh_process("""
        import os, socket
        from judgekit.errors import NetworkRefused
        from judgekit.net.replay_guard import refuse_network
        with refuse_network():
            pid = os.fork()
            if pid == 0:
                try:
                    socket.create_connection(("127.0.0.1", 9))
                except NetworkRefused:
                    os._exit(42)
                os._exit(0)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """)
    assert output == "42\n"


def test_a_hook_that_keeps_the_guard_out_is_an_error_and_not_a_silent_hole() -> None:
    output = _in_a_fresh_process("""
        import sys
        def jealous(event, args):
            if event == "sys.addaudithook":
                raise RuntimeError("mine alone")
        sys.addaudithook(jealous)
        from judgekit.errors import ConfigError
        from judgekit.net.replay_guard import refuse_network
        for _ in range(2):
            try:
                with refuse_network():
                    print("on")
            except ConfigError as error:
                print(error)
    """)
    assert output == "replay: another audit hook keeps the network guard out; remove it\n" * 2


def test_importing_the_guard_installs_nothing() -> None:
    output = _in_a_fresh_process("""
        import sys
        seen = []
        sys.addaudithook(lambda event, args: seen.append(event))
        import judgekit.net.replay_guard
        print("sys.addaudithook" in seen)
    """)
    assert output == "False\n"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_work_inside_the_block(method: str) -> None:
    output = _in_a_fresh_process(f"""
        import math, multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        from judgekit.net.replay_guard import refuse_network
        with refuse_network() as attempts:
            context = multiprocessing.get_context("{method}")
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                print(pool.submit(math.sqrt, 9).result(), len(attempts))
    """)
    assert output == "3.0 0\n"


def test_a_command_run_by_asyncio_works_inside_the_block() -> None:
    async def run() -> bytes:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "print('ran')", stdout=asyncio.subprocess.PIPE
        )
        return (await process.communicate())[0]

    with refuse_network() as attempts:
        assert asyncio.run(run()).split() == [b"ran"]
    assert len(attempts) == 0
