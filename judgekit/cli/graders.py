"""``judgekit graders``: what graders there are, and their options."""

from __future__ import annotations

import json
from typing import Any

import click

from judgekit.graders.registry import GraderSpec, find_grader, graders


@click.group()
def command() -> None:
    """List graders and show their options."""


@command.command("list")
def list_() -> None:
    """List every grader, by the kind of its evidence."""
    by_evidence: dict[str, list[GraderSpec]] = {}
    for spec in graders().values():
        by_evidence.setdefault(spec.evidence, []).append(spec)
    width = max(len(name) for name in graders())
    for evidence in sorted(by_evidence):
        click.echo(f"{evidence}:")
        for spec in by_evidence[evidence]:
            click.echo(f"  {spec.name:<{width}}  {spec.summary}")


@command.command()
@click.argument("name")
@click.option("--format", "form", type=click.Choice(["console", "json"]), default="console")
def show(name: str, form: str) -> None:
    """Show a grader's options with their defaults, and an example."""
    spec = find_grader(name)
    if form == "json":
        schema = spec.config_model.model_json_schema()
        click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
        return
    click.echo(f"{spec.name}: {spec.summary}\n")
    for option in spec.options():
        default = "required" if option.required else f"default {_shown(option.default)}"
        click.echo(f"  {option.name}  {option.type}, {default}")
        click.echo(f"      {option.description}")
    example = spec.example
    click.echo("\nExample:")
    click.echo(f"  grader: {spec.name}")
    click.echo(f"  config: {_shown(example['config'])}")
    click.echo(f"  passes: {_shown(example['candidate'])}")


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
