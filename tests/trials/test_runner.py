from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from judgekit.errors import CassetteMiss, Cause, ConfigError
from judgekit.graders.grade import Grade, Status
from judgekit.trials.builtin import ALL_TASKS
from judgekit.trials.evidence import outcome
from judgekit.trials.record import TrialRecord
from judgekit.trials.reports import TaskReport
from judgekit.trials.runner import TrialOptions, run_suite, run_task, smoke, smoke_trials
from judgekit.trials.scorecard import suite_json
from judgekit.trials.task import Suite, TrialContext, TrialGrader, TrialOutcome
from judgekit.trials.trial import trial_seed
from tests.trials.making import HOLDS, make_task, passes_in


def one(**changes: Any) -> TrialRecord:
    (trial,) = run_task(make_task(**changes)).trials
    return trial


def test_every_trial_runs_once_and_stands_in_order() -> None:
    seen: list[int] = []

    def run(context: TrialContext) -> TrialOutcome:
        seen.append(context.trial)
        return TrialOutcome()

    report = run_task(make_task(run=run), TrialOptions(trials=7, jobs=3))
    assert sorted(seen) == list(range(7))
    assert [trial.trial for trial in report.trials] == list(range(7))


def test_as_many_trials_as_jobs_run_at_once() -> None:
    together = threading.Barrier(3)

    def run(_: TrialContext) -> TrialOutcome:
        together.wait(30)
        return TrialOutcome()

    report = run_task(make_task(run=run), TrialOptions(trials=3, jobs=3))
    assert report.passed == 3


def test_the_report_is_the_same_for_any_number_of_jobs() -> None:
    reports = [
        suite_json(run_suite(ALL_TASKS, TrialOptions(trials=3, jobs=jobs, seed=5)))
        for jobs in (1, 4)
    ]
    assert reports[0] == reports[1]


def test_each_trial_has_a_seed_of_its_own_that_comes_back() -> None:
    seeds = [trial_seed(7, "task", trial) for trial in range(100)]
    assert len(set(seeds)) == 100
    assert all(0 <= seed < 2**32 for seed in seeds)
    report = run_task(make_task(), TrialOptions(trials=3, seed=7))
    assert [trial.seed for trial in report.trials] == seeds[:3]
    assert trial_seed(8, "task", 0) != seeds[0] != trial_seed(7, "other", 0)


def test_what_a_task_raises_is_one_failing_run_error_with_its_traceback() -> None:
    def run(_: TrialContext) -> TrialOutcome:
        raise LookupError("no such tool\nin the box")

    trial = one(run=run)
    assert list(trial.grades) == ["run-error"]
    grade = trial.grades["run-error"]
    assert (grade.status, grade.score) == (Status.FAILED, 0.0)
    assert grade.reason == "LookupError: no such tool in the box"
    assert "in run" in trial.trace
    assert trial.exit_class == "error"


@pytest.mark.parametrize("raised", [SystemExit(0), KeyboardInterrupt(), GeneratorExit()])
def test_a_task_that_leaves_the_process_fails_its_trial_alone(raised: BaseException) -> None:
    def run(_: TrialContext) -> TrialOutcome:
        raise raised

    assert one(run=run).status is Status.FAILED


def test_an_error_of_judgekit_inside_a_task_is_no_failure_of_the_agent() -> None:
    def run(_: TrialContext) -> TrialOutcome:
        raise CassetteMiss("the agent's model was never recorded for this")

    trial = one(run=run)
    assert (trial.status, trial.score, trial.cause) == (Status.ERROR, None, Cause.MISS)


@pytest.mark.parametrize("returned", [None, "done", {"summary": "done"}])
def test_a_task_that_returns_no_outcome_fails(returned: Any) -> None:
    trial = one(run=lambda _: returned)
    assert "not a TrialOutcome" in trial.grades["run-error"].reason


@pytest.mark.parametrize(
    ("outcome_", "said"),
    [
        (TrialOutcome(data={"x": object()}), "type object"),  # type: ignore[dict-item]
        (TrialOutcome(summary=3), "summary is int"),  # type: ignore[arg-type]
    ],
)
def test_an_outcome_that_is_no_json_fails(outcome_: TrialOutcome, said: str) -> None:
    assert said in one(run=lambda _: outcome_).grades["run-error"].reason


