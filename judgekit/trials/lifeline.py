"""Runs one command for as long as whoever started it lives; run as a script, by its path.

Standing between judgekit and a task's command, it kills the command with its whole process group
when the command ends, when judgekit says so, and when judgekit itself is killed: each shows as
the other end of a socket, closing.

Usage: ``python lifeline.py DESCRIPTOR GRACE_S PROGRAM [ARGUMENT …]``. It writes one JSON object to
the socket: ``{"exit": 0}``, ``{"signal": 9}`` or ``{"not_started": "why"}``. Standard library only;
it starts with ``-I -S``, in some 15 ms.
"""

import contextlib
import json
import os
import select
import signal
import sys
import time

POLL_S = 0.02


def main(arguments: list[str]) -> None:
    """Run the command and report on it."""
    lifeline, grace_s, argv = int(arguments[0]), float(arguments[1]), arguments[2:]
    os.set_inheritable(lifeline, False)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _become(argv, write)
    os.close(write)
    fault = _whole(read)
    if fault:
        os.waitpid(child, 0)
        os.write(lifeline, json.dumps({"not_started": fault}).encode())
        return
    if _outlives(child, lifeline):
        _end_group(child, signal.SIGTERM)
        _wait(child, grace_s)
    # The child is not reaped yet, so that no other group can have its number.
    _end_group(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    said = {"exit": code} if code >= 0 else {"signal": -code}
    with contextlib.suppress(OSError):
        os.write(lifeline, json.dumps(said).encode())


def _become(argv: list[str], write: int) -> None:
    """Turn this forked process into the command, or say why not; never returns."""
    try:
        os.setsid()
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvp(argv[0], argv)  # noqa: S606 - no shell
    except OSError as error:
        os.write(write, (error.strerror or str(error)).encode())
    finally:
        os._exit(127)


def _whole(read: int) -> str:
    """Return what the child wrote before it became the command; exec closes the pipe."""
    parts = []
    while part := os.read(read, 4096):
        parts.append(part)
    os.close(read)
    return b"".join(parts).decode(errors="replace")


def _has_ended(child: int) -> bool:
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, child, options) is not None


def _outlives(child: int, lifeline: int) -> bool:
    """Wait for the child's end or the socket's; return whether the child is the one that lives."""
    while not _has_ended(child):
        closed, _, _ = select.select([lifeline], [], [], POLL_S)
        if closed:
            return not _has_ended(child)
    return False


def _wait(child: int, limit_s: float) -> None:
    end = time.monotonic() + limit_s  # noqa: TID251 - a script apart, with no clock to be given
    while not _has_ended(child) and time.monotonic() < end:  # noqa: TID251
        time.sleep(POLL_S)


def _end_group(group: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(group, number)


if __name__ == "__main__":
    main(sys.argv[1:])
