from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgekit.graders.grade import Status
from judgekit.graders.registry import grade
from tests.cli.conftest import Run, judgekit, project
from tests.judges.model_server import answers, hangs, model_server

__all__ = ["judgekit", "project"]


@pytest.fixture
def release() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def use_webhook(project: Path, url: str, *, allowed: bool = True) -> None:
    """Give the project one scorer, a webhook."""
    text = (project / "evals" / "support.yaml").read_text()
    scorers = f"scorers:\n  hook:\n    grader: custom_webhook\n    config: {{url: '{url}/grade'}}\n"
    (project / "evals" / "support.yaml").write_text(text.split("scorers:")[0] + scorers)
    if allowed:
        config = (project / "judgekit.toml").read_text()
        (project / "judgekit.toml").write_text(f"webhooks = ['{url}']\n{config}")


def test_a_webhook_is_recorded_once_and_replayed(judgekit: Run, project: Path) -> None:
    with model_server(answers(200, {"passed": True, "reason": "looks right", "id": 7})) as server:
        use_webhook(project, server.url)
        assert judgekit("run").returncode == 3
        recorded = judgekit("record")
        assert recorded.returncode == 0, recorded.stderr
        assert server.requests[0] == {"candidate": "Answer 0: you get a refund."}
        assert len(server.requests) == 4
    judgekit("cassette", "accept")
    run = judgekit("run", "--format", "json")
    grades = [case["grades"]["hook"] for case in json.loads(run.stdout)["runs"][0]["cases"]]
    assert {g["status"] for g in grades} == {"passed"}
    assert grades[0]["reason"] == "looks right"


@pytest.mark.parametrize(
    "answer",
    [{"passed": "false"}, {"passed": 1}, {"passed": None}, {}, [], {"ok": True}, b"not json"],
)
def test_an_answer_without_a_boolean_is_an_error_and_never_a_pass(
    judgekit: Run, project: Path, answer: object
) -> None:
    with model_server(answers(200, answer)) as server:
        use_webhook(project, server.url)
        judgekit("record")
        assert len(server.requests) == 4
    judgekit("cassette", "accept")
    assert judgekit("run").returncode == 4


def test_a_webhook_on_this_machine_is_blocked_unless_it_is_allowed(
    judgekit: Run, project: Path
) -> None:
    with model_server(answers(200, {"passed": True})) as server:
        use_webhook(project, server.url, allowed=False)
        done = judgekit("record")
        assert server.requests == []
    assert done.returncode == 4
    assert "loopback" in done.stderr


def test_a_redirect_is_refused(judgekit: Run, project: Path) -> None:
    with model_server(answers(302, {}, {"Location": "http://169.254.169.254/"})) as server:
        use_webhook(project, server.url)
        done = judgekit("record")
    assert done.returncode == 4
    assert "redirect" in done.stderr


def test_an_answer_over_a_mebibyte_is_refused(judgekit: Run, project: Path) -> None:
    with model_server(answers(200, {"passed": True, "reason": "x" * 1_100_000})) as server:
        use_webhook(project, server.url)
        done = judgekit("record")
    assert done.returncode == 4
    assert "more than 1048576 bytes" in done.stderr


def test_a_webhook_that_hangs_is_left(
    judgekit: Run, project: Path, release: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judgekit.evals.session.WEBHOOK_S", 0.3)
    with model_server(hangs(release)) as server:
        use_webhook(project, server.url)
        done = judgekit("record")
    assert done.returncode == 4
    assert "gave no answer in time" in done.stderr


@pytest.mark.parametrize(
    "url", ["ftp://x.org/", "http://user:pw@x.org/", "not a url", "", "/grade"]
)
def test_a_url_that_can_not_be_called_is_an_invalid_option(url: str) -> None:
    result = grade("custom_webhook", {"url": url}, "text")
    assert result.status is Status.ERROR
    assert "url" in result.reason
