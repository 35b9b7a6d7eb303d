"""Every grader on 10,000 candidates of 1 KB, beside the reference library where there is one."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from judgekit.graders.registry import GraderSpec, graders, parse_config

COUNT = 10_000
SLOW = {"bleu_score": 500, "chrf_score": 500, "no_pii": 2_000, "json_schema": 10_000}
"""Graders that are measured on fewer candidates."""

_SENTENCE = (
    "the refund of your order reaches your card within five working days after the parcel has "
    "arrived at our warehouse and was checked by a colleague"
)


def text(number: int) -> str:
    """Return a candidate of about 1 KB that no other number has."""
    source = random.Random(number)
    known, words = _SENTENCE.split(), [f"Case {number}:"]
    while sum(map(len, words)) + len(words) < 1024:
        words.append(source.choice(known))
    return " ".join(words)


def candidate(spec: GraderSpec, number: int) -> Any:
    """Return a candidate of 1 KB in the shape that the grader reads: its example's, and filler."""
    example = spec.example["candidate"]
    if isinstance(example, str):
        if _is_json(example):
            return json.dumps({**_object(json.loads(example)), "filler": text(number)})
        return f"{example} {text(number)}"
    if isinstance(example, dict):
        return {**example, "filler": text(number)}
    return example


def _is_json(value: str) -> bool:
    try:
        json.loads(value)
    except ValueError:
        return False
    return True


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"value": value}


def microseconds(function: Callable[[Any], Any], candidates: list[Any]) -> float:
    """Return the mean time of a call."""
    function(candidates[0])
    start = time.perf_counter()
    for each in candidates:
        function(each)
    return (time.perf_counter() - start) / len(candidates) * 1e6


def reference(name: str, config: Mapping[str, Any]) -> Callable[[Any], Any] | None:
    """Return the same work done by the field's reference library, if there is one."""
    if name == "rouge_score":
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer(["rougeL"])
        return lambda each: scorer.score(config["reference"], each)
    if name == "bleu_score":
        import sacrebleu

        return lambda each: sacrebleu.sentence_bleu(each, [config["reference"]], lowercase=True)
    if name == "regex":
        pattern = re.compile(config["pattern"])
        return pattern.search
    return None


def main() -> None:
    """Measure and print the table."""
    table = Table(title="Graders on candidates of 1 KB")
    for column in ("grader", "calls", "µs a call", "reference, µs", "reference ÷ judgekit"):
        table.add_column(column, justify="left" if column == "grader" else "right")
    for name, spec in graders().items():
        if spec.model_graded:
            continue
        config = parse_config(spec, spec.example["config"])
        count = SLOW.get(name, COUNT)
        candidates = [candidate(spec, number) for number in range(count)]
        ours = microseconds(lambda each, s=spec, c=config: s.function(c, each), candidates)  # type: ignore[misc]
        theirs = _reference_us(name, spec.example["config"], candidates)
        ratio = "" if theirs is None else f"{theirs / ours:.2f}"
        shown = "" if theirs is None else f"{theirs:.1f}"
        table.add_row(name, f"{count:,}", f"{ours:.1f}", shown, ratio)
    Console(width=100).print(table)


def _reference_us(name: str, config: Mapping[str, Any], candidates: list[Any]) -> float | None:
    try:
        function = reference(name, config)
        return None if function is None else microseconds(function, candidates[:500])
    except Exception:  # noqa: BLE001 - the reference refuses what our example holds
        return None


if __name__ == "__main__":
    main()
