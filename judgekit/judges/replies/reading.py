"""From a judge's raw reply to a verdict, or to what is wrong with it. Never raises."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from judgekit.errors import JudgeError, JudgeRefusal, MalformedVerdict, TruncatedReply
from judgekit.judges.replies.json_block import Block, blocks, strict_value
from judgekit.judges.replies.protocol import LINE_BREAK, lone_word, read_lines
from judgekit.judges.replies.refusal import is_refusal
from judgekit.judges.replies.statements import (
    REASON_FIELDS,
    NoVerdict,
    Statement,
    from_object,
    is_statement,
    meets,
    verdict_fields,
)
from judgekit.judges.replies.visible import unfenced, visible_part
from judgekit.judges.rubric import Kind, Rubric

ReplyStatus = Literal["ok", "malformed", "truncated", "refusal"]

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "incomplete"})
"""Finish reasons, in lower case, of a reply that was cut at a token limit."""
WITHHELD = frozenset(
    {"content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii"}
)
"""Finish reasons of a reply that the model or its server declined to give."""
WHOLE = frozenset({"", "stop", "eos", "eos_token", "end_turn", "stop_sequence", "completed"})
"""Finish reasons of a whole reply. An unknown one is malformed: it may mean anything."""

UNFENCED = "code fence dropped"
_JSON_STARTS = '{["-0123456789tfn'
_GAP = "\ufffc"
_LINE_REST = re.compile(
    r"[ \t\v\f*_`~]*(?:</?[A-Za-z_]{1,20}>[ \t]*)*(?=[\n\r\x85\u2028\u2029]|\Z)"
)
_PLACEHOLDER = re.compile(r"\s*(?:<[^<>]*>|\.{3}|…|your reason(?:ing)?(?: here)?)\s*")
_TEMPLATE_VALUE = (
    r"\s*(?:<[^<>]*>|\.{3}|…|true\s*(?:\||/|or)\s*false|false\s*(?:\||/|or)\s*true"
    r"|[0-9.]+\s*(?:\.\.|-|–|to)\s*[0-9.]+|(?:bool|boolean|number|float|int|integer|string)\b"
    r'|"[^"]*"\s*\|)'
)
_READABLE_VALUE = r"\s*(?:true\b|false\b|-?[0-9]|[\"'“])"


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of one raw reply.

    Attributes:
        status: ok, malformed, truncated or refusal; the rest but `problem` is set when ok.
        outcome: ``pass`` or ``fail``; a category; ``A``, ``B`` or ``TIE``; ``match`` or
            ``no-match``; ``scored`` under a score rubric.
        score: in [0, 1], mapped from the rubric's scale; 1.0 or 0.0 for a passing or failing
            outcome; A is 1.0, TIE 0.5, B 0.0.
        rationale: the judge's reason, in its own words.
        repairs: what had to be mended or set aside; never a change of meaning.
        problem: one line on what is wrong; empty when ok.
    """

    status: ReplyStatus
    outcome: str | None = None
    score: float | None = None
    rationale: str = ""
    repairs: tuple[str, ...] = ()
    problem: str = ""

    def as_error(self, where: str = "judge") -> JudgeError:
        """Return the error that a reading that is not ok stands for; `where` opens its text."""
        kinds = {"refusal": JudgeRefusal, "truncated": TruncatedReply}
        return kinds.get(self.status, MalformedVerdict)(f"{where}: {self.problem}")


@dataclass(slots=True)
class _Evidence:
    """Everything in a reply that states a verdict.

    Attributes:
        stated: verdicts that may be taken.
        hinted: verdicts that may only contradict.
        problems: statements that cannot be read.
        rest: the text outside its JSON objects.
    """

    stated: list[Statement] = field(default_factory=list)
    hinted: list[Statement] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    rest: str = ""


def read_reply(raw: str, rubric: Rubric, finish_reason: str | None = None) -> Reading:
    """Read the verdict in a judge's raw reply; total and pure.

    Args:
        raw: the reply's text, as the server gave it.
        rubric: what the judge was asked by; its kind and scale say what a verdict is.
        finish_reason: why the server says that the reply ended, if it says so.

    Returns:
        A reading. Whatever is not exactly one clear verdict is not ok.
    """
    ended = _ended(finish_reason)
    if ended is not None:
        return ended
    if not raw.strip():
        return _malformed("the reply is empty")
    whole = _whole_reply(raw, rubric)
    if whole is not None:
        return whole
    visible = visible_part(raw)
    if visible.problem:
        return _malformed(visible.problem)
    evidence = _evidence(visible.text, rubric)
    if visible.doubtful:
        doubtful = _evidence(visible.doubtful, rubric)
        evidence.hinted.extend(doubtful.stated + doubtful.hinted)
        evidence.problems.extend(doubtful.problems)
    evidence.repairs[:0] = visible.repairs
    return _decided(evidence, visible.text)


def _ended(finish_reason: str | None) -> Reading | None:
    reason = (finish_reason or "").strip().lower()
    if reason in WHOLE:
        return None
    if reason in CUT:
        return Reading("truncated", problem="the reply was cut at a token limit; raise max_tokens")
    if reason in WITHHELD:
        return Reading("refusal", problem=f"the judge gave no reply (finish reason {reason!a})")
    return _malformed(f"the reply ended for an unknown reason: {reason[:40]!a}")


def _malformed(problem: str) -> Reading:
    return Reading("malformed", problem=problem)


