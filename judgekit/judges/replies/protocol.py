"""Text protocols: verdict lines such as ``PASS``, ``SCORE: 0.9`` or ``WINNER: A``.

A verdict line holds nothing but the verdict; Markdown emphasis, a heading or a list mark around it
don't count. Keywords are upper case; values may have any case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from judgekit.judges.replies.statements import (
    BLANKS,
    NoVerdict,
    Statement,
    chosen,
    scored,
    truth,
)
from judgekit.judges.rubric import Kind, Rubric

KEYWORDS = {
    Kind.SCORE: "SCORE",
    Kind.CATEGORY: "CATEGORY",
    Kind.PAIRWISE: "WINNER",
    Kind.ANSWER_MATCH: "MATCH",
}
LINE_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_EMPHASIS = "*_`" + BLANKS
_MARK = re.compile(r"(?:#{1,6}|[-+•*])[ \t]+")
_NUMBER = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,40})?")
_WORD_LINE = re.compile(r"(PASS|FAIL)\.?")
_WORD_FIRST = re.compile(r"\W*+(?:[A-Za-z][A-Za-z ]{0,23}:\W*+)?(PASS|FAIL)\b")
_TEMPLATE = re.compile(r"<[^<>]*>|\[[^\[\]]+\]|[^|]+(?:\|[^|]+)+")


@dataclass(slots=True)
class LineReading:
    """Verdict lines of a reply.

    Attributes:
        stated: verdicts of proper verdict lines.
        hinted: verdicts of lines that only look like one: never taken, but they may contradict.
        problems: verdict lines that cannot be read.
        words: under a score rubric, what lines ``PASS`` or ``FAIL`` beside the score say.
        prose: everything else.
    """

    stated: list[Statement] = field(default_factory=list)
    hinted: list[Statement] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    words: list[bool] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)


def read_lines(text: str, rubric: Rubric) -> LineReading:
    """Return the verdict lines of `text` under the rubric's kind."""
    found = LineReading()
    for line in LINE_BREAK.split(text):
        if rubric.kind is Kind.PASS_FAIL:
            _read_word_line(line, found)
        else:
            _read_keyword_line(line, rubric, found)
    return found


def lone_word(text: str) -> Statement | None:
    """Return the verdict of a reply that is the single word pass or fail, in any case."""
    word = text.strip(_EMPHASIS + "\r\n").removesuffix(".").strip(_EMPHASIS).upper()
    return truth(word == "PASS", "passed", Kind.PASS_FAIL) if word in ("PASS", "FAIL") else None


def _body(line: str) -> str:
    text = line.strip(BLANKS)
    mark = _MARK.match(text)
    return (text[mark.end() :] if mark else text).strip(_EMPHASIS)


def _read_word_line(line: str, found: LineReading) -> None:
    word = _WORD_LINE.fullmatch(_body(line))
    hint = word or _WORD_FIRST.match(line)
    if hint is None:
        found.prose.append(line)
        return
    statement = truth(hint[1] == "PASS", "passed", Kind.PASS_FAIL)
    (found.stated if word else found.hinted).append(statement)


def _read_keyword_line(line: str, rubric: Rubric, found: LineReading) -> None:
    keyword, body = KEYWORDS[rubric.kind], _body(line)
    if rubric.kind is Kind.SCORE and (word := _WORD_LINE.fullmatch(body)):
        found.words.append(word[1] == "PASS")
    if not body.startswith(keyword + ":"):
        _read_hint(line, rubric, found)
        return
    value = body[len(keyword) + 1 :].strip(_EMPHASIS)
    try:
        found.stated.append(_stated(value, rubric))
    except NoVerdict as error:
        if not _TEMPLATE.fullmatch(value):
            found.problems.append(f"the line {keyword}: cannot be read: {error}")


def _read_hint(line: str, rubric: Rubric, found: LineReading) -> None:
    """Note a line such as ``> SCORE: 0.2`` or ``Score = 2``, which may contradict the verdict."""
    found.prose.append(line)
    keyword = KEYWORDS[rubric.kind]
    hint = re.match(rf"\W*+{keyword}\W{{0,8}}?[:=]", line, re.IGNORECASE)
    if hint is None:
        return
    try:
        found.hinted.append(_stated(line[hint.end() :].strip(_EMPHASIS), rubric))
    except NoVerdict:
        if re.match(r"\W*[0-9]", line[hint.end() :]) and rubric.kind is Kind.SCORE:
            found.problems.append(f"a line states a {keyword.lower()} that cannot be read")


def _stated(value: str, rubric: Rubric) -> Statement:
    if rubric.kind is Kind.SCORE:
        if not _NUMBER.fullmatch(value):
            raise NoVerdict(f"{value[:40]!a} is not a plain decimal number")
        return scored(float(value), rubric)
    if rubric.kind is Kind.ANSWER_MATCH:
        if value.upper() not in ("YES", "NO"):
            raise NoVerdict(f"{value[:40]!a} is not YES or NO")
        return truth(value.upper() == "YES", "match", Kind.ANSWER_MATCH)
    return chosen(value, rubric)
