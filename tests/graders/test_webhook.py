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
    assert "add its exact origin to webhooks in the configuration" in done.stderr


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


@pytest.mark.parametrize(
    "url",
    [
        "https://x.org/grade?token=abc",
        "https://x.org/grade?api_key=abc",
        "https://x.org/grade?v=1&sig=abc",
        "https://x.org/grade?access-token=",
        "https://x.org/hook/sk-ant-api03-" + "a1" * 20,
        "https://x.org/?q=ghp_" + "a1B2" * 9,
    ],
)
def test_a_url_with_a_secret_is_refused_without_repeating_it(url: str) -> None:
    result = grade("custom_webhook", {"url": url}, "text")
    assert result.status is Status.ERROR
    assert "webhook_keys" in result.reason
    assert "abc" not in result.reason
    assert "a1" not in result.reason


@pytest.mark.parametrize("url", ["https://x.org/grade?version=2&monkey=1", "https://x.org/tokens"])
def test_a_url_without_a_secret_is_asked(url: str) -> None:
    result = grade("custom_webhook", {"url": url}, "text")
    assert "none is set" in result.reason


def test_a_webhook_is_sent_the_key_of_its_own_origin_alone(judgekit: Run, project: Path) -> None:
    with (
        model_server(answers(200, {"passed": True})) as mine,
        model_server(answers(200, {"passed": True})) as other,
    ):
        use_webhook(project, mine.url)
        config = (project / "judgekit.toml").read_text()
        keys = f"[webhook_keys]\n'{mine.url}' = 'MY_HOOK'\n'{other.url}/x' = 'OTHER_HOOK'\n"
        (project / "judgekit.toml").write_text(config + keys)
        assert "MY_HOOK is not set" in judgekit("record").stderr
        done = judgekit("record", MY_HOOK="hook-key-1", OTHER_HOOK="hook-key-2")
    assert done.returncode == 0, done.stderr
    assert {headers["Authorization"] for headers in mine.headers} == {"Bearer hook-key-1"}
    staged = [path.read_text() for path in project.rglob("*.json")]
    assert staged
    assert not any("hook-key" in text for text in staged)


def test_a_webhook_that_repeats_its_key_is_not_recorded(judgekit: Run, project: Path) -> None:
    with model_server(answers(200, {"passed": True, "reason": "got hook-key-1"})) as server:
        use_webhook(project, server.url)
        config = (project / "judgekit.toml").read_text()
        (project / "judgekit.toml").write_text(
            f"{config}[webhook_keys]\n'{server.url}' = 'MY_HOOK'\n"
        )
        done = judgekit("record", MY_HOOK="hook-key-1")
    assert done.returncode == 4
    assert "would hold a secret (the judge's own key)" in done.stderr
    assert "hook-key-1" not in done.stderr + done.stdout


@pytest.mark.parametrize("webhook", ["*", "", "example.com", "http://user@x.org"])
def test_the_configuration_names_a_webhook_that_can_not_be_one(
    judgekit: Run, project: Path, webhook: str
) -> None:
    config = (project / "judgekit.toml").read_text()
    (project / "judgekit.toml").write_text(f"webhooks = ['{webhook}']\n{config}")
    done = judgekit("plan")
    assert done.returncode == 2
    assert "judgekit.toml: webhooks.0: " in done.stderr or "webhooks[0]" in done.stderr
