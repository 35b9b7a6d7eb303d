"""The environments of trials: a temporary folder, a copy of one, a board, a git checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from judgekit.documents import shown
from judgekit.errors import ConfigError
from judgekit.graders.grade import Json
from judgekit.trials.board import Board
from judgekit.trials.task import Environment, TrialContext

BOARD_FILE = "board.sqlite3"
GIT_S = 120.0
"""Seconds that one git command may take."""


@dataclass(frozen=True, slots=True)
class TemporaryFolder:
    """An empty folder, or a copy of one.

    Attributes:
        copy_of: the folder that each trial gets a copy of; None gives an empty one.
    """

    copy_of: Path | None = None

    def __post_init__(self) -> None:
        if self.copy_of is not None and not self.copy_of.is_dir():
            raise ConfigError(f"environment: {shown(self.copy_of)}: no such folder")

    def describe(self) -> Json:
        """Return the folder's name; its content is not looked into."""
        return {"folder": None if self.copy_of is None else self.copy_of.name}

    @contextmanager
    def open(self, context: TrialContext) -> Iterator[TrialContext]:
        """Fill the trial's folder."""
        if self.copy_of is not None:
            shutil.copytree(self.copy_of, context.folder, symlinks=True, dirs_exist_ok=True)
        yield context


@dataclass(frozen=True, slots=True)
class BoardEnvironment:
    """A fresh board beside another environment.

    Attributes:
        beside: the environment that fills the folder.
    """

    beside: Environment = TemporaryFolder()

    def describe(self) -> Json:
        """Return what stands beside the board."""
        return {"board": True, "beside": self.beside.describe()}

    @contextmanager
    def open(self, context: TrialContext) -> Iterator[TrialContext]:
        """Make the board; commands find it by ``JUDGEKIT_BOARD``."""
        with (
            self.beside.open(context) as inner,
            Board(context.folder.parent / BOARD_FILE) as board,
        ):
            yield replace(inner, opened_board=board)


@dataclass(frozen=True, slots=True)
class GitCheckout:
    """A clone of a local repository with one commit checked out.

    The clone shares no file with the repository and has no remote, so nothing that a trial does
    reaches the repository. The user's and the system's git configuration are off, and no hook of
    the repository is in a clone.

    Attributes:
        repository: the folder of the repository on this machine.
        commit: what to check out: a commit id or another name of a commit.
    """

    repository: Path
    commit: str

    def __post_init__(self) -> None:
        if not self.repository.is_dir():
            raise ConfigError(f"environment: {shown(self.repository)}: no such folder")
        if not self.commit.strip() or self.commit.startswith("-"):
            raise ConfigError(f"environment: {self.commit!r} is not a commit")

    def describe(self) -> Json:
        """Return the commit as it is named."""
        return {"git": self.repository.name, "commit": self.commit}

    @contextmanager
    def open(self, context: TrialContext) -> Iterator[TrialContext]:
        """Clone the repository and check the commit out.

        Raises:
            ConfigError: git is missing, or says that there is no such repository or commit.
        """
        source, config = self.repository.resolve(), context.folder.parent / "gitconfig"
        config.write_text(_GIT_CONFIG, "utf-8")
        name = f"{self.commit}^{{commit}}"
        commit = _git(config, source, "rev-parse", "--verify", "--quiet", name)
        clone = ("clone", "--quiet", "--no-hardlinks", "--no-checkout", str(source), ".")
        _git(config, context.folder, *clone)
        _git(config, context.folder, "checkout", "--quiet", "--detach", commit)
        _git(config, context.folder, "remote", "remove", "origin")
        yield context


_GIT_CONFIG = """\
[safe]
\tdirectory = *
"""
"""In the place of the user's: a repository may be read whoever owns it."""


def _git(config: Path, folder: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
    try:
        done = subprocess.run(  # noqa: S603 - no shell; the commit is no option
            ["git", *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"environment: git {arguments[0]}: {error}") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().replace("\n", " ")
        fault = said or f"{shown(folder)} has no commit {arguments[-1]!r}"
        raise ConfigError(f"environment: git {arguments[0]} failed: {fault}")
    return done.stdout.decode(errors="replace").strip()
