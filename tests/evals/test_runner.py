from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judgekit.engines.local import LocalEngine
from judgekit.errors import BiasGuardRefused, ConfigError
from judgekit.evals.cases import Case, ExitSignal, case_digest
from judgekit.evals.define import define_eval
from judgekit.evals.definition import EvalDefinition, Scorer
from judgekit.evals.runner import run_eval
from judgekit.gate.run import Usage
from judgekit.judges.rubric import Kind, Rubric
from judgekit.ledger.spending import Price
from tests.evals.kit import ScriptedJudge, judges, load_text

RUBRIC = Rubric(id="tone", kind=Kind.PASS_FAIL, criteria="It is good.")


def rubrics(reference: str) -> Rubric:
    if reference != "tone.md":
        raise ConfigError(f"{reference}: not found; check the path")
    return RUBRIC


def judged(*outputs: str, config: Any = None, subject: str | None = None) -> EvalDefinition:
    return define_eval(
        "judged",
        prompt_version="p/1",
        threshold=0.5,
        cases=[{"id": f"c{n}", "input": n, "output": out} for n, out in enumerate(outputs)],
        scorers={"tone": {"grader": "kit_ask", "config": config or {}}},
        subject_model=subject,
    )


def test_every_case_is_graded_by_every_scorer(tmp_path: Path) -> None:
    definition = load_text(tmp_path)
    same = Scorer("same", "kit_same", {"expected": "At the counter."}, 0.3)
    run = run_eval(replace(definition, scorers=(*definition.scorers, same)), {})
    assert [(case.id, {n: g.status for n, g in case.grades.items()}) for case in run.cases] == [
        ("one", {"deadline": "passed", "same": "failed"}),
        ("two", {"deadline": "failed", "same": "passed"}),
    ]
    assert run.score == 0.5
    assert run.cases[0].digest == case_digest(definition.cases[0])
    assert (run.scorers[1].wilson_floor, run.scorers[1].judges) == (0.3, ())
    assert run.usage == Usage(cost_usd=0.0)


def test_a_case_without_what_a_scorer_refers_to_is_in_error_alone(tmp_path: Path) -> None:
    definition = load_text(tmp_path)
    bare = definition.cases[1].model_copy(update={"expected": {}})
    run = run_eval(replace(definition, cases=(definition.cases[0], bare)), {})
    grade = run.cases[1].grades["deadline"]
    assert (grade.status, grade.cause, grade.score) == ("error", "invalid-config", None)
    assert grade.reason == "case 'two': has no expected.must_mention, which the scorer refers to"
    assert run.cases[0].grades["deadline"].status == "passed"
    assert (run.score, run.errors) == (1.0, 1)


def test_a_case_whose_value_fits_no_option_is_in_error(tmp_path: Path) -> None:
    definition = load_text(tmp_path)
    wrong = definition.cases[0].model_copy(update={"expected": {"must_mention": "14 days"}})
    run = run_eval(replace(definition, cases=(wrong,)), {})
    assert run.cases[0].grades["deadline"].cause == "invalid-config"


def test_a_judge_is_asked_with_case_rubric_and_origin_and_is_counted() -> None:
    first, second = ScriptedJudge(), ScriptedJudge()
    run = run_eval(
        judged("good", "bad", config={"judges": ["b", "a"]}),
        judges(a=first, b=second),
        rubrics,
        prices={"a": Price(1.0, 10.0), "b": Price(0.0, 0.0)},
    )
    assert [case.grades["tone"].status for case in run.cases] == ["passed", "failed"]
    (info,) = run.scorers
    assert info.judges == ("b-model", "a-model")
    assert (info.rubric, info.rubric_digest) == ("tone", RUBRIC.digest)
    origins = [(r.origin.eval, r.origin.scorer, r.origin.case) for r in first.requests]
    assert origins == [("judged", "tone", "c0"), ("judged", "tone", "c1")]
    assert first.requests[1].messages[0].content == "1: bad"
    assert run.usage == Usage(
        calls=4, input_tokens=40, output_tokens=8, cost_usd=60e-6, latency_s=0.4, replayed=4
    )


def test_a_scorer_that_refers_to_the_case_names_its_default_rubric_and_judge_too() -> None:
    definition = judged("good", config={"hint": {"$case": "metadata.hint"}})
    hinted = definition.cases[0].model_copy(update={"metadata": {"hint": "h"}})
    run = run_eval(replace(definition, cases=(hinted,)), judges(a=ScriptedJudge()), rubrics)
    assert (run.scorers[0].rubric, run.scorers[0].judges) == ("tone", ("a-model",))
    assert run.cases[0].grades["tone"].status == "passed"


