from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders.context import matching_size
from judgekit.graders.grade import Status
from judgekit.graders.registry import grade

CATS, DOGS, ATP = "a document about cats", "a document about dogs", "the mitochondrion makes ATP"


def test_one_chunk_is_never_counted_twice() -> None:
    config = {"expected": [CATS, CATS + "!"], "retrieved": [CATS]}
    result = grade("context_f1", config, None)
    assert result.details["matched"] == 1
    assert result.details["recall"] == 0.5
    assert result.score == pytest.approx(2 / 3)


def test_the_assignment_is_the_best_one() -> None:
    """Taking the first match for each would leave the second expected chunk without one."""
    config = {
        "retrieved": ["abcdefgh", "abcdefxy"],
        "expected": ["abcdefgy", "abcdefgh"],
        "similarity_threshold": 0.8,
        "threshold": 1.0,
    }
    assert grade("context_f1", config, None).details["matched"] == 2


def test_the_candidate_carries_what_was_retrieved_where_the_options_do_not() -> None:
    config = {"expected": [CATS, ATP]}
    assert grade("context_f1", config, [CATS, ATP]).score == 1.0
    assert grade("context_f1", config, {"retrieved": [ATP]}).details["recall"] == 0.5
    for candidate in ("text", {"retrieved": "text"}, [1], None, [], [" "]):
        assert grade("context_f1", config, candidate).status is Status.FAILED  # type: ignore[arg-type]


def test_no_match_fails_even_at_threshold_zero() -> None:
    config = {"expected": [CATS], "retrieved": [ATP], "threshold": 0.0}
    assert grade("context_f1", config, None).status is Status.FAILED


@given(st.lists(st.sets(st.integers(0, 5), max_size=4), max_size=6))
def test_the_matching_is_a_largest_one(neighbours: list[set[int]]) -> None:
    edges = [sorted(each) for each in neighbours]
    choices = [[None, *each] for each in edges]
    best = max(
        (
            sum(place is not None for place in chosen)
            for chosen in itertools.product(*choices)
            if len({p for p in chosen if p is not None}) == sum(p is not None for p in chosen)
        ),
        default=0,
    )
    assert matching_size(edges, 6) == best


def test_many_and_long_chunks_end_soon_or_fail_closed() -> None:
    source = random.Random(3)
    chunks = ["".join(source.choices("ab ", k=60)) for _ in range(256)]
    assert grade("context_f1", {"expected": chunks, "retrieved": chunks}, None).score == 1.0
    many = [f"chunk {i}" for i in range(10_000)]
    assert grade("context_f1", {"expected": ["a"]}, list(many)).status is Status.FAILED
    assert grade("context_f1", {"expected": many}, ["a"]).status is Status.ERROR
    long = ["x" * 100_000]
    assert not grade("context_f1", {"expected": long, "retrieved": ["y" * 100_000]}, None).passed


@pytest.mark.parametrize("edits", range(10))
def test_chunks_exactly_as_alike_as_the_threshold_match(edits: int) -> None:
    for scale in (1, 3, 7):
        one = "a" * 10 * scale
        other = "a" * (10 - edits) * scale + "z" * edits * scale
        config = {"expected": [one], "similarity_threshold": (10 - edits) / 10}
        assert grade("context_f1", config, [other]).details["matched"] == 1


def test_a_score_exactly_at_the_threshold_passes() -> None:
    for hits in range(1, 10):
        expected = [f"{letter * 9}" for letter in "abcdefghij"]
        retrieved = expected[:hits] + [letter * 9 for letter in "qrstuvwxyz"[hits:]]
        config = {"expected": expected, "threshold": hits / 10}
        assert grade("context_f1", config, list(retrieved)).score == hits / 10
        assert grade("context_f1", config, list(retrieved)).passed
