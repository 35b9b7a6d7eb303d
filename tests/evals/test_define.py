from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import ConfigError
from judgekit.evals.cases import Case
from judgekit.evals.define import define_eval
from judgekit.evals.definition import EvalDefinition, Scorer
from judgekit.gate.run import GateSettings
from tests.evals.kit import load_text

CASES: list[dict[str, Any]] = [
    {
        "id": "one",
        "input": "How long?",
        "output": "You have 14 days.",
        "expected": {"must_mention": ["14 days"]},
    },
    {
        "id": "two",
        "input": "Where?",
        "output": "At the counter.",
        "expected": {"must_mention": ["office"]},
    },
]
CONFIG = {"parts": {"$case": "expected.must_mention"}}
GIVEN: dict[str, Any] = {
    "prompt_version": "answers/1",
    "threshold": 0.5,
    "cases": CASES,
    "scorers": {"deadline": {"grader": "kit_has_all", "config": CONFIG}},
}


def define(**changed: Any) -> EvalDefinition:
    return define_eval(changed.pop("name", "answers"), **{**GIVEN, **changed})


def test_python_values_make_what_the_file_makes(tmp_path: Path) -> None:
    read = load_text(tmp_path)
    made = define()
    assert made.source == "define_eval"
    assert [
        getattr(made, f) for f in ("name", "cases", "scorers", "gate", "subject", "threshold")
    ] == [getattr(read, f) for f in ("name", "cases", "scorers", "gate", "subject", "threshold")]


def test_models_are_taken_as_well_as_mappings() -> None:
    made = define(
        cases=(Case(**case) for case in CASES),
        scorers={"deadline": Scorer("deadline", "kit_has_all", CONFIG, 0.25)},
        gate=GateSettings(mode="statistical", alpha=0.01),
        subject_model="llama3.1:8b",
    )
    assert made.cases == define().cases
    assert made.scorers == (Scorer("deadline", "kit_has_all", CONFIG, 0.25),)
    assert (made.gate.mode, made.gate.alpha, made.subject) == ("statistical", 0.01, "llama3.1:8b")


def test_a_function_is_kept_as_the_task() -> None:
    made = define(task=str.upper, cases=[{"id": "a", "input": "x"}])
    assert made.task == str.upper


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"threshold": float("nan")}, "define_eval: threshold: must be a finite number, not nan"),
        ({"threshold": 2}, "define_eval: threshold: must be less than or equal to 1, not 2"),
        ({"cases": []}, "define_eval: cases: there is no case"),
        ({"cases": [CASES[0], CASES[0]]}, "define_eval: cases[1].id: two cases have the id 'one'"),
        ({"cases": [{"id": "a"}]}, "define_eval: cases[0]: case 'a' has no output"),
        (
            {"cases": [{"id": "a", "output": object()}]},
            "define_eval: cases[0].output: holds a object",
        ),
        ({"cases": [3]}, "define_eval: cases[0]: must be a mapping"),
        ({"scorers": {}}, "define_eval: scorers: there is no scorer"),
        ({"scorers": {"x": {"grader": "nope"}}}, "define_eval: scorers.x.grader: unknown grader"),
        ({"scorers": {"x": {"grader": "kit_same"}}}, "scorers.x.config.expected: is missing"),
        ({"scorers": {"x": Scorer("y", "kit_same")}}, "'x' stands before the scorer 'y'"),
        ({"scorers": {"x": "kit_same"}}, "define_eval: scorers.x: must be a mapping"),
        ({"name": "a b"}, "define_eval: name: must have up to 100 letters"),
        ({"gate": {"alpha": 3}}, "define_eval: gate.alpha: must be less than 1, not 3"),
        ({"subject_model": ""}, "define_eval: subject_model: must not be empty"),
        ({"task": len}, "define_eval: cases[0].output: case 'one': is recorded"),
    ],
)
def test_an_unusable_argument_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        define(**changed)
    assert message in str(caught.value)