def test_a_plain_task_that_takes_too_long_is_given_up() -> None:
    release = threading.Event()

    def run(_: TrialContext) -> TrialOutcome:
        release.wait(60)
        return TrialOutcome()

    trial = one(run=run, timeout_s=0.2)
    release.set()
    assert (trial.status, trial.exit_class) == (Status.FAILED, "timeout")
    assert trial.grades["run-error"].reason == "gave no outcome within 0.2 s"


def test_an_asynchronous_task_runs_and_is_cancelled_when_its_time_is_over() -> None:
    cleaned = threading.Event()

    async def run(context: TrialContext) -> TrialOutcome:
        try:
            await anyio.sleep(0 if context.trial == 0 else 60)
        finally:
            if context.trial:
                cleaned.set()
        return TrialOutcome(summary="awaited")

    awaited = outcome("awaited", lambda found, _: found.summary == "awaited")
    report = run_task(make_task(awaited, run=run, timeout_s=0.5), TrialOptions(trials=2))
    assert [trial.exit_class for trial in report.trials] == ["success", "timeout"]
    assert cleaned.is_set()


def test_what_an_asynchronous_task_raises_is_told_as_it_is() -> None:
    async def run(_: TrialContext) -> TrialOutcome:
        await anyio.sleep(0)
        raise TimeoutError("of its own")

    trial = one(run=run, timeout_s=30.0)
    assert trial.grades["run-error"].reason == "TimeoutError: of its own"
    assert trial.exit_class == "error"


def test_a_task_that_neither_always_passes_nor_always_fails_is_named_flaky() -> None:
    tasks = [
        make_task(passes_in(0, 2), id="flaky"),
        make_task(passes_in(0, 1, 2), id="sound"),
        make_task(passes_in(), id="broken"),
    ]
    report = run_suite(tasks, TrialOptions(trials=3))
    assert report.flaky == ("flaky",)
    assert dict(report.faults) == {"broken": "passed none of 3 trials"}


@pytest.mark.parametrize(
    ("suite", "floor", "passing", "fault"),
    [
        (Suite.CAPABILITY, None, (0,), None),
        (Suite.CAPABILITY, 0.5, (0,), "passed 1 of 4 trials, under its floor 0.5"),
        (Suite.CAPABILITY, 0.5, (0, 1), None),
        (Suite.CAPABILITY, 0.0, (), None),
        (Suite.REGRESSION, None, (0, 1, 2), "passed 3 of 4 trials, under its floor 1"),
        (Suite.REGRESSION, None, (0, 1, 2, 3), None),
    ],
)
def test_a_task_must_reach_its_floor(
    suite: Suite, floor: float | None, passing: tuple[int, ...], fault: str | None
) -> None:
    task = make_task(passes_in(*passing), suite=suite, floor=floor)
    report = run_task(task, TrialOptions(trials=4))
    assert report.fault == fault


def test_a_grader_that_raises_puts_the_trial_in_error_and_not_down() -> None:
    broken = outcome("broken", lambda found, _: found.data["missing"] == 1)
    trial = one(graders=(HOLDS, broken))
    assert (trial.status, trial.score) == (Status.ERROR, None)
    assert trial.grades["broken"].cause is Cause.MISSING_MEASUREMENT
    assert "KeyError" in trial.grades["broken"].reason


def test_a_miss_inside_a_grader_of_ones_own_keeps_its_cause() -> None:
    def grade(_: TrialContext, __: TrialOutcome, ___: Any) -> Grade:
        raise CassetteMiss("never recorded")

    assert one(graders=(TrialGrader("own", "own", grade),)).cause is Cause.MISS


def test_a_grader_that_returns_no_grade_is_an_error() -> None:
    broken = TrialGrader("broken", "broken", lambda _, __, ___: True)  # type: ignore[arg-type,return-value]
    assert one(graders=(broken,)).status is Status.ERROR


