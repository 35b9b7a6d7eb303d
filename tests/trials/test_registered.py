from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgekit.cassettes.staging import Staging
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import BiasGuardRefused, Cause, ConfigError
from judgekit.graders.grade import Grade, Status
from judgekit.graders.judging import ConfiguredJudge
from judgekit.judges.dialects import find_dialect
from judgekit.judges.live import Connection, LiveExchange
from judgekit.judges.port import Judge
from judgekit.judges.recording import RecordingExchange, RecordingJudge, ignore_event
from judgekit.judges.replay import ReplayJudge
from judgekit.net.replay_guard import refuse_network
from judgekit.trials.judging import TrialJudges
from judgekit.trials.registered import graded_by
from judgekit.trials.reports import TaskReport
from judgekit.trials.runner import TrialOptions, run_task
from judgekit.trials.task import TrialContext, TrialGrader, TrialOutcome
from tests.judges.model_server import model_server, says
from tests.trials.making import make_task, python

SCORE = '{"reason": "Short and plain.", "score": 0.9}'


def graded(grader: TrialGrader, found: TrialOutcome) -> Grade:
    return run_task(make_task(grader, run=lambda _: found)).trials[0].grades[grader.name]


def test_a_registered_grader_grades_the_summary() -> None:
    grader = graded_by("contains", {"fragments": ["milk"]})
    assert graded(grader, TrialOutcome(summary="no milk today")).passed
    assert not graded(grader, TrialOutcome(summary="no tea today")).passed


@pytest.mark.parametrize(
    ("on", "data", "passed"),
    [
        ("$.n", {"n": 3}, True),
        ("$.n", {"n": 4}, False),
        ("$.deep[0].n", {"deep": [{"n": 3}]}, True),
        ("$['a b']", {"a b": 3}, True),
    ],
)
def test_a_registered_grader_grades_what_a_path_selects(
    on: str, data: dict[str, Any], passed: bool
) -> None:
    grader = graded_by("numeric_match", {"expected": 3}, on=on)
    assert graded(grader, TrialOutcome(data=data)).passed is passed


@pytest.mark.parametrize(
    ("on", "found"),
    [
        ("summary", TrialOutcome()),
        ("$.n", TrialOutcome(summary="3")),
        ("$..n", TrialOutcome(data={"a": {"n": 3}, "b": {"n": 3}})),
    ],
)
def test_what_is_not_there_or_not_one_is_an_error_and_no_failure(
    on: str, found: TrialOutcome
) -> None:
    grade = graded(graded_by("numeric_match", {"expected": 3}, on=on), found)
    assert (grade.status, grade.cause) == (Status.ERROR, Cause.MISSING_MEASUREMENT)


