"""The grader of likeness by edit distance: `levenshtein`."""

from __future__ import annotations

from pydantic import Field

from judgekit.graders.candidate import as_text
from judgekit.graders.equality import WHITE_SPACE, fold_case, nfc
from judgekit.graders.grade import Grade, Json
from judgekit.graders.option_types import NonBlankText, Share
from judgekit.graders.registry import GraderConfig, deterministic

MAX_TEXT = 65_536
"""Most characters of either text; the work grows with the product of both."""


class LevenshteinConfig(GraderConfig):
    """Options of `levenshtein`."""

    expected: NonBlankText = Field(max_length=MAX_TEXT, description="The text to be near to.")
    threshold: Share = Field(0.8, description="Least likeness that passes, in (0, 1].")
    case_sensitive: bool = Field(False, description="Whether case counts.")


@deterministic(
    "levenshtein",
    example={"config": {"expected": "Refunds take 14 days."}, "candidate": "Refunds take 14 days"},
)
def levenshtein(config: LevenshteinConfig, candidate: Json) -> Grade:
    """The candidate is near to `expected`: 1 - edits / length of the longer (Levenshtein, 1966)."""
    from rapidfuzz.distance import Levenshtein

    found = as_text(candidate).strip(WHITE_SPACE)
    if len(found) > MAX_TEXT:
        return Grade.of(False, f"the candidate has over {MAX_TEXT:,} characters")
    normal = nfc if config.case_sensitive else fold_case
    expected, found = normal(config.expected.strip(WHITE_SPACE)), normal(found)
    edits = Levenshtein.distance(expected, found)
    score = 1 - edits / max(len(expected), len(found))
    return Grade.of(
        score >= config.threshold,
        f"likeness {score:.4f} ({edits} edits), threshold {config.threshold:g}",
        score=score,
        details={"edits": edits},
    )
