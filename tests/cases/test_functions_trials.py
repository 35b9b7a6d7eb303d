"""Board, runner, grader and ablation functions of other systems: their names, our behaviour."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from judgekit.documents import Document
from judgekit.errors import ConfigError
from judgekit.graders.grade import Grade, Status
from judgekit.trials.ablation import contribution
from judgekit.trials.board import Board
from judgekit.trials.board_records import BoardTask, DependencyCycle, Move
from judgekit.trials.environment import BoardEnvironment
from judgekit.trials.evidence import MISSING, board_state, event_budget, log_parse, outcome
from judgekit.trials.figures import naive_pass_pow_k
from judgekit.trials.loading import suite_of
from judgekit.trials.record import result_of
from judgekit.trials.reports import SuiteReport, TaskReport
from judgekit.trials.runner import TrialOptions, run_suite, run_task, smoke_trials
from judgekit.trials.statuses import (
    TaskStatus,
    can_transition,
    is_locked,
    is_promotable,
    is_task_status,
    is_terminal,
    may_start_again,
)
from judgekit.trials.task import (
    THRESHOLD,
    Kind,
    Scoring,
    Suite,
    Task,
    TrialContext,
    TrialGrader,
    TrialOutcome,
)
from tests.cases.loading import load_cases

ROWS = load_cases("functions.jsonl")


def rows(function: str) -> Any:
    chosen = [row for row in ROWS if row.values[0].get("function") == function]
    return pytest.mark.parametrize("row", chosen or [row for row in ROWS if row.id == "absent"])


@rows("can_transition")
def test_a_move_is_legal_or_not(row: Any) -> None:
    origin, target = TaskStatus(row["args"]["from"]), TaskStatus(row["args"]["to"])
    assert can_transition(origin, target) is row["expected"]


@rows("is_terminal")
def test_a_status_is_terminal_or_not(row: Any) -> None:
    assert is_terminal(TaskStatus(row["args"]["status"])) is row["expected"]


@rows("is_locked")
def test_a_status_is_locked_or_not(row: Any) -> None:
    assert is_locked(TaskStatus(row["args"]["status"])) is row["expected"]


@rows("is_task_status")
def test_a_value_is_a_status_or_not(row: Any) -> None:
    assert is_task_status(row["args"]["value"]) is row["expected"]


@rows("verdict_promotable")
def test_a_verdict_is_promotable_or_not(row: Any) -> None:
    assert is_promotable(row["args"]["verdict"]) is row["expected"]


@rows("ledger_auto_fireable")
def test_a_task_may_start_again_or_not(row: Any) -> None:
    assert may_start_again(row["args"]["statuses"]) is row["expected"]


@rows("smoke_clamp")
def test_a_smoke_run_makes_one_to_three_trials(row: Any) -> None:
    assert smoke_trials(row["args"]["value"]) == row["expected"]


def _create(board: Board, task: str, options: Mapping[str, Any] | None = None) -> None:
    options = options or {}
    board.create(
        task,
        title=options.get("title", ""),
        status=TaskStatus(options.get("status", "todo")),
        parent=options.get("parent"),
    )


def _move(board: Board, task: str, target: str, options: Any = None) -> Move:
    override = "a person" if isinstance(options, dict) and options.get("humanOverride") else None
    return board.move(task, TaskStatus(target), override=override)


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "create": _create,
    "claim": Board.claim,
    "release": Board.release,
    "drop": lambda board, task: board.drop(task) and None,
    "dep": Board.depend,
    "comment": lambda board, task, text: board.comment(task, text) and None,
    "verdict": Board.set_verdict,
    "cancel_dependents": lambda board, task: list(board.cancel_dependents(task)),
    **dict.fromkeys(("move", "status", "update", "update_status", "transition"), _move),
}
QUESTIONS = ("results", "ready", "raises", "comments", "list", "list_with_dropped")


@rows("board")
def test_the_board_does_what_its_row_says(row: Any, tmp_path: Path) -> None:
    operations, expected = row["args"]["ops"], row["expected"]
    with Board(tmp_path / "board") as board:
        if "raises" in expected:
            *before, (name, *rest) = operations
            _play(board, before)
            with pytest.raises(DependencyCycle, match=expected["raises"]):
                OPERATIONS[name](board, *rest)
            return
        results = _play(board, operations)
        if "results" in expected:
            assert results == expected["results"]
        if "ready" in expected:
            assert sorted(board.ready()) == sorted(expected["ready"])
        for task, count in expected.get("comments", {}).items():
            assert len(board.comments(task)) == count
        for question, dropped in (("list", False), ("list_with_dropped", True)):
            if question in expected:
                assert [task.id for task in board.tasks(dropped=dropped)] == expected[question]
        for task in expected.keys() - set(QUESTIONS):
            found = board.task(task)
            assert found is not None
            assert {key: _shown(found, key) for key in expected[task]} == expected[task]


def _play(board: Board, operations: Any) -> list[Any]:
    return [_plain(OPERATIONS[name](board, *rest)) for name, *rest in operations]


def _plain(result: Any) -> Any:
    if not isinstance(result, Move):
        return result
    return {"ok": True} if result.ok else {"ok": False, "reason": result.reason}


def _shown(task: BoardTask, key: str) -> Any:
    value = getattr(task, {"verification": "verdict"}.get(key, key))
    return value.value if isinstance(value, TaskStatus) else value


def a_task(graders: tuple[TrialGrader, ...], **changes: Any) -> Task:
    fields: dict[str, Any] = {
        "id": "task",
        "suite": Suite.CAPABILITY,
        "kind": Kind.CODING,
        "description": "of a row",
        "run": lambda context: TrialOutcome(),
        "graders": graders,
    }
    return Task(**{**fields, **changes})


def _given(trials: Any, place: int) -> TrialGrader:
    """Return a grader that gives, in each trial, what the row lists for it."""

    def grade(context: TrialContext, _: TrialOutcome, __: Any) -> Grade:
        given = trials[context.trial][place]
        return Grade.of(given["passed"], "of the row", score=float(given["score"]))

    return TrialGrader(f"grader {place}", "row", grade)


def _report(args: Mapping[str, Any]) -> TaskReport:
    trials = args["trial_graders"]
    broken = {i for i, trial in enumerate(trials) if not isinstance(trial, list)}
    widths = [len(trial) for i, trial in enumerate(trials) if i not in broken]

    def run(context: TrialContext) -> TrialOutcome:
        if context.trial in broken:
            raise RuntimeError("thrown")
        return TrialOutcome()

    task = a_task(
        tuple(_given(trials, place) for place in range(max(widths, default=1))),
        run=run,
        scoring=Scoring(args.get("scoring", "binary")),
        threshold=args.get("threshold", THRESHOLD),
    )
    return run_task(task, TrialOptions(trials=len(trials)))


@rows("run_task")
def test_a_task_is_reported_as_its_row_says(row: Any) -> None:
    args, expected = row["args"], row["expected"]
    if not any(args["trial_graders"]):
        with pytest.raises(ConfigError, match="no grader"):
            _report(args)
        assert result_of((), Scoring(args.get("scoring", "binary")), 0.0) == (Status.FAILED, 0.0)
        assert {expected.get(each, 0) for each in ("passAt1", "passPowK", "meanScore")} == {0}
        return
    report = _report(args)
    k = args.get("k") or len(args["trial_graders"])
    assert report.pass_at_1 is not None
    found = {
        "passAt1": report.pass_at_1,
        "passPowK": naive_pass_pow_k(report.pass_at_1, k),
        "meanScore": report.mean_score,
        "trials": len(report.trials),
        "grader": next(iter(report.trials[0].grades)),
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected)


@rows("run_suite")
def test_a_suite_is_macro_averaged_as_its_row_says(row: Any) -> None:
    rates, k = row["args"]["passAt1"], row["args"]["k"]
    if not rates:
        with pytest.raises(ConfigError, match="no task"):
            run_suite([])
        assert row["expected"] == {"passAt1": 0, "passPowK": 0}
        return
    report = _suite([Fraction(rate).limit_denominator(60) for rate in rates], k)
    assert report.figures is not None
    found = {
        "passAt1": report.figures.pass_at_1.value,
        "passPowK": report.figures.naive_pass_pow_k,
    }
    assert {key: found[key] for key in row["expected"]} == pytest.approx(row["expected"])


def _suite(rates: list[Fraction], k: int) -> SuiteReport:
    trials = k
    while any(trials % rate.denominator for rate in rates):
        trials += 1

    def passes(rate: Fraction) -> TrialGrader:
        return outcome("passes", lambda _, context: context.trial < rate * trials)

    tasks = [a_task((passes(rate),), id=f"t{i}") for i, rate in enumerate(rates)]
    return run_suite(tasks, TrialOptions(trials=trials, k=k, jobs=4))


def graded_on_board(grader: TrialGrader, fill: Callable[[Board], None]) -> Grade:
    def run(context: TrialContext) -> TrialOutcome:
        fill(context.board)
        return TrialOutcome()

    task = a_task((grader,), run=run, environment=BoardEnvironment())
    return run_task(task).trials[0].grades[grader.name]


def check_grade(grade: Grade, expected: Mapping[str, Any]) -> None:
    """Hold a grade to a row; what can't be measured has no score here, and 0 there."""
    assert grade.passed is expected["passed"]
    if "score" in expected:
        assert (grade.score or 0) == pytest.approx(expected["score"])
    if "status" in expected:
        assert grade.details["status"] == expected["status"]