@pytest.mark.parametrize(
    ("grader", "config", "on", "said"),
    [
        ("contain", {}, "summary", "did you mean 'contains'"),
        ("contains", {"fragment": ["x"]}, "summary", "fragment"),
        ("contains", {"fragments": ["x"]}, "stdout", "write `summary` or a JSONPath"),
        ("contains", {"fragments": ["x"]}, "$.[", "write `summary` or a JSONPath"),
    ],
)
def test_a_grader_that_could_grade_nothing_is_refused_at_once(
    grader: str, config: dict[str, Any], on: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        graded_by(grader, config, on=on)


def judges(judge: Judge, subject: str = "human", **changes: Any) -> TrialJudges:
    configured = ConfiguredJudge("local", "test-judge", judge)
    return TrialJudges({"local": configured}, subject, eval="agents", **changes)


def judged(judge: Judge, *, trials: int = 2, text: str = "hello", **config: Any) -> TaskReport:
    grader = graded_by("llm_score", {"rubric": "How clear is it?", **config}, name="clear")
    task = make_task(grader, run=lambda _: TrialOutcome(summary=text))
    return run_task(task, TrialOptions(trials=trials, judges=judges(judge)))


def recording(url: str, folder: Path) -> tuple[RecordingJudge, Staging, LiveExchange]:
    staging = Staging(folder / "staged", CassetteStore(folder / "cassettes"))
    live = LiveExchange(
        Connection(url, connect_s=5, attempt_s=20, call_s=60), find_dialect("openai-chat")
    )
    exchange = RecordingExchange(
        live, staging, lambda: "2026-12-01T10:00:00Z", again=False, observe=ignore_event
    )
    return RecordingJudge(exchange, live, re_asks=1), staging, live


def test_a_judge_on_a_trial_is_recorded_once_and_replays_without_network(tmp_path: Path) -> None:
    with model_server(says(SCORE)) as server:
        judge, staging, live = recording(server.url, tmp_path)
        recorded = judged(judge)
        assert len(server.requests) == 1  # two trials with one outcome are one request
        live.close()
    staging.accept(staging.items())
    replay = ReplayJudge(CassetteStore(tmp_path / "cassettes"), re_asks=1)
    with refuse_network() as attempts:
        replayed = judged(replay)
    attempts.raise_if_any()
    assert [trial.score for trial in replayed.trials] == [0.9, 0.9]
    assert [t.grades["clear"].passed for t in recorded.trials] == [True, True]
    files = [path.name for path in (tmp_path / "cassettes" / "agents" / "clear").iterdir()]
    assert len(files) == 1
    assert files[0].startswith("task.")


def test_a_trial_whose_outcome_was_never_judged_is_a_miss_and_no_pass(tmp_path: Path) -> None:
    replay = ReplayJudge(CassetteStore(tmp_path))
    report = judged(replay, text="never recorded")
    assert [trial.cause for trial in report.trials] == [Cause.MISS] * 2
    assert (report.passed, report.graded, report.figures) == (0, 0, None)
    assert report.fault == "2 of 2 trials in error (miss)"


def test_an_unreadable_reply_is_an_error_even_where_any_score_would_pass(tmp_path: Path) -> None:
    with model_server(says("Clear enough, I think.")) as server:
        judge, staging, live = recording(server.url, tmp_path)
        report = judged(judge, trials=1, min_score=0.0)
        live.close()
    (trial,) = report.trials
    assert (trial.status, trial.score, trial.cause) == (
        Status.ERROR,
        None,
        Cause.MALFORMED_VERDICT,
    )
    staging.accept(staging.items())
    replayed = judged(
        ReplayJudge(CassetteStore(tmp_path / "cassettes"), re_asks=1), trials=1, min_score=0.0
    )
    assert replayed.trials[0].cause is Cause.MALFORMED_VERDICT


def test_a_judge_grader_without_judges_is_refused_before_anything_runs() -> None:
    ran: list[int] = []

    def run(context: TrialContext) -> TrialOutcome:
        ran.append(context.trial)
        return TrialOutcome(summary="x")

    task = make_task(graded_by("llm_score", {"rubric": "How clear?"}), run=run)
    with pytest.raises(ConfigError, match="not configured"):
        run_task(task)
    assert ran == []


def test_a_judge_of_an_unguarded_model_is_refused_and_a_guard_decides(tmp_path: Path) -> None:
    replay = ReplayJudge(CassetteStore(tmp_path))
    task = make_task(graded_by("llm_score", {"rubric": "How clear?"}))
    with pytest.raises(BiasGuardRefused, match="no family guard"):
        run_task(task, TrialOptions(judges=judges(replay, "gemma-3")))
    asked: list[tuple[str, tuple[str, ...]]] = []

    def guard(subject: str, models: Any) -> list[str]:
        asked.append((subject, tuple(models)))
        return ["a waiver"]

    guarded = judges(replay, "gemma-3", guard=guard)
    assert guarded.check([task]) == ("a waiver",)
    assert asked == [("gemma-3", ("test-judge",))]


def test_a_command_is_judged_under_the_replay_guard_too(tmp_path: Path) -> None:
    grader = graded_by("contains", {"fragments": ["hello"]})
    with refuse_network() as attempts:
        report = run_task(make_task(grader, command=python("print('hello')")))
    attempts.raise_if_any()
    assert report.passed == 1
