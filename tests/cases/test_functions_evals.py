from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from judgekit.clock import SequencedClock
from judgekit.documents import Document
from judgekit.errors import ConfigError
from judgekit.evals.cases import checked_cases
from judgekit.evals.define import define_eval
from judgekit.evals.definition import read_form
from judgekit.evals.runner import run_eval
from judgekit.judges.port import JudgeRequest, Message, Origin
from judgekit.judges.rubric import Kind, Rubric
from tests.cases.loading import load_cases
from tests.evals.kit import kit_graders

__all__ = ["kit_graders"]

ROWS = load_cases("functions.jsonl")
EXACT = {"grader": "kit_same", "config": {"expected": {"$case": "expected.equals"}}}


def rows(function: str) -> list[Any]:
    chosen = [row for row in ROWS if row.values[0].get("function") == function]
    return chosen or [row for row in ROWS if row.id == "absent"]


@pytest.mark.parametrize("row", rows("define_eval"))
def test_an_eval_scores_what_the_row_says(row: Any) -> None:
    args, expected = row["args"], row["expected"]

    def scored() -> Any:
        definition = define_eval(
            args["name"],
            prompt_version=args["promptVersionId"],
            threshold=args["threshold"],
            cases=args["cases"],
            scorers=dict.fromkeys(args["scorers"], EXACT),
        )
        return run_eval(definition, {})

    if expected.get("raises"):
        with pytest.raises(ConfigError):
            scored()
        return
    run = scored()
    assert run.score == expected["score"]
    assert (run.score >= run.threshold) is expected["passed"]
    assert {s.name: run.scorer_mean(s.name) for s in run.scorers} == expected["scorers"]
    assert len(run.cases) == expected["cases"]


@pytest.mark.parametrize("row", rows("parse_dataset"))
def test_a_dataset_is_refused_where_the_row_says(row: Any) -> None:
    given = dict(row["args"]["dataset"])
    renamed = {"eval": "name", "promptVersionId": "prompt_version"}
    value = {renamed.get(key, key): item for key, item in given.items()}
    value["subject"] = "human"
    if isinstance(value.get("scorers"), list):
        value["scorers"] = dict.fromkeys(value["scorers"], EXACT)

    def parsed() -> int:
        document = Document("dataset", value)
        read_form(document)
        places = ((document, ("cases", index)) for index in range(len(value["cases"])))
        cases = checked_cases(places, made_by_task=True)
        if not cases:
            raise document.fault(("cases",), "there is no case; add at least one")
        return len(cases)

    if isinstance(row["expected"], dict) and row["expected"].get("raises"):
        with pytest.raises(ConfigError):
            parsed()
    else:
        assert parsed() == len(given["cases"])


@pytest.mark.parametrize("row", rows("sequenced_clock"))
def test_a_sequenced_clock_shows_what_the_row_says(row: Any) -> None:
    args, expected = row["args"], row["expected"]
    instants = [_instant(each) for each in args["timestamps"]]
    if isinstance(expected, dict) and expected.get("raises"):
        with pytest.raises(ConfigError):
            _shown(instants, args["calls"])
        return
    values = expected["values"] if isinstance(expected, dict) else expected
    assert _shown(instants, args["calls"]) == [_instant(each) for each in values]


def _instant(value: Any) -> datetime:
    if isinstance(value, str):
        return datetime.fromisoformat(value).astimezone(UTC)
    return datetime.fromtimestamp(value / 1000, UTC)


def _shown(instants: list[datetime], calls: int) -> list[datetime]:
    clock = SequencedClock(instants)
    return [clock.now() for _ in range(calls)]


@pytest.mark.parametrize("row", rows("judge_request_valid"))
def test_a_judge_request_is_valid_where_the_row_says(row: Any) -> None:
    args = row["args"]
    try:
        JudgeRequest(
            model=args["model"],
            rubric=Rubric(kind=Kind.PASS_FAIL, criteria=args.get("criteria", "It is good.")),
            messages=(Message(role="user", content=str(args["output"])),),
            origin=Origin(eval=args["eval"], scorer=args["scorer"], case=args["caseId"]),
        )
    except ValueError:
        assert row["expected"] is False
    else:
        assert row["expected"] is True
