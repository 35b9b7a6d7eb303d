"""exact_match, contains, not_contains and blocklist."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders.equality import difference, fold_case, nfc
from judgekit.graders.grade import Status
from judgekit.graders.registry import grade


def passes(grader: str, candidate: Any, **config: Any) -> bool:
    result = grade(grader, config, candidate)
    assert result.status is not Status.ERROR, result.reason
    return result.passed


@pytest.mark.parametrize(
    ("expected", "candidate"),
    [
        ("Paris", "\ufeff paris\u2029"),
        ("café", "cafe\u0301"),
        ("ΟΔΟΣ", "οδος"),
        ("οδοσ", "οδος"),
        ("300 K", "300 \u212a"),
        ("İstanbul", "i̇stanbul"),
        (1, 1.0),
        (2**70, 2**70),
        ({"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]}),
        ({"café": 1}, {"cafe\u0301": 1}),
        ({"name": "ADA"}, {"name": "ada"}),
        ("", "  "),
    ],
)
def test_these_match_exactly(expected: Any, candidate: Any) -> None:
    assert passes("exact_match", candidate, expected=expected)


@pytest.mark.parametrize(
    ("expected", "candidate"),
    [
        (1, "1"),
        ("1", 1),
        (1, True),
        (0, False),
        (None, "null"),
        (None, ""),
        ({"a": 1}, '{"a":1}'),
        ({"A": 1}, {"a": 1}),
        ({"a": None}, {}),
        ({}, {"a": None}),
        ([1, 2], [2, 1]),
        ([1], [1, 2]),
        ({"a": " x "}, {"a": "x"}),
        ("straße", "STRASSE"),
        ("resume", "résumé"),
        (2**53, 2.0**53 + 2),
        (2**53 + 1, 2.0**53),
        (1, float("nan")),
        ("x", "\x00x"),
    ],
)
def test_these_do_not_match_exactly(expected: Any, candidate: Any) -> None:
    assert not passes("exact_match", candidate, expected=expected)


def test_the_first_difference_is_named_with_its_place() -> None:
    assert difference({"a": [{"b": 1}]}, {"a": [{"b": 2}]}) == "at /a/0/b: expected 1, found 2"
    assert difference({"a/b": 1}, {"a/b": "1"}) == 'at /a~1b: expected 1, found "1"'
    assert difference({"a": 1}, {"b": 1}) == 'the object lacks the key "a"'
    assert difference({}, {"b": 1}) == 'the object has besides the key "b"'
    assert difference("abcd", "abXd") == 'differs at character 2: expected "abcd", found "abXd"'


def test_case_and_punctuation_are_options() -> None:
    assert not passes("exact_match", "paris", expected="Paris", case_sensitive=True)
    assert passes("exact_match", "«Yes» — really!", expected="yes  really", remove_punctuation=True)
    assert not passes("exact_match", {"a": 1}, expected="a1", remove_punctuation=True)


def test_verbatim_compares_text_as_it_is() -> None:
    assert passes("exact_match", "a b", expected="a b", verbatim=True)
    assert not passes("exact_match", "a b\n", expected="a b", verbatim=True)
    assert not passes("exact_match", "A b", expected="a b", verbatim=True)


@pytest.mark.parametrize(
    "config",
    [
        {"expected": "!!!", "remove_punctuation": True},
        {"expected": ["a"], "remove_punctuation": True},
        {"expected": 1, "verbatim": True},
        {"expected": "a", "verbatim": True, "case_sensitive": True},
        {"expected": float("nan")},
        {"expected": b"bytes"},
        {"case_sensitive": True},
    ],
)
def test_a_config_that_would_prove_nothing_is_an_error(config: dict[str, Any]) -> None:
    assert grade("exact_match", config, "???").status is Status.ERROR


def test_case_folding_equals_its_definition_for_every_character() -> None:
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        if "\ud800" <= letter <= "\udfff":
            continue
        folded = (part.casefold() for part in nfc(letter).lower())
        simple = "".join(
            part if len(part) == 1 else lower
            for part, lower in zip(folded, nfc(letter).lower(), strict=True)
        )
        assert fold_case(letter) == nfc(simple), hex(code)


@given(st.text(), st.text())
def test_a_text_contains_each_of_its_parts(left: str, right: str) -> None:
    middle = "needle"
    assert passes("contains", left + middle + right, fragments=[middle])
    assert not passes("not_contains", left + middle + right, fragments=[middle])


def test_fragments_are_case_sensitive_unless_told() -> None:
    assert not passes("contains", "REFUND", fragments=["refund"])
    assert passes("contains", "REFUND", fragments=["refund"], case_sensitive=False)
    assert passes("not_contains", "REFUND", fragments=["refund"])
    assert not passes("not_contains", "REFUND", fragments=["refund"], case_sensitive=False)


def test_a_number_is_looked_for_as_its_text() -> None:
    assert passes("contains", "order 42, 1.5 kg", fragments=[42, 1.5, 42.0])
    assert grade("contains", {"fragments": [True]}, "True").status is Status.ERROR
    assert grade("not_contains", {"fragments": [42]}, "43").status is Status.ERROR


def test_the_reason_says_what_was_found_and_where() -> None:
    result = grade("contains", {"fragments": ["a", "z", "y"]}, "abc")
    assert result.reason == 'not found: "z", "y"'
    result = grade("not_contains", {"fragments": ["z", "c"]}, "abc")
    assert result.reason == 'found: "c" at character 2'


@pytest.mark.parametrize(
    ("term", "candidate"),
    [
        ("acme", "ACME."),
        ("acme", "pre-acme_post"),
        ("acme", " acmes acme"),
        ("a.b", "see a.b now"),
        ("c++", "in C++11"),
        (" acme ", "x,acme,y"),
        ("café", "CAFE\u0301"),
        ("東京", "[東京]"),
        ("straße", "die Straße."),
        ("acme", {"by": "Acme"}),
    ],
)
def test_whole_terms_are_blocked(term: str, candidate: Any) -> None:
    assert not passes("blocklist", candidate, terms=[term])


@pytest.mark.parametrize(
    ("term", "candidate"),
    [
        ("acme", "acmeist"),
        ("acme", "acme2"),
        ("acme", "éacme"),
        ("cafe", "café"),
        ("a.b", "axb"),
        ("big deal", "big  deal"),
    ],
)
def test_parts_of_longer_words_are_not_blocked(term: str, candidate: Any) -> None:
    assert passes("blocklist", candidate, terms=[term])
