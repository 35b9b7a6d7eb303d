"""``judgekit plan``: what is recorded, and what recording the rest would cost."""

from __future__ import annotations

import json
import sys

import click

from judgekit.cli.opening import open_session
from judgekit.evals.plan import Plan, make_plan
from judgekit.gate.exit_codes import ExitCode
from judgekit.judges.survey import Surveyed
from judgekit.report.report import counted


@click.command()
@click.argument("evals", nargs=-1)
@click.option("--format", "form", type=click.Choice(["console", "json"]), default="console")
@click.option("--check", is_flag=True, help="Exit with 3 if anything is not recorded.")
@click.option("--diff", is_flag=True, help="Show what changed in every stale request.")
def command(evals: tuple[str, ...], form: str, check: bool, diff: bool) -> None:
    """Show for every case whether its judge requests are recorded: hit, miss, stale or corrupt.

    Nothing is run and nobody is asked. Orphans are recordings that nothing asks for any more.
    """
    session = open_session()
    plan = make_plan(session, session.evals(evals), whole=not evals)
    if form == "json":
        click.echo(json.dumps(_as_json(plan), indent=2, ensure_ascii=False))
    else:
        _show(plan, diff=diff)
    if check and plan.missing:
        sys.exit(ExitCode.CASSETTE)


def _as_json(plan: Plan) -> dict[str, object]:
    estimate = plan.estimate
    return {
        "requests": [
            {**each.request.origin.model_dump(), "state": each.state, "changed": _changed(each)}
            for each in plan.requests
        ],
        "orphans": [str(place) for place in plan.orphans],
        "estimate": {
            "calls": estimate.calls,
            "tokens": estimate.tokens,
            "minutes": estimate.minutes,
            "measured": estimate.measured,
        },
    }


def _changed(each: Surveyed) -> list[str]:
    return list(each.miss.changed) if each.miss is not None else []


def _show(plan: Plan, *, diff: bool) -> None:
    for each in plan.missing:
        click.echo(_line(each))
        if diff and each.miss is not None and each.miss.diff:
            click.echo("\n".join(f"    {line}" for line in each.miss.diff.splitlines()))
    for place in plan.orphans:
        click.echo(f"orphan   {place}")
    counts = ", ".join(f"{plan.count(s)} {s}" for s in ("hit", "miss", "stale", "corrupt"))
    requests = counted(len(plan.requests), "judge request")
    click.echo(f"{requests}: {counts}; {counted(len(plan.orphans), 'orphan')}")
    if plan.missing:
        estimate = plan.estimate
        basis = "by what is recorded" if estimate.measured else "by rules of thumb"
        click.echo(
            f"recording the rest: {counted(estimate.calls, 'call')}, about {estimate.tokens:,} "
            f"tokens and {estimate.minutes} minutes ({basis}): judgekit record"
        )
    if plan.orphans:
        click.echo("orphans can be removed with: judgekit cassette prune")


def _line(each: Surveyed) -> str:
    origin = each.request.origin
    why = each.damage or (f"{', '.join(_changed(each))} changed" if _changed(each) else "")
    where = f"{origin.eval} / {origin.scorer} / {origin.case}"
    return f"{each.state:<8} {where}{': ' if why else ''}{why}"
