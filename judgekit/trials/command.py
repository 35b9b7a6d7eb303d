"""Running a task's command: within its time limit, in a clean environment, with all it started."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judgekit.clock import Clock
from judgekit.graders.candidate import as_json
from judgekit.graders.grade import Grade, Json
from judgekit.trials import lifeline
from judgekit.trials.environment import BOARD_FILE
from judgekit.trials.stopping import Fault, Stop, Stopped, out_of_time
from judgekit.trials.task import Command, TrialContext, TrialOutcome
from judgekit.trials.workspace import Workplace

OUTPUT_LIMIT = 16 * 1024 * 1024
"""Most bytes that a command may write to its output; one that writes more is ended and fails."""

GRACE_S = 0.5
"""Seconds between asking a command to end (SIGTERM) and ending its process group (SIGKILL)."""

_STEP_S = 0.05
_END_S = 10.0
_SAID = 500


@dataclass(frozen=True, slots=True)
class _Ended:
    """How a command ended: with an exit code, by a signal, or never begun."""

    exit: int | None = None
    signal: int | None = None
    not_started: str | None = None


def run_command(
    command: Command,
    context: TrialContext,
    place: Workplace,
    limit_s: float | None,
    stop: Stop,
    clock: Clock,
) -> TrialOutcome | Fault:
    """Run a command in the trial's folder and return its outcome, or why it gave none.

    Its outcome is its standard output as the summary and, as data, ``exit_code``, ``stdout``,
    ``stderr``, the ``files`` of the folder, and ``json`` where the output is a JSON value.

    Raises:
        Stopped: `stop` was set while it ran.
    """
    out, err = place.outside / "stdout", place.outside / "stderr"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        mine, theirs = socket.socketpair()
        with mine:
            with theirs:
                process = subprocess.Popen(  # noqa: S603 - no shell
                    _arguments(command, context, theirs.fileno()),
                    cwd=context.folder,
                    env=_environment(command, context, place),
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            fault = _watched(mine, (out, err), limit_s, stop, clock)
            if fault is not None:
                mine.shutdown(socket.SHUT_WR)
            ended = _ended(mine)
        process.wait(_END_S)
    if stop.is_set() and fault is not None:
        raise Stopped
    return fault or _outcome(command, context, ended, out, err)


def _arguments(command: Command, context: TrialContext, descriptor: int) -> list[str]:
    python = sys.executable or "python3"
    words = {
        "{python}": python,
        "{project}": str(context.project or ""),
        "{folder}": str(context.folder),
        "{seed}": str(context.seed),
    }
    head = [python, "-I", "-S", lifeline.__file__, str(descriptor), str(GRACE_S)]
    return [*head, *(_replaced(part, words) for part in command.argv)]


def _replaced(part: str, words: Mapping[str, str]) -> str:
    for word, text in words.items():
        part = part.replace(word, text)
    return part


def _environment(command: Command, context: TrialContext, place: Workplace) -> dict[str, str]:
    passed = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    board = context.folder.parent / BOARD_FILE
    flags = {
        f"JUDGEKIT_FLAG_{name.upper().replace('-', '_')}": str(int(is_on))
        for name, is_on in context.flags.items()
    }
    return {
        **passed,
        "HOME": str(context.home),
        "TMPDIR": str(place.scratch),
        "JUDGEKIT_TASK": context.task,
        "JUDGEKIT_TRIAL": str(context.trial),
        "JUDGEKIT_SEED": str(context.seed),
        **({"JUDGEKIT_PROJECT": str(context.project)} if context.project else {}),
        **({"JUDGEKIT_BOARD": str(board)} if context.opened_board else {}),
        **flags,
        **command.env,
    }


def _watched(
    lifeline_end: socket.socket,
    outputs: tuple[Path, Path],
    limit_s: float | None,
    stop: Stop,
    clock: Clock,
) -> Fault | None:
    """Wait until the command has ended; return why it must be ended where it has not."""
    begun = clock.monotonic_s()
    lifeline_end.settimeout(_STEP_S)
    while True:
        try:
            lifeline_end.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            pass
        else:
            return None
        if stop.is_set():
            return Fault("stopped")
        if limit_s is not None and clock.monotonic_s() - begun > limit_s:
            return out_of_time(limit_s)
        if sum(output.stat().st_size for output in outputs) > OUTPUT_LIMIT:
            return Fault(f"wrote more than {OUTPUT_LIMIT:,} bytes of output")


def _ended(lifeline_end: socket.socket) -> _Ended:
    """Return what the lifeline says of the command's end; all of its processes are gone then."""
    lifeline_end.settimeout(_END_S)
    said = b""
    while part := lifeline_end.recv(4096):
        said += part
    return _Ended(**json.loads(said)) if said else _Ended(signal=9)


def _outcome(
    command: Command, context: TrialContext, ended: _Ended, out: Path, err: Path
) -> TrialOutcome | Fault:
    stdout, stderr = _text(out), _text(err)
    if ended.not_started is not None:
        return Fault(f"{command.argv[0]}: cannot be run ({ended.not_started})")
    if ended.exit not in command.exit_codes:
        how = f"signal {ended.signal}" if ended.exit is None else f"exit code {ended.exit}"
        said = stderr.strip()[-_SAID:]
        return Fault(f"the command ended with {how}", trace=said)
    data: dict[str, Json] = {
        "exit_code": ended.exit,
        "stdout": stdout,
        "stderr": stderr,
        "files": files_in(context.folder),
    }
    value = as_json(stdout)
    if not isinstance(value, Grade):
        data["json"] = value
    return TrialOutcome(summary=stdout.strip(), data=data)


def _text(path: Path) -> str:
    return path.read_bytes()[: OUTPUT_LIMIT + 1].decode(errors="replace")


def files_in(folder: Path) -> list[Json]:
    """Return the files below `folder` by their relative names, sorted, without git's own."""
    found: list[str] = []
    for path, folders, names in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        here = Path(path)
        found += [(here / n).relative_to(folder).as_posix() for n in names if (here / n).is_file()]
    return [*sorted(found)]
