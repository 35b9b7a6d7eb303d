"""The bridge to vcrpy: its cassettes come in, ours go out, and it can open ours itself.

Importing vcrpy costs more than a second (it imports every HTTP client that it finds), so nothing
imports this module but the commands and tests that need it.

vcrpy keeps whole URLs and all headers; judgekit keeps neither host nor headers. What is imported is
decoded, redacted and keyed anew; what is exported is given a base URL.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import vcr
from vcr.filters import decode_response
from vcr.persisters.filesystem import CassetteNotFoundError
from vcr.request import Request
from vcr.serialize import deserialize as read_vcr
from vcr.serializers import yamlserializer

from judgekit.cassettes.file_form import parse, to_line
from judgekit.cassettes.interaction import Call, Interaction, Recorded
from judgekit.cassettes.response_body import response_of
from judgekit.cassettes.secrets import is_secret_parameter
from judgekit.cassettes.store import CassetteStore
from judgekit.documents.document import one_line, shown
from judgekit.documents.writing import write_atomically
from judgekit.errors import CassetteCorrupt, ConfigError

NAME = "judgekit"
DEFAULT_BASE_URL = "http://127.0.0.1:8080"

DIALECTS_BY_PATH = {
    "/chat/completions": "openai-chat",
    "/api/chat": "ollama-chat",
}
"""How the end of a URL's path tells the dialect that a foreign recording is in."""

