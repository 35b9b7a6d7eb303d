"""A real HTTP server on loopback that plays a model server: it can hang, lie and disconnect."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class ModelServer:
    """A running server; `requests` grows with every body that it is sent."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    listings: int = 0


@contextmanager
def model_server(*behaviours: Behaviour, listing: Any = None) -> Iterator[ModelServer]:
    """Serve each request by the next behaviour; the last one serves all further requests.

    Args:
        listing: what every GET is answered with; None answers 404.
    """
    state, lock = ModelServer(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                turn = min(len(state.requests), len(behaviours) - 1)
                state.requests.append(body)
                state.headers.append(dict(self.headers))
            behaviours[turn](self, body)

        def do_GET(self) -> None:
            with lock:
                state.listings += 1
            send(self, 200 if listing is not None else 404, json.dumps(listing).encode())

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def send(
    handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: Mapping[str, str] = {}
) -> None:
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def completion(content: str, finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content, **message},
    }
    return {
        "id": "chatcmpl-1",
        "created": 1,
        "object": "chat.completion",
        "model": "/home/somebody/models/judge-q4.gguf",
        "choices": [choice],
        "usage": {"prompt_tokens": 50, "completion_tokens": 20},
        "timings": {"predicted_ms": 12.34567},
    }


def says(content: str, finish_reason: str = "stop", **message: Any) -> Behaviour:
    """Answer with a chat completion."""
    return answers(200, completion(content, finish_reason, **message))


def answers(status: int, body: Any, headers: Mapping[str, str] = {}) -> Behaviour:
    """Answer with a JSON body."""
    return lambda handler, _: send(
        handler,
        status,
        body if isinstance(body, bytes) else json.dumps(body).encode(),
        {"Content-Type": "application/json", **headers},
    )


def disconnects(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    """Close the connection without a word."""
    handler.connection.shutdown(socket.SHUT_RDWR)


def hangs(event: threading.Event) -> Behaviour:
    """Say nothing until `event`."""

    def behave(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        event.wait(30)
        handler.close_connection = True

    return behave


def drips(event: threading.Event) -> Behaviour:
    """Send a byte of the body now and then, without end."""

    def behave(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        try:
            while not event.wait(0.02):
                handler.wfile.write(b" ")
        except OSError:
            pass
        handler.close_connection = True

    return behave


def unused_port() -> int:
    """Return a loopback port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
