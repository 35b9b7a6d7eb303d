"""The judges that graders of trials may ask, and the family guard before them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgekit.errors import BiasGuardRefused
from judgekit.graders.grade import Json
from judgekit.graders.judging import ConfiguredJudge, Judging, no_rubric_files
from judgekit.judges.port import Judge, Origin
from judgekit.judges.rubric import Rubric
from judgekit.trials.task import Task

HUMAN = "human"

Guard = Callable[[str, Sequence[str]], Sequence[str]]
"""The family guard: ``(subject, judge models)`` to the waivers that it let them through by."""


def refuse_unguarded(subject: str, judges: Sequence[str]) -> Sequence[str]:
    """Let judges judge what people did, and nothing else: the guard where none is set.

    Raises:
        BiasGuardRefused: a model drove the agents.
    """
    if subject == HUMAN:
        return ()
    raise BiasGuardRefused(
        f"subject model {subject!r}, judged by {', '.join(judges)}: no family guard is set; "
        "pass one to run_suite"
    )


@dataclass(frozen=True, slots=True)
class TrialJudges:
    """What judge graders of trials need.

    Attributes:
        judges: by name; the first is the default.
        subject: the model that drives the agents, or ``human``.
        rubrics: loads a rubric file by its reference.
        guard: the family guard.
        webhook: asks the webhook that a request names.
        eval: the suite's name, under which verdicts are recorded.
    """

    judges: Mapping[str, ConfiguredJudge]
    subject: str
    rubrics: Callable[[str], Rubric] = no_rubric_files
    guard: Guard = refuse_unguarded
    webhook: Judge | None = None
    eval: str = "trials"

    def judging(self, task: str, grader: str, given: Json = None) -> Judging:
        """Return what one grader may ask on a trial of `task`.

        Every trial of a task is the same case: equal outcomes are one request, recorded once.
        """
        origin = Origin(eval=self.eval, scorer=grader, case=task)
        return Judging(self.judges, origin, given, self.rubrics, self.webhook)

    def models(self, task: Task) -> dict[str, tuple[str, ...]]:
        """Return, by grader, the judge models that the graders of `task` ask.

        Raises:
            ConfigError: a judge is not configured.
        """
        return {
            grader.name: tuple(
                self.judging(task.id, grader.name).judge(name).model for name in grader.asks
            )
            for grader in task.graders
            if grader.asks
        }

    def measure(self, task: Task) -> dict[str, Json]:
        """Return, by grader, who judges by what: models, and the digest of the rubric file.

        Raises:
            ConfigError: a judge is not configured, or a rubric file can't be read.
        """
        measured: dict[str, Json] = {}
        models = self.models(task)
        for grader in task.graders:
            if grader.asks:
                files = _rubric_files(grader.config)
                digests: list[Json] = [self.rubrics(each).digest for each in files]
                measured[grader.name] = {"models": [*models[grader.name]], "rubrics": digests}
        return measured

    def check(self, tasks: Iterable[Task]) -> tuple[str, ...]:
        """Ask the family guard for every judge before any trial runs; return its waivers.

        Raises:
            BiasGuardRefused: a judge may not judge the subject model.
            ConfigError: a judge is not configured.
        """
        waivers: dict[str, None] = {}
        for task in tasks:
            for models in self.models(task).values():
                waivers.update(dict.fromkeys(self.guard(self.subject, models)))
        return tuple(waivers)


def _rubric_files(config: Mapping[str, Any]) -> list[str]:
    options = config.get("config", {})
    named = [options.get(option) for option in ("rubric", "prompt", "criteria")]
    return [each for each in named if isinstance(each, str) and each.endswith(".md")]
