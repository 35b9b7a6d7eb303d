"""Reading a judge's raw reply: a total, pure function from text to a verdict or to what is wrong.

`docs/replies.md` states the rules; `corpus.jsonl` holds them as examples, which
`judgekit selftest parser` runs.
"""

from __future__ import annotations

from judgekit.judges.replies.corpus import Mismatch, run_corpus
from judgekit.judges.replies.json_block import extract_json_block
from judgekit.judges.replies.reading import Reading, ReplyStatus, read_reply
from judgekit.judges.replies.schema import response_schema

__all__ = [
    "Mismatch",
    "Reading",
    "ReplyStatus",
    "extract_json_block",
    "read_reply",
    "response_schema",
    "run_corpus",
]
