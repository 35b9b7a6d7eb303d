"""Keeps code that judgekit runs from ending the process as if all had passed.

A task that calls `os._exit(0)`, or that replaces the process by another program, would end a run
before its gate was asked, with an exit code that it chose itself.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

_leave = os._exit
_home: int | None = None


class ProcessLeft(RuntimeError):
    """Code that judgekit runs tried to end the process; it is a failure like any other."""


def stay() -> None:
    """Make `os._exit` and `os.exec*` raise in this process, from now until it ends.

    For commands, whose exit code is the gate's; called before the first task is imported.
    Processes that are forked from this one may leave as they like.
    """
    global _home  # noqa: PLW0603 (what a process may do is a matter of the whole process)
    if _home is None:
        sys.addaudithook(_on_exec)
        os._exit = _refuse
    _home = os.getpid()


def _refuse(status: int) -> NoReturn:
    if os.getpid() != _home:
        _leave(status)
    raise ProcessLeft(f"called os._exit({status}), which would end judgekit; return instead")


def _on_exec(event: str, args: tuple[Any, ...]) -> None:
    if event == "os.exec" and os.getpid() == _home:
        raise ProcessLeft("called os.exec, which would end judgekit; start a subprocess instead")
