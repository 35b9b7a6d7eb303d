from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as s

from judgekit.bias import edits

ANSWER = "You have 30 days. Keep the box, please. Dr. Smith will send a label on Monday."


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_padding_doubles_the_length_and_keeps_the_answer() -> None:
    padded = edits.padded(ANSWER)
    assert padded.startswith(ANSWER + " ")
    assert 1.8 * len(ANSWER) <= len(padded) <= 2.8 * len(ANSWER)
    assert edits.padded("Yes.").count(".") == 3


def test_a_list_keeps_every_word_and_does_not_end_a_sentence_at_an_abbreviation() -> None:
    listed = edits.as_list(ANSWER)
    assert listed.splitlines() == [
        "- You have 30 days.",
        "- Keep the box, please.",
        "- Dr. Smith will send a label on Monday.",
    ]
    assert edits.as_list("One sentence only.") == "One sentence only."


def test_bold_and_plain_undo_each_other() -> None:
    bold = edits.in_bold(ANSWER)
    assert bold.startswith("**You have 30 days.** Keep")
    assert edits.plain_text(bold) == ANSWER
    assert edits.marked_up(bold)
    assert not edits.marked_up(ANSWER)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("## Returns\n\n* keep the box\n* **30 days**", "Returns\n\nkeep the box\n30 days"),
        ("an *important* word", "an important word"),
        ("2 * 3 * 4 = 24", "2 * 3 * 4 = 24"),
        ("1. first\n2. second", "1. first\n2. second"),
        ("snake_case_name and __init__", "snake_case_name and init"),
        ("```\n# a comment\n```", "```\n# a comment\n```"),
    ],
)
def test_markdown_is_taken_out_and_arithmetic_and_code_are_not(marked: str, plain: str) -> None:
    assert edits.plain_text(marked) == plain


@pytest.mark.parametrize("text", ["```py\nx = 1. Y = 2.\n```", "", " "])
def test_code_and_blank_text_stay_as_they_are(text: str) -> None:
    for edit in (edits.as_list, edits.in_bold, edits.plain_text):
        assert edit(text) == text


def test_rewrapping_changes_blanks_only() -> None:
    long = " ".join([ANSWER] * 4)
    wrapped = edits.rewrapped(long)
    assert max(map(len, wrapped.splitlines())) <= edits.WRAPPED_AT
    assert wrapped.split() == long.split()
    assert wrapped != long
    assert edits.rewrapped("    code stays " + long) == "    code stays " + long


@given(s.text(max_size=300))
def test_edits_are_total_and_the_wrapping_keeps_every_word(text: str) -> None:
    for edit in (edits.padded, edits.as_list, edits.in_bold, edits.plain_text, edits.with_closing):
        assert isinstance(edit(text), str)
    assert edits.rewrapped(text).split() == text.split()


def test_renaming_is_consistent_through_a_value_and_its_own_inverse() -> None:
    value = {"input": "Is Anna in?", "names": ["Anna", "Annabel"], "n": 3}
    changed = edits.renamed(value)
    assert changed == {"input": "Is Maria in?", "names": ["Maria", "Annabel"], "n": 3}
    assert edits.renamed(changed) == value


def test_no_name_stands_in_two_pairs() -> None:
    names = [name for pair in edits.NAMES for name in pair]
    assert len(set(names)) == len(names)
