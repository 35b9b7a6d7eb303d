"""``judgekit rubric``: write, check, try and measure rubrics."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

import judgekit
from judgekit.cli.opening import open_session
from judgekit.cli.rubric_choice import (
    choose,
    eval_option,
    format_option,
    rubric_argument,
    rubric_file,
    scorer_option,
)
from judgekit.cli.rubric_measuring import calibrate, diff, flip, try_
from judgekit.cli.rubric_new import new
from judgekit.config import find_project
from judgekit.documents import shown
from judgekit.errors import ConfigError
from judgekit.evals.definition import EvalDefinition
from judgekit.evals.rubric_use import RubricUse, known_cases, uses_of
from judgekit.evals.session import Session
from judgekit.gate.exit_codes import ExitCode
from judgekit.judges.port import JudgeRequest
from judgekit.judges.rubric import Kind, Rubric, Scale
from judgekit.report.report import counted
from judgekit.rubrics.files import load_rubric
from judgekit.rubrics.lint import Finding, lint, unsilenced


@click.group()
def command() -> None:
    """Write, check, try and measure rubrics."""


for _command in (new, try_, calibrate, diff, flip):
    command.add_command(_command)


@command.command("list")
@format_option
def list_(form: str) -> None:
    """List every rubric with its kind, its digest, and the scorers that judge by it."""
    session = open_session()
    evals = session.evals()
    rows = [_row(session, path, evals) for path in session.rubrics.files()]
    if form == "json":
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    width = max((len(row["id"]) for row in rows), default=0)
    for row in rows:
        used = ", ".join(row["used_by"]) or "not used"
        click.echo(f"{row['id']:<{width}}  {row['kind']:<12}  {row['digest'][:10]}  {used}")
    if not rows:
        click.echo(f"{shown(session.project.rubrics)}: no rubric yet; judgekit rubric new")


def _row(session: Session, path: Path, evals: tuple[EvalDefinition, ...]) -> dict[str, Any]:
    rubric = load_rubric(path)
    used_by = [str(use) for use in uses_of(path, session.project.rubrics, evals)]
    return {"id": rubric.id, "kind": rubric.kind, "digest": rubric.digest, "used_by": used_by}


@command.command()
@rubric_argument
@format_option
def show(rubric: str, form: str) -> None:
    """Show a rubric: its pass rule, scale, examples, criteria, and where it is used."""
    session = open_session()
    path = rubric_file(rubric, session.project.rubrics)
    loaded = load_rubric(path)
    uses = uses_of(path, session.project.rubrics, session.evals())
    if form == "json":
        fields = loaded.model_dump(mode="json", by_alias=True)
        shown_ = {**fields, "digest": loaded.digest, "used_by": [str(use) for use in uses]}
        click.echo(json.dumps(shown_, indent=2, ensure_ascii=False))
        return
    click.echo(f"{loaded.id}: {loaded.kind.value}, digest {loaded.digest[:10]} ({shown(path)})")
    click.echo(f"passes:   {_pass_rule(loaded)}")
    for line in _fields(loaded, uses):
        click.echo(line)
    click.echo(f"\n{loaded.criteria}")


def _pass_rule(rubric: Rubric) -> str:
    if rubric.kind is Kind.SCORE:
        scale = rubric.scale or Scale()
        mark = scale.minimum + rubric.min_score * (scale.maximum - scale.minimum)
        return f"at {mark:g} or above, on {scale.minimum:g} to {scale.maximum:g}"
    return {
        Kind.PASS_FAIL: "when the judge says pass",
        Kind.CATEGORY: f"in {', '.join(rubric.passing_categories)}",
        Kind.PAIRWISE: "when the baseline wins in neither order",
        Kind.ANSWER_MATCH: "when both answers say the same",
    }[rubric.kind]


def _fields(rubric: Rubric, uses: tuple[RubricUse, ...]) -> list[str]:
    lines = [f"used by:  {use}" for use in uses] or ["used by:  no scorer"]
    if rubric.scale is not None:
        lines += [f"anchor:   {a.score:g}: {a.meaning}" for a in rubric.scale.anchors]
    lines += [f"category: {category}" for category in rubric.categories]
    for example in rubric.examples:
        verdict = example.verdict if isinstance(example.verdict, str) else f"{example.verdict:g}"
        lines.append(f"example:  {verdict}: {' '.join(example.output.split())}")
    return lines + [f"changed:  {line}" for line in rubric.changelog]


@command.command()
@rubric_argument
@click.option("--case", "case", required=True, metavar="ID", help="The case to show.")
@eval_option
@scorer_option
@format_option
def preview(rubric: str, case: str, eval_name: str | None, scorer: str | None, form: str) -> None:
    """Show the exact messages that the judge will get for a case. Asks nobody."""
    from judgekit.evals.rubric_asking import requests_of
    from judgekit.evals.rubric_use import narrowed

    session = open_session()
    chosen = choose(session, rubric, eval_name, scorer=scorer)
    definition = narrowed(chosen.definition, chosen.definition.scorers, [case])
    requests, run = requests_of(session, definition, chosen.rubrics)
    if not requests:
        grades = run.cases[0].grades
        reason = next(grade.reason for grade in grades.values())
        raise ConfigError(f"case {case}: nothing would be asked: {reason}")
    if form == "json":
        click.echo(json.dumps([_request(r) for r in requests], indent=2, ensure_ascii=False))
        return
    for number, request in enumerate(requests, 1):
        origin = request.origin
        click.echo(
            f"=== {origin.eval} / {origin.scorer} / {origin.case}: request {number} of "
            f"{len(requests)} to {request.model}"
        )
        for message in request.messages:
            click.echo(f"=== {message.role}")
            click.echo(message.content, nl=not message.content.endswith("\n"))


def _request(request: JudgeRequest) -> dict[str, Any]:
    named = ("origin", "model", "messages", "response_schema", "sampling", "sample_index", "parts")
    return request.model_dump(mode="json", include=set(named))


@command.command()
def schema() -> None:
    """Print the JSON Schema of a rubric's front matter, for editors."""
    from judgekit.rubrics.schema import front_matter_schema

    click.echo(json.dumps(front_matter_schema(), indent=2, ensure_ascii=False))