@rows("board_state_grader")
def test_the_state_of_the_board_is_graded_as_its_row_says(row: Any) -> None:
    status = row["args"]["status"]

    def fill(board: Board) -> None:
        if status is not None:
            board.create("t", status=TaskStatus(status))

    check_grade(graded_on_board(board_state("t", row["args"]["expect"]), fill), row["expected"])
    assert MISSING == "missing"


@rows("event_budget_grader")
def test_events_are_held_to_a_budget_as_the_row_says(row: Any) -> None:
    args = row["args"]
    grade = graded_on_board(event_budget(args["maxEvents"]), _recorded(args["count"]))
    check_grade(grade, row["expected"])


@rows("log_parse_grader")
def test_the_log_is_searched_as_its_row_says(row: Any) -> None:
    args = row["args"]
    least = args.get("minCount", 1)
    if least < 1:
        with pytest.raises(ConfigError, match="min_count"):
            log_parse("step", least)
        return
    check_grade(
        graded_on_board(log_parse("step", least), _recorded(args["count"])), row["expected"]
    )


def _recorded(count: int) -> Callable[[Board], None]:
    def fill(board: Board) -> None:
        for _ in range(count):
            board.record("step")

    return fill


@rows("outcome_grader")
def test_an_outcome_is_graded_as_its_row_says(row: Any) -> None:
    grader = outcome("asked", lambda _, __: row["args"]["returns"])
    check_grade(run_task(a_task((grader,))).trials[0].grades["asked"], row["expected"])


