"""Reading judge replies: laws that hold for every text, and the shipped corpus."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from judgekit.errors import JudgeRefusal, MalformedVerdict, TruncatedReply
from judgekit.judges.port import Verdict
from judgekit.judges.replies import (
    Reading,
    extract_json_block,
    read_reply,
    response_schema,
    run_corpus,
)
from judgekit.judges.replies.corpus import corpus_rows, row_rubric
from judgekit.judges.rubric import Kind, Rubric, Scale

RUBRICS = {
    Kind.PASS_FAIL: Rubric(kind=Kind.PASS_FAIL, criteria="x"),
    Kind.SCORE: Rubric(kind=Kind.SCORE, criteria="x", scale=Scale(minimum=1, maximum=5)),
    Kind.CATEGORY: Rubric(kind=Kind.CATEGORY, criteria="x", categories=("safe", "unsafe")),
    Kind.PAIRWISE: Rubric(kind=Kind.PAIRWISE, criteria="x"),
    Kind.ANSWER_MATCH: Rubric(kind=Kind.ANSWER_MATCH, criteria="x"),
}
OUTCOMES = {
    Kind.PASS_FAIL: {"pass", "fail"},
    Kind.SCORE: {"scored"},
    Kind.CATEGORY: {"safe", "unsafe"},
    Kind.PAIRWISE: {"A", "B", "TIE"},
    Kind.ANSWER_MATCH: {"match", "no-match"},
}
PIECES = r"""{ } {" " ' “ ” : , [ ] \ ``` ```json <think> </think> <|channel|> final<|message|> //
/* "score" "passed" "reason" true false 0.9 1e400 NaN PASS FAIL SCORE: CATEGORY:safe WINNER:A
MATCH:YES assistant \ud800"""
SPECIAL = [" ", "\n", "\u2029", "\ufeff", "\ud800", "9" * 5000]
FRAGMENTS = st.sampled_from([*PIECES.split(), *SPECIAL])
REPLIES = st.one_of(st.text(), st.lists(FRAGMENTS, max_size=25).map("".join))


@pytest.mark.parametrize("kind", Kind)
@settings(deadline=None)
@given(raw=REPLIES, finish=st.sampled_from([None, "stop", "length", "content_filter", "weird"]))
@example(raw='{"a":' * 50_000, finish="stop")
@example(raw="{'a':" * 5_000, finish="stop")
@example(raw="{“}" * 1_000 + "{/*}" * 1_000, finish="stop")
@example(raw="<|channel|>" + "9" * 5_000, finish="stop")
@example(raw=" :" * 5_000, finish="stop")
@example(raw='{"score": ' + "9" * 10_000 + "}", finish="stop")
def test_any_text_gives_a_reading_that_is_a_valid_verdict_or_says_why_not(
    kind: Kind, raw: str, finish: str | None
) -> None:
    reading = read_reply(raw, RUBRICS[kind], finish)
    if reading.status == "ok":
        assert reading.outcome in OUTCOMES[kind]
        assert reading.score is not None
        assert 0 <= reading.score <= 1
        reading.rationale.encode()
        assert Verdict(outcome=reading.outcome, score=reading.score).score == reading.score
    else:
        assert reading.outcome is reading.score is None
        assert reading.problem
        assert len(reading.problem.splitlines()) == 1
        reading.problem.encode()


@given(
    score=st.floats(min_value=1, max_value=5),
    reason=st.text().filter(
        lambda text: text.strip().casefold() not in ("...", "…", "your reason")
    ),
    fenced=st.booleans(),
    ascii_only=st.booleans(),
)
def test_every_json_verdict_is_read_back_whatever_its_reason_says(
    score: float, reason: str, fenced: bool, ascii_only: bool
) -> None:
    reason = "why: " + reason
    raw = json.dumps({"reason": reason, "score": score}, ensure_ascii=ascii_only)
    if fenced and "```" not in reason:
        raw = f"```json\n{raw}\n```"
    reading = read_reply(raw, RUBRICS[Kind.SCORE])
    assert reading.status == "ok"
    assert reading.score == (score - 1) / 4
    assert reading.rationale == reason


@given(first=st.booleans(), second=st.booleans(), between=st.sampled_from(["\n", "\nOr:\n", " "]))
def test_two_verdicts_are_read_only_when_they_agree(
    first: bool, second: bool, between: str
) -> None:
    objects = [json.dumps({"reason": "x", "passed": passed}) for passed in (first, second)]
    reading = read_reply(between.join(objects), RUBRICS[Kind.PASS_FAIL])
    assert reading.status == ("ok" if first is second else "malformed")


@given(raw=REPLIES)
def test_nothing_that_was_cut_is_a_verdict(raw: str) -> None:
    assert read_reply(raw, RUBRICS[Kind.PASS_FAIL], "length").status == "truncated"


@given(thought=st.text(alphabet=st.characters(codec="utf-8")).filter(lambda t: "</" not in t))
def test_nothing_inside_closed_reasoning_counts(thought: str) -> None:
    raw = f'<think>{thought}</think>{{"reason": "x", "passed": false}}'
    assert read_reply(raw, RUBRICS[Kind.PASS_FAIL]).outcome == "fail"


@pytest.mark.parametrize("row", corpus_rows(), ids=lambda row: row["id"])
def test_each_corpus_row_is_read_as_it_says(row: dict[str, object]) -> None:
    assert run_corpus([row]) == []


def test_the_corpus_holds_at_least_150_rows_of_every_kind_and_status() -> None:
    rows = corpus_rows()
    assert len(rows) >= 150
    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["kind"] for row in rows} == set(Kind)
    assert {row["expected"]["status"] for row in rows} == {
        "ok",
        "malformed",
        "truncated",
        "refusal",
    }


def test_a_corpus_row_that_is_read_otherwise_is_reported() -> None:
    row = {
        "id": "r",
        "kind": "pass_fail",
        "raw": "PASS",
        "expected": {"status": "ok", "score": 0.0},
    }
    (mismatch,) = run_corpus([row])
    assert (mismatch.id, mismatch.field) == ("r", "score")
    assert (mismatch.expected, mismatch.actual) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("status", "error"),
    [("malformed", MalformedVerdict), ("truncated", TruncatedReply), ("refusal", JudgeRefusal)],
)
def test_a_reading_without_a_verdict_is_an_error_of_its_own(
    status: str, error: type[Exception]
) -> None:
    reading = Reading(status, problem="why")  # type: ignore[arg-type]
    assert type(reading.as_error("case x")) is error
    assert str(reading.as_error("case x")) == "case x: why"


def test_the_schema_asks_for_the_reason_first_and_nothing_else() -> None:
    for kind, rubric in RUBRICS.items():
        schema = response_schema(rubric)
        assert next(iter(schema["properties"])) == "reason"
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False, kind


def test_the_schema_carries_the_scale_and_the_categories() -> None:
    score = response_schema(RUBRICS[Kind.SCORE])["properties"]["score"]
    assert score == {"type": "number", "minimum": 1.0, "maximum": 5.0}
    category = response_schema(RUBRICS[Kind.CATEGORY])["properties"]["category"]
    assert category == {"type": "string", "enum": ["safe", "unsafe"]}


@pytest.mark.parametrize("row", corpus_rows(), ids=lambda row: row["id"])
def test_json_that_the_schema_allows_is_malformed_only_if_doubled_or_an_echo(
    row: dict[str, object],
) -> None:
    import jsonschema_rs

    rubric = row_rubric(row)
    if read_reply(str(row["raw"]), rubric).status == "malformed":
        try:
            value = json.loads(str(row["raw"]))
        except ValueError:
            return
        allowed = jsonschema_rs.is_valid(response_schema(rubric), value)
        unlike_a_verdict = ("field-", "example-", "json-category-wide", "score-minus-zero")
        assert not allowed or str(row["id"]).startswith(unlike_a_verdict)


def test_the_first_readable_object_is_extracted() -> None:
    assert extract_json_block('see ```json\n{"a": 1}\n``` and {"b": 2}') == {"a": 1}
    assert extract_json_block("no json here") is None
    assert extract_json_block('{"score": }') is None
