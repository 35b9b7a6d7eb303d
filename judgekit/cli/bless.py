"""``judgekit bless``: the one way to rewrite the baseline."""

from __future__ import annotations

import os

import click

from judgekit.cli.opening import jobs_option, open_session, under_ci
from judgekit.errors import ConfigError
from judgekit.evals.baseline_file import bless
from judgekit.gate.bless import bless_requested


@click.command()
@click.argument("evals", nargs=-1)
@jobs_option
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Write without asking; BLESS=1 does the same.")
def command(evals: tuple[str, ...], jobs: int, dry_run: bool, yes: bool) -> None:
    """Make the present results the baseline of their evals; other evals keep theirs.

    A run below its threshold, or with errors, is refused; so is blessing under CI.
    """
    if under_ci() and not dry_run:
        raise ConfigError(
            "blessing is refused under CI: bless on your machine, and commit the file"
        )
    session = open_session(jobs)
    path = session.project.baseline
    runs = session.replay(session.evals(evals)).runs
    changes = bless(path, runs, write=False)
    for line in changes:
        click.echo(line)
    if not changes and path.exists():
        click.echo("nothing changes")
        return
    if dry_run:
        return
    if not (yes or bless_requested(os.environ.get("BLESS"), in_ci=under_ci())):
        click.confirm(f"write {path.name}?", abort=True)
    bless(path, runs)
    click.echo(f"blessed {len(runs)} eval{'s' if len(runs) != 1 else ''}; now commit {path.name}")
