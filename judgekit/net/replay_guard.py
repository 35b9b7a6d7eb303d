"""Refuses the network to the whole process while replay is on.

One HTTP client's transport would not do: judges, webhooks and tasks of a project use several. An
audit hook (PEP 578) sees every connection and name look-up that Python code of this process makes
through `socket`, in any thread: httpx, urllib, requests, asyncio and what stands on them.

Refused: connecting or sending with a socket of any kind, Unix sockets among them (a judge may
listen on one), and looking up names and addresses. Let through: binding and listening, which
reach nobody, and `socket.socketpair` and pipes, on which asyncio and worker processes stand. (A
`multiprocessing` manager or fork server is called over a Unix socket, and so refused: start
workers by spawn or fork.)

Not covered: other processes (a forked one is refused, yet its attempts are not seen here);
extension modules that open sockets themselves (uvloop, grpc, libcurl); other interpreters in this
process; and data sent on a connection that stood before the guard was on, since Python audits no
plain `send`. So switch it on first. On Windows `socket.socketpair` connects over loopback, and so
asyncio loops must be made before.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

from judgekit.errors import ConfigError, NetworkRefused

_ACTIONS: Final = {
    "socket.connect": "connect",
    "socket.sendto": "send",
    "socket.sendmsg": "send",
    "socket.getaddrinfo": "look up",
    "socket.gethostbyname": "look up",
    "socket.gethostbyaddr": "look up",
    "socket.getnameinfo": "look up",
}
_PROBE: Final = "judgekit.replay_guard.probe"
_UNIX: Final = getattr(socket, "AF_UNIX", None)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One refused use of the network.

    Attributes:
        action: ``connect``, ``send`` or ``look up``.
        address: what it was aimed at, such as ``api.example.com:443``.
        caller: who tried, as ``module:line in function``; the nearest code that is neither the
            standard library's nor an installed package's, where there is such.
        thread: the name of the thread.
    """

    action: str
    address: str
    caller: str
    thread: str

    def __str__(self) -> str:
        return f"{self.action} {self.address} by {self.caller} (thread {self.thread})"


class Attempts:
    """What was refused so far, oldest first; also what the caller swallowed. Thread-safe."""

    def __init__(self) -> None:
        self._seen: list[Attempt] = []

    def _add(self, attempt: Attempt) -> None:
        self._seen.append(attempt)

    def __len__(self) -> int:
        return len(self._seen)

    def __iter__(self) -> Iterator[Attempt]:
        return iter(tuple(self._seen))

    def raise_if_any(self) -> None:
        """Raise for the first attempt and the number of the others.

        Raises:
            NetworkRefused: something tried to reach the network, whatever became of its error.
        """
        seen = tuple(self._seen)
        if seen:
            more = f", and {len(seen) - 1} more" if len(seen) > 1 else ""
            raise NetworkRefused(_message(seen[0]) + more)


_active: tuple[Attempts, ...] = ()
_switch = threading.Lock()
_installed = False
_probed = False


@contextmanager
def refuse_network() -> Iterator[Attempts]:
    """Refuse the network to every thread of the process inside the block; blocks may nest.

    Yields:
        The attempts that were refused while the block was on.

    Raises:
        ConfigError: another audit hook keeps this one out, so nothing can be promised.
    """
    attempts = Attempts()
    _switch_on(attempts)
    try:
        yield attempts
    finally:
        _switch_off(attempts)


def _switch_on(attempts: Attempts) -> None:
    global _active  # noqa: PLW0603 (an audit hook is process-wide, and so is its switch)
    with _switch:
        _install()
        _active = (*_active, attempts)


def _switch_off(attempts: Attempts) -> None:
    global _active  # noqa: PLW0603
    with _switch:
        _active = tuple(other for other in _active if other is not attempts)


def _install() -> None:
    """Add the hook once: it can't be taken away again. Prove that it is really called."""
    global _installed  # noqa: PLW0603
    if not _installed:
        sys.addaudithook(_hook)
        sys.audit(_PROBE)
        if not _probed:
            raise ConfigError("replay: another audit hook keeps the network guard out; remove it")
        _installed = True


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if not event.startswith("socket."):
        if event == _PROBE:
            global _probed  # noqa: PLW0603
            _probed = True
        return
    active = _active
    action = _ACTIONS.get(event)
    if not active or action is None or _stays_in_process(event, args):
        return
    attempt = Attempt(action, _address(event, args), _caller(), threading.current_thread().name)
    for attempts in active:
        attempts._add(attempt)
    raise NetworkRefused(_message(attempt))


def _stays_in_process(event: str, args: tuple[Any, ...]) -> bool:
    """Whether it is a message over a socket pair: a Unix socket, and no address given."""
    return event == "socket.sendmsg" and args[0].family == _UNIX and args[1] is None


def _address(event: str, args: tuple[Any, ...]) -> str:
    if event == "socket.getaddrinfo":
        return _joined(args[0], args[1])
    value = args[0] if len(args) == 1 else args[1]
    if isinstance(value, tuple) and len(value) >= 2:
        return _joined(value[0], value[1])
    return "an open connection" if value is None else _text(value)


def _joined(host: object, port: object) -> str:
    shown = "this host" if host is None else _text(host)
    return shown if port in (None, 0, "0") else f"{shown}:{_text(port)}"


def _text(value: object) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text.encode("unicode_escape").decode("ascii")[:200]


def _caller() -> str:
    frames = list(_frames(sys._getframe(2)))
    outside = [frame for frame in frames if not _is_standard(frame)]
    own = [frame for frame in outside if not _is_installed(frame)]
    frame = next(iter(own or outside or frames))
    module = frame.f_globals.get("__name__", "?")
    return f"{module}:{frame.f_lineno} in {frame.f_code.co_name}"


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_standard(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    return name != "__main__" and name.partition(".")[0] in sys.stdlib_module_names


def _is_installed(frame: FrameType) -> bool:
    path = frame.f_code.co_filename
    return "site-packages" in path or "dist-packages" in path


def _message(attempt: Attempt) -> str:
    return (
        f"network refused while replay is on: {attempt}; "
        "record what it needs with `judgekit record`, or take the call out"
    )