@command.command("lint")
@click.argument("rubrics", nargs=-1, metavar="[RUBRIC]...")
@click.option(
    "--format", "form", type=click.Choice(["console", "json", "sarif"]), default="console"
)
def lint_(rubrics: tuple[str, ...], form: str) -> None:
    """Check rubrics for what makes a judge guess or go astray: all, or those that are named.

    Exits with 1 on a finding and with 2 if a file can't be read. A finding is silenced in the file
    by an entry of lint-ignore with its code and a reason.
    """
    findings: list[Finding] = []
    faults: list[str] = []
    files, session = _files_to_lint(rubrics)
    evals = _evals_to_look_at(session)
    for path in files:
        uses = uses_of(path, session.project.rubrics, evals) if session is not None else ()
        try:
            findings += lint(path, known_cases(uses))
        except ConfigError as error:
            faults.append(str(error))
    _show_findings(findings, len(files) - len(faults), form)
    for fault in faults:
        click.echo(f"error: {fault}", err=True)
    if faults:
        sys.exit(ExitCode.USAGE)
    sys.exit(ExitCode.REGRESSION if unsilenced(findings) else ExitCode.PASSED)


def _files_to_lint(named: tuple[str, ...]) -> tuple[list[Path], Session | None]:
    """Return the files, and the project that they lie in if there is one."""
    try:
        session = Session(find_project(Path.cwd()))
    except ConfigError:
        if not named:
            raise
        return [Path(name) for name in named], None
    if not named:
        return list(session.rubrics.files()), session
    folder = session.project.rubrics
    return [Path(n) if Path(n).suffix == ".md" else rubric_file(n, folder) for n in named], session


def _evals_to_look_at(session: Session | None) -> tuple[EvalDefinition, ...]:
    """Return the evals whose datasets must not leak into a rubric, if they can be read."""
    if session is None:
        return ()
    try:
        return session.evals()
    except ConfigError as error:
        click.echo(f"note: the datasets were not looked at: {error}", err=True)
        return ()


def _show_findings(findings: list[Finding], files: int, form: str) -> None:
    open_ = unsilenced(findings)
    if form == "sarif":
        from judgekit.rubrics.sarif import to_sarif

        click.echo(to_sarif(findings, judgekit.__version__), nl=False)
    elif form == "json":
        rows = [_finding(each) for each in findings]
        click.echo(json.dumps({"files": files, "findings": rows}, indent=2, ensure_ascii=False))
    else:
        for each in open_:
            click.echo(str(each))
        silenced = len(findings) - len(open_)
        also = f", {silenced} silenced" if silenced else ""
        click.echo(f"{counted(files, 'rubric')}: {counted(len(open_), 'finding')}{also}")


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.rule.name,
        "file": finding.file,
        "line": finding.line,
        "message": finding.message,
        "fix": finding.fix,
        "silenced": finding.silenced,
    }
