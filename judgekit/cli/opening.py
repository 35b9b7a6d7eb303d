"""Opens the project that a command works on."""

from __future__ import annotations

import os
from pathlib import Path

import click

from judgekit.config import find_project
from judgekit.engines.local import LocalEngine
from judgekit.evals.session import Session

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
