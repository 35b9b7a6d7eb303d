from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judgekit.cassettes.file_form import content_digest
from judgekit.cassettes.index import Place
from judgekit.cassettes.interaction import Interaction, Response
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import CassetteCorrupt, CassetteMiss, MalformedVerdict
from judgekit.judges.asking import call_of, hear
from judgekit.judges.dialects import find_dialect
from judgekit.judges.port import JudgeRequest
from judgekit.judges.replay import Miss, ReplayJudge, recorded_of
from tests.judges.making import FAIL, PASS, make_request, score_rubric
from tests.judges.model_server import completion

OPENAI = find_dialect("openai-chat")


def record(store: CassetteStore, request: JudgeRequest, *contents: str) -> Path:
    """Record one answer for each attempt of a request."""
    for attempt, content in enumerate(contents):
        response = Response(200, OPENAI.lasting(completion(content)))
        summary = hear(request, OPENAI, response).summary
        call = call_of(request, OPENAI, attempt).redacted()
        path = store.add(Interaction(call, response, recorded_of(request), summary))
    return path


def test_a_recorded_request_gets_its_verdict_back(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    record(store, make_request(), PASS)
    verdict = ReplayJudge(store).evaluate(make_request())
    assert (verdict.outcome, verdict.score, verdict.replayed) == ("pass", 1.0, True)
    assert verdict.rationale == "It answers the question."
    assert verdict.usage.input_tokens == 50


def test_replay_is_the_same_whatever_the_order_and_the_threads(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    requests = [make_request(f"q {i}", case=f"c{i}") for i in range(64)]
    for i, request in enumerate(requests):
        record(store, request, PASS if i % 3 else FAIL)
    judge = ReplayJudge(CassetteStore(tmp_path))
    with ThreadPoolExecutor(16) as pool:
        forwards = list(pool.map(judge.evaluate, requests))
        backwards = list(pool.map(judge.evaluate, reversed(requests)))
    assert forwards == list(reversed(backwards))
    assert [v.outcome for v in forwards] == ["pass" if i % 3 else "fail" for i in range(64)]


def test_repeated_samples_have_recordings_of_their_own(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    record(store, make_request(sample_index=0), PASS)
    record(store, make_request(sample_index=1), FAIL)
    judge = ReplayJudge(store)
    assert judge.evaluate(make_request(sample_index=1)).outcome == "fail"
    assert judge.evaluate(make_request(sample_index=0)).outcome == "pass"


def test_the_re_asks_of_a_malformed_reply_are_replayed(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    record(store, make_request(), "no idea", "none at all", PASS)
    verdict = ReplayJudge(store).evaluate(make_request())
    assert (verdict.outcome, verdict.attempts) == ("pass", 3)


def test_a_judge_that_failed_when_recorded_fails_in_replay(tmp_path: Path) -> None:
    huge = '{"reason": "x", "score": 1000000000000000}'
    request = make_request(rubric=score_rubric())
    store = CassetteStore(tmp_path)
    record(store, request, huge, huge, huge)
    with pytest.raises(MalformedVerdict, match="asked 3 times"):
        ReplayJudge(store).evaluate(request)


def test_an_unrecorded_request_is_a_miss_that_explains_itself(tmp_path: Path) -> None:
    with pytest.raises(Miss) as caught:
        ReplayJudge(CassetteStore(tmp_path)).evaluate(make_request())
    assert str(caught.value) == (
        "cassette miss: eval support, case c1, scorer helpful: never recorded (key "
        f"{call_of(make_request(), OPENAI).key[:10]}); record it with `judgekit record support`"
    )
    assert isinstance(caught.value, CassetteMiss)
    assert caught.value.exit_code == 3


def test_a_changed_output_is_a_miss_that_says_so(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    record(store, make_request("Judge:\nhello\nend"), PASS)
    changed = make_request("Judge:\ngoodbye\nend", parts={"output": "cccc", "rubric": "bbbb"})
    with pytest.raises(Miss, match="stale, since output changed") as caught:
        ReplayJudge(store).evaluate(changed)
    assert "-hello\n+goodbye" in caught.value.explanation.diff


def test_a_hit_is_a_hit_for_exactly_this_request(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    record(store, make_request(), PASS)
    judge = ReplayJudge(store)
    for changed in (
        make_request("Judge: hello "),
        make_request(model="another"),
        make_request(sampling=make_request().sampling.model_copy(update={"max_tokens": 201})),
        make_request(response_schema={"type": "object"}),
        make_request(sample_index=1),
    ):
        with pytest.raises(CassetteMiss):
            judge.evaluate(changed)


def test_a_recorded_verdict_that_was_edited_is_an_error(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    path = record(store, make_request(), FAIL)
    document = json.loads(path.read_text())
    document["verdict"] |= {"outcome": "pass", "score": 1.0}
    path.write_text(json.dumps(document))
    with pytest.raises(CassetteCorrupt, match="field verdict is not what the response says"):
        ReplayJudge(store).evaluate(make_request())


def test_a_problem_that_is_worded_otherwise_is_no_edit(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    path = record(store, make_request(), "no idea", PASS)
    first = next(p for p in path.parent.iterdir() if "malformed" in p.read_text())
    document = json.loads(first.read_text())
    document["verdict"]["problem"] = "another release words it so"
    first.write_text(json.dumps(document))
    assert ReplayJudge(store).evaluate(make_request()).outcome == "pass"


def test_an_edited_response_is_an_error_even_with_its_verdict_edited_too(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    path = record(store, make_request(), FAIL)
    text = path.read_text().replace('\\"passed\\": false', '\\"passed\\": true')
    document = json.loads(text)
    document["verdict"] |= {"outcome": "pass", "score": 1.0}
    path.write_text(json.dumps(document))
    with pytest.raises(CassetteCorrupt, match="field digest"):
        ReplayJudge(store).evaluate(make_request())
    document["digest"] = content_digest(document["key"], document["request"], document["response"])
    path.write_text(json.dumps(document))
    assert ReplayJudge(store).evaluate(make_request()).outcome == "pass"


def test_two_cases_with_the_same_request_share_a_recording(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    record(store, make_request(case="c1"), PASS)
    assert ReplayJudge(store).evaluate(make_request(case="c2")).outcome == "pass"


def test_a_secret_in_the_judged_text_still_hits(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    request = make_request("Judge: my key is ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6")
    path = record(store, request, PASS)
    assert "ghp_" not in path.read_text()
    assert ReplayJudge(store).evaluate(request).outcome == "pass"


def test_a_miss_reads_only_the_recordings_of_its_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CassetteStore(tmp_path)
    for number in range(50):
        record(store, make_request(f"old {number}", case=f"c{number}"), PASS)
    reads: list[str] = []
    read = Place.read
    monkeypatch.setattr(Place, "read", lambda place: reads.append(place.path) or read(place))
    judge = ReplayJudge(CassetteStore(tmp_path))
    for number in range(50):
        with pytest.raises(Miss, match="stale"):
            judge.evaluate(make_request(f"new {number}", case=f"c{number}"))
    assert len(reads) == 50
