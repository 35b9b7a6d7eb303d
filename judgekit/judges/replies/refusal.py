"""Tells a judge that declined to judge from one whose verdict cannot be read."""

from __future__ import annotations

import re

LOOKED_AT = 400
"""A refusal opens the reply: only this many characters of it are looked at."""

_APOLOGY = (
    r"(?:(?:i'm|i am|we're|we are)\s+(?:very\s+|so\s+)?sorry|sorry|my apologies|apologies|"
    r"i apologi[sz]e|unfortunately|(?:i'm|i am) afraid)"
)
_CANNOT = (
    r"(?:can't|cannot|can not|could not|couldn't|won't|will not|would not|must not|"
    r"(?:am|'m|are|'re)\s+(?:not\s+(?:able|allowed|permitted|comfortable|going|willing)|unable)|"
    r"(?:must|have to|need to)\s+(?:decline|refuse)|decline|refuse|"
    r"(?:would\s+)?(?:prefer|rather)\s+not|"
    r"(?:don't|do not)\s+feel\s+comfortable)"
)
_ENGLISH = (
    rf"(?:{_APOLOGY}\W+(?:but\s+|that\s+)?)?(?:as an ai\b[^.,\n]*,?\s*)?(?:i|we)\s*{_CANNOT}\b"
)
_OTHERS = (
    r"as an ai (?:language )?model\b",
    r"unable to (?:assist|help|comply|answer|judge|evaluate|assess|rate|grade|score)\b",
    r"(?:i'm|i am) (?:very )?sorry,? but\b",
    # German
    r"(?:es tut mir (?:sehr )?leid|tut mir leid|leider (?:kann|darf|muss) ich|"
    r"ich (?:kann|darf|werde|möchte) (?:\w+ ){0,6}?nicht\b|ich muss ablehnen)",
    # French
    r"(?:je suis (?:vraiment )?désolée?|désolée?\b|je ne (?:peux|puis|vais|pourrai) pas|"
    r"je refuse|je ne suis pas en mesure)",
    # Spanish
    r"(?:lo siento|lo lamento|no puedo|no podré|no voy a|me niego)",
    # Portuguese
    r"(?:desculpe|lamento|sinto muito|(?:eu )?não posso|não consigo|não vou)",
    # Italian
    r"(?:mi dispiace|spiacente|non posso|non sono in grado)",
    # Dutch
    r"(?:het spijt me|sorry, maar ik|ik kan (?:\w+ ){0,6}?niet\b|helaas kan ik)",
    # Polish
    r"(?:przykro mi|przepraszam|nie mogę|niestety nie mogę)",
    # Russian, Ukrainian
    r"(?:извините|простите|к сожалению|я не могу|не могу|вибачте|на жаль)",
    # Turkish
    r"(?:üzgünüm|maalesef)",
    # Chinese, Japanese, Korean
    r"(?:抱歉|很抱歉|对不起|對不起|我无法|我無法|我不能|作为(?:一个|一名)?(?:ai|人工智能))",
    r"(?:申し訳|すみませんが|恐れ入りますが|お手伝いできません|お答えできません)",
    r"(?:죄송|미안하지만|도와드릴 수 없|답변할 수 없)",
    # Arabic, Hindi, Hebrew
    r"(?:آسف|أعتذر|عذر[اًا]|لا أستطيع|لا يمكنني)",
    r"(?:क्षमा करें|माफ़ करें|मुझे खेद है|मैं .{0,40}नहीं कर सकत)",
    r"(?:מצטער|אני לא יכול)",
)
_VERDICT_WORD = re.compile(r"\b(?:PASS|FAIL|SCORE|CATEGORY|WINNER|MATCH)\b")
_REFUSAL = re.compile(rf"\W*(?:{'|'.join((_ENGLISH, *_OTHERS))})", re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Return whether a reply without a verdict opens as a refusal, in one of twenty languages.

    ``I cannot give this a PASS`` is no refusal: it names a verdict, in a form that cannot be read.
    """
    if _VERDICT_WORD.search(text):
        return False
    opening = text.strip()[:LOOKED_AT].replace("\u2019", "'").replace("\u02bc", "'")
    return _REFUSAL.match(opening) is not None
