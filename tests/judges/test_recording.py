from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judgekit.cassettes.staging import Staging
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import JudgeUnreachable, MalformedVerdict, RecordingRefused
from judgekit.judges.dialects import find_dialect
from judgekit.judges.live import Connection, LiveExchange
from judgekit.judges.recording import Progress, RecordingEvent, RecordingExchange, RecordingJudge
from judgekit.judges.replay import ReplayJudge
from tests.judges.making import FAIL, PASS, make_request
from tests.judges.model_server import answers, disconnects, model_server, says

WHEN = "2026-12-01T10:00:00Z"


def staging_in(folder: Path) -> Staging:
    return Staging(folder / "staged", CassetteStore(folder / "cassettes"))


def recorder(
    url: str,
    staging: Staging,
    events: list[RecordingEvent] | None = None,
    *,
    again: bool = False,
    call_s: float = 60,
    api_key_env: str | None = None,
) -> RecordingJudge:
    connection = Connection(url, api_key_env, connect_s=5, attempt_s=20, call_s=call_s)
    live = LiveExchange(connection, find_dialect("openai-chat"))
    observe = events.append if events is not None else lambda event: None
    exchange = RecordingExchange(live, staging, lambda: WHEN, again=again, observe=observe)
    return RecordingJudge(exchange, live)


def test_what_was_recorded_and_accepted_is_replayed(tmp_path: Path) -> None:
    staging = staging_in(tmp_path)
    with model_server(says(FAIL)) as server:
        live = recorder(server.url, staging).evaluate(make_request())
    (item,) = staging.items()
    assert item.interaction.recorded.when == WHEN
    assert item.interaction.recorded.model == "test-judge"
    assert item.interaction.recorded.model_answered == "judge-q4.gguf"
    staging.accept([item])
    replayed = ReplayJudge(staging.cassettes).evaluate(make_request())
    assert replayed == live.model_copy(update={"replayed": True})


def test_what_is_recorded_is_not_asked_again(tmp_path: Path) -> None:
    staging, events = staging_in(tmp_path), list[RecordingEvent]()
    with model_server(says(PASS)) as server:
        for _ in range(2):
            recorder(server.url, staging, events).evaluate(make_request())
        staging.accept(staging.items())
        recorder(server.url, staging, events).evaluate(make_request())
    assert len(server.requests) == 1
    assert [e.what for e in events] == [
        Progress.ASKED,
        Progress.RECORDED,
        Progress.SERVED,
        Progress.SERVED,
    ]


def test_recording_again_asks_anew_but_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    staging = staging_in(tmp_path)
    with model_server(says(PASS), says(FAIL)) as server:
        recorder(server.url, staging).evaluate(make_request())
        staging.accept(staging.items())
        for _ in range(2):
            recorder(server.url, staging, again=True).evaluate(make_request())
    assert len(server.requests) == 2
    (item,) = staging.items()
    assert item.change == "re-recorded"
    staging.accept([item])
    assert len(list(staging.cassettes.all())) == 1
    assert ReplayJudge(staging.cassettes).evaluate(make_request()).outcome == "fail"


def test_every_attempt_of_a_malformed_reply_is_recorded(tmp_path: Path) -> None:
    staging = staging_in(tmp_path)
    with model_server(says("hm"), says("hm"), says("hm")) as server:
        with pytest.raises(MalformedVerdict):
            recorder(server.url, staging).evaluate(make_request())
        assert len(server.requests) == 3
    staging.accept(staging.items())
    with pytest.raises(MalformedVerdict):
        ReplayJudge(staging.cassettes).evaluate(make_request())


@pytest.mark.parametrize("behaviour", [disconnects, answers(500, {}), answers(404, {})])
def test_a_failure_is_not_recorded(tmp_path: Path, behaviour: object) -> None:
    staging, events = staging_in(tmp_path), list[RecordingEvent]()
    with model_server(behaviour) as server, pytest.raises(JudgeUnreachable):  # type: ignore[arg-type]
        recorder(server.url, staging, events, call_s=0.3).evaluate(make_request())
    assert staging.items() == []
    assert [e.what for e in events] == [Progress.ASKED, Progress.FAILED]


