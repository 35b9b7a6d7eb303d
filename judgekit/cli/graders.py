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
    schema = spec.config_model.model_json_schema()
    if form == "json":
        click.echo(json.dumps(schema, indent=2, ensure_ascii=False))
        return
    click.echo(f"{spec.name}: {spec.summary}\n")
    required = set(schema.get("required", ()))
    for option, field in schema.get("properties", {}).items():
        default = (
            "required" if option in required else f"default {json.dumps(field.get('default'))}"
        )
        click.echo(f"  {option}  {_type(field)}, {default}")
        if field.get("description"):
            click.echo(f"      {field['description']}")
    example = spec.example
    click.echo("\nExample:")
    click.echo(f"  grader: {spec.name}")
    click.echo(f"  config: {json.dumps(example['config'], ensure_ascii=False)}")
    click.echo(f"  passes: {json.dumps(example['candidate'], ensure_ascii=False)}")


def _type(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(_type(each) for each in field["anyOf"])
    if "enum" in field:
        return " | ".join(json.dumps(value) for value in field["enum"])
    if "const" in field:
        return json.dumps(field["const"])
    kind = field.get("type", "any JSON value")
    if kind == "array":
        return f"list of {_type(field.get('items', {}))}"
    return str(kind)
