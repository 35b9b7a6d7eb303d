r"""Puts untrusted text into a prompt so that it stays text: fenced, and without control tokens.

Three dangers, three answers:

- *Closing the fence.* The fence carries a mark derived from the SHA-256 of all fenced texts, and is
  checked to stand in none of them.
- *Posing as a message.* Servers of local models read chat-template tokens (``<|im_start|>``,
  ``[INST]``, ``<start_of_turn>``) inside a message as if the template had written them. Each gets a
  backslash after its first character, so that no tokenizer knows it and a reader still does.
- *Hiding.* Characters that show nothing (bidirectional controls, zero-width text, tag characters,
  control codes, lone surrogates) are written as ``\u{202E}``. Joiners inside non-Latin words and
  emoji stay.

`plain` undoes both rewritings exactly, so nothing of the judged text is lost.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence

SHORTEST_MARK = 12
"""Hex digits of a mark; more are taken only where a text holds the shorter one."""

_NAMES = (
    "s|pad|unk|mask|bos|eos|cls|sep|sop|eop|start_of_turn|end_of_turn|start_of_image|end_of_image|"
    "image_soft_token|think|thinking|tool_call|tool_response|function_call|extra_id_[0-9]+|"
    "unused[0-9]+|reserved_[0-9]+|human|system|user|assistant"
)
_BRACKETED = (
    "INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|IMG|gMASK|sMASK|"
    "MASK|CLS|SEP|BOS|EOS|PAD|UNK"
)
_ANGLE = rf"[|｜]|<\\*/?SYS>|/?(?:{_NAMES})[ \t]{{0,8}}/?>|/?[A-Za-z_]{{1,30}}[|｜]>"
_SQUARE = rf"/?(?:{_BRACKETED})\]"
_TOKEN = re.compile(rf"(<(?=\\*(?:{_ANGLE}))|\[(?=\\*{_SQUARE}))")
_NEUTRAL_TOKEN = re.compile(rf"(<(?=\\+(?:{_ANGLE}))|\[(?=\\+{_SQUARE}))\\")

_SHOWN = r"[\u00a1-\u1fff\u2070-\U0010ffff]"
_HIDDEN = (
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0"
    r"\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    rf"|(?<!{_SHOWN})[\u200c\u200d]|[\u200c\u200d](?!{_SHOWN})|(?<=[\ufe00-\ufe0f])\ufe0f"
)
_TO_ESCAPE = re.compile(
    rf"(?<!\\)(?P<slashes>\\++)(?=u\{{[0-9A-F]{{1,6}}\}})|(?<!\\)(?P<before>\\*+)(?P<hidden>{_HIDDEN})"
)
_ESCAPED = re.compile(r"(?<!\\)(\\++)u\{([0-9A-F]{1,6})\}")


def shown(text: str) -> str:
    """Return `text` with control tokens broken and hidden characters made visible."""
    return _TOKEN.sub(r"\1" + "\\\\", _TO_ESCAPE.sub(_escape, text))


def plain(text: str) -> str:
    """Return the text that `shown` made `text` of."""
    return _ESCAPED.sub(_unescape, _NEUTRAL_TOKEN.sub(r"\1", text))


def fence_mark(texts: Sequence[str]) -> str:
    """Return a mark, derived from `texts`, that stands in none of them.

    Args:
        texts: everything that the prompt holds beside its fixed words.

    Returns:
        At least `SHORTEST_MARK` hex digits of the SHA-256 over the texts as a JSON array.
    """
    source = json.dumps(list(texts)).encode()
    together = "\0".join(texts).lower()
    while True:
        digits = hashlib.sha256(source).hexdigest()
        for length in range(SHORTEST_MARK, len(digits) + 1):
            if digits[:length] not in together:
                return digits[:length]
        source = digits.encode()


def fenced(name: str, mark: str, text: str) -> str:
    """Return `text`, made safe, between a BEGIN and an END line that carry `mark`."""
    return f"--- BEGIN {name} {mark} ---\n{shown(text)}\n--- END {name} {mark} ---"


def _escape(found: re.Match[str]) -> str:
    """Double the backslashes before an escape's look-alike; one more makes it an escape."""
    if found["slashes"]:
        return found["slashes"] * 2
    return found["before"] * 2 + f"\\u{{{ord(found['hidden']):X}}}"


def _unescape(found: re.Match[str]) -> str:
    kept, odd = divmod(len(found[1]), 2)
    code = int(found[2], 16)
    if not odd or code > 0x10FFFF:
        return "\\" * kept + f"u{{{found[2]}}}"
    return "\\" * kept + chr(code)
