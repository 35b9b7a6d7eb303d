from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import vcr
import yaml

from judgekit.cassettes.store import CassetteStore
from judgekit.cassettes.vcr_bridge import export_cassette, import_cassette, judgekit_vcr, register
from judgekit.errors import ConfigError
from judgekit.judges.asking import call_of
from judgekit.judges.dialects import find_dialect
from judgekit.judges.replay import ReplayJudge
from tests.cassettes.making import make_interaction
from tests.judges.making import PASS, make_request
from tests.judges.model_server import answers, model_server, says

BASE = "http://127.0.0.1:9"
CALL = call_of(make_request(), find_dialect("openai-chat"))


def post(url: str, body: Any, **headers: str) -> httpx.Response:
    with httpx.Client(trust_env=False) as client:
        return client.post(f"{url}/v1/chat/completions", json=body, headers=headers)


def test_stock_vcrpy_replays_what_we_export(tmp_path: Path) -> None:
    made = [make_interaction(case=f"c{i}", text=f"Grüße {i}\nand more") for i in range(3)]
    path = tmp_path / "exported.yaml"
    assert export_cassette(made, path, BASE) == 3
    with vcr.use_cassette(str(path), record_mode="none", match_on=["method", "uri", "body"]):
        for interaction in reversed(made):
            answer = post(BASE, interaction.call.body)
            assert answer.json() == interaction.response.body


def test_what_vcrpy_recorded_is_replayed_by_the_judge(tmp_path: Path) -> None:
    path = tmp_path / "recorded.yaml"
    with model_server(says(PASS)) as server, vcr.use_cassette(str(path)):
        post(server.url, dict(CALL.body), Authorization="Bearer sk-secret-secret-secret")
    assert "sk-secret" in path.read_text()
    imported = import_cassette(path, "support", "helpful")
    assert imported.skipped == ()
    store = CassetteStore(tmp_path / "cassettes")
    for interaction in imported.interactions:
        assert "sk-secret" not in store.add(interaction).read_text()
    verdict = ReplayJudge(store).evaluate(make_request())
    assert (verdict.outcome, verdict.replayed) == ("pass", True)


def test_a_compressed_answer_is_decoded(tmp_path: Path) -> None:
    packed = gzip.compress(json.dumps({"choices": [{"message": {"content": PASS}}]}).encode())
    path = tmp_path / "recorded.yaml"
    with (
        model_server(answers(200, packed, {"Content-Encoding": "gzip"})) as server,
        vcr.use_cassette(str(path)),
    ):
        post(server.url, dict(CALL.body))
    (interaction,) = import_cassette(path, "support", "helpful").interactions
    assert interaction.response.body["choices"][0]["message"]["content"] == PASS


def test_repeated_requests_become_samples(tmp_path: Path) -> None:
    path = tmp_path / "recorded.yaml"
    exchange = {
        "request": {
            "method": "POST",
            "uri": f"{BASE}/v1/chat/completions?api_key=sk-1&api-version=2",
            "body": json.dumps(CALL.body),
            "headers": {},
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"Content-Type": ["application/json"]},
            "body": {"string": "{}"},
        },
    }
    path.write_text(yaml.safe_dump({"version": 1, "interactions": [exchange] * 3}))
    imported = import_cassette(path, "support", "helpful")
    assert [i.call.sample for i in imported.interactions] == [0, 1, 2]
    assert len({i.key for i in imported.interactions}) == 3
    assert imported.interactions[0].call.query == {"api-version": "2"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"uri": f"{BASE}/v1/embeddings"}, "is no judge call of a known dialect"),
        ({"method": "GET"}, "is no judge call of a known dialect"),
        ({"body": None}, "has no body"),
        ({"body": "not json"}, "body is not JSON"),
        ({"body": "[]"}, "body is no JSON object"),
    ],
)
def test_what_can_not_be_taken_is_listed(tmp_path: Path, change: Any, why: str) -> None:
    request = {
        "method": "POST",
        "uri": f"{BASE}/v1/chat/completions",
        "body": json.dumps(CALL.body),
        "headers": {},
    }
    response = {"status": {"code": 200, "message": ""}, "headers": {}, "body": {"string": "{}"}}
    path = tmp_path / "recorded.yaml"
    exchanges = [
        {"request": {**request, **change}, "response": response},
        {"request": request, "response": {**response, "status": {"code": 500, "message": ""}}},
        {
            "request": request,
            "response": {**response, "headers": {"Content-Type": ["text/event-stream"]}},
        },
        {"request": request, "response": response},
    ]
    path.write_text(yaml.safe_dump({"version": 1, "interactions": exchanges}))
    imported = import_cassette(path, "support", "helpful")
    assert len(imported.interactions) == 1
    assert why in imported.skipped[0]
    assert "HTTP 500" in imported.skipped[1]
    assert "stream" in imported.skipped[2]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "a: [",
        "version: 1\n",
        "\ufeff{{",
        "x: !!python/name:os.system ''",
        "version: 1\ninteractions: []\n",
        "version: 1\ninteractions: 5\n",
        "version: 1\ninteractions: [5]\n",
        "version: 1\ninteractions: [{request: {}}]\n",
    ],
)
def test_what_is_no_cassette_of_vcrpy_is_one_clear_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "foreign.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"foreign\.yaml: is no cassette of vcrpy: ") as caught:
        import_cassette(path, "support", "helpful")
    assert "\n" not in str(caught.value)
    assert "object" not in str(caught.value)


def test_an_answer_that_no_judge_gives_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "out.yaml"
    export_cassette([make_interaction()], path)
    text = path.read_text()
    document = yaml.safe_load(text)
    document["interactions"][0]["response"]["body"]["string"] = "<html>no JSON</html>"
    path.write_text(yaml.safe_dump(document))
    imported = import_cassette(path, "support", "helpful")
    assert imported.interactions == ()
    assert "its answer is no JSON object" in imported.skipped[0]


def test_vcrpy_opens_a_folder_of_ours(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    made = [make_interaction(case=f"c{i}", text=f"q {i}") for i in range(3)]
    for interaction in made:
        store.add(interaction)
    with judgekit_vcr(record_mode="none").use_cassette(str(tmp_path / "support" / "helpful")):
        for interaction in made:
            assert post(BASE, interaction.call.body).json() == interaction.response.body


def test_vcrpy_opens_one_file_of_ours(tmp_path: Path) -> None:
    interaction = make_interaction()
    path = CassetteStore(tmp_path).add(interaction)
    recorder = vcr.VCR(match_on=["method", "path", "body"], record_mode="none")
    register(recorder)
    with recorder.use_cassette(str(path), serializer="judgekit"):
        assert post(BASE, interaction.call.body).json() == interaction.response.body


def test_vcrpy_records_into_a_folder_of_ours(tmp_path: Path) -> None:
    folder = tmp_path / "support" / "helpful"
    with (
        model_server(says(PASS)) as server,
        judgekit_vcr(record_mode="once").use_cassette(str(folder)),
    ):
        post(server.url, dict(CALL.body))
    assert ReplayJudge(CassetteStore(tmp_path)).evaluate(make_request()).outcome == "pass"
