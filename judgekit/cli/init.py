"""``judgekit init``: a new project that runs at once."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from judgekit.config import find_project
from judgekit.documents import create_atomically
from judgekit.evals.baseline_file import bless
from judgekit.evals.session import Session

PLACES = {
    "judgekit.toml": "judgekit.toml",
    "evals/refund-answers.yaml": "evals/refund-answers.yaml",
    "evals/refund-answers.jsonl": "evals/refund-answers.jsonl",
    "rubrics/helpful.md": "rubrics/helpful.md",
    "workflow.yml": ".github/workflows/judgekit.yml",
}
"""Where each file of the template goes."""

_IGNORED = ".judgekit/\n"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
def command(folder: Path) -> None:
    """Lay out a project: a configuration, an eval, a rubric, a baseline, a CI workflow.

    What stands there already is left as it is.
    """
    template = files("judgekit.cli").joinpath("new_project")
    made = [_lay(template.joinpath(source), folder / place) for source, place in PLACES.items()]
    made.append(_lay_text(_IGNORED, folder / ".gitignore"))
    if all(made):
        session = Session(find_project(folder))
        bless(session.project.baseline, session.replay(session.evals()).runs)
        click.echo(f"made    {session.project.baseline.relative_to(folder.resolve())}")
    else:
        click.echo("the baseline is left to you: judgekit bless")
    click.echo("now run: judgekit run")


def _lay(source: Traversable, target: Path) -> bool:
    return _lay_text(source.read_text("utf-8"), target)


def _lay_text(text: str, target: Path) -> bool:
    made = create_atomically(target, text.encode())
    click.echo(f"{'made   ' if made else 'kept   '} {target}")
    return made
