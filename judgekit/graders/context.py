"""Retrieved chunks against expected ones: `context_f1`."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from judgekit.graders.equality import fold_case
from judgekit.graders.grade import Grade, Json
from judgekit.graders.option_types import NonBlankText
from judgekit.graders.registry import GraderConfig, deterministic

MAX_CHUNKS = 256
"""Most chunks on either side."""

MAX_WORK = 2**32
"""Most characters retrieved times characters expected: what comparing them all costs."""

Chunks = Annotated[
    tuple[NonBlankText, ...], Field(min_length=1, max_length=MAX_CHUNKS, strict=False)
]


class ContextConfig(GraderConfig):
    """Options of `context_f1`."""

    expected: Chunks = Field(description="The chunks that should have been retrieved.")
    retrieved: Chunks | None = Field(
        None,
        description="The chunks that were; left out, they are the candidate (a list of texts, or "
        "an object with the field `retrieved`).",
    )
    measure: Literal["f1", "precision", "recall"] = Field("f1", description="What is held to it.")
    threshold: float = Field(0.5, ge=0, le=1, description="Least score that passes, in [0, 1].")
    similarity_threshold: float = Field(
        0.7, gt=0, le=1, description="Least likeness of two chunks that match, in (0, 1]."
    )


@deterministic(
    "context_f1",
    example={
        "config": {"expected": ["Refunds take five working days."]},
        "candidate": ["Refunds take 5 working days."],
    },
)
def context_f1(config: ContextConfig, candidate: Json) -> Grade:
    """Retrieved chunks match the expected ones, one to one, by normalised edit distance."""
    retrieved = _retrieved(config, candidate)
    if isinstance(retrieved, Grade):
        return retrieved
    found, wanted = _folded(retrieved), _folded(config.expected)
    if not found:
        return Grade.of(False, "every retrieved chunk is blank")
    if sum(map(len, found)) * sum(map(len, wanted)) > MAX_WORK:
        return Grade.of(False, "the chunks are too long to be compared")
    matched = matching_size(_edges(found, wanted, config.similarity_threshold), len(wanted))
    precision, recall = matched / len(found), matched / len(wanted)
    f1 = 2 * matched / (len(found) + len(wanted))
    figures = {"precision": precision, "recall": recall, "f1": f1}
    score = figures[config.measure]
    return Grade.of(
        matched > 0 and score >= config.threshold,
        f"{matched} of {len(found)} retrieved and {len(wanted)} expected chunks match: "
        f"{config.measure} {score:.4f}, threshold {config.threshold:g}",
        score=score,
        details={**figures, "matched": matched},
    )


def _retrieved(config: ContextConfig, candidate: Json) -> Sequence[str] | Grade:
    if config.retrieved is not None:
        return config.retrieved
    chunks = candidate.get("retrieved") if isinstance(candidate, dict) else candidate
    if not isinstance(chunks, list) or not all(isinstance(chunk, str) for chunk in chunks):
        return Grade.of(False, "the candidate is no list of texts, and `retrieved` is not given")
    if len(chunks) > MAX_CHUNKS:
        return Grade.of(False, f"the candidate has over {MAX_CHUNKS} chunks")
    return [chunk for chunk in chunks if isinstance(chunk, str)]


def _folded(chunks: Sequence[str]) -> list[str]:
    """Return chunks with case and white space folded; a blank one is no chunk."""
    folded = (" ".join(fold_case(chunk).split()) for chunk in chunks)
    return [chunk for chunk in folded if chunk]


def _edges(found: Sequence[str], wanted: Sequence[str], least: float) -> list[list[int]]:
    """Return, for each retrieved chunk, which expected chunks are like it."""
    from rapidfuzz.distance.Levenshtein import distance

    def is_like(one: str, other: str) -> bool:
        """Whether enough of the characters need no edit; the share is rounded once."""
        longest = max(len(one), len(other))
        most = int((1 - least) * longest) + 1
        edits = distance(one, other, score_cutoff=most)
        return edits <= most and (longest - edits) / longest >= least

    return [
        [index for index, other in enumerate(wanted) if is_like(chunk, other)] for chunk in found
    ]


def matching_size(edges: Sequence[Sequence[int]], right: int) -> int:
    """Return the size of a largest one-to-one matching (Hopcroft and Karp, 1973).

    Args:
        edges: for each node on the left, its neighbours on the right.
        right: how many nodes there are on the right.
    """
    left_of: list[int | None] = [None] * right
    free = set(range(len(edges)))
    while True:
        levels = _levels(edges, left_of, free)
        used = [False] * right
        found = {node for node in sorted(free) if _augment(node, edges, left_of, levels, used)}
        if not found:
            return len(edges) - len(free)
        free -= found


def _levels(
    edges: Sequence[Sequence[int]], left_of: Sequence[int | None], free: set[int]
) -> list[int]:
    """Return how far each left node is from a free one, by alternating paths; -1 if unreachable."""
    levels = [0 if node in free else -1 for node in range(len(edges))]
    waiting = deque(sorted(free))
    while waiting:
        node = waiting.popleft()
        for other in edges[node]:
            partner = left_of[other]
            if partner is not None and levels[partner] < 0:
                levels[partner] = levels[node] + 1
                waiting.append(partner)
    return levels


def _augment(
    node: int,
    edges: Sequence[Sequence[int]],
    left_of: list[int | None],
    levels: Sequence[int],
    used: list[bool],
) -> bool:
    """Give `node` a partner, moving others along a shortest path; each right node is tried once."""
    for other in edges[node]:
        if used[other]:
            continue
        partner = left_of[other]
        onwards = partner is not None and levels[partner] == levels[node] + 1
        if partner is None or onwards:
            used[other] = True
            if partner is None or _augment(partner, edges, left_of, levels, used):
                left_of[other] = node
                return True
    return False
