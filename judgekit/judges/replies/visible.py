"""What the judge said aloud: reasoning, chat-template tokens and fences set aside."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES: tuple[str, ...] = (
    "think",
    "thinking",
    "thoughts?",
    "reasoning",
    "reflection",
    "analysis",
    "scratchpad",
)
_NAMES += ("seed:think", "antthinking", "inner_monologue")
_PAIRS = [(rf"<{name}(?:\s[^<>]{{0,80}})?>", rf"</{name}\s*>") for name in _NAMES]
_PAIRS += [
    (r"\[THINK\]", r"\[/THINK\]"),
    (r"◁think▷", r"◁/think▷"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<\|channel>thought\b", r"<channel\|>"),
    (r"<unused94>(?:thought\b)?", r"<unused95>"),
]
_TAG = re.compile(
    "|".join(f"(?P<o{n}>{start})|(?P<c{n}>{end})" for n, (start, end) in enumerate(_PAIRS)),
    re.IGNORECASE,
)

_CHANNEL = re.compile(r"<\|channel\|>\s*+(\w++)(?:[^<]|<\|constrain\|>)*+<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_LEAKED_CHANNEL = "assistantfinal"

_OTHER_TURN = re.compile(
    r"<\|im_start\|>\s*(?:user|system)|<start_of_turn>\s*user|\[INST\]"
    r"|<\|start_header_id\|>\s*(?:user|system)|<\|(?:user|system|USER_TOKEN|SYSTEM_TOKEN)\|>"
    r"|<\|start\|>\s*(?:user|system|developer)|<｜(?:User|System)｜>"
)
_CONTROL = re.compile(
    r"<\|[A-Za-z_]{1,30}\|>(?:assistant\b)?|<｜[^｜<>]{1,40}｜>|</?s>|\[/INST\]"
    r"|<(?:start|end)_of_turn>(?:model\b)?|<(?:bos|eos|pad)>|<think\s*/>"
)
_ROLE_PREFIX = re.compile(r"\s*(?:assistant|judge|model)[ \t]*:[ \t]*", re.IGNORECASE)
_FENCE_OPEN = re.compile(r"(```|~~~)[ \t]*[A-Za-z0-9]{0,20}[ \t]*(?:\r?\n)?")


@dataclass(frozen=True, slots=True)
class Visible:
    """The judge's words.

    Attributes:
        text: what counts as the reply.
        doubtful: text that lies between two ends of reasoning: no verdict is taken from it, but
            one in it that differs makes the reply malformed.
        repairs: what was set aside.
        problem: why nothing counts; empty otherwise.
    """

    text: str
    doubtful: str = ""
    repairs: tuple[str, ...] = ()
    problem: str = ""


def visible_part(raw: str) -> Visible:
    """Return what the judge said outside its reasoning."""
    text, repairs = raw, []
    if text.startswith("\ufeff"):
        text = text[1:]
        repairs.append("byte order mark dropped")
    spoken = _final_channel(text)
    if spoken is None:
        return Visible("", problem="the reply holds only reasoning (no final channel)")
    if spoken is not text:
        repairs.append("reasoning channel dropped")
    part = _outside_reasoning(spoken)
    if part.problem:
        return part
    repairs.extend(part.repairs)
    if _OTHER_TURN.search(part.text):
        return Visible("", problem="the reply goes on into another speaker's turn")
    text, dropped = _CONTROL.subn("\n", part.text)
    if dropped:
        repairs.append("chat-template tokens dropped")
    if prefix := _ROLE_PREFIX.match(text):
        text = text[prefix.end() :]
        repairs.append("role prefix dropped")
    return Visible(text, part.doubtful, tuple(repairs))


def unfenced(text: str) -> str | None:
    """Return the inside of the one Markdown fence that `text` consists of, else None."""
    text = text.strip()
    fence = _FENCE_OPEN.match(text)
    if fence is None or len(text) < fence.end() + 3 or not text.endswith(fence[1]):
        return None
    inside = text[fence.end() : -3].strip()
    return None if fence[1] in inside else inside


def _final_channel(text: str) -> str | None:
    """Return the final channels of a Harmony reply; the text itself if it is none; None without."""
    if "<|channel|>" not in text:
        return _after_leaked_channel(text)
    finals = [text[: text.index("<|channel|>")]]
    seen_final = False
    for start in _CHANNEL.finditer(text):
        if start[1] == "final":
            seen_final = True
            end = _CHANNEL_END.search(text, start.end())
            finals.append(text[start.end() : end.start() if end else len(text)])
    return "\n".join(finals) if seen_final else None


def _after_leaked_channel(text: str) -> str | None:
    """Handle servers that drop Harmony's tokens: ``analysis…assistantfinal…``."""
    if not text.startswith("analysis"):
        return text
    finals = text.count(_LEAKED_CHANNEL)
    if not finals and not text[8:9].isupper():
        return text
    if finals != 1:
        return None
    return text.partition(_LEAKED_CHANNEL)[2]


def _outside_reasoning(text: str) -> Visible:
    """Cut out reasoning blocks. Text before a lone first closing tag is reasoning too."""
    spoken: list[str] = []
    doubtful: list[str] = []
    open_pair, position, seen = None, 0, False
    for tag in _TAG.finditer(text):
        side, pair = str(tag.lastgroup)[0], str(tag.lastgroup)[1:]
        if open_pair is not None:
            if side == "c" and pair == open_pair:
                open_pair, position = None, tag.end()
            continue
        before = text[position : tag.start()]
        if side == "o":
            spoken.append(before)
            open_pair = pair
        elif seen:
            doubtful.extend([*spoken, before])
            spoken, position = [], tag.end()
        else:
            position = tag.end()
        seen = True
    if open_pair is not None:
        return Visible("", problem="the reasoning block is not closed, so nothing after it counts")
    if not seen:
        return Visible(text)
    spoken.append(text[position:])
    words = "\n".join(spoken)
    problem = "" if words.strip() else "the reply holds only reasoning"
    return Visible(words, "\n".join(doubtful), ("reasoning dropped",), problem)
