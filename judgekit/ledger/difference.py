"""What changed between two runs of one eval, by case and scorer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from judgekit.errors import ConfigError
from judgekit.gate.run import CaseResult, EvalRun, GateSettings, GradeRecord, ScorerInfo

EPS = 1e-9
"""Scores that differ by less are the same."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Something other than a result that differs, such as the prompt version or a judge."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Shift:
    """How a score moved; None where there is none.

    Attributes:
        scorer: None for the eval as a whole.
    """

    scorer: str | None
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        """The second score less the first; None where one is missing."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Change:
    """One grade that is not what it was.

    Attributes:
        edited: whether the case itself was edited between the runs: it is not the same question.
    """

    case: str
    scorer: str
    before: GradeRecord
    after: GradeRecord
    edited: bool = False

    @property
    def kind(self) -> str:
        """How it changed: in passing, in being in error, or in its score alone."""
        before, after = self.before.status, self.after.status
        if before == after:
            return "score"
        if after == "error":
            return "newly in error"
        if before == "error":
            return "no longer in error"
        return "newly passing" if after == "passed" else "newly failing"


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed between two runs.

    Attributes:
        shifts: the eval's score first, then each scorer that both runs have.
        changes: in the order of the second run.
        edited: cases whose input, expected or metadata changed.
        unchanged: how many grades are what they were.
    """

    eval: str
    settings: tuple[Setting, ...]
    shifts: tuple[Shift, ...]
    changes: tuple[Change, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    unchanged: int


def difference(before: EvalRun, after: EvalRun) -> Difference:
    """Return what changed from one run to another of the same eval.

    Raises:
        ConfigError: they are of different evals.
    """
    if before.name != after.name:
        raise ConfigError(
            f"the runs are of different evals, {before.name!r} and {after.name!r}; name two runs "
            "of one eval"
        )
    old = {case.id: case for case in before.cases}
    new = {case.id: case for case in after.cases}
    common = [(old[name], case) for name, case in new.items() if name in old]
    shared = [s.name for s in after.scorers if s.name in {each.name for each in before.scorers}]
    changes = tuple(change for pair in common for change in _changes(*pair, shared))
    return Difference(
        eval=after.name,
        settings=tuple(_settings(before, after)),
        shifts=tuple(_shifts(before, after, shared)),
        changes=changes,
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        edited=tuple(case.id for was, case in common if was.digest != case.digest),
        unchanged=len(common) * len(shared) - len(changes),
    )


def _shifts(before: EvalRun, after: EvalRun, scorers: list[str]) -> Iterator[Shift]:
    yield Shift(None, before.score, after.score)
    for scorer in scorers:
        yield Shift(scorer, before.scorer_mean(scorer), after.scorer_mean(scorer))


def _changes(before: CaseResult, after: CaseResult, scorers: list[str]) -> Iterator[Change]:
    for scorer in scorers:
        old, new = before.grades[scorer], after.grades[scorer]
        if old.status != new.status or _moved(old.score, new.score):
            yield Change(after.id, scorer, old, new, before.digest != after.digest)


def _moved(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is not after
    return abs(after - before) > EPS


def _settings(before: EvalRun, after: EvalRun) -> Iterator[Setting]:
    for what in ("prompt_version", "subject", "threshold", "wilson_floor", "waivers"):
        yield from _setting(what, getattr(before, what), getattr(after, what))
    for each in fields(GateSettings):
        old_value, new_value = getattr(before.gate, each.name), getattr(after.gate, each.name)
        yield from _setting(f"gate.{each.name}", old_value, new_value)
    old = {scorer.name: scorer for scorer in before.scorers}
    new = {scorer.name: scorer for scorer in after.scorers}
    for name in dict.fromkeys([*old, *new]):
        if name not in new:
            yield Setting(f"scorer {name}", "there", "gone")
        if name not in old:
            yield Setting(f"scorer {name}", "not there", "new")
    for name in [name for name in new if name in old]:
        yield from _scorer_settings(old[name], new[name])


def _scorer_settings(before: ScorerInfo, after: ScorerInfo) -> Iterator[Setting]:
    names = ("grader", "judges", "rubric", "rubric_digest", "config_digest", "wilson_floor")
    for what in names:
        yield from _setting(
            f"scorer {after.name}: {what}", getattr(before, what), getattr(after, what)
        )


def _setting(what: str, before: object, after: object) -> Iterator[Setting]:
    if before != after:
        yield Setting(what, _told(before), _told(after))


def _told(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
