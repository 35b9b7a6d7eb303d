"""``judgekit grade``: one candidate, from standard input, with one grader."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from judgekit.documents import parse_json
from judgekit.errors import ConfigError
from judgekit.gate.exit_codes import EXIT_OF_CAUSE, ExitCode
from judgekit.graders.registry import grade


@click.command()
@click.argument("grader")
@click.option("--config", default="{}", metavar="JSON", help="The grader's options.")
@click.option("--json", "as_json", is_flag=True, help="The candidate is JSON, not text.")
@click.option("--format", "form", type=click.Choice(["console", "json"]), default="console")
def command(grader: str, config: str, as_json: bool, form: str) -> None:
    """Grade the candidate on standard input: exit 0 if it passes, 1 if it fails.

    \b
    Example: judgekit grade regex --config '{"pattern": "order \\\\d+"}' < candidate.txt
    """
    options = _json("--config", config)
    if not isinstance(options, dict):
        raise ConfigError("--config: must be a JSON object of options")
    result = grade(grader, options, _candidate(as_json=as_json))
    if form == "json":
        shown = {
            "status": result.status.value,
            "score": result.score,
            "reason": result.reason,
            "cause": result.cause,
            "details": dict(result.details),
        }
        click.echo(json.dumps(shown, ensure_ascii=False))
    else:
        score = "" if result.score is None else f" {result.score:.6g}"
        click.echo(f"{result.status.value}{score}: {result.reason}")
    if result.cause is not None:
        sys.exit(EXIT_OF_CAUSE[result.cause.value])
    sys.exit(ExitCode.PASSED if result.passed else ExitCode.REGRESSION)


def _candidate(*, as_json: bool) -> Any:
    data = sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"standard input: is not UTF-8 at byte {error.start}") from None
    return _json("standard input", text) if as_json else text


def _json(name: str, text: str) -> Any:
    return parse_json(text, name).value
