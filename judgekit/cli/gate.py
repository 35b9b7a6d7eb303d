"""``judgekit gate``: hold a stored run against the baseline, or plan how many cases that takes."""

from __future__ import annotations

from collections.abc import Iterator
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

_PLANNING = ("floor", "confidence", "rate")
_GATING = ("run", "baseline", "whole", "formats", "output", "verbose")


@click.command()
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    help="Instead of the project's own baseline.json.",
)
@click.option("--whole", is_flag=True, help="The run is of every eval: a missing one is a finding.")
@click.option("--plan", is_flag=True, help="Only say how many cases a Wilson floor needs.")
@click.option("--floor", type=float, help="With --plan: the wished floor; else the evals' own.")
@click.option("--confidence", type=float, help="With --floor: two-sided.  [default: 0.95]")
@click.option("--rate", type=float, help="With --plan: the pass rate that you expect.")
@report_options
@click.pass_context
def command(
    context: click.Context,
    /,
    run: Path | None,
    baseline: Path | None,
    whole: bool,
    plan: bool,
    floor: float | None,
    confidence: float | None,
    rate: float | None,
    **reporting: tuple[str, ...] | Path | bool | None,
) -> None:
    """Hold a run stored by `judgekit run --format json` against the baseline.

    With --plan no run is needed: it says how many cases a floor of the pass rate takes.
    """
    _refuse_idle_options(context, _GATING if plan else _PLANNING, plan=plan)
    if plan:
        for line in _plan(floor, confidence, rate):
            click.echo(line)
        return
    if run is None:
        raise ConfigError("name the file of a run (judgekit run --format json), or give --plan")
    runs = load_runs(run)
    path = baseline or open_session().project.baseline
    decision = decide(runs, load_baseline(path), whole_project=whole)
    conclude(Report(decision, runs), **reporting)  # type: ignore[arg-type]


def _refuse_idle_options(context: click.Context, names: tuple[str, ...], *, plan: bool) -> None:
    """Refuse what was given and would do nothing."""
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = "RUN" if name == "run" else f"--{name.removesuffix('s')}"
            raise ConfigError(f"{option} does nothing {'with' if plan else 'without'} --plan")


def _plan(floor: float | None, confidence: float | None, rate: float | None) -> Iterator[str]:
    from judgekit.cli.gate_plan import CONFIDENCE, check_rate, floors_of, wished_floor

    if floor is not None:
        yield from wished_floor(floor, CONFIDENCE if confidence is None else confidence, rate)
        return
    if confidence is not None:
        raise ConfigError("--confidence does nothing without --floor: each eval states its own")
    check_rate(rate)
    lines = list(floors_of(open_session().evals(), rate))
    yield from lines or ["no eval has a wilson_floor; give one with --floor to plan for it"]


def load_runs(path: Path) -> tuple[EvalRun, ...]:
    """Return the runs in a file.

    Raises:
        ConfigError: it holds none, or is damaged.
    """
    try:
        return parse_runs(read_text(path, LIMIT))
    except GateError as error:
        raise ConfigError(f"{shown(path)}: {error}") from None