def test_a_recording_gives_up_when_the_judge_stays_out_of_reach(tmp_path: Path) -> None:
    staging = staging_in(tmp_path)
    with model_server(answers(404, {})) as server:
        judge = recorder(server.url, staging)
        for i in range(10):
            with pytest.raises(JudgeUnreachable):
                judge.evaluate(make_request(f"q {i}"))
    assert len(server.requests) == 3


def test_a_retried_failure_leaves_only_the_answer_that_counted(tmp_path: Path) -> None:
    staging = staging_in(tmp_path)
    busy = answers(503, {"error": "loading"}, {"Retry-After": "0"})
    with model_server(busy, says(PASS)) as server:
        recorder(server.url, staging).evaluate(make_request())
    (item,) = staging.items()
    assert item.interaction.response.status == 200


def test_a_secret_never_reaches_the_disk(tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"
    staging = staging_in(tmp_path)
    reply = f'{{"reason": "it leaks {secret}", "passed": false}}'
    with model_server(says(reply)) as server:
        verdict = recorder(server.url, staging).evaluate(make_request(f"Judge: {secret}"))
    assert verdict.outcome == "fail"
    assert server.requests[0]["messages"][0]["content"] == f"Judge: {secret}"
    written = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"redacted:" in written
    assert secret.encode() not in written


def test_the_value_of_a_key_like_variable_stops_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SERVICE_TOKEN", "correct horse battery")
    staging = staging_in(tmp_path)
    reply = '{"reason": "he said correct horse battery", "passed": true}'
    with (
        model_server(says(reply)) as server,
        pytest.raises(RecordingRefused, match=r"the value of \$MY_SERVICE_TOKEN"),
    ):
        recorder(server.url, staging).evaluate(make_request())
    assert staging.items() == []


def test_the_judges_own_key_stops_the_recording_whatever_its_variable_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MYJUDGE", "abc1234")
    staging = staging_in(tmp_path)
    with (
        model_server(says('{"reason": "I was sent abc1234", "passed": true}')) as server,
        pytest.raises(RecordingRefused, match="the judge's own key"),
    ):
        recorder(server.url, staging, api_key_env="MYJUDGE").evaluate(make_request())
    assert staging.items() == []


def test_one_request_is_asked_once_however_many_threads_want_it(tmp_path: Path) -> None:
    staging = staging_in(tmp_path)
    with model_server(says(PASS)) as server:
        judge = recorder(server.url, staging)
        with ThreadPoolExecutor(8) as pool:
            verdicts = list(pool.map(lambda _: judge.evaluate(make_request()), range(8)))
    assert len(server.requests) == 1
    assert {v.outcome for v in verdicts} == {"pass"}


def test_two_recorders_do_not_lose_each_others_work(tmp_path: Path) -> None:
    one, other = staging_in(tmp_path), staging_in(tmp_path)
    requests = [make_request(f"q {i}", case=f"c{i}") for i in range(40)]
    with model_server(says(PASS)) as server:
        judges = [recorder(server.url, one), recorder(server.url, other)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: judges[i % 2].evaluate(requests[i]), range(40)))
    assert len(staging_in(tmp_path).items()) == 40


RECORD_FOREVER = """
import sys
from pathlib import Path
from tests.judges.making import make_request
from tests.judges.test_recording import recorder, staging_in
judge = recorder(sys.argv[1], staging_in(Path(sys.argv[2])))
for i in range(10_000):
    judge.evaluate(make_request(f"q {i}", case=f"c{i}"))
"""


@pytest.mark.parametrize("answered", [1, 25, 60])
def test_a_kill_loses_nothing_that_was_answered(tmp_path: Path, answered: int) -> None:
    enough = threading.Event()
    count = 0

    def reply(handler: object, body: object) -> None:
        nonlocal count
        count += 1
        if count > answered:
            enough.set()
        says(PASS)(handler, body)  # type: ignore[arg-type]

    with model_server(reply) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", RECORD_FOREVER, server.url, str(tmp_path)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert enough.wait(60)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        asked = len(server.requests)
        staging = staging_in(tmp_path)
        kept = len(staging.items())
        assert kept >= answered
        assert kept >= asked - 1
        judge = recorder(server.url, staging)
        for i in range(asked):
            judge.evaluate(make_request(f"q {i}", case=f"c{i}"))
        assert len(server.requests) - asked == asked - kept
