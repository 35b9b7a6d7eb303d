"""``judgekit cassette``: review, accept and keep recordings."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from judgekit.cassettes.interaction import Interaction
from judgekit.cassettes.naming import slug
from judgekit.cassettes.staging import StagedItem, Staging
from judgekit.cli.opening import open_session, under_ci
from judgekit.documents.document import one_line, printable, shown
from judgekit.errors import ConfigError, RecordingRefused
from judgekit.gate.exit_codes import ExitCode
from judgekit.report.report import counted


@click.group()
def command() -> None:
    """Review, accept and keep cassettes."""


evals_argument = click.argument("evals", nargs=-1)


@command.command("list")
@evals_argument
def list_(evals: tuple[str, ...]) -> None:
    """Count what is recorded, by eval and scorer, and what waits for review."""
    session = open_session()
    store = session.cassettes
    wanted = {slug(name) for name in evals}
    for eval_name, scorer in store.scorers():
        if wanted and eval_name not in wanted:
            continue
        places = store.places(eval_name, scorer)
        packed = sum(place.offset is not None for place in places)
        form = f" ({packed} packed)" if packed else ""
        click.echo(f"{len(places):>6}  {eval_name} / {scorer}{form}")
    staged = len(session.staging.items(evals))
    if staged:
        click.echo(f"{staged:>6}  wait for review: judgekit cassette diff")


@command.command()
@click.argument("eval_name", metavar="EVAL")
@click.argument("case")
@click.option("--scorer", help="Only this scorer's.")
def show(eval_name: str, case: str, scorer: str | None) -> None:
    """Show what is recorded for one case: the question, the answer, the verdict."""
    store = open_session().cassettes
    found = [
        (name, interaction)
        for known, name in store.scorers()
        if known == slug(eval_name) and (scorer is None or name == slug(scorer))
        for interaction in store.recorded_for(known, name, case)
    ]
    if not found:
        raise ConfigError(
            f"eval {eval_name}, case {case}: nothing is recorded; `judgekit cassette list` counts"
        )
    for _, interaction in found:
        _print_interaction(interaction)


@command.command()
@evals_argument
@click.option("--full", is_flag=True, help="Show the judge's question too.")
def diff(evals: tuple[str, ...], full: bool) -> None:
    """Show every staged recording beside what it replaces."""
    items = open_session().staging.items(evals)
    for item in items:
        _print_item(item, full=full)
    click.echo(_summary(items))


@command.command()
@evals_argument
@click.option("--case", "cases", multiple=True, help="Only this case; may be given again.")
def accept(evals: tuple[str, ...], cases: tuple[str, ...]) -> None:
    """Make staged recordings part of the cassettes, to be committed."""
    if under_ci():
        raise RecordingRefused("accepting is refused under CI: review and commit on your machine")
    staging = open_session().staging
    items = _chosen(staging, evals, cases)
    staging.accept(items)
    click.echo(f"accepted {_summary(items)}; now commit {staging.cassettes.root.name}/")


@command.command()
@evals_argument
@click.option("--case", "cases", multiple=True, help="Only this case; may be given again.")
def reject(evals: tuple[str, ...], cases: tuple[str, ...]) -> None:
    """Throw staged recordings away; the cassettes stay as they are."""
    staging = open_session().staging
    items = _chosen(staging, evals, cases)
    staging.reject(items)
    click.echo(f"rejected {_summary(items)}")


@command.command()
def verify() -> None:
    """Check every cassette file against itself; exit with 3 if one is damaged."""
    from judgekit.cassettes.maintenance import damage

    store = open_session().cassettes
    found = list(damage(store))
    for line in found:
        click.echo(line, err=True)
    count = sum(len(store.places(*where)) for where in store.scorers()) if not found else 0
    if found:
        click.echo(f"{len(found)} damaged", err=True)
        sys.exit(ExitCode.CASSETTE)
    click.echo(f"{count} recordings are whole")


@command.command()
@click.option("--yes", is_flag=True, help="Remove without asking.")
def prune(yes: bool) -> None:
    """Remove orphans: recordings that no eval of the project asks for any more."""
    from judgekit.cassettes.file_form import parse
    from judgekit.evals.plan import make_plan

    session = open_session()
    orphans = make_plan(session, session.evals(), whole=True).orphans
    for place in orphans:
        click.echo(str(place))
    if not orphans:
        click.echo("no orphans")
        return
    if not yes:
        click.confirm(f"remove {counted(len(orphans), 'recording')}?", abort=True)
    for interaction in [parse(place.read(), place) for place in orphans]:
        session.cassettes.remove(interaction)
    click.echo(f"removed {counted(len(orphans), 'recording')}")


@command.command()
@click.argument("eval_name", metavar="EVAL")
@click.argument("scorer")
def pack(eval_name: str, scorer: str) -> None:
    """Put a scorer's recordings into one file, for sets too large for a folder."""
    from judgekit.cassettes import maintenance

    click.echo(str(maintenance.pack(open_session().cassettes, eval_name, scorer)))