def test_criteria_in_the_scorer_are_told_apart_by_their_words() -> None:
    def run(criteria: str) -> tuple[str | None, str | None]:
        definition = judged("good", config={"rubric": criteria})
        (info,) = run_eval(definition, judges(a=ScriptedJudge()), lambda _: RUBRIC).scorers
        return info.rubric, info.rubric_digest

    assert run("It is good.")[0] == "inline"
    assert run("It is good.") == run("It is\n good.")
    assert run("It is good.") != run("It is bad.")


def test_without_a_price_the_cost_is_unknown() -> None:
    run = run_eval(judged("good"), judges(a=ScriptedJudge()), rubrics, prices={"b": Price(1, 1)})
    assert (run.usage.calls, run.usage.cost_usd) == (1, None)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"judge": "c"}, "judged/tone: judge 'c' is not configured (configured: a)"),
        ({"rubric": "none.md"}, "judged/tone: none.md: not found; check the path"),
    ],
)
def test_what_no_case_could_be_graded_by_is_refused_before_any_call(
    config: Any, message: str
) -> None:
    judge = ScriptedJudge()
    with pytest.raises(ConfigError) as caught:
        run_eval(judged("good", config=config), judges(a=judge), rubrics)
    assert str(caught.value) == message
    assert judge.requests == []


def test_a_judge_grader_without_any_judge_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"judged/tone: judge None is not configured"):
        run_eval(judged("good"), {}, rubrics)


def test_a_scorer_that_the_guard_refuses_is_in_error_and_asks_nobody() -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def guard(subject: str, models: Sequence[str]) -> Sequence[str]:
        asked.append((subject, tuple(models)))
        raise BiasGuardRefused("same family")

    judge = ScriptedJudge()
    run = run_eval(judged("good", "bad", subject="m"), judges(a=judge), rubrics, guard=guard)
    grades = [case.grades["tone"] for case in run.cases]
    assert {(g.status, g.cause, g.reason) for g in grades} == {
        ("error", "bias-guard", "judged/tone: same family")
    }
    assert asked == [("m", ("a-model",))]
    assert judge.requests == []
    assert run.score is None


def test_waivers_that_the_guard_used_stand_in_the_run_once() -> None:
    definition = judged("good", subject="m")
    twice = replace(definition, scorers=(*definition.scorers, Scorer("again", "kit_ask")))
    run = run_eval(
        twice, judges(a=ScriptedJudge()), rubrics, guard=lambda subject, models: ["waived"]
    )
    assert run.waivers == ("waived",)
    assert run.errors == 0


def test_without_a_guard_only_what_people_wrote_is_judged() -> None:
    judge = ScriptedJudge()
    run = run_eval(judged("good", subject="m"), judges(a=judge), rubrics)
    assert run.cases[0].grades["tone"].cause == "bias-guard"
    assert judge.requests == []
    assert run_eval(judged("good"), judges(a=judge), rubrics).errors == 0


def test_a_failing_task_is_an_error_of_every_scorer_and_has_an_exit_class() -> None:
    def task(given: Any) -> str:
        if given == "late":
            raise TimeoutError("too late")
        return f"{given}!"

    definition = define_eval(
        "made",
        prompt_version="p/1",
        threshold=0.5,
        cases=[{"id": name, "input": name} for name in ("fine", "late")],
        scorers={"same": {"grader": "kit_same", "config": {"expected": "fine!"}}},
        task=task,
    )

    run = run_eval(definition, {})
    assert [case.exit_class for case in run.cases] == ["success", "timeout"]
    late = run.cases[1].grades["same"]
    assert (late.cause, late.reason) == ("task-failed", "the task raised TimeoutError: too late")
    assert run.cases[0].grades["same"].status == "passed"


def test_the_recorded_exit_is_what_is_classified() -> None:
    exit_ = {"stop_reason": "length"}
    definition = define_eval(
        "made",
        prompt_version="p/1",
        threshold=0.5,
        cases=[Case(id="a", output="x", exit=ExitSignal(**exit_)), Case(id="b", output="y")],
        scorers={"same": {"grader": "kit_same", "config": {"expected": "x"}}},
    )
    run = run_eval(definition, {})
    assert [case.exit_class for case in run.cases] == ["budget-exhausted", "success"]


class Backwards:
    """An engine that works from the last item to the first."""

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        return [function(item) for item in reversed(list(items))][::-1]


def test_the_run_is_the_same_whatever_the_engine() -> None:
    definition = judged(*["good", "bad", "good"] * 40)
    prices = {"a": Price(0.1, 0.7)}
    runs = [
        run_eval(definition, judges(a=ScriptedJudge()), rubrics, engine, prices=prices)
        for engine in (None, LocalEngine(), LocalEngine(7), Backwards())
    ]
    assert all(run == runs[0] for run in runs)
    assert runs[0].usage.calls == 120


def test_a_fault_in_a_grader_of_ones_own_is_not_swallowed() -> None:
    class Broken:
        def evaluate(self, request: Any) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_eval(judged("good"), judges(a=Broken()), rubrics)  # type: ignore[arg-type]
