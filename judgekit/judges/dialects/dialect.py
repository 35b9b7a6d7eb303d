"""What a dialect is, and what it reads out of a judge's HTTP answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from judgekit.judges.port import JudgeRequest, TokenUsage


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's answer, out of its protocol.

    Attributes:
        text: what the judge said.
        finish_reason: ``stop``, ``length``, ``content_filter``, …; None where none was given.
        model: the model that answered, as the server names it.
        malformed: why the answer is no reply at all, or None.
        truncated: why what was said or asked is cut, where the protocol tells so otherwise than by
            `finish_reason`; or None.
    """

    text: str
    finish_reason: str | None = None
    model: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    malformed: str | None = None
    truncated: str | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """One protocol.

    Attributes:
        name: what configuration calls it.
        path: appended to the judge's base URL; empty where the request's model is the whole URL.
        encode: request and attempt (0 for the first) → JSON body.
        decode: request and a 200 answer's JSON body → reply; total: what is no answer of the
            protocol is a malformed reply.
        volatile: top-level fields of an answer that differ each time and say nothing: not kept.
        models_path: where the server lists its models; empty where it tells no digests.
        digest_in: that list's JSON body and a model's name → digest of its weights, or None.
    """

    name: str
    path: str
    encode: Callable[[JudgeRequest, int], dict[str, Any]]
    decode: Callable[[JudgeRequest, Any], Reply]
    volatile: frozenset[str]
    models_path: str = ""
    digest_in: Callable[[Any, str], str | None] = lambda body, model: None

    def lasting(self, body: Any) -> Any:
        """Return an answer's body without its volatile fields.

        A model that is named by the path of its file (llama.cpp does so) keeps the file's name
        only: the rest tells of the recorder's machine.
        """
        if not isinstance(body, Mapping):
            return body
        kept = {name: value for name, value in body.items() if name not in self.volatile}
        if isinstance(kept.get("model"), str):
            kept["model"] = _without_folder(kept["model"])
        return kept


def _without_folder(model: str) -> str:
    """Return a model's name; of a file path (not of ``org/model``) its last part."""
    path = re.match(r"(?:/|~[/\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|\\\\)(?:.*[/\\])?", model)
    return model[path.end() :] if path else model


registered: dict[str, Dialect] = {}


def register(dialect: Dialect) -> Dialect:
    """Make a dialect known by its name."""
    registered[dialect.name] = dialect
    return dialect


RE_ASK_TEMPERATURE = 0.7
"""A greedy judge would repeat its malformed reply word for word."""


def sampling_of(request: JudgeRequest, attempt: int) -> dict[str, Any]:
    """Return temperature, top_p and seed of an attempt, by their common names.

    A repeated sample or a re-ask moves the seed, and a re-ask of a greedy judge also raises the
    temperature to `RE_ASK_TEMPERATURE`. Whole numbers are written as integers.
    """
    sampling = request.sampling
    temperature, seed = sampling.temperature, sampling.seed
    if attempt and temperature is not None:
        temperature = max(temperature, RE_ASK_TEMPERATURE)
    if seed is not None:
        seed += request.sample_index * 1000 + attempt
    named = {"temperature": temperature, "top_p": sampling.top_p, "seed": seed}
    return {name: _whole(value) for name, value in named.items() if value is not None}


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def token_count(value: Any) -> int:
    """Return a token count as a server reports it; anything but a natural number is 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
