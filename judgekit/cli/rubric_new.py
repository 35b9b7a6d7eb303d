"""``judgekit rubric new``: asks for a rubric, or takes it from options, and writes the file."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import click

from judgekit.cli.opening import open_session
from judgekit.documents import create_atomically, shown
from judgekit.errors import ConfigError
from judgekit.gate.exit_codes import ExitCode
from judgekit.judges.rubric import Anchor, Example, Kind
from judgekit.rubrics.draft import Draft, lint_draft
from judgekit.rubrics.lint import Finding

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SPAN = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:\.\.|to|-)\s*(-?\d+(?:\.\d+)?)")


@click.command()
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), help="What verdicts say.")
@click.option("--criteria", metavar="TEXT", help="What to judge by; - reads standard input.")
@click.option("--scale", metavar="LOW..HIGH", help="Of a score rubric; 1..5 if left out.")
@click.option(
    "--anchor", "anchors", multiple=True, metavar="SCORE=MEANING", help="May be given again."
)
@click.option("--min-score", type=float, help="Pass rule of a score rubric, in 0 to 1.")
@click.option("--category", "categories", multiple=True, help="A label; may be given again.")
@click.option("--passing", multiple=True, help="A category that passes; may be given again.")
@click.option(
    "--example", "examples", multiple=True, metavar="VERDICT=OUTPUT", help="May be given again."
)
def new(  # noqa: PLR0913 - one for each option
    *,
    id_: str | None,
    kind: str | None,
    criteria: str | None,
    scale: str | None,
    anchors: tuple[str, ...],
    min_score: float | None,
    categories: tuple[str, ...],
    passing: tuple[str, ...],
    examples: tuple[str, ...],
) -> None:
    """Write a new rubric that lints clean: asks at a terminal for what no option gives."""
    session = open_session()
    asks = sys.stdin.isatty()
    folder = session.project.rubrics
    id_ = _id(id_, folder, asks=asks)
    chosen = Kind(kind or _asked("kind", "--kind", asks=asks, choices=[k.value for k in Kind]))
    draft = Draft(
        id=id_,
        kind=chosen,
        criteria=_criteria(criteria, asks=asks),
        first_line=f"{session.clock.now().date().isoformat()}: first version",
        examples=tuple(_example(text, chosen) for text in examples),
    )
    if chosen is Kind.SCORE:
        draft = _with_scale(draft, scale, anchors, min_score, asks=asks)
    elif scale or anchors or min_score is not None:
        raise ConfigError("--scale, --anchor and --min-score belong to --kind score")
    if chosen is Kind.CATEGORY:
        draft = _with_categories(draft, categories, passing, asks=asks)
    elif categories or passing:
        raise ConfigError("--category and --passing belong to --kind category")
    _write(_mended(draft, folder / f"{id_}.md", asks=asks), folder / f"{id_}.md")


def _mended(draft: Draft, path: Path, *, asks: bool) -> Draft:
    """Return the draft once lint finds nothing in it; off a terminal, end with 1 on findings."""
    while findings := lint_draft(draft, path):
        for finding in findings:
            click.echo(f"{finding.code} {finding.message}; {finding.fix}", err=True)
        if not asks:
            click.echo(f"error: {shown(path)}: not written: mend what lint finds", err=True)
            sys.exit(ExitCode.REGRESSION)
        draft = _asked_anew(draft, findings)
    return draft


def _asked_anew(draft: Draft, findings: tuple[Finding, ...]) -> Draft:
    codes = {finding.code for finding in findings}
    if draft.kind is Kind.SCORE and codes & {"JK-R005", "JK-R007", "JK-R024"}:
        draft = replace(draft, anchors=_asked_anchors(draft.minimum, draft.maximum))
    if draft.kind is Kind.CATEGORY and codes & {"JK-R003", "JK-R004"}:
        return _with_categories(draft, (), (), asks=True)
    if codes & {"JK-R009", "JK-R010", "JK-R011"}:
        draft = replace(draft, examples=())
        click.echo("the examples are left out; add them to the file", err=True)
    return replace(draft, criteria=_criteria(None, asks=True))


def _write(draft: Draft, path: Path) -> None:
    if not create_atomically(path, draft.text.encode()):
        raise _exists(path)
    click.echo(f"wrote {shown(path)}; a scorer names it: config: {{rubric: {path.name}}}")


def _exists(path: Path) -> ConfigError:
    return ConfigError(f"{shown(path)}: is there already; edit it, or choose another id")


def _id(given: str | None, folder: Path, *, asks: bool) -> str:
    id_ = (given or _asked("id", "ID", asks=asks)).removesuffix(".md")
    if not _ID.fullmatch(id_):
        raise ConfigError(
            f"id {id_!r}: must have up to 100 letters, digits, '.', '_' and '-', and open with a "
            "letter or digit"
        )
    if (folder / f"{id_}.md").exists():
        raise _exists(folder / f"{id_}.md")
    return id_


def _asked(what: str, option: str, *, asks: bool, choices: list[str] | None = None) -> str:
    if not asks:
        _missing(option)
    kind = click.Choice(choices) if choices else str
    answer: str = click.prompt(what, type=kind)
    return answer


def _missing(option: str) -> NoReturn:
    raise ConfigError(
        f"{option}: is missing; give it, or run this at a terminal, which asks for it"
    )


def _criteria(given: str | None, *, asks: bool) -> str:
    if given == "-":
        given = sys.stdin.read()
    if given is not None:
        return given
    if not asks:
        _missing("--criteria")
    click.echo("criteria: what must an output say or do? (an empty line ends them)")
    lines: list[str] = []
    while line := click.prompt("", default="", show_default=False, prompt_suffix="> "):
        lines.append(line)
    return "\n".join(lines)


def _with_scale(
    draft: Draft,
    scale: str | None,
    anchors: tuple[str, ...],
    min_score: float | None,
    *,
    asks: bool,
) -> Draft:
    if scale is None and asks:
        scale = click.prompt("scale", default="1..5")
    low, high = _span(scale or "1..5")
    found = tuple(_anchor(text) for text in anchors)
    if not found:
        if not asks:
            _missing("--anchor")
        found = _asked_anchors(low, high)
    if min_score is None:
        min_score = click.prompt("least passing share of it", default=0.5) if asks else 0.5
    if not 0 <= min_score <= 1:
        raise ConfigError(f"--min-score: must be in 0 to 1, not {min_score:g}")
    return replace(draft, minimum=low, maximum=high, anchors=found, min_score=min_score)


def _span(text: str) -> tuple[float, float]:
    found = _SPAN.fullmatch(text.strip())
    if found is None or not float(found[1]) < float(found[2]):
        raise ConfigError(f"--scale: must be LOW..HIGH such as 1..5, not {text!r}")
    return float(found[1]), float(found[2])


def _anchor(text: str) -> Anchor:
    score, sign, meaning = text.partition("=")
    try:
        if sign and meaning.strip():
            return Anchor(score=float(score), meaning=meaning.strip())
    except ValueError:
        pass
    raise ConfigError(f"--anchor: must be SCORE=MEANING such as '5=names the form', not {text!r}")


def _asked_anchors(low: float, high: float) -> tuple[Anchor, ...]:
    return tuple(
        Anchor(score=score, meaning=click.prompt(f"what does an output do that gets {score:g}"))
        for score in (low, high)
    )


def _with_categories(
    draft: Draft, categories: tuple[str, ...], passing: tuple[str, ...], *, asks: bool
) -> Draft:
    if not categories:
        categories = _listed("categories, with commas", "--category", asks=asks)
    if not passing:
        passing = _listed("which of them pass, with commas", "--passing", asks=asks)
    return replace(draft, categories=categories, passing_categories=passing)


def _listed(what: str, option: str, *, asks: bool) -> tuple[str, ...]:
    answer = _asked(what, option, asks=asks)
    return tuple(label.strip() for label in answer.split(",") if label.strip())


def _example(text: str, kind: Kind) -> Example:
    verdict, sign, output = text.partition("=")
    if not sign or not verdict.strip() or not output.strip():
        raise ConfigError(f"--example: must be VERDICT=OUTPUT such as 'pass=Yes.', not {text!r}")
    stated: str | float = verdict.strip()
    if kind is Kind.SCORE:
        try:
            stated = float(verdict)
        except ValueError:
            raise ConfigError(f"--example: {verdict!r} is no score; give a number") from None
    return Example(output=output.strip(), verdict=stated)
