"""The cassette file: an interaction as text that is read in a pull request, and back.

Two-space indent, fixed field order, text of several lines as ``{"$lines": […]}``, unescaped UTF-8,
a final newline. The packed form is the same object on one line.
"""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from typing import Any

import orjson

from judgekit.cassettes.interaction import Call, Interaction, Recorded, Response
from judgekit.errors import CassetteCorrupt

FORMAT = "judgekit-cassette/1"
PACKED_KEY_PREFIX = b'{"format":"judgekit-cassette/1","key":"'
"""How each line of a packed set begins; the key's 64 hex digits follow."""

_FIELDS = ("format", "key", "recorded", "verdict", "request", "response", "digest")
_REQUEST_FIELDS = {field.name for field in fields(Call)}
_RECORDED_FIELDS = {field.name for field in fields(Recorded)}
_NEWLINE = b"\n"
_QUOTE = b'"'
_FOLDED = b'"$lines"'


def to_file(interaction: Interaction) -> bytes:
    """Return the bytes of the interaction's own file."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(_document(interaction), option=options)


def to_line(interaction: Interaction) -> bytes:
    """Return the interaction as one line of a packed set, with its newline."""
    return orjson.dumps(_document(interaction), option=orjson.OPT_APPEND_NEWLINE)


def content_digest(key: str, request: Any, response: Any) -> str:
    """Return the SHA-256 (hex) that catches edits: over key, request and response as stored.

    Taken over orjson's compact form with sorted keys, which layout and order do not change.

    It detects accidents and unreviewed edits. It is no signature: whoever can edit a cassette can
    also write a new digest (`judgekit cassette seal`), and review sees that.
    """
    return hashlib.sha256(_content(key, request, response)).hexdigest()


def _content(key: str, request: Any, response: Any) -> bytes:
    return orjson.dumps([key, request, response], option=orjson.OPT_SORT_KEYS)


def _document(interaction: Interaction) -> dict[str, Any]:
    call, response = interaction.call, interaction.response
    request = {
        "dialect": call.dialect,
        "method": call.method,
        "path": call.path,
        "query": dict(call.query),
        "sample": call.sample,
        "attempt": call.attempt,
        "body": _folded(call.body),
    }
    answer = {
        "status": response.status,
        "headers": dict(response.headers),
        response.kind: _stored_body(response),
    }
    return {
        "format": FORMAT,
        "key": interaction.key,
        "recorded": {name: value for name, value in asdict(interaction.recorded).items() if value},
        "verdict": _folded(interaction.verdict),
        "request": request,
        "response": answer,
        "digest": content_digest(interaction.key, request, answer),
    }


def _stored_body(response: Response) -> Any:
    if response.kind == "base64":
        return base64.b64encode(response.body).decode("ascii")
    return _folded(response.body)


def _folded(value: Any) -> Any:
    """Return `value` with every text of several lines as ``{"$lines": […]}``."""
    if isinstance(value, str):
        return {"$lines": value.split("\n")} if "\n" in value else value
    if isinstance(value, Mapping):
        return {name: _folded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_folded(item) for item in value]
    return value


def _unfold(container: Any, left: int) -> int:
    """Put folded texts inside a freshly parsed object or list back together, in place.

    Args:
        left: how many there are at most; the walk ends with the last, which in a judge request
            comes before the response schema, the largest part of its fields.

    Returns:
        How many are still to be found elsewhere.
    """
    fields = container.items() if type(container) is dict else enumerate(container)
    for name, item in fields:
        if not left:
            break
        if type(item) is dict:
            lines = item.get("$lines")
            if lines is not None and len(item) == 1:
                container[name] = "\n".join(lines)
                left -= 1
            else:
                left = _unfold(item, left)
        elif type(item) is list:
            left = _unfold(item, left)
    return left


def foldable(value: Any) -> bool:
    """Return whether a body survives folding: no object of its own is ``{"$lines": …}``."""
    if isinstance(value, Mapping):
        return "$lines" not in value and all(foldable(item) for item in value.values())
    if isinstance(value, list | tuple):
        return all(foldable(item) for item in value)
    return True


def parse(data: bytes, where: object, asked: Call | None = None) -> Interaction:
    """Read an interaction back, and check it against itself.

    Args:
        data: one file's bytes, or one line of a packed set.
        where: names the file (and line) in errors, as text.
        asked: the call that is looked up. Where the stored call equals it, its key is taken from
            here and not computed a second time.

    Raises:
        CassetteCorrupt: the bytes are cut short, not UTF-8, in conflict, of another version, or
            what they say was edited after recording; the message says which, and what to do.
    """
    document = _loaded(data, where)
    with _strangers_refused(where):
        _check_whole(document, data, where)
        interaction = _interaction(document, data.count(_FOLDED))
    if asked is not None and interaction.call == asked:
        interaction = Interaction(
            asked, interaction.response, interaction.recorded, interaction.verdict
        )
    if interaction.key != document["key"]:
        raise CassetteCorrupt(
            f"{where}: field key: it is not the key of the file's own request; "
            "restore the file or record it again"
        )
    return interaction


def resealed(document: Any, where: object) -> Interaction:
    """Return the interaction that an edited document now says, whatever its key and digest."""
    _check_format(document, where)
    with _strangers_refused(where):
        return _interaction(document, sys.maxsize)


@contextmanager
def _strangers_refused(where: object) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = f"field {error} is missing" if isinstance(error, KeyError) else str(error)
        raise CassetteCorrupt(
            f"{where}: not a judgekit cassette ({why}); "
            "restore it from version control or record it again"
        ) from None


def _loaded(data: bytes, where: object) -> dict[str, Any]:
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise CassetteCorrupt(f"{where}: {_damage(data, error)}") from None
    _check_format(document, where)
    return document  # type: ignore[no-any-return]


def _check_format(document: Any, where: object) -> None:
    if not isinstance(document, dict):
        raise CassetteCorrupt(f"{where}: holds no JSON object; record it again")
    version = document.get("format")
    if version != FORMAT:
        raise CassetteCorrupt(
            f"{where}: format {version!r} is not {FORMAT!r}; use the judgekit that wrote it, "
            "or record it again"
        )


def _damage(data: bytes, error: orjson.JSONDecodeError) -> str:
    """Say what happened to a file that is not JSON."""
    if b"<<<<<<<" in data:
        sides = [
            line[7:].strip().decode("utf-8", "replace") or "?"
            for line in data.split(_NEWLINE)
            if line.startswith((b"<<<<<<<", b">>>>>>>"))
        ]
        return (
            f"holds a merge conflict between {' and '.join(sides)}: keep one side, "
            "whole (git checkout --ours or --theirs)"
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as bad:
        return f"is not UTF-8 at byte {bad.start}; restore it or record it again"
    if not data.strip():
        return "is empty; restore it or record it again"
    if not data.rstrip().endswith(b"}"):
        return f"is cut short after {len(data)} bytes; restore it or record it again"
    return f"is not JSON (line {error.lineno}, column {error.colno}: {error.msg}); restore it"


def _check_whole(document: dict[str, Any], data: bytes, where: object) -> None:
    """Hold the document against its digest, and against the bytes that it was read from.

    A field that stands twice is read by its last value while a reviewer may see its first. Such
    bytes have more quotation marks than what was read from them; counting those is cheap.
    """
    unknown = set(document) - set(_FIELDS)
    if unknown:
        raise CassetteCorrupt(f"{where}: unknown field {min(unknown)!r}; remove it")
    content = _content(document["key"], document["request"], document["response"])
    rest = orjson.dumps([document["format"], document["recorded"], document["verdict"]])
    quotes = content.count(_QUOTE) + rest.count(_QUOTE) + 2 * len(_FIELDS) + 2
    if data.count(_QUOTE) != quotes:
        raise CassetteCorrupt(f"{where}: a field stands twice; restore the file or record it again")
    if document["digest"] != hashlib.sha256(content).hexdigest():
        raise CassetteCorrupt(
            f"{where}: field digest: the request or the response was edited after recording; "
            "restore it, record it again, or run `judgekit cassette seal` if the edit is deliberate"
        )


def _interaction(document: dict[str, Any], folded: int) -> Interaction:
    request = document["request"]
    if set(request) != _REQUEST_FIELDS:
        raise ValueError(f"request has the fields {sorted(request)}")
    if not set(document["recorded"]) <= _RECORDED_FIELDS:
        raise ValueError(f"recorded has the fields {sorted(document['recorded'])}")
    answer, verdict = document["response"], document["verdict"]
    if not verdict and document["recorded"].get("when"):
        raise ValueError("field verdict is empty, which only an imported recording's may be")
    for part in (request["body"], answer, verdict):
        folded = _unfold(part, folded)
    return Interaction(
        call=Call(**request),
        response=_response(answer),
        recorded=Recorded(**document["recorded"]),
        verdict=verdict,
    )


def _response(answer: dict[str, Any]) -> Response:
    (kind,) = set(answer) - {"status", "headers"}
    if kind == "base64":
        body: Any = base64.b64decode(answer[kind], validate=True)
    elif kind in {"json", "text"}:
        body = answer[kind]
    else:
        raise ValueError(f"response has the field {kind!r}")
    return Response(status=answer["status"], headers=answer["headers"], body=body, kind=kind)
