"""One recorded exchange: what the judge was sent, what it answered, and where that belongs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from judgekit.cassettes.canonical import canonical_bytes, walked
from judgekit.cassettes.redaction import holds_secret, redacted

KEY_VERSION = 1
UNKEYED_FIELDS = frozenset({"user", "metadata", "keep_alive"})
"""Body fields that say nothing of the question: left out of the key."""


@dataclass(frozen=True)
class Call:
    """A judge call as a recording knows it: no host, no port, no headers, no secrets.

    Attributes:
        dialect: name of the protocol that `body` is written in.
        path: below the judge's base URL, beginning with a slash.
        query: the URL's query; secrets are no part of it.
        body: the JSON body, secrets replaced.
        sample: tells repeated samples of one question apart, from 0.
        attempt: tells re-asks after a malformed verdict apart, from 0.
    """

    dialect: str
    path: str
    body: Mapping[str, Any]
    method: str = "POST"
    query: Mapping[str, str] = field(default_factory=dict)
    sample: int = 0
    attempt: int = 0

    @property
    def key(self) -> str:
        """SHA-256 (hex) over the canonical JSON of everything that the judge would be sent."""
        key: str | None = self.__dict__.get("_key")
        if key is None:  # functools.cached_property takes a lock, which costs more than a look-up
            key = self.__dict__["_key"] = self._computed_key()
        return key

    def _computed_key(self) -> str:
        body = self.body
        if not UNKEYED_FIELDS.isdisjoint(body):
            body = {name: value for name, value in body.items() if name not in UNKEYED_FIELDS}
        keyed = {
            "version": KEY_VERSION,
            "dialect": self.dialect,
            "method": self.method,
            "path": self.path,
            "query": dict(self.query),
            "body": body,
            "sample": self.sample,
            "attempt": self.attempt,
        }
        plain = self._walked[0] and not self.query
        return hashlib.sha256(canonical_bytes(keyed, plain=plain or None)).hexdigest()

    @property
    def _walked(self) -> tuple[bool, list[str]]:
        """Whether the body is plain for `canonical_bytes`, and every text in it."""
        found: tuple[bool, list[str]] | None = self.__dict__.get("_found")
        if found is None:
            found = self.__dict__["_found"] = walked(self.body)
        return found

    def redacted(self) -> Call:
        """Return the call with every secret in its body and query replaced by its kind's name."""
        query = redacted(self.query) if self.query else self.query
        if query is self.query and not holds_secret(self._walked[1]):
            return self
        body = redacted(self.body)
        return Call(self.dialect, self.path, body, self.method, query, self.sample, self.attempt)


@dataclass(frozen=True, slots=True)
class Response:
    """A judge's answer as it is kept: status, the headers that matter, and the body.

    Attributes:
        body: a JSON value, a text, or bytes that are neither; `kind` says which.
        kind: ``json``, ``text`` or ``base64``.
    """

    status: int
    body: Any
    kind: str = "json"
    headers: Mapping[str, str] = field(default_factory=dict)

    def json(self) -> Any:
        """Return the body's JSON value; None where it is no JSON.

        A body with a field twice is none: two readers could take two verdicts from it.
        """
        if self.kind == "json":
            return self.body
        try:
            json.loads(self.body, object_pairs_hook=_each_once)
            return orjson.loads(self.body)
        except (ValueError, RecursionError):
            return None


def _each_once(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a field stands twice")


@dataclass(frozen=True, slots=True)
class Recorded:
    """Where a recording comes from, and what it was made of.

    Attributes:
        model: the judge model asked for; `model_answered` the one that the server named.
        model_digest: digest of the model's weights, where the server tells it.
        parts: short digests of what the prompt was made of (rubric, input, output, template, …),
            so that a miss can say which of them changed.
        when: ISO 8601, UTC, to the second.
        latency_s: seconds from request to answer.
    """

    eval: str
    scorer: str
    case: str
    model: str
    model_answered: str = ""
    model_digest: str | None = None
    rubric: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    when: str = ""
    latency_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Interaction:
    """One request and its response, with the verdict that judgekit read out of it.

    Attributes:
        verdict: ``{"outcome", "score", "rationale"}``, or ``{"problem": …}`` where the reply held
            no usable verdict. Shown to reviewers; replay reads the response anew and compares.
    """

    call: Call
    response: Response
    recorded: Recorded
    verdict: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The key of its call."""
        return self.call.key
