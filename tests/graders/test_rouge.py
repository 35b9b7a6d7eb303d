from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders.grade import Status
from judgekit.graders.registry import grade
from judgekit.graders.rouge import lcs_length, rouge

KINDS = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL", "rouge_lsum": "rougeLsum"}
WORDS = ["the", "cat", "sat", "on", "a", "mat", "Mat,", "it's", "3.5", "über", "don't", "x-y"]


def random_text(source: random.Random) -> str:
    lines = source.randint(1, 4)
    return "\n".join(" ".join(source.choices(WORDS, k=source.randint(0, 15))) for _ in range(lines))


@pytest.mark.parametrize("kind", KINDS)
def test_the_figures_are_those_of_the_rouge_score_package(kind: str) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    oracle = RougeScorer([KINDS[kind]])
    source = random.Random(20261201)
    for _ in range(1000):
        reference, candidate = random_text(source), random_text(source)
        expected = oracle.score(reference, candidate)[KINDS[kind]]
        found = rouge(reference, candidate, kind)
        assert found == pytest.approx((expected.precision, expected.recall, expected.fmeasure))


def slow_lcs(one: str, other: str) -> int:
    row = [0] * (len(other) + 1)
    for a in one:
        before = row
        row = [0]
        for j, b in enumerate(other):
            row.append(before[j] + 1 if a == b else max(before[j + 1], row[j]))
    return row[-1]


@given(st.text("abc", max_size=40), st.text("abc", max_size=40))
def test_the_bit_parallel_length_is_that_of_dynamic_programming(one: str, other: str) -> None:
    assert lcs_length(one, other) == slow_lcs(one, other)


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["rouge_1", "rouge_l"]))
def test_precision_and_recall_change_places_with_the_texts(a: str, b: str, kind: str) -> None:
    one, other = rouge(a, b, kind), rouge(b, a, kind)
    assert (one.precision, one.recall) == pytest.approx((other.recall, other.precision))
    assert one.f1 == pytest.approx(other.f1)


def test_other_scripts_need_the_unicode_tokenizer() -> None:
    config = {"reference": "Größe zählt über alles", "threshold": 1.0}
    assert not grade("rouge_score", config, "größe ZÄHLT überall").passed
    unicode = {**config, "tokenizer": "unicode"}
    assert grade("rouge_score", unicode, "GRÖSSE zählt über alles").score == 0.75
    assert grade("rouge_score", unicode, "größe zählt über alles!").passed


@pytest.mark.parametrize(("kind", "words"), [("rouge_1", 65_536), ("rouge_2", 65_536)])
def test_long_texts_are_compared_by_their_words(kind: str, words: int) -> None:
    text = "a b c d " * (words // 4)
    assert grade("rouge_score", {"reference": text, "rouge_type": kind}, text).score == 1.0


@pytest.mark.parametrize(("kind", "most"), [("rouge_l", 32_768), ("rouge_lsum", 8_192)])
def test_texts_too_long_for_a_subsequence_fail_closed(kind: str, most: int) -> None:
    text = "a b c d " * (most // 4)
    config = {"reference": text, "rouge_type": kind}
    assert grade("rouge_score", config, text).score == 1.0
    too_long = grade("rouge_score", config, text + "a")
    assert too_long.status is Status.FAILED
    assert too_long.reason.startswith("the texts are too long to be compared: over ")


def test_too_many_lines_fail_closed() -> None:
    config = {"reference": "a\n" * 1_000, "rouge_type": "rouge_lsum"}
    assert grade("rouge_score", config, "a\n" * 500).passed
    assert not grade("rouge_score", config, "a\n" * 1_000).passed
