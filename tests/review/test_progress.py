from __future__ import annotations

import random

import pytest
from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

from judgekit.review.comparison import consolidated
from judgekit.review.labels import Label
from judgekit.review.progress import PairAgreement, agreement, labels, pending
from tests.review.making import comparison, decision

A, B, C = comparison("a"), comparison("b"), comparison("c")
QUEUE = (A, B, C)


def test_each_reviewer_has_an_own_queue() -> None:
    decisions = [decision(A, "pass", "ann"), decision(B, "skip", "ann"), decision(C, "fail", "bo")]
    assert pending(QUEUE, decisions, "ann") == (C,)
    assert pending(QUEUE, decisions, "bo") == (A, B)
    assert pending(QUEUE, decisions, "cleo") == QUEUE
    assert pending(QUEUE, decisions, "ann", skipped=True) == (B, C)


def test_a_changed_output_waits_again_and_a_changed_verdict_does_not() -> None:
    decisions = [decision(A), decision(B)]
    queue = consolidated([A, B, comparison("a", output="Another."), comparison("b", score=0.9)])
    assert [each.case for each in pending(queue, decisions, "ann")] == ["a"]


def test_labels_are_the_last_word_of_each_reviewer_on_the_output_that_stands() -> None:
    decisions = [
        decision(A, "pass", "bo"),
        decision(A, "pass", "ann"),
        decision(A, "fail", "ann", note="after all"),
        decision(B, "skip", "ann"),
        decision(C, "pass", "ann"),
        decision(C, "skip", "ann"),
        decision(comparison("gone"), "pass", "ann"),
    ]
    assert labels(QUEUE, decisions) == (
        Label("a", "support", "helpful", "fail", "ann", "after all"),
        Label("a", "support", "helpful", "pass", "bo"),
    )
    moved = (comparison("a", output="Another."), B, C)
    assert labels(moved, decisions) == ()


def test_reviewers_agree_as_scikit_learn_says() -> None:
    rng = random.Random(5)
    cases = [comparison(f"c{i}") for i in range(40)]
    ours = [rng.choice(["pass", "fail"]) for _ in cases]
    theirs = [label if rng.random() < 0.7 else "pass" for label in ours]
    decisions = [
        decision(case, answer, name)
        for name, answers in (("ann", ours), ("bo", theirs))
        for case, answer in zip(cases, answers, strict=True)
    ]
    (pair,) = agreement(decisions)
    same = sum(a == b for a, b in zip(ours, theirs, strict=True))
    assert (pair.first, pair.second, pair.both, pair.same) == ("ann", "bo", 40, same)
    assert pair.share == same / 40
    assert pair.kappa == pytest.approx(cohen_kappa_score(ours, theirs), abs=1e-12)


def test_skipped_and_other_outputs_are_not_in_the_agreement() -> None:
    other = comparison("b", output="Another.")
    decisions = [
        decision(A, "pass", "ann"),
        decision(A, "pass", "bo"),
        decision(B, "pass", "ann"),
        decision(other, "fail", "bo"),
        decision(C, "skip", "ann"),
        decision(C, "fail", "bo"),
        decision(C, "fail", "cleo"),
    ]
    assert agreement(decisions) == (
        PairAgreement("ann", "bo", 1, 1, None),
        PairAgreement("bo", "cleo", 1, 1, None),
    )
