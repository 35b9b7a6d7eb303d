"""The grader of forbidden terms: `blocklist`."""

from __future__ import annotations

from pydantic import Field

from judgekit.graders.candidate import clip, readings
from judgekit.graders.equality import fold_case
from judgekit.graders.grade import Grade, Json
from judgekit.graders.option_types import Terms
from judgekit.graders.registry import GraderConfig, deterministic


class BlocklistConfig(GraderConfig):
    """Options of `blocklist`."""

    terms: Terms = Field(
        description="Forbidden terms, taken literally; white space around a term does not count."
    )


@deterministic(
    "blocklist",
    example={"config": {"terms": ["acme", "project x"]}, "candidate": "The acmeist poets."},
)
def blocklist(config: BlocklistConfig, candidate: Json) -> Grade:
    """None of `terms` stands in the candidate as a whole term, whatever its case."""
    found: dict[str, int] = {}
    for text in map(fold_case, readings(candidate)):
        for term in config.terms:
            offset = _whole_term(fold_case(term.strip()), text)
            if offset >= 0:
                found.setdefault(term, offset)
    if found:
        shown = (f"{clip(term)} at character {offset}" for term, offset in found.items())
        return Grade.of(False, f"found: {', '.join(shown)}")
    return Grade.of(True, f"none of {len(config.terms)} terms found")


def _whole_term(term: str, text: str) -> int:
    """Return where `term` first stands whole in `text`, or -1.

    A letter or digit next to a letter or digit of the term makes it part of a longer word; ``_``,
    ``-`` and all else are boundaries.
    """
    offset = text.find(term)
    while offset >= 0:
        end = offset + len(term)
        if not _joined(text[offset - 1 : offset], term[0]) and not _joined(
            text[end : end + 1], term[-1]
        ):
            return offset
        offset = text.find(term, offset + 1)
    return -1


def _joined(neighbour: str, edge: str) -> bool:
    return neighbour.isalnum() and edge.isalnum()
