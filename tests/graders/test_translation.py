from __future__ import annotations

import random

import pytest

from judgekit.graders.grade import Status
from judgekit.graders.registry import grade

REFERENCE = "the quick brown fox jumps over the lazy dog"


@pytest.mark.parametrize("grader", ["bleu_score", "chrf_score"])
def test_the_score_is_sacrebleus(grader: str) -> None:
    import sacrebleu

    source = random.Random(7)
    words = REFERENCE.split()
    for _ in range(50):
        candidate = " ".join(source.choices(words, k=source.randint(1, 12)))
        score = grade(grader, {"reference": REFERENCE}, candidate).score
        if grader == "bleu_score":
            expected = sacrebleu.sentence_bleu(candidate, [REFERENCE], lowercase=True).score
        else:
            expected = sacrebleu.sentence_chrf(candidate, [REFERENCE]).score
        assert score == pytest.approx(expected / 100, abs=1e-9)


@pytest.mark.parametrize("grader", ["bleu_score", "chrf_score"])
def test_a_corpus_is_scored_as_a_whole(grader: str) -> None:
    import sacrebleu

    references = [REFERENCE, "a cat sat on the mat"]
    candidates = ["the quick brown fox", "a cat sat on a mat"]
    score = grade(grader, {"reference": references, "level": "corpus"}, list(candidates)).score
    if grader == "bleu_score":
        expected = sacrebleu.corpus_bleu(candidates, [references], lowercase=True).score
    else:
        expected = sacrebleu.corpus_chrf(candidates, [references]).score
    assert score == pytest.approx(expected / 100, abs=1e-9)


@pytest.mark.parametrize("grader", ["bleu_score", "chrf_score"])
def test_the_best_of_several_references_counts(grader: str) -> None:
    config = {"reference": ["something else entirely", REFERENCE], "threshold": 1.0}
    assert grade(grader, config, REFERENCE).passed


def test_nothing_in_common_scores_zero() -> None:
    assert grade("bleu_score", {"reference": "b"}, "a").score == 0.0
    assert grade("chrf_score", {"reference": "bbbb"}, "aaaa").score == 0.0


def test_case_counts_when_told() -> None:
    config = {"reference": "The CAT sat", "threshold": 1.0}
    assert grade("bleu_score", config, "the cat sat").passed
    assert not grade("bleu_score", {**config, "case_sensitive": True}, "the cat sat").passed


@pytest.mark.parametrize("candidate", ["", " \n", [], ["a"], [1, 2], {"a": 1}, None, 3])
def test_what_is_no_corpus_fails(candidate: object) -> None:
    config = {"reference": ["a b", "c d"], "level": "corpus"}
    assert grade("bleu_score", config, candidate).status is Status.FAILED  # type: ignore[arg-type]


def test_a_reference_over_the_cap_is_an_error_and_a_candidate_over_it_fails() -> None:
    assert grade("bleu_score", {"reference": "a " * 4097}, "a").status is Status.ERROR
    assert grade("bleu_score", {"reference": "a"}, "a " * 4097).status is Status.FAILED
    assert grade("chrf_score", {"reference": "a"}, "a" * 70_000).status is Status.FAILED
