"""Loads a rubric as it is, or as git has it at a revision."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from judgekit.cli.rubric_choice import rubric_file
from judgekit.documents.document import one_line
from judgekit.errors import ConfigError
from judgekit.judges.rubric import Rubric
from judgekit.rubrics.files import load_rubric


def rubric_version(named: str, folder: Path) -> Rubric:
    """Return the rubric of an id, a file, or ``REVISION:FILE`` of git.

    Raises:
        ConfigError: there is none, or git does not have it.
    """
    revision, colon, file = named.partition(":")
    if not colon or Path(named).exists():
        return load_rubric(rubric_file(named, folder))
    with tempfile.TemporaryDirectory() as there:
        path = Path(there) / Path(file).name
        path.write_bytes(_shown_by_git(revision, file))
        try:
            return load_rubric(path)
        except ConfigError as error:
            raise ConfigError(str(error).replace(str(path), named)) from None


def _shown_by_git(revision: str, file: str) -> bytes:
    if revision.startswith("-"):
        raise ConfigError(f"{revision}:{file}: is no revision of git")
    # A path that is relative to here, as a shell would have it; git alone takes it from the top.
    place = file if file.startswith("/") else f"./{file}"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; the argument is no option
            ["git", "show", f"{revision}:{place}"], capture_output=True, check=False
        )
    except OSError as error:
        raise ConfigError(f"{revision}:{file}: git can't be run ({error.strerror})") from None
    if done.returncode:
        said = one_line(done.stderr.decode("utf-8", "replace")).removeprefix("fatal: ")
        raise ConfigError(f"{revision}:{file}: git does not have it ({said}); check both")
    return done.stdout
