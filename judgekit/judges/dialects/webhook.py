"""A webhook that grades: ``POST {"candidate": …}``, answered by ``{"passed": true | false, …}``.

The request's model is the webhook's URL; its one message is the candidate as JSON.
"""

from __future__ import annotations

from typing import Any

import orjson

from judgekit.judges.dialects.dialect import Dialect, Reply, register
from judgekit.judges.port import JudgeRequest

_KEPT = ("passed", "reason", "score")


def encode(request: JudgeRequest, attempt: int) -> dict[str, Any]:
    """Return the body that the webhook is sent."""
    return {"candidate": orjson.loads(request.messages[0].content)}


def decode(request: JudgeRequest, body: Any) -> Reply:
    """Read the answer: what it says beside `passed`, `reason` and `score` is not looked at."""
    if not isinstance(body, dict) or "passed" not in body:
        return Reply("", malformed="the webhook's answer has no field passed")
    kept = {name: body[name] for name in _KEPT if body.get(name) is not None}
    return Reply(orjson.dumps({"passed": None, **kept}).decode(), model=request.model)


WEBHOOK = register(
    Dialect(name="webhook", path="", encode=encode, decode=decode, volatile=frozenset())
)