_CANONICAL_PATH = {"openai-chat": "/v1/chat/completions", "ollama-chat": "/api/chat"}


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a foreign cassette.

    Attributes:
        skipped: a line for every exchange that could not be taken, and why.
    """

    interactions: tuple[Interaction, ...]
    skipped: tuple[str, ...]


def import_cassette(path: Path, eval_name: str, scorer: str) -> Imported:
    """Read a cassette of vcrpy or pytest-recording.

    Repeated requests become samples 0, 1, …, in the order in which vcrpy would play them.

    Raises:
        ConfigError: the file can't be read as a vcrpy cassette.
    """
    taken: list[Interaction] = []
    skipped: list[str] = []
    seen: Counter[str] = Counter()
    for number, (request, response) in enumerate(_vcr_exchanges(path), start=1):
        try:
            interaction = _from_vcr(request, response, eval_name, scorer, f"{path.stem}-{number}")
        except ValueError as error:
            skipped.append(f"{shown(path)}: exchange {number}: not taken: {error}")
            continue
        sample = seen[interaction.key]
        seen[interaction.key] += 1
        taken.append(replace(interaction, call=replace(interaction.call, sample=sample)))
    return Imported(tuple(taken), tuple(skipped))


def _vcr_exchanges(path: Path) -> Iterator[tuple[Request, dict[str, Any]]]:
    where = shown(path)
    try:
        text = path.read_text("utf-8")
        document = yamlserializer.deserialize(text)
    except OSError as error:
        raise ConfigError(f"{where}: can't be read ({error.strerror}); check the name") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{where}: is not UTF-8 at byte {error.start}; save it as such") from None
    except ValueError as error:
        raise _no_vcr_cassette(where, str(error)) from None
    except Exception as error:
        if not type(error).__module__.startswith("yaml"):
            raise
        raise _no_vcr_cassette(where, str(error)) from None
    found = document.get("interactions") if isinstance(document, dict) else None
    if not isinstance(found, list) or not found or not all(isinstance(x, dict) for x in found):
        raise _no_vcr_cassette(where, "interactions must be a list of requests and responses")
    try:
        requests, responses, *_ = read_vcr(text, yamlserializer)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        missing = f"an interaction has no {error}" if isinstance(error, KeyError) else str(error)
        raise _no_vcr_cassette(where, missing) from None
    return zip(requests, responses, strict=True)


def _no_vcr_cassette(where: str, why: str) -> ConfigError:
    return ConfigError(
        f"{where}: is no cassette of vcrpy: {one_line(why)}; give a file that vcrpy or "
        "pytest-recording wrote"
    )


def _from_vcr(
    request: Request, response: dict[str, Any], eval_name: str, scorer: str, case: str
) -> Interaction:
    """Return one exchange in our form.

    Raises:
        ValueError: it is no answered call of a dialect that we know; the text says why.
    """
    call = _call(request)
    answer = decode_response(response)
    status = answer["status"]["code"]
    if status != 200:
        raise ValueError(f"its answer is HTTP {status}")
    headers = {name.lower(): values[0] for name, values in answer["headers"].items() if values}
    if "event-stream" in headers.get("content-type", ""):
        raise ValueError("its answer is a stream; record it without streaming")
    body = answer["body"]["string"]
    data = body.encode() if isinstance(body, str) else body
    kept = response_of(status, headers, data, lambda value: value)
    if not isinstance(kept.json(), dict):
        raise ValueError("its answer is no JSON object")
    model = call.body.get("model")
    recorded = Recorded(eval_name, scorer, case, model=model if isinstance(model, str) else "")
    return Interaction(call, kept, recorded, {})


def _call(request: Request) -> Call:
    parts = urlsplit(request.uri)
    dialect = next((d for end, d in DIALECTS_BY_PATH.items() if parts.path.endswith(end)), None)
    if dialect is None or request.method != "POST":
        raise ValueError(f"{request.method} {parts.path} is no judge call of a known dialect")
    if request.body is None:
        raise ValueError("its request has no body")
    try:
        raw = request.body if isinstance(request.body, bytes | str) else bytes(request.body)
        body = json.loads(raw)
    except (ValueError, TypeError):
        raise ValueError("its request's body is not JSON") from None
    if not isinstance(body, dict):
        raise ValueError("its request's body is no JSON object")
    query = {n: v for n, v in parse_qsl(parts.query) if not is_secret_parameter(n)}
    return Call(dialect, _CANONICAL_PATH[dialect], body, query=query).redacted()


def export_cassette(
    interactions: Iterable[Interaction], path: Path, base_url: str = DEFAULT_BASE_URL
) -> int:
    """Write a cassette that stock vcrpy replays (matching on method, uri and body).

    Args:
        base_url: of the server that the replayed program believes to call.

    Returns:
        How many exchanges it holds.
    """
    exchanges = [_to_vcr(interaction, base_url) for interaction in interactions]
    write_atomically(
        path, yamlserializer.serialize({"version": 1, "interactions": exchanges}).encode()
    )
    return len(exchanges)


def _to_vcr(interaction: Interaction, base_url: str) -> dict[str, Any]:
    call, response = interaction.call, interaction.response
    query = "&".join(f"{name}={value}" for name, value in call.query.items())
    body = response.body
    if response.kind == "json":
        body = json.dumps(body, ensure_ascii=False)
    headers = {"content-type": "application/json", **response.headers}
    return {
        "request": {
            "method": call.method,
            "uri": _base(call, base_url) + call.path + (f"?{query}" if query else ""),
            "body": json.dumps(call.body, ensure_ascii=False),
            "headers": {"content-type": ["application/json"]},
        },
        "response": {
            "status": {"code": response.status, "message": "OK"},
            "headers": {name: [value] for name, value in headers.items()},
            "body": {"string": body},
        },
    }


def _base(call: Call, base_url: str) -> str:
    """Return what stands before a call's path: nothing where the path is a webhook's whole URL."""
    return base_url.rstrip("/") if call.path.startswith("/") else ""


class JudgekitSerializer:
    """vcrpy's serializer for our packed form: one interaction a line.

    Args:
        base_url: what vcrpy is told that the recorded calls went to.
    """

    def __init__(self, base_url: str = DEFAULT_BASE_URL) -> None:
        self.base_url = base_url

    def deserialize(self, text: str) -> dict[str, Any]:
        """Return the exchanges of a judgekit file, single or packed, as vcrpy holds them."""
        data = text.encode()
        try:
            made = [parse(data, "cassette")]
        except CassetteCorrupt:
            lines = (line for line in data.splitlines() if line.strip())
            made = [parse(line, f"cassette:{n}") for n, line in enumerate(lines, start=1)]
        return {"version": 1, "interactions": [_to_vcr(each, self.base_url) for each in made]}

    def serialize(self, cassette: Mapping[str, Any]) -> str:
        """Return vcrpy's exchanges as packed lines.

        Raises:
            ConfigError: an exchange is no judge call that judgekit can keep.
        """
        return b"".join(to_line(each) for each in self._interactions(cassette)).decode()

    def _interactions(self, cassette: Mapping[str, Any]) -> Iterator[Interaction]:
        for number, exchange in enumerate(cassette["interactions"], start=1):
            request = Request._from_dict(exchange["request"])
            response = exchange["response"]
            try:
                yield _from_vcr(request, response, "vcr", "vcr", f"vcr-{number}")
            except ValueError as error:
                raise ConfigError(f"exchange {number} can't be kept: {error}") from None


class FolderPersister:
    """vcrpy's persister for our folders: opens ``<root>/<eval>/<scorer>`` as one cassette."""

    @staticmethod
    def load_cassette(path: str, serializer: JudgekitSerializer) -> Any:
        """Return every exchange in a scorer's folder, or in a file of ours."""
        place = Path(path)
        if place.is_file():
            return read_vcr(place.read_text("utf-8"), serializer)
        store = CassetteStore(place.parent.parent)
        found = [each for _, each in store.read_all(place.parent.name, place.name)]
        if not found:
            raise CassetteNotFoundError
        return read_vcr(b"".join(to_line(each) for each in found).decode(), serializer)

    @staticmethod
    def save_cassette(
        path: str, cassette: Mapping[str, Any], serializer: JudgekitSerializer
    ) -> None:
        """Write each exchange to a file of its own in a scorer's folder."""
        place = Path(path)
        store = CassetteStore(place.parent.parent)
        for request, response in zip(cassette["requests"], cassette["responses"], strict=True):
            made = _from_vcr(request, response, place.parent.name, place.name, "vcr")
            recorded = replace(made.recorded, case=f"vcr-{made.key[:10]}")
            store.add(replace(made, recorded=recorded))


def judgekit_vcr(base_url: str = DEFAULT_BASE_URL, **options: Any) -> vcr.VCR:
    """Return a VCR that opens and writes judgekit cassettes.

    Use it with ``use_cassette("cassettes/<eval>/<scorer>")``. Requests are matched on method, path,
    query and body, since a judgekit cassette knows no host.

    Args:
        base_url: what the recorded calls are said to have gone to.
        options: passed on to `vcr.VCR`.
    """
    made = vcr.VCR(
        **{"match_on": ("method", "path", "query", "body"), "serializer": NAME, **options}
    )
    register(made, base_url)
    made.register_persister(FolderPersister)
    return made


def register(recorder: vcr.VCR, base_url: str = DEFAULT_BASE_URL) -> None:
    """Make ``serializer="judgekit"`` known to a VCR."""
    recorder.register_serializer(NAME, JudgekitSerializer(base_url))