def _whole_reply(raw: str, rubric: Rubric) -> Reading | None:
    """Read a reply that is one JSON value and nothing else, fenced or not; None for any other."""
    inside = unfenced(raw)
    text = raw.strip() if inside is None else inside
    if not text or text[0] not in _JSON_STARTS:
        return None
    try:
        value = strict_value(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return _malformed(f"the reply is JSON, but no object: {text[:40]!a}")
    if _is_echo(value):
        return _malformed("the reply repeats the example of the reply format")
    try:
        return _ok(from_object(value, rubric), () if inside is None else (UNFENCED,))
    except NoVerdict as error:
        return _malformed(str(error))


def _ok(statement: Statement, repairs: tuple[str, ...]) -> Reading:
    rationale = statement.rationale
    if not rationale.isascii():
        rationale = rationale.encode("utf-8", "replace").decode()
    return Reading("ok", statement.outcome, statement.score, rationale, repairs)


def _evidence(text: str, rubric: Rubric) -> _Evidence:
    found = _Evidence()
    inside = unfenced(text)
    if inside is not None:
        text = inside
        found.repairs.append(UNFENCED)
    rest, position, quoted = [], 0, False
    for block in blocks(text):
        before = text[position : block.start]
        quoted = _is_quoted(before, quoted and position > 0)
        rest.append(before)
        position = block.end
        _weigh(block, text, rubric, found, quoted)
    rest.append(text[position:])
    found.rest = _GAP.join(rest)
    if re.search(_stray_field(rubric.kind) + _READABLE_VALUE, found.rest):
        found.problems.append("part of a verdict stands outside of any object")
    _weigh_lines(rubric, found)
    return found


def _is_quoted(before: str, was_quoted: bool) -> bool:
    """Return whether what follows `before` stands in a Markdown quotation (``> …``)."""
    lines = LINE_BREAK.split(before)
    return lines[-1].lstrip().startswith(">") or (len(lines) == 1 and was_quoted)


def _weigh(block: Block, text: str, rubric: Rubric, found: _Evidence, quoted: bool) -> None:
    """Sort one brace block into what is stated, hinted, unreadable, or beside the point."""
    if block.value is None:
        source = text[block.start : block.end]
        name = _quoted_field(rubric.kind)
        template = re.search(name + _TEMPLATE_VALUE, source)
        if not block.closed or (re.search(name, source) and not template):
            found.problems.append(f"the JSON cannot be read: {block.problem}")
        return
    if not is_statement(block.value, rubric.kind) or _is_template(block.value, rubric.kind):
        return
    try:
        statement = from_object(block.value, rubric)
    except NoVerdict as error:
        found.problems.append(str(error))
        return
    usable = not quoted and _stands_alone(block, text) and not _is_echo(block.value)
    (found.stated if usable else found.hinted).append(statement)
    found.repairs.extend(repair for repair in block.repairs if repair not in found.repairs)


def _weigh_lines(rubric: Rubric, found: _Evidence) -> None:
    lone = lone_word(found.rest) if rubric.kind is Kind.PASS_FAIL else None
    if lone is not None:
        found.stated.append(lone)
        return
    lines = read_lines(found.rest, rubric)
    prose = "\n".join(lines.prose).replace(_GAP, "").strip()
    found.stated.extend(replace(statement, rationale=prose) for statement in lines.stated)
    found.hinted.extend(lines.hinted)
    found.problems.extend(lines.problems)
    if any(
        word is not meets(s.score, rubric.min_score) for word in lines.words for s in found.stated
    ):
        found.problems.append("a line PASS or FAIL contradicts the score under the pass rule")


def _stands_alone(block: Block, text: str) -> bool:
    """Return whether the object ends its line and is no list's item: quotes in prose are not it."""
    before = block.start
    while before and text[before - 1] in " \t\r\n":
        before -= 1
    return not text.startswith("[", before - 1) and bool(_LINE_REST.match(text, block.end))


def _is_echo(value: dict[str, object]) -> bool:
    """Return whether the reason is a placeholder: the object is the prompt's example, repeated."""
    reasons = [value.get(name) for name in REASON_FIELDS]
    return any(isinstance(reason, str) and _PLACEHOLDER.fullmatch(reason) for reason in reasons)


def _is_template(value: dict[str, object], kind: Kind) -> bool:
    """Return whether the verdict itself is a placeholder, so that nothing is stated at all."""
    stated = [value[name] for name in verdict_fields(kind) if name in value]
    return all(isinstance(text, str) and _PLACEHOLDER.fullmatch(text) for text in stated)


def _quoted_field(kind: Kind) -> str:
    return rf"(?i:[\"'“]\s*(?:{'|'.join(verdict_fields(kind))})\s*[\"'”]\s*:)"


def _stray_field(kind: Kind) -> str:
    """Match a verdict's field outside of any readable object, quoted or as JavaScript writes it."""
    return rf"(?:{_quoted_field(kind)}|[{{,]\s*(?:{'|'.join(verdict_fields(kind))})\s*:)"


def _decided(evidence: _Evidence, text: str) -> Reading:
    if evidence.problems:
        return _malformed(evidence.problems[0])
    if not evidence.stated:
        return _without_verdict(evidence, text)
    verdict = evidence.stated[0]
    if not all(verdict.agrees(other) for other in evidence.stated + evidence.hinted):
        return _malformed("the reply states two different verdicts")
    reasoned = next((said for said in evidence.stated if said.rationale), verdict)
    return _ok(reasoned, tuple(evidence.repairs))


def _without_verdict(evidence: _Evidence, text: str) -> Reading:
    if evidence.hinted:
        return _malformed("a verdict is only quoted or hinted at; it must stand on its own line")
    if is_refusal(text):
        return Reading("refusal", problem=f"the judge declined: {' '.join(text.split())[:120]!a}")
    return _malformed(f"the reply holds no verdict: {' '.join(text.split())[:80]!a}")
