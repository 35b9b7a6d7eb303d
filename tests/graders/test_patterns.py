"""regex and not_regex: RE2, refusals by name, caps."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import Cause
from judgekit.graders.grade import Status
from judgekit.graders.patterns import MAX_CANDIDATE_BYTES, compiled, refused_construct
from judgekit.graders.registry import grade


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        (r"(a)\1", "a backreference at character 3"),
        (r"(?P<x>a)(?P=x)", "a backreference"),
        (r"(?<x>a)\k<x>", "a backreference"),
        (r"a(?=b)", "look-ahead"),
        (r"a(?!b)", "look-ahead"),
        (r"(?<=a)b", "look-behind"),
        (r"(?<!a)b", "look-behind"),
        (r"(?>a+)b", "an atomic group"),
        (r"a++b", "a possessive quantifier"),
        (r"(a)?(?(1)b|c)", "a conditional group"),
        (r"(?i)abc", "inline flags"),
        (r"(?s-i:abc)", "inline flags"),
        (r"a\Z", r"`\Z`"),
        ("\\u00e9", r"`\u`"),
    ],
)
def test_what_re2_lacks_is_refused_by_name(pattern: str, name: str) -> None:
    for grader in ("regex", "not_regex"):
        result = grade(grader, {"pattern": pattern}, "ab")
        assert result.status is Status.ERROR
        assert name in result.reason


@pytest.mark.parametrize(
    "pattern",
    [
        r"\(?=",
        r"[(?=]",
        r"\\1",
        r"\Q(?=\E",
        r"[^](?=]",
        r"[[:alpha:](?=]",
        r"(?:a)(?P<x>b)",
        r"\+\+",
        r"(?P<name>a)",
    ],
)
def test_look_alikes_of_refused_constructs_are_taken(pattern: str) -> None:
    assert refused_construct(pattern) is None
    compiled(pattern)


@pytest.mark.parametrize("pattern", ["", "  ", "(", "a{2,1}", "[z-a]", "*", "a" * 1025, r"\uXYZW"])
def test_an_unusable_pattern_is_an_error(pattern: str) -> None:
    result = grade("not_regex", {"pattern": pattern}, "anything")
    assert result.status is Status.ERROR
    assert result.reason.startswith("not_regex: pattern: ")


@pytest.mark.parametrize(
    ("pattern", "candidate", "options"),
    [
        ("end$", "the end", {}),
        ("end$", "the end\r\n", {}),
        ("^b$", "a\r\nb\rc", {"multiline": True}),
        ("a.b", "a\nb", {"dot_matches_newline": True}),
        ("ÉTÉ", "été", {"case_sensitive": False}),
        ('"k":1', {"k": 1}, {}),
        (r"\pL+", "東京", {}),
    ],
)
def test_these_match(pattern: str, candidate: Any, options: dict[str, Any]) -> None:
    assert grade("regex", {"pattern": pattern, **options}, candidate).passed
    assert not grade("not_regex", {"pattern": pattern, **options}, candidate).passed


@pytest.mark.parametrize(
    ("pattern", "candidate"), [("end$", "end\n\n"), ("^b", "a\nb"), ("a.b", "a\rb"), ("A", "a")]
)
def test_these_do_not_match(pattern: str, candidate: str) -> None:
    assert not grade("regex", {"pattern": pattern}, candidate).passed
    assert grade("not_regex", {"pattern": pattern}, candidate).passed


def test_the_reason_says_what_matched_and_where() -> None:
    result = grade("regex", {"pattern": r"\d+"}, "café 42")
    assert result.reason == 'matched "42" at character 5'


def test_a_candidate_over_the_cap_fails_both_ways() -> None:
    at_cap, over = "a" * MAX_CANDIDATE_BYTES, "a" * (MAX_CANDIDATE_BYTES + 1)
    assert grade("regex", {"pattern": "a$"}, at_cap).passed
    for grader, pattern in (("regex", "a"), ("not_regex", "b")):
        result = grade(grader, {"pattern": pattern}, over)
        assert result.status is Status.FAILED
        assert "1,048,577 bytes" in result.reason
    assert not grade("not_regex", {"pattern": "b"}, "é" * (MAX_CANDIDATE_BYTES // 2 + 1)).passed


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|aa)+$", "(a*)*b", "((a{0,100}){0,10})*[ac]$", "(.*)*x", "a[ab]{300}[cd]|a$"],
)
def test_evil_patterns_end_or_fail_on_the_stated_cap(pattern: str) -> None:
    letters = random.Random(1).choices("ab", k=MAX_CANDIDATE_BYTES)
    for text in ("a" * 65_536, "a" * MAX_CANDIDATE_BYTES, "".join(letters)):
        result = grade("regex", {"pattern": pattern}, text)
        assert result.status is not Status.ERROR
        assert result.reason.startswith(("matched", "the pattern"))


@pytest.mark.parametrize(
    "pattern",
    [
        "()",
        "^",
        "$",
        ".*",
        "a*",
        "|a",
        "(?:)",
        r"\b*",
        r"\s*$",
        "^a?",
        r"(\bx)?",
        r"\b|\B|^",
        "x{0}",
    ],
)
@pytest.mark.parametrize("grader", ["regex", "not_regex"])
def test_a_pattern_that_matches_every_text_is_an_error(grader: str, pattern: str) -> None:
    result = grade(grader, {"pattern": pattern}, "zzz")
    assert result.cause is Cause.INVALID_CONFIG
    assert "matches every text" in result.reason


@pytest.mark.parametrize(
    ("pattern", "unmatched"),
    [
        (r"^\s*$", "a"),
        ("^$", "a"),
        ("^a*$", "b"),
        (".", ""),
        (r"\b", "--"),
        (r"\B", "a"),
        ("^[^x]*$", "x"),
        ("^(yes|no)?$", "maybe"),
    ],
)
def test_a_pattern_that_matches_the_empty_text_alone_is_none(pattern: str, unmatched: str) -> None:
    assert grade("regex", {"pattern": pattern}, unmatched).status is Status.FAILED
    assert grade("not_regex", {"pattern": pattern}, unmatched).passed


def test_every_line_may_have_an_end_that_no_text_lacks() -> None:
    lines = {"pattern": "^$", "multiline": True}
    assert grade("regex", lines, "a\n\nb").passed
    assert not grade("regex", lines, "a\nb").passed
    every = {"pattern": "$", "multiline": True}
    assert grade("regex", every, "a").cause is Cause.INVALID_CONFIG


@given(st.text(alphabet="ab \n_-", max_size=8))
def test_what_is_said_to_match_everything_does(text: str) -> None:
    for pattern in (r"\s*$", "^a?", r"(\bx)?", r"\b|\B|^"):
        assert compiled(pattern).search(text) is not None


@pytest.mark.parametrize("pattern", [r"[^\s\S]", r"[^\x00-\x{10ffff}]", r"[^\s\S]a|b[^\d\D]"])
def test_a_pattern_that_matches_nothing_is_an_error(pattern: str) -> None:
    result = grade("not_regex", {"pattern": pattern}, "zzz")
    assert (result.cause, "can match no text" in result.reason) == (Cause.INVALID_CONFIG, True)


def test_a_repetition_that_re2_reads_as_text_is_refused_by_name() -> None:
    result = grade("not_regex", {"pattern": "a{,5}b"}, "aab")
    assert result.cause is Cause.INVALID_CONFIG
    assert "`{0,5}`" in result.reason
    assert grade("regex", {"pattern": r"a\{,5}"}, "a{,5}").passed
    assert grade("regex", {"pattern": "[{,5}]b"}, "{b").passed


def test_a_forbidden_letter_is_found_in_both_of_its_spellings() -> None:
    assert not grade("not_regex", {"pattern": "caf\u00e9"}, "cafe\u0301").passed
    assert not grade("not_regex", {"pattern": "cafe\u0301"}, "cafe\u0301").passed
    assert not grade("not_regex", {"pattern": r"\p{M}"}, "cafe\u0301").passed
