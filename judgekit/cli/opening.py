"""Opens the project that a command works on."""

from __future__ import annotations

import os
from pathlib import Path

import click

from judgekit.config import JudgeConfig, find_project
from judgekit.engines.local import LocalEngine
from judgekit.errors import RecordingRefused
from judgekit.evals.session import Session
from judgekit.net.targets import judge_locality

jobs_option = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Cases graded at once.",
)


def open_session(jobs: int = 1) -> Session:
    """Return the session of the project that the working folder lies in.

    Raises:
        ConfigError: there is no project here, or its configuration is invalid.
    """
    return Session(find_project(Path.cwd()), LocalEngine(jobs) if jobs > 1 else None)


def under_ci() -> bool:
    """Whether this runs in continuous integration: ``CI`` is set to anything but false."""
    return os.environ.get("CI", "").strip().lower() not in {"", "0", "false", "no"}


def check_place(name: str, judge: JudgeConfig, *, allow_remote: bool) -> None:
    """Refuse a judge outside this network unless it is allowed; warn of a model alias that moves.

    Raises:
        RecordingRefused: it is neither on this machine nor on a private network.
    """
    if judge_locality(judge.url) == "remote" and not allow_remote:
        raise RecordingRefused(
            f"judge {name}: {judge.url} is neither this machine nor a private network; give "
            "--allow-remote if the cases may leave it"
        )
    if judge.model.endswith(":latest") or (
        judge.dialect == "ollama-chat" and ":" not in judge.model
    ):
        click.echo(
            f"warning: judge {name}: model {judge.model!r} is an alias that moves; a version or a "
            "digest says what was recorded",
            err=True,
        )
