"""What a scorer judges by: its rubric, wherever that is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from judgekit.evals.definition import RUBRIC_OPTIONS, Scorer
from judgekit.graders.registry import find_grader
from judgekit.judges.rubric import Kind, Rubric, Scale

RUBRIC_SUFFIX = ".md"

Rubrics = Callable[[str], Rubric]
"""Loads a rubric file by its reference, such as ``tone.md``."""

GRADERS = {
    Kind.PASS_FAIL: ("llm_judge", "rubric"),
    Kind.SCORE: ("llm_score", "rubric"),
    Kind.CATEGORY: ("llm_category", "prompt"),
    Kind.PAIRWISE: ("llm_pairwise", "criteria"),
    Kind.ANSWER_MATCH: ("llm_answer_match", "rubric"),
}
"""The grader that judges by a rubric of a kind, and the option that names the rubric."""


def reference_of(scorer: Scorer) -> str | None:
    """Return the rubric file that a scorer judges by, as its options name it; None without one."""
    if not find_grader(scorer.grader).model_graded:
        return None
    named = (scorer.config.get(option) for option in RUBRIC_OPTIONS)
    return next((n for n in named if isinstance(n, str) and n.endswith(RUBRIC_SUFFIX)), None)


def rubric_of(scorer: Scorer, rubrics: Rubrics) -> Rubric | None:
    """Return what a scorer judges by, pass rule and all; None where it asks no judge by a rubric.

    Raises:
        ConfigError: its rubric file can't be loaded.
    """
    kind = next((k for k, (grader, _) in GRADERS.items() if grader == scorer.grader), None)
    if kind is None:
        return None
    reference = reference_of(scorer)
    rubric = _inline(kind, scorer.config) if reference is None else rubrics(reference)
    stated = scorer.config.get("min_score")
    if kind is Kind.SCORE and isinstance(stated, int | float):
        rubric = rubric.model_copy(update={"min_score": float(stated)})
    return rubric


def _inline(kind: Kind, config: Mapping[str, Any]) -> Rubric:
    written = (config.get(option) for option in RUBRIC_OPTIONS)
    criteria = next((text for text in written if isinstance(text, str)), "The default criteria.")
    own = config if kind is Kind.CATEGORY else {}
    # An option that is invalid here is the grader's to refuse, so nothing is checked.
    return Rubric.model_construct(
        id="inline",
        kind=kind,
        criteria=criteria,
        scale=Scale() if kind is Kind.SCORE else None,
        categories=tuple(own.get("categories", ())),
        passing_categories=tuple(own.get("passing_categories", ())),
    )
