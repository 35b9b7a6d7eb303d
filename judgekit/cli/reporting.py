"""Writes a report in the formats that were asked for, and ends the command by its decision."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from judgekit.documents import shown, write_atomically
from judgekit.errors import ConfigError
from judgekit.report.report import Report

FORMATS = {
    "console": "",
    "json": "run.json",
    "junit": "junit.xml",
    "markdown": "summary.md",
    "html": "report.html",
}
"""The formats, and what each is called in a folder of several."""

_MARKS = {
    "json": b"judgekit-run/",
    "junit": b"<testsuites",
    "markdown": b" judgekit: ",
    "html": b"<title>judgekit",
}
"""What the beginning of a report of each format holds, and hardly any other file's does."""

_BEGINNING = 1000

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


def report_options(command: CommandT) -> CommandT:
    """Add the options that say how a report is shown."""
    for option in reversed(
        (
            click.option(
                "--format",
                "formats",
                type=click.Choice(list(FORMATS)),
                multiple=True,
                default=("console",),
                show_default=True,
                help="May be given several times.",
            ),
            click.option(
                "--output",
                type=click.Path(path_type=Path),
                multiple=True,
                help="File for the format; a folder for several, or a file for each, in their "
                "order. Without it: standard output.",
            ),
            click.option("--verbose", "-v", is_flag=True, help="Show every case and every diff."),
        )
    ):
        command = option(command)
    return command


def conclude(
    report: Report, formats: tuple[str, ...], output: tuple[Path, ...], verbose: bool
) -> None:
    """Show the report and end the process with the decision's exit code."""
    wanted = tuple(dict.fromkeys(formats))
    filed = [name for name in wanted if name != "console"]
    for name, path in zip(filed, _files(filed, output), strict=True):
        if path is None:
            click.echo(_rendered(name, report), nl=False)
        else:
            _put(path, name, report)
    if "console" in wanted:
        _show(report, verbose=verbose, to_stderr=bool(filed) and not output)
    sys.exit(report.decision.exit_code)


def _files(filed: list[str], output: tuple[Path, ...]) -> list[Path | None]:
    """Return where each format goes; None is standard output.

    Raises:
        ConfigError: `output` does not fit the formats.
    """
    if output and not filed:
        raise ConfigError("--output: the console format goes to no file; give another --format")
    if len(filed) > 1 and not output:
        raise ConfigError(f"--format {' and '.join(filed)}: give --output, a folder for the files")
    if len(output) == 1:
        alone = len(filed) == 1 and bool(output[0].suffix)
        return [output[0] if alone else output[0] / FORMATS[name] for name in filed]
    if output and len(output) != len(filed):
        raise ConfigError(
            f"--output: {len(output)} are given for {len(filed)} formats beside the console; give "
            "one folder, or a file for each"
        )
    return list(output) or [None] * len(filed)


def _put(path: Path, name: str, report: Report) -> None:
    """Write a report as a file; of standing files only a report of the same format is replaced."""
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as standing:
            if _MARKS[name] not in standing.read(_BEGINNING):
                raise ConfigError(
                    f"--output: {shown(path)} is there and is no {name} report; nothing was "
                    "written; name another file or remove it"
                )
    write_atomically(path, _rendered(name, report).encode())


def _rendered(name: str, report: Report) -> str:
    if name == "json":
        from judgekit.gate.run_json import run_to_json

        return run_to_json(report.runs)
    if name == "junit":
        from judgekit.report.junit import to_junit

        return to_junit(report)
    if name == "html":
        from judgekit.report.html import to_html

        return to_html(report)
    from judgekit.report.markdown import to_markdown

    return to_markdown(report)


def _show(report: Report, *, verbose: bool, to_stderr: bool) -> None:
    from rich.console import Console

    from judgekit.report.console import print_report

    print_report(report, Console(stderr=to_stderr, highlight=False), verbose=verbose)
