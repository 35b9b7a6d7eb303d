"""ROUGE (Lin, 2004): n-gram recall, precision and F-measure, and longest common subsequences.

Agrees with the ``rouge-score`` package, which is the oracle in tests and costs seconds to import.
Longest common subsequences are found bit-parallel (Hyyrö, 2004), so that long texts stay cheap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from pydantic import Field

from judgekit.graders.candidate import as_text
from judgekit.graders.grade import Grade, Json
from judgekit.graders.option_types import NonBlankText, Share
from judgekit.graders.registry import GraderConfig, deterministic

MAX_TEXT = 131_072
"""Most characters of either text."""

MAX_WORD_PAIRS = {"rouge_l": 2**30, "rouge_lsum": 2**26}
"""Most words of the reference times words of the candidate that are compared."""

MAX_STEPS = 2**20
"""Most words that rouge_lsum passes, each line of one text against each of the other."""

_ASCII_WORDS = re.compile(r"[a-z0-9]+")
_WORDS = re.compile(r"[^\W_]+")


class TooLongError(ValueError):
    """Two texts would take too long to be compared; never leaves the graders."""


class Figures(NamedTuple):
    """Precision, recall and their harmonic mean, each in [0, 1]."""

    precision: float
    recall: float
    f1: float


class RougeConfig(GraderConfig):
    """Options of `rouge_score`."""

    reference: NonBlankText = Field(max_length=MAX_TEXT, description="The text to overlap with.")
    rouge_type: Literal["rouge_1", "rouge_2", "rouge_l", "rouge_lsum"] = Field(
        "rouge_1",
        description="Words, pairs of words, the longest common subsequence, or that line by line.",
    )
    measure: Literal["f1", "precision", "recall"] = Field("f1", description="What is held to it.")
    threshold: Share = Field(0.5, description="Least score that passes, in (0, 1].")
    tokenizer: Literal["rouge", "unicode"] = Field(
        "rouge",
        description="The package's own, which sees ASCII letters and digits only; or all letters.",
    )


@deterministic(
    "rouge_score",
    example={
        "config": {"reference": "Refunds take five working days.", "rouge_type": "rouge_l"},
        "candidate": "A refund takes five working days.",
    },
)
def rouge_score(config: RougeConfig, candidate: Json) -> Grade:
    """The candidate overlaps with `reference` by ROUGE (Lin, 2004)."""
    text = as_text(candidate)
    if len(text) > MAX_TEXT:
        return Grade.of(False, f"the candidate has over {MAX_TEXT:,} characters")
    try:
        figures = rouge(config.reference, text, config.rouge_type, config.tokenizer)
    except TooLongError as error:
        return Grade.of(False, f"the texts are too long to be compared: {error}")
    score = getattr(figures, config.measure)
    return Grade.of(
        score >= config.threshold,
        f"{config.rouge_type} {config.measure} {score:.4f}, threshold {config.threshold:g}",
        score=score,
        details=figures._asdict(),
    )


def rouge(reference: str, candidate: str, kind: str, tokenizer: str = "rouge") -> Figures:
    """Return the figures of a candidate against a reference.

    Args:
        kind: ``rouge_1``, ``rouge_2``, ``rouge_l`` or ``rouge_lsum``.
        tokenizer: ``rouge`` (lower-case ASCII letters and digits) or ``unicode``.

    Raises:
        TooLongError: the texts are over `MAX_WORD_PAIRS` (rouge_l) or `MAX_STEPS` (rouge_lsum).
    """
    if kind == "rouge_lsum":
        return _summary_level(_lines(reference, tokenizer), _lines(candidate, tokenizer))
    expected, found = tokens(reference, tokenizer), tokens(candidate, tokenizer)
    if kind == "rouge_l":
        _check_pairs(kind, len(expected), len(found))
        return _figures(lcs_length(expected, found), len(expected), len(found))
    size = int(kind[-1])
    wanted, given = _grams(expected, size), _grams(found, size)
    return _figures((wanted & given).total(), wanted.total(), given.total())


def _check_pairs(kind: str, expected: int, found: int) -> None:
    if expected * found > MAX_WORD_PAIRS[kind]:
        raise TooLongError(f"over {MAX_WORD_PAIRS[kind]:,} pairs of words")


def tokens(text: str, tokenizer: str = "rouge") -> list[str]:
    """Return the lower-case words that ROUGE compares."""
    return (_ASCII_WORDS if tokenizer == "rouge" else _WORDS).findall(text.lower())


def _lines(text: str, tokenizer: str) -> list[list[str]]:
    return [tokens(line, tokenizer) for line in text.split("\n") if line]


def _grams(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + size]) for i in range(len(words) - size + 1))


def _figures(hits: int, expected: int, found: int) -> Figures:
    precision, recall = hits / max(found, 1), hits / max(expected, 1)
    both = precision + recall
    return Figures(precision, recall, 2 * precision * recall / both if both else 0.0)


def lcs_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    vector = (1 << len(other)) - 1
    for vector in _lcs_rows(one, other):  # noqa: B007 - only the last one counts
        pass
    return _zeros(vector, len(other))


def _lcs_rows(one: Sequence[str], other: Sequence[str]) -> Iterator[int]:
    """Yield a bit vector for each prefix of `one`; zeros among its low j bits are the LCS length.

    Hyyrö (2004), "Bit-parallel LCS-length computation revisited", algorithm 2.
    """
    places: dict[str, int] = {}
    for index, word in enumerate(other):
        places[word] = places.get(word, 0) | 1 << index
    mask = (1 << len(other)) - 1
    vector = mask
    yield vector
    for word in one:
        matches = vector & places.get(word, 0)
        vector = ((vector + matches) | (vector - matches)) & mask
        yield vector


def _zeros(vector: int, width: int) -> int:
    return width - (vector & ((1 << width) - 1)).bit_count()


def _lcs_places(one: Sequence[str], other: Sequence[str]) -> list[int]:
    """Return which words of `one` are in a longest common subsequence; ties as the package.

    Whether the length grows from one prefix of `other` to the next is one bit of a row.
    """
    rows, places = list(_lcs_rows(one, other)), []
    i, j = len(one), len(other)
    while i and j:
        if one[i - 1] == other[j - 1]:
            i, j = i - 1, j - 1
            places.append(i)
        elif rows[i] >> (j - 1) & 1 and _zeros(rows[i], j) > _zeros(rows[i - 1], j):
            j -= 1
        else:
            i -= 1
    return places


def _summary_level(expected: Sequence[list[str]], found: Sequence[list[str]]) -> Figures:
    """Return ROUGE-Lsum: union LCS of each reference line with all lines (Lin, 2004, 3.2)."""
    left_expected = Counter(word for line in expected for word in line)
    left_found = Counter(word for line in found for word in line)
    totals = left_expected.total(), left_found.total()
    _check_pairs("rouge_lsum", *totals)
    if len(found) * totals[0] + len(expected) * totals[1] > MAX_STEPS:
        raise TooLongError(f"over {MAX_STEPS:,} words, each line against each")
    hits = 0
    for line in expected:
        union = {place for other in found for place in _lcs_places(line, other)}
        for place in sorted(union):
            word = line[place]
            if left_expected[word] and left_found[word]:
                hits += 1
                left_expected[word] -= 1
                left_found[word] -= 1
    return _figures(hits, *totals)