@command.command()
@click.argument("eval_name", metavar="EVAL")
@click.argument("scorer")
def unpack(eval_name: str, scorer: str) -> None:
    """Put each recording of a packed set into a file of its own again."""
    from judgekit.cassettes import maintenance

    click.echo(f"{maintenance.unpack(open_session().cassettes, eval_name, scorer)} recordings")


@command.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def seal(files: tuple[Path, ...]) -> None:
    """Give deliberately edited files the key and the digest of what they now say.

    The digest catches accidents and unreviewed edits. It is no protection from somebody who wants
    to change a verdict: review is.
    """
    from judgekit.cassettes import maintenance

    for file in files:
        click.echo(str(maintenance.seal(file)))


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--eval", "eval_name", required=True, help="The eval that the recordings belong to.")
@click.option("--scorer", required=True, help="The scorer that they belong to.")
def import_(file: Path, eval_name: str, scorer: str) -> None:
    """Stage the judge calls of a vcrpy or pytest-recording cassette."""
    from judgekit.cassettes.vcr_bridge import import_cassette

    staging = open_session().staging
    for option, name in (("--eval", eval_name), ("--scorer", scorer)):
        check_name(option, name)
    imported = import_cassette(file, eval_name, scorer)
    for line in imported.skipped:
        click.echo(printable(line), err=True)
    if not imported.interactions:
        raise ConfigError(f"{shown(file)}: no exchange of it could be taken; nothing was staged")
    for interaction in imported.interactions:
        staging.add(interaction)
    click.echo(
        f"staged {len(imported.interactions)}, left out {len(imported.skipped)}; "
        "now judgekit cassette diff"
    )


@command.command("export")
@click.argument("eval_name", metavar="EVAL")
@click.argument("scorer")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--base-url", metavar="URL", help="What the calls are said to have gone to.")
def export(eval_name: str, scorer: str, file: Path, base_url: str | None) -> None:
    """Write a scorer's recordings as a cassette that stock vcrpy replays."""
    from judgekit.cassettes.vcr_bridge import DEFAULT_BASE_URL, export_cassette

    found = [each for _, each in open_session().cassettes.read_all(eval_name, scorer)]
    if not found:
        raise ConfigError(f"eval {eval_name}, scorer {scorer}: nothing is recorded to export")
    click.echo(f"{export_cassette(found, file, base_url or DEFAULT_BASE_URL)} exchanges: {file}")


def check_name(option: str, name: str) -> None:
    """Refuse a name that no eval or scorer would have.

    Raises:
        ConfigError: it is empty, or holds what leads out of a folder.
    """
    if not name.strip() or set(name) & set("/\\\0") or name.strip() in {".", ".."}:
        raise ConfigError(f"{option}: {one_line(name)!r} can't be a name; give the eval's own")


def _chosen(staging: Staging, evals: tuple[str, ...], cases: tuple[str, ...]) -> list[StagedItem]:
    items = [
        item
        for item in staging.items(evals)
        if not cases or item.interaction.recorded.case in cases
    ]
    if not items:
        raise ConfigError("nothing waits for review; `judgekit record` stages recordings")
    return items


def _summary(items: Iterable[StagedItem]) -> str:
    changes = [item.change for item in items]
    known = ("new", "replaces", "re-recorded", "unchanged")
    counts = ", ".join(f"{changes.count(c)} {c}" for c in known if c in changes)
    return counted(len(changes), "recording") + (f" ({counts})" if counts else "")


def _print_item(item: StagedItem, *, full: bool) -> None:
    recorded = item.interaction.recorded
    model = recorded.model_answered or recorded.model
    _say(
        f"{item.change:<12}{recorded.eval} / {recorded.scorer} / {recorded.case}"
        f"  ({model}, key {item.interaction.key[:10]})"
    )
    old = [item.standing] if item.standing is not None else list(item.replaced)
    if item.change != "unchanged":
        for each in old:
            _say(f"  - {_verdict_line(each)}", fg="red")
    _say(f"  + {_verdict_line(item.interaction)}", fg="green")
    if full:
        _print_question(item.interaction)


def _print_interaction(interaction: Interaction) -> None:
    recorded = interaction.recorded
    _say(
        f"{recorded.eval} / {recorded.scorer} / {recorded.case}  sample {interaction.call.sample}, "
        f"attempt {interaction.call.attempt}, key {interaction.key[:10]}"
    )
    _say(f"  {recorded.model} ({recorded.model_answered}), {recorded.when}")
    _print_question(interaction)
    _say(f"  verdict: {_verdict_line(interaction)}")
    click.echo()


def _print_question(interaction: Interaction) -> None:
    for message in interaction.call.body.get("messages", ()):
        for line in str(message.get("content")).splitlines():
            _say(f"  | {line}")


def _verdict_line(interaction: Interaction) -> str:
    verdict = interaction.verdict
    if not verdict:
        return "not read yet (imported)"
    if "problem" in verdict:
        return f"{verdict.get('status')}: {verdict['problem']}"
    return f"{verdict['outcome']} {verdict['score']:g}: {verdict['rationale']}"


def _say(line: str, fg: str | None = None) -> None:
    """Print one line that holds text of others, which must not break out of it."""
    click.secho(printable(line), fg=fg)