@rows("ablation_contributions")
def test_contributions_follow_the_formula_of_the_row(row: Any) -> None:
    subsystems = ("verifier", "structured-state")
    given = row["args"]
    rates = {
        frozenset(subsystems): given["full"],
        frozenset({"structured-state"}): given["-verifier"],
        frozenset({"verifier"}): given["-structured"],
        frozenset[str](): given["none"],
    }
    found = {each: contribution(rates, each, subsystems) for each in subsystems}
    assert found == pytest.approx(row["expected"])


@rows("fixture_harness")
def test_fixtures_are_refused_or_graded_as_the_row_says(row: Any, tmp_path: Path) -> None:
    """A fixture is a task here: a folder inside the project, and graders of what stands in it."""
    args, expected = row["args"], row["expected"]
    (tmp_path / "fixtures").mkdir()

    def report() -> SuiteReport:
        suite = suite_of(Document("row", {"name": "row", "tasks": _fixtures(args)}), tmp_path)
        return run_suite(suite.tasks)

    if expected.get("raises"):
        with pytest.raises(ConfigError):
            report()
        return
    try:
        passed = report().passed
    except ConfigError:
        passed = False  # an unusable grader passes nothing: it is refused before anything runs
    assert passed is expected["passed"]


def _fixtures(args: Mapping[str, Any]) -> Any:
    if "fixtures" in args:
        return args["fixtures"]
    task: dict[str, Any] = {
        "id": "fixture",
        "suite": "regression",
        "kind": "coding",
        "description": "of a row",
        "command": ["{python}", "-c", "print('hello')"],
        "graders": [
            {"grader": each["type"], "config": {k: v for k, v in each.items() if k != "type"}}
            for each in args.get("graders", [{"type": "contains", "fragments": ["hello"]}])
        ],
    }
    if "file" in args:
        task["environment"] = {"folder": args["file"]}
    return [task]