def test_an_asynchronous_grader_is_awaited() -> None:
    async def grade(_: TrialContext, __: TrialOutcome, ___: Any) -> Grade:
        await anyio.sleep(0)
        return Grade.of(True, "awaited")

    assert one(graders=(TrialGrader("later", "later", grade),)).passed


def test_errors_are_counted_beside_and_never_enter_a_figure() -> None:
    def grade(context: TrialContext, _: TrialOutcome, __: Any) -> Grade:
        if context.trial == 0:
            return Grade.error(Cause.MISS, "never recorded")
        return Grade.of(context.trial != 1, "graded")

    task = make_task(TrialGrader("g", "g", grade))
    report = run_task(task, TrialOptions(trials=4, k=3))
    assert (report.passed, report.graded, report.errors) == (2, 3, 1)
    assert report.pass_at_1 == pytest.approx(2 / 3)
    assert report.mean_score == pytest.approx(2 / 3)
    assert report.fault == "1 of 4 trials in error (miss)"


def test_with_fewer_graded_trials_than_k_there_is_no_figure() -> None:
    def grade(context: TrialContext, _: TrialOutcome, __: Any) -> Grade:
        return Grade.error(Cause.MISS, "x") if context.trial == 0 else Grade.of(True, "y")

    report = run_suite([make_task(TrialGrader("g", "g", grade))], TrialOptions(trials=4))
    assert report.figures is None
    assert report.tasks[0].figures is None
    assert not report.passed


@pytest.mark.parametrize(
    "options",
    [{"trials": 0}, {"jobs": 0}, {"k": 0}, {"trials": 3, "k": 4}, {"trials": True}, {"k": -1}],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        TrialOptions(**options)


def test_no_tasks_and_two_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="no task"):
        run_suite([])
    with pytest.raises(ConfigError, match="'TASK'"):
        run_suite([make_task(id="TASK"), make_task(id="task")])


def test_the_smoke_subset_is_what_is_marked_and_never_empty() -> None:
    cheap = make_task(id="cheap", smoke=True)
    assert smoke([cheap, make_task()]) == (cheap,)
    with pytest.raises(ConfigError, match="smoke"):
        smoke([make_task()])


@pytest.mark.parametrize(
    ("asked", "trials"),
    [(2, 2), (3, 3), (4, 3), (2.9, 2), ("2", 2), (None, 1), ("", 1), (float("nan"), 1)],
)
def test_a_smoke_run_makes_one_to_three_trials_whatever_is_asked(asked: Any, trials: int) -> None:
    assert smoke_trials(asked) == trials
    assert smoke_trials(float("inf")) == 3


def test_macro_averages_and_suites_are_told_apart() -> None:
    tasks = [
        make_task(passes_in(0, 1), id="a", suite=Suite.REGRESSION),
        make_task(passes_in(0), id="b"),
        make_task(passes_in(), id="c"),
    ]
    report = run_suite(tasks, TrialOptions(trials=2, k=1))
    assert report.figures is not None
    assert report.figures.pass_at_1.value == pytest.approx(0.5)
    by_suite = {s.value: f and f.pass_at_1.value for s, f in report.by_suite.items()}
    assert by_suite == {"capability": 0.25, "regression": 1.0}


def test_every_trial_is_told_as_it_ends() -> None:
    told: list[TrialRecord] = []
    run_task(make_task(), TrialOptions(trials=3, observe=told.append))
    assert sorted(record.trial for record in told) == [0, 1, 2]


def test_a_trial_that_was_given_up_holds_up_no_other() -> None:
    release = threading.Event()

    def run(context: TrialContext) -> TrialOutcome:
        if context.trial == 0:
            release.wait(60)
        return TrialOutcome()

    begun = time.monotonic()
    report: TaskReport = run_task(make_task(run=run, timeout_s=0.3), TrialOptions(trials=3))
    release.set()
    assert report.passed == 2
    assert time.monotonic() - begun < 50


def test_results_are_where_the_project_wants_them_and_nothing_else_is(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "results.jsonl"
    run_task(make_task(), TrialOptions(trials=2, results=path))
    assert len(path.read_text().splitlines()) == 3
    assert list(path.parent.iterdir()) == [path]
