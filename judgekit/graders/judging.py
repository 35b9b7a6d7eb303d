"""What a model-graded grader is given beside the candidate: judges, rubrics, and its origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from judgekit.errors import ConfigError
from judgekit.graders.grade import Json
from judgekit.judges.port import Judge, Origin, Sampling
from judgekit.judges.rubric import Rubric


@dataclass(frozen=True, slots=True)
class ConfiguredJudge:
    """A judge as the project's configuration names it.

    Attributes:
        name: its name in the configuration.
        model: the judge model that it is asked for.
        judge: the port that answers.
    """

    name: str
    model: str
    judge: Judge
    sampling: Sampling = field(default_factory=Sampling)


def no_rubric_files(reference: str) -> Rubric:
    """Refuse a rubric file: the caller has no rubric folder."""
    raise ConfigError(f"rubric file {reference!r}: no rubric folder is set here")


@dataclass(frozen=True, slots=True)
class Judging:
    """The judges that a scorer may ask, and what they may see of the case.

    Attributes:
        judges: every configured judge, by name; the first is the default.
        rubric: loads a rubric file of the project by its reference (``support-answer.md``).
        input: the case's input, shown to the judge where the prompt has a place for it.
        webhook: asks the webhook that a request names as its model; None where there is none.
    """

    judges: Mapping[str, ConfiguredJudge]
    origin: Origin
    input: Json = None
    rubric: Callable[[str], Rubric] = no_rubric_files
    webhook: Judge | None = None

    def judge(self, name: str | None = None) -> ConfiguredJudge:
        """Return the judge called `name`, or the default one.

        Raises:
            ConfigError: no judge has that name, or none is configured.
        """
        chosen = next(iter(self.judges), None) if name is None else name
        if chosen is None or chosen not in self.judges:
            known = ", ".join(self.judges) or "none"
            raise ConfigError(f"judge {chosen!r} is not configured (configured: {known})")
        return self.judges[chosen]
