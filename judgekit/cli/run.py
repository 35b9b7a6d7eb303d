"""``judgekit run``: judge evals offline and hold them against the baseline."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from judgekit.cli.opening import jobs_option, open_session
from judgekit.cli.reporting import conclude, report_options
from judgekit.errors import ConfigError
from judgekit.evals.baseline_file import load_baseline
from judgekit.evals.session import Replayed, Session
from judgekit.gate.decision import decide
from judgekit.report.report import MissNote, Report


@click.command()
@click.argument("evals", nargs=-1)
@jobs_option
@click.option("--save", is_flag=True, help="Keep the runs in the history (.judgekit/).")
@click.option("--label", default="", help="With --save: a name for them, such as a commit.")
@report_options
def command(
    evals: tuple[str, ...],
    jobs: int,
    save: bool,
    label: str,
    formats: tuple[str, ...],
    output: tuple[Path, ...],
    verbose: bool,
) -> None:
    """Judge evals offline, from cassettes, and hold them against the committed baseline.

    No network is touched and no key is needed. Without names, every eval of the project is run.
    """
    if label and not save:
        raise ConfigError("--label does nothing without --save")
    session = open_session(jobs)
    replayed = session.replay(session.evals(evals))
    baseline = load_baseline(session.project.baseline)
    decision = decide(replayed.runs, baseline, whole_project=not evals)
    unused = tuple(map(str, replayed.unused))
    report = Report(decision, replayed.runs, _misses(replayed), unused)
    with _keeping(session, replayed, label) if save else nullcontext():
        conclude(report, formats, output, verbose)


def _keeping(session: Session, replayed: Replayed, label: str) -> AbstractContextManager[None]:
    from judgekit.cli.state import keeping

    return keeping(session, replayed.runs, label)


def _misses(replayed: Replayed) -> tuple[MissNote, ...]:
    return tuple(
        MissNote(
            eval=miss.origin.eval,
            scorer=miss.origin.scorer,
            case=miss.origin.case,
            key=miss.explanation.key,
            changed=miss.explanation.changed,
            diff=miss.explanation.diff,
            command=miss.command,
        )
        for miss in replayed.misses
    )
