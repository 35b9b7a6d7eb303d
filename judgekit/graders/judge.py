"""Model-graded graders: a judge decides, by a rubric, through the judge port."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from judgekit.errors import ConfigError, JudgekitError, MalformedVerdict
from judgekit.graders.grade import Grade, Json
from judgekit.graders.judging import ConfiguredJudge, Judging
from judgekit.graders.panel import PanelConfig, polled
from judgekit.graders.question import ask
from judgekit.graders.registry import model_graded
from judgekit.judges.port import Verdict
from judgekit.judges.replies.statements import label_key, meets
from judgekit.judges.rubric import Kind, Rubric, Scale

RUBRIC_FILE = ".md"
"""A reference that ends so names a rubric file of the project; any other text is the criteria."""

SAME_ANSWER = (
    "The ANSWER says the same as the EXPECTED ANSWER. Wording, order and extra detail do not "
    "matter; a missing, different or contradicting fact does."
)
"""The criteria of `llm_answer_match` when it is given none."""


def _visible(text: str) -> str:
    if all(unicodedata.category(character)[0] in "ZC" for character in text):
        raise ValueError("must not be blank")
    return text


def _label(text: str) -> str:
    if any(
        unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in text.strip(" \t")
    ):
        raise ValueError("a category must be one line of text")
    return _visible(text)


VisibleText: TypeAlias = Annotated[str, AfterValidator(_visible)]
Labels: TypeAlias = Annotated[
    tuple[Annotated[str, AfterValidator(_label)], ...], Field(strict=False)
]


class LlmJudgeConfig(PanelConfig):
    """Options of `llm_judge`: `rubric` is criteria, or a rubric file (``….md``)."""

    rubric: VisibleText


class LlmScoreConfig(PanelConfig):
    """Options of `llm_score`.

    Attributes:
        rubric: criteria for a score from 0 to 1, or a rubric file with its own scale.
        min_score: least passing score after mapping to [0, 1]; by default the rubric file's, or
            0.5 for inline criteria.
    """

    rubric: VisibleText
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None


class LlmCategoryConfig(PanelConfig):
    """Options of `llm_category`.

    Attributes:
        prompt: what to label by, or a rubric file, which then holds the categories.
        categories: the labels to choose from; at least two that differ by more than case.
        passing_categories: the labels that pass.
    """

    prompt: VisibleText
    categories: Labels = ()
    passing_categories: Labels = ()

    @model_validator(mode="after")
    def _check_labels(self) -> LlmCategoryConfig:
        if self.prompt.endswith(RUBRIC_FILE):
            if self.categories or self.passing_categories:
                raise ValueError("the rubric file holds the categories; leave them out here")
            return self
        known = {label_key(label) for label in self.categories}
        passing = {label_key(label) for label in self.passing_categories}
        if len(known) < 2 or len(known) != len(self.categories):
            raise ValueError("categories: at least two, and no two alike but for case")
        if not passing or not passing <= known:
            raise ValueError("passing_categories: at least one, and each one of the categories")
        return self


class LlmPairwiseConfig(PanelConfig):
    """Options of `llm_pairwise`.

    Attributes:
        baseline: the text that the candidate must not lose against.
        criteria: what makes one better, or a rubric file.
    """

    baseline: VisibleText
    criteria: VisibleText


class LlmAnswerMatchConfig(PanelConfig):
    """Options of `llm_answer_match`.

    Attributes:
        expected: the right answer.
        rubric: what counts as the same answer, or a rubric file; `SAME_ANSWER` by default.
    """

    expected: VisibleText
    rubric: VisibleText = SAME_ANSWER


@model_graded(
    "llm_judge",
    example={
        "config": {"rubric": "Names the capital of France."},
        "candidate": "Paris.",
        "replies": ['{"reason": "It names Paris.", "passed": true}'],
    },
)
def llm_judge(config: LlmJudgeConfig, candidate: Json, judging: Judging) -> Grade:
    """A judge says pass or fail by a rubric."""
    rubric = _rubric(config.rubric, Kind.PASS_FAIL, judging)

    def one(judge: ConfiguredJudge, sample: int) -> Grade:
        verdict = ask(judge, rubric, candidate, judging, sample=sample)
        _check_outcome(verdict, ("pass", "fail"))
        return _grade(verdict, verdict.outcome == "pass", verdict.score, verdict.outcome)

    return polled(config, judging, one)


@model_graded(
    "llm_score",
    example={
        "config": {"rubric": "How clear is the answer?", "min_score": 0.7},
        "candidate": "Paris is the capital of France.",
        "replies": ['{"reason": "Short and plain.", "score": 0.9}'],
    },
)
def llm_score(config: LlmScoreConfig, candidate: Json, judging: Judging) -> Grade:
    """A judge scores by a rubric; passes at `min_score` or above."""
    rubric = _rubric(config.rubric, Kind.SCORE, judging)
    if config.min_score is not None:
        rubric = rubric.model_copy(update={"min_score": float(config.min_score)})

    def one(judge: ConfiguredJudge, sample: int) -> Grade:
        verdict = ask(judge, rubric, candidate, judging, sample=sample)
        _check_outcome(verdict, ("scored",))
        passed = meets(verdict.score, rubric.min_score)
        sign = ">=" if passed else "<"
        found = f"score {verdict.score:.6g} {sign} {rubric.min_score:.6g}"
        return _grade(verdict, passed, verdict.score, found)

    return polled(config, judging, one, pass_mark=rubric.min_score)


@model_graded(
    "llm_category",
    example={
        "config": {
            "prompt": "What is the tone of the answer?",
            "categories": ["friendly", "rude"],
            "passing_categories": ["friendly"],
        },
        "candidate": "Happy to help!",
        "replies": ['{"reason": "It is warm.", "category": "friendly"}'],
    },
)
def llm_category(config: LlmCategoryConfig, candidate: Json, judging: Judging) -> Grade:
    """A judge puts the candidate into one category; passes in `passing_categories`."""
    rubric = _rubric(
        config.prompt,
        Kind.CATEGORY,
        judging,
        categories=config.categories,
        passing_categories=config.passing_categories,
    )
    passing = {label_key(label) for label in rubric.passing_categories}

    def one(judge: ConfiguredJudge, sample: int) -> Grade:
        verdict = ask(judge, rubric, candidate, judging, sample=sample)
        _check_outcome(verdict, rubric.categories)
        passed = label_key(verdict.outcome) in passing
        return _grade(verdict, passed, float(passed), f"category {verdict.outcome!r}")

    return polled(config, judging, one)


@model_graded(
    "llm_pairwise",
    example={
        "config": {"baseline": "Berlin.", "criteria": "Which answer is right for France?"},
        "candidate": "Paris.",
        "replies": [
            '{"reason": "A is right.", "winner": "A"}',
            '{"reason": "B is right.", "winner": "B"}',
        ],
    },
)
def llm_pairwise(config: LlmPairwiseConfig, candidate: Json, judging: Judging) -> Grade:
    """A judge compares with a baseline in both orders; passes if the baseline never wins."""
    rubric = _rubric(config.criteria, Kind.PAIRWISE, judging)

    def one(judge: ConfiguredJudge, sample: int) -> Grade:
        verdicts, errors = [], []
        for swap in (False, True):
            try:
                verdict = ask(
                    judge,
                    rubric,
                    candidate,
                    judging,
                    sample=sample,
                    baseline=config.baseline,
                    swap=swap,
                )
                _check_outcome(verdict, ("A", "B", "TIE"))
                verdicts.append(verdict)
            except JudgekitError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return _compared(*verdicts)

    return polled(config, judging, one)


@model_graded(
    "llm_answer_match",
    example={
        "config": {"expected": "Paris"},
        "candidate": "The capital is Paris.",
        "replies": ['{"reason": "Both name Paris.", "match": true}'],
    },
)
def llm_answer_match(config: LlmAnswerMatchConfig, candidate: Json, judging: Judging) -> Grade:
    """A judge says whether the candidate gives the same answer as `expected`."""
    rubric = _rubric(config.rubric, Kind.ANSWER_MATCH, judging)

    def one(judge: ConfiguredJudge, sample: int) -> Grade:
        verdict = ask(judge, rubric, candidate, judging, sample=sample, expected=config.expected)
        _check_outcome(verdict, ("match", "no-match"))
        return _grade(verdict, verdict.outcome == "match", verdict.score, verdict.outcome)

    return polled(config, judging, one)


def _rubric(
    reference: str,
    kind: Kind,
    judging: Judging,
    *,
    categories: tuple[str, ...] = (),
    passing_categories: tuple[str, ...] = (),
) -> Rubric:
    """Load the rubric file that `reference` names, or make an inline rubric of it.

    Raises:
        ConfigError: the file's rubric is of another kind, or cannot be loaded.
    """
    if not reference.endswith(RUBRIC_FILE):
        return Rubric(
            kind=kind,
            criteria=reference,
            scale=Scale() if kind is Kind.SCORE else None,
            categories=categories,
            passing_categories=passing_categories,
        )
    rubric = judging.rubric(reference)
    if rubric.kind is not kind:
        raise ConfigError(
            f"rubric {reference!r} is of kind {rubric.kind.value}, and this grader needs "
            f"{kind.value}; use a grader that fits it"
        )
    return rubric


def _check_outcome(verdict: Verdict, allowed: tuple[str, ...]) -> None:
    """Refuse a verdict that the rubric does not allow, whoever made it."""
    if verdict.outcome not in allowed:
        raise MalformedVerdict(
            f"the judge's outcome {verdict.outcome!r} is none of {', '.join(allowed)}; "
            "re-record the case or mend the judge"
        )


def _grade(verdict: Verdict, passed: bool, score: float, found: str) -> Grade:
    reason = f"{found}: {verdict.rationale.strip()}" if verdict.rationale.strip() else found
    return Grade.of(passed, reason, score=score, details=_details(verdict))


def _details(verdict: Verdict) -> Mapping[str, Json]:
    details: dict[str, Json] = {"outcome": verdict.outcome}
    if verdict.repairs:
        details["repairs"] = list(verdict.repairs)
    return details


def _compared(straight: Verdict, swapped: Verdict) -> Grade:
    """Grade both orders: the candidate is A in the first and B in the second."""
    first = {"A": "candidate", "B": "baseline", "TIE": "tie"}[straight.outcome]
    second = {"A": "baseline", "B": "candidate", "TIE": "tie"}[swapped.outcome]
    points = {"candidate": 1.0, "tie": 0.5, "baseline": 0.0}
    consistent = first == second
    found = f"{first} in both orders" if consistent else f"{first} shown first, {second} shown last"
    if {first, second} == {"candidate", "baseline"}:
        found = f"position-inconsistent: the one shown {_favoured(straight)} wins in both orders"
    details: dict[str, Json] = {
        "outcome": first if consistent else "inconsistent",
        "orders": [first, second],
        "position_consistent": consistent,
    }
    if repairs := [*straight.repairs, *swapped.repairs]:
        details["repairs"] = list(dict.fromkeys(repairs))
    rationale = straight.rationale.strip()
    return Grade.of(
        "baseline" not in (first, second),
        f"{found}: {rationale}" if rationale else found,
        score=(points[first] + points[second]) / 2,
        details=details,
    )


def _favoured(straight: Verdict) -> str:
    return "first" if straight.outcome == "A" else "last"
