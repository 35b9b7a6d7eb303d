"""Graders, judges and eval files that the tests of this folder grade with."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from judgekit.evals.definition import EvalDefinition
from judgekit.evals.files import load_eval
from judgekit.graders import registry
from judgekit.graders.grade import Grade, Json
from judgekit.graders.judging import ConfiguredJudge, Judging
from judgekit.graders.registry import GraderConfig, deterministic, model_graded
from judgekit.judges.port import JudgeRequest, Message, TokenUsage, Verdict


class HasAllConfig(GraderConfig):
    parts: list[str] = Field(min_length=1)
    whole_words: bool = False


@deterministic("kit_has_all", example={"config": {"parts": ["a"]}, "candidate": "a"})
def has_all(config: HasAllConfig, candidate: Json) -> Grade:
    """Every part stands in the candidate's text."""
    absent = [part for part in config.parts if part not in str(candidate)]
    return Grade.of(not absent, f"absent: {absent}")


class SameConfig(GraderConfig):
    expected: Any


@deterministic("kit_same", example={"config": {"expected": 1}, "candidate": 1})
def same(config: SameConfig, candidate: Json) -> Grade:
    """The candidate is the expected value."""
    return Grade.of(candidate == config.expected, "compared")


class AskConfig(GraderConfig):
    rubric: str = "tone.md"
    judge: str | None = None
    judges: list[str] = Field(default_factory=list)
    hint: str = ""


@model_graded("kit_ask", example={"config": {}, "candidate": "a"})
def ask(config: AskConfig, candidate: Json, judging: Judging) -> Grade:
    """Every named judge passes the candidate."""
    asked = [judging.judge(name) for name in config.judges or [config.judge]]
    verdicts = [
        each.judge.evaluate(
            JudgeRequest(
                model=each.model,
                rubric=judging.rubric(config.rubric),
                messages=(Message(role="user", content=f"{judging.input}: {candidate}"),),
                origin=judging.origin,
                sampling=each.sampling,
            )
        )
        for each in asked
    ]
    return Grade.of(all(v.outcome == "pass" for v in verdicts), "asked", score=verdicts[0].score)


KIT = {name: registry._specs.pop(name) for name in ("kit_has_all", "kit_same", "kit_ask")}


@pytest.fixture(autouse=True)
def kit_graders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the graders above be found beside the package's own, in these tests alone."""
    own = registry.graders()
    monkeypatch.setattr(registry, "graders", lambda: {**own, **KIT})


class ScriptedJudge:
    """Passes what holds `good`; keeps every request that it was sent."""

    def __init__(self, good: str = "good") -> None:
        self.good = good
        self.requests: list[JudgeRequest] = []
        self._lock = threading.Lock()

    def evaluate(self, request: JudgeRequest) -> Verdict:
        with self._lock:
            self.requests.append(request)
        passed = self.good in request.messages[0].content
        return Verdict(
            outcome="pass" if passed else "fail",
            score=1.0 if passed else 0.0,
            usage=TokenUsage(input_tokens=10, output_tokens=2),
            latency_s=0.1,
            replayed=True,
        )


def judges(**by_name: ScriptedJudge) -> dict[str, ConfiguredJudge]:
    return {
        name: ConfiguredJudge(name=name, model=f"{name}-model", judge=judge)
        for name, judge in by_name.items()
    }


EVAL = """\
name: answers
prompt_version: answers/1
subject: human
threshold: 0.5
cases:
  - id: one
    input: How long?
    output: You have 14 days.
    expected: {must_mention: [14 days]}
  - id: two
    input: Where?
    output: At the counter.
    expected: {must_mention: [office]}
scorers:
  deadline:
    grader: kit_has_all
    config: {parts: {$case: expected.must_mention}}
"""


def write_eval(folder: Path, text: str = EVAL, name: str = "answers.yaml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def load_text(folder: Path, text: str = EVAL) -> EvalDefinition:
    return load_eval(write_eval(folder, text))
