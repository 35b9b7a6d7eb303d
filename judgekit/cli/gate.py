"""``judgekit gate``: hold a stored run against the baseline."""

from __future__ import annotations

from pathlib import Path

import click

from judgekit.cli.opening import open_session
from judgekit.cli.reporting import conclude, report_options
from judgekit.documents import read_text, shown
from judgekit.errors import ConfigError
from judgekit.evals.baseline_file import LIMIT, load_baseline
from judgekit.gate.decision import decide
from judgekit.gate.errors import GateError
from judgekit.gate.run import EvalRun
from judgekit.gate.run_json import parse_runs
from judgekit.report.report import Report


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    help="Instead of the project's own baseline.json.",
)
@click.option("--whole", is_flag=True, help="The run is of every eval: a missing one is a finding.")
@report_options
def command(
    run: Path,
    baseline: Path | None,
    whole: bool,
    formats: tuple[str, ...],
    output: Path | None,
    verbose: bool,
) -> None:
    """Hold a run stored by `judgekit run --format json` against the baseline."""
    runs = load_runs(run)
    path = baseline or open_session().project.baseline
    decision = decide(runs, load_baseline(path), whole_project=whole)
    conclude(Report(decision, runs), formats, output, verbose)


def load_runs(path: Path) -> tuple[EvalRun, ...]:
    """Return the runs in a file.

    Raises:
        ConfigError: it holds none, or is damaged.
    """
    try:
        return parse_runs(read_text(path, LIMIT))
    except GateError as error:
        raise ConfigError(f"{shown(path)}: {error}") from None
