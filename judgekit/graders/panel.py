"""Several judges, or one judge several times, in the place of one verdict.

A panel of judges lowers the bias of each (Verga et al., 2024); repeated samples of one judge show
how stable its verdict is (Wang et al., 2022, self-consistency).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Literal

from pydantic import Field, model_validator

from judgekit.errors import ConfigError, JudgekitError
from judgekit.graders.grade import Grade, Json
from judgekit.graders.judging import ConfiguredJudge, Judging
from judgekit.graders.option_types import NonBlankText
from judgekit.graders.registry import GraderConfig
from judgekit.judges.replies.statements import meets

MOST_SAMPLES = 25


class PanelConfig(GraderConfig):
    """What every grader that asks judges takes: who is asked, how often, and how votes count."""

    judge: NonBlankText | None = Field(
        None, description="Name of a configured judge; the default one if left out."
    )
    judges: Annotated[tuple[NonBlankText, ...], Field(min_length=2, strict=False)] | None = Field(
        None, description="Names of the judges of a panel, of at least two families."
    )
    samples: int = Field(
        1, ge=1, le=MOST_SAMPLES, description="How often each judge is asked, with another seed."
    )
    aggregate: Literal["majority", "mean", "unanimous", "any"] = Field(
        "majority", description="How several verdicts make one; a tie fails."
    )

    @model_validator(mode="after")
    def _check_seats(self) -> PanelConfig:
        if self.judge is not None and self.judges is not None:
            raise ValueError("give judge or judges, not both")
        if self.judges is not None and len(set(self.judges)) < len(self.judges):
            raise ValueError("judges: each may be named once; use samples to ask one again")
        if "aggregate" in self.model_fields_set and self.judges is None and self.samples == 1:
            raise ValueError("aggregate: there is one verdict only; give judges or samples")
        return self


@dataclass(frozen=True, slots=True)
class _Vote:
    judge: str
    sample: int
    grade: Grade

    @property
    def score(self) -> float:
        return self.grade.score or 0.0

    def shown(self) -> dict[str, Json]:
        return {
            "judge": self.judge,
            "sample": self.sample,
            "outcome": self.grade.details.get("outcome"),
            "passed": self.grade.passed,
            "score": self.score,
        }


def polled(
    config: PanelConfig,
    judging: Judging,
    one: Callable[[ConfiguredJudge, int], Grade],
    *,
    pass_mark: float | None = None,
) -> Grade:
    """Return the grade of one judge, or what the votes of several make.

    Every question is asked even if one fails, so that a survey finds all that is not recorded; then
    the first error is raised. A vote in error is no vote: nothing is decided without it.

    Args:
        one: asks one judge once; the sample tells its questions apart.
        pass_mark: least mean score that passes under ``mean``; None wants more than one half.

    Raises:
        ConfigError: a judge is not configured, or its samples would all be the same.
        JudgekitError: what the first failed question raised.
    """
    seats = [judging.judge(name) for name in config.judges or (config.judge,)]
    for seat in seats:
        if config.samples > 1 and seat.sampling.temperature == 0:
            raise ConfigError(
                f"samples: judge {seat.name} samples at temperature 0, so that all its samples "
                "would be the same; give it a sampling.temperature above 0"
            )
    votes, errors = [], []
    for seat in seats:
        for sample in range(config.samples):
            try:
                votes.append(_Vote(seat.name, sample, one(seat, sample)))
            except JudgekitError as error:
                errors.append(error)
    if errors:
        raise errors[0]
    if len(votes) == 1:
        return votes[0].grade
    return _aggregated(votes, config.aggregate, pass_mark)


def _aggregated(votes: Sequence[_Vote], aggregate: str, pass_mark: float | None) -> Grade:
    passes = sum(vote.grade.passed for vote in votes)
    mean = fmean(vote.score for vote in votes)
    passed = {
        "majority": 2 * passes > len(votes),
        "unanimous": passes == len(votes),
        "any": passes > 0,
        "mean": mean > 0.5 if pass_mark is None else meets(mean, pass_mark),
    }[aggregate]
    scores = [vote.score for vote in votes]
    unstable = _unstable(votes)
    marked = f"; unstable: {', '.join(unstable)}" if unstable else ""
    return Grade.of(
        passed,
        f"{aggregate}: {passes} of {len(votes)} verdicts pass, mean score {mean:.4g}{marked}",
        score=mean,
        details={
            "votes": [vote.shown() for vote in votes],
            "spread": max(scores) - min(scores),
            "unstable": list(unstable),
        },
    )


def _unstable(votes: Sequence[_Vote]) -> list[str]:
    """Return the judges whose samples do not all pass, or all fail."""
    by_judge: dict[str, set[bool]] = {}
    for vote in votes:
        by_judge.setdefault(vote.judge, set()).add(vote.grade.passed)
    return [judge for judge, outcomes in by_judge.items() if len(outcomes) > 1]
