"""How producing an output ended: a signal beside pass and fail, not instead of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class ExitClass(StrEnum):
    """How it ended; when several apply, the first in this order, but for `UNKNOWN`, wins."""

    ERROR = "error"
    TIMEOUT = "timeout"
    BUDGET_EXHAUSTED = "budget-exhausted"
    REFUSAL = "refusal"
    EMPTY_OUTPUT = "empty-output"
    SUCCESS = "success"
    UNKNOWN = "unknown"


REFUSAL_MARKERS = (
    # English
    "i cannot help with",
    "i can't help with",
    "i cannot assist",
    "i can't assist",
    "i am unable to help",
    "i'm unable to help",
    "i am unable to assist",
    "i'm unable to assist",
    "i'm not able to help",
    "i am not able to help",
    "i'm not able to assist",
    "i cannot comply",
    "i can't comply",
    "i cannot fulfill",
    "i can't fulfill",
    "i cannot fulfil",
    "i can't fulfil",
    "i cannot provide that",
    "i can't provide that",
    "i must decline",
    "i have to decline",
    "i won't be able to help",
    "i won't help with",
    "i will not help with",
    # German
    "dabei kann ich nicht helfen",
    "dabei kann ich dir nicht helfen",
    "dabei kann ich ihnen nicht helfen",
    "damit kann ich nicht helfen",
    "ich kann ihnen dabei nicht helfen",
    "ich kann dir dabei nicht helfen",
    "ich kann dabei nicht helfen",
    "ich muss das ablehnen",
    # French
    "je ne peux pas vous aider",
    "je ne peux pas t'aider",
    "je ne peux pas aider",
    "je ne suis pas en mesure de",
    "je dois refuser",
    # Spanish
    "no puedo ayudarte",
    "no puedo ayudarle",
    "no puedo ayudar con",
    "no puedo cumplir con",
    "debo rechazar",
    # Portuguese
    "não posso ajudar",
    "não consigo ajudar",
    "não posso atender a",
    # Italian
    "non posso aiutarti",
    "non posso aiutarla",
    "non posso aiutare",
    "devo rifiutare",
    # Dutch, Polish, Russian, Turkish
    "ik kan je hier niet mee helpen",
    "ik kan u hier niet mee helpen",
    "daar kan ik niet bij helpen",
    "nie mogę w tym pomóc",
    "nie mogę pomóc",
    "я не могу помочь",
    "я не могу выполнить",
    "bu konuda yardımcı olamam",
    # Chinese, Japanese, Korean, Arabic, Hindi
    "我无法帮助",
    "我不能帮助",
    "我無法協助",
    "我无法协助",
    "我无法提供",
    "お手伝いできません",
    "お答えできません",
    "ご要望にはお応えできません",
    "도와드릴 수 없습니다",
    "도와 드릴 수 없습니다",
    "لا أستطيع مساعدتك",
    "لا يمكنني مساعدتك",
    "मैं इसमें मदद नहीं कर सकता",
    "मैं मदद नहीं कर सकता",
)
"""Phrases that open a refusal, folded to lower case with straight apostrophes."""

OPENING = 240
"""Own markers count only within so many characters: refusals open so, and answers quote them."""

REFUSAL_STOPS = frozenset(
    [
        "refusal",
        "content_filter",
        "contentfilter",
        "content_filtered",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "guardrail_intervened",
        "image_safety",
    ]
)
"""Stop reasons, in lower case, by which providers say that an answer was withheld."""

BUDGET_STOPS = frozenset(
    [
        "length",
        "max_tokens",
        "max_output_tokens",
        "model_length",
        "model_context_window_exceeded",
        "max_turns",
        "budget_exceeded",
    ]
)
"""Stop reasons, in lower case, by which providers say that an allowance ran out."""

ERROR_STOPS = frozenset(["error", "malformed_function_call"])
"""Stop reasons, in lower case, by which providers say that they failed."""


@dataclass(frozen=True, slots=True)
class ExitSignal:
    """What is known of how an output came about.

    Attributes:
        error: whether producing it failed.
        output: the output; None when there is none to speak of.
        stop_reason: the provider's word for why the model stopped.
        refusal_markers: phrases that mean a refusal anywhere in the output, whatever their case;
            None looks for `REFUSAL_MARKERS` in its opening.
    """

    error: bool = False
    timed_out: bool = False
    budget_exhausted: bool = False
    output: str | None = None
    stop_reason: str | None = None
    refusal_markers: tuple[str, ...] | None = None


def classify_exit(signal: ExitSignal) -> ExitClass:
    """Return how it ended; see `ExitClass` for which wins when several apply."""
    stop = (signal.stop_reason or "").strip().lower()
    if signal.error or stop in ERROR_STOPS:
        return ExitClass.ERROR
    if signal.timed_out:
        return ExitClass.TIMEOUT
    if signal.budget_exhausted or stop in BUDGET_STOPS:
        return ExitClass.BUDGET_EXHAUSTED
    if stop in REFUSAL_STOPS or _refuses(signal):
        return ExitClass.REFUSAL
    if signal.output is None:
        return ExitClass.UNKNOWN
    return ExitClass.SUCCESS if has_text(signal.output) else ExitClass.EMPTY_OUTPUT


def has_text(output: str) -> bool:
    """Whether an output shows anything: white space and invisible characters are nothing."""
    return any(not c.isspace() and unicodedata.category(c)[0] != "C" for c in output)


def _refuses(signal: ExitSignal) -> bool:
    if signal.output is None:
        return False
    if signal.refusal_markers is None:
        return _holds(signal.output.lstrip()[:OPENING], REFUSAL_MARKERS)
    return _holds(signal.output, signal.refusal_markers)


def _holds(text: str, markers: Iterable[str]) -> bool:
    folded = _fold(text)
    return any((marker := _fold(m)) and marker in folded for m in markers)


def _fold(text: str) -> str:
    """Return text for comparing: NFC, one case (Turkish i's too), single spaces, straight '."""
    straight = unicodedata.normalize("NFC", text).replace("’", "'").replace("ʼ", "'")
    one_case = straight.casefold().replace("ı", "i").replace("i\u0307", "i")
    return " ".join(one_case.split())
