"""Finds the rubric that a command names, where it is used, and the judges that may be asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from judgekit.cli.opening import check_place, under_ci
from judgekit.documents import confined, nearest, shown
from judgekit.engines.local import LocalEngine
from judgekit.errors import ConfigError, RecordingRefused
from judgekit.evals.definition import EvalDefinition, Scorer
from judgekit.evals.rubric_use import (
    OneReplaced,
    RubricUse,
    asking,
    narrowed,
    scorer_for,
    uses_of,
)
from judgekit.evals.session import Session
from judgekit.judges.rubric import Rubric
from judgekit.rubrics.files import load_rubric

rubric_argument = click.argument("rubric", metavar="RUBRIC")
eval_option = click.option("--eval", "eval_name", metavar="NAME", help="The eval to take cases of.")
scorer_option = click.option("--scorer", metavar="NAME", help="Where several use the rubric.")
judge_option = click.option("--judge", metavar="NAME", help="Ask this configured judge.")
remote_option = click.option(
    "--allow-remote", is_flag=True, help="Allow a judge that is not on this network."
)
format_option = click.option(
    "--format", "form", type=click.Choice(["console", "json"]), default="console"
)


def rubric_file(named: str, folder: Path) -> Path:
    """Return the rubric file that an argument names: a path, or the id of one in `folder`.

    Raises:
        ConfigError: there is none; the message names the nearest.
    """
    path = Path(named)
    if path.suffix == ".md" and path.is_file():
        return path
    file = confined(folder, named if named.endswith(".md") else f"{named}.md", named_by="rubric")
    if not file.is_file():
        known = sorted(each.stem for each in folder.glob("*.md"))
        raise ConfigError(f"{shown(folder)}: no rubric {named!r}; {nearest(named, known)}")
    return file


@dataclass(frozen=True)
class Chosen:
    """A rubric and the scorers of one eval that judge by it.

    Attributes:
        definition: the eval, narrowed to these scorers.
        uses: the scorers as the eval has them; empty where none uses the rubric yet.
        rubrics: loads the rubric wherever they name it.
    """

    rubric: Rubric
    definition: EvalDefinition
    uses: tuple[RubricUse, ...]
    rubrics: OneReplaced


def choose(
    session: Session,
    named: str,
    eval_name: str | None,
    *,
    scorer: str | None = None,
    judge: str | None = None,
) -> Chosen:
    """Return the rubric with the eval that it is to be used on.

    Args:
        eval_name: may be left out where one eval alone uses the rubric.
        scorer: one of the scorers that use it; all if None.
        judge: is asked instead of the scorers' own.

    Raises:
        ConfigError: the rubric, eval, scorer or judge is unknown, or there are several to choose.
    """
    file = rubric_file(named, session.project.rubrics)
    rubric = load_rubric(file)
    if judge is not None:
        session.project.judge(judge)
    evals = session.evals((eval_name,) if eval_name is not None else ())
    uses = uses_of(file, session.project.rubrics, evals)
    definition = _eval_of(rubric, evals, uses, eval_name)
    own = [use for use in uses if use.definition is definition]
    if scorer is not None:
        named_scorers = [use.scorer.name for use in own]
        if scorer not in named_scorers:
            raise ConfigError(
                f"eval {definition.name}: no scorer {scorer!r} judges by {rubric.id}; "
                f"{nearest(scorer, named_scorers)}"
            )
        own = [use for use in own if use.scorer.name == scorer]
    scorers = [use.scorer for use in own] or [scorer_for(rubric, file.name)]
    references = frozenset({file.name, *(use.reference for use in own)})
    return Chosen(
        rubric,
        narrowed(definition, [asking(each, judge) for each in scorers]),
        tuple(own),
        OneReplaced(session.rubrics, references, rubric),
    )


def _eval_of(
    rubric: Rubric,
    evals: Sequence[EvalDefinition],
    uses: Sequence[RubricUse],
    eval_name: str | None,
) -> EvalDefinition:
    if eval_name is not None:
        return evals[0]
    using = list(dict.fromkeys(use.definition.name for use in uses))
    if len(using) != 1:
        which = f"evals {', '.join(using)} use it" if using else "no eval uses it"
        raise ConfigError(f"rubric {rubric.id}: {which}; name one with --eval")
    return next(each for each in evals if each.name == using[0])


def live_session(
    session: Session, scorers: Iterable[Scorer], *, allow_remote: bool, what: str
) -> Session:
    """Return a session that asks as many cases at once as its judges allow.

    Args:
        scorers: whose judges are going to be asked.
        what: the command, for the message.

    Raises:
        RecordingRefused: this is CI, or a judge is remote and not allowed.
        ConfigError: a judge is unknown.
    """
    if under_ci():
        raise RecordingRefused(
            f"{what} asks a live judge, which is refused under CI; run it on your machine"
        )
    names = {
        name
        for scorer in scorers
        for name in scorer.config.get("judges") or [scorer.config.get("judge")]
    }
    judges = dict(session.project.judge(name) for name in sorted(names, key=str))
    for name, config in judges.items():
        check_place(name, config, allow_remote=allow_remote)
    at_once = max(config.concurrency for config in judges.values())
    return Session(session.project, LocalEngine(at_once), session.clock)
