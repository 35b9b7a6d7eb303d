"""Calibration: how far a judge agrees with people, and whether a gate may rest on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean

from judgekit.errors import ConfigError
from judgekit.gate.run import Calibration
from judgekit.gate.statistics.agreement import (
    balanced_accuracy,
    cohen_kappa,
    kappa_lower_bound,
    krippendorff_alpha,
)
from judgekit.gate.statistics.correction import Corrected, prediction_powered_mean, rogan_gladen
from judgekit.gate.statistics.distributions import Interval
from judgekit.gate.statistics.proportions import cases_for_half_width, wilson_interval
from judgekit.judges.replies.statements import label_key
from judgekit.judges.rubric import Kind, Rubric
from judgekit.rubrics.labels import Label, Said, said

DEFAULT_MIN_KAPPA = 0.4
"""Least lower bound of kappa that a gate may rest on where nobody sets another.

Below it agreement is at most fair (J. R. Landis and G. G. Koch, 1977, Biometrics 33, 159–174).
"""

CONFIDENCE = 0.95
HALF_WIDTH = 0.05
"""The half width that `Measured.labels_for_half_width` tells the labels for."""

PASS_FAIL = ("pass", "fail")


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge's grade of one case.

    Attributes:
        passed: None where the grade is in error; then `cause` says why.
        outcome: what the judge said: ``pass``, ``fail``, a category, ``scored``, …
        score: in [0, 1]; None in error.
        slice: the group of cases that it is counted in, if it is in one.
    """

    case: str
    passed: bool | None
    outcome: str = ""
    score: float | None = None
    reason: str = ""
    cause: str | None = None
    slice: str | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """A judge's agreement with people over some cases.

    Attributes:
        classes: of the table, in order.
        table: counts; rows what people said, columns what the judge said.
        interval: Wilson's, of the accuracy.
        kappa: Cohen's; None where only one class occurs. Its interval's lower end is
            `kappa_lower_bound`.
        balanced: mean share of each class that was found; None where a class has no label.
        constant: accuracy of a judge that always says the commonest label.
    """

    classes: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    n: int
    agree: int
    interval: Interval
    kappa: float | None
    kappa_interval: Interval | None
    balanced: float | None
    constant: float

    @property
    def accuracy(self) -> float:
        """The share of cases on which the judge said what people said."""
        return self.agree / self.n

    @property
    def labels_for_half_width(self) -> int:
        """How many labels give the accuracy to within ± `HALF_WIDTH`."""
        return cases_for_half_width(HALF_WIDTH, self.accuracy, CONFIDENCE)


@dataclass(frozen=True, slots=True)
class HumanAgreement:
    """How far people agree among themselves: what a judge can be asked to reach at most.

    Attributes:
        cases: how many were labelled by two people or more.
        pairs: pairs of labels of one case; `agree` of them say the same.
        alpha: Krippendorff's, nominal.
        kappa: Cohen's with its interval, where two people labelled the same cases.
    """

    reviewers: int
    cases: int
    pairs: int
    agree: int
    interval: Interval
    alpha: float
    kappa: float | None = None
    kappa_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A case on which the judge and people differ."""

    case: str
    human: str
    judge: str
    judge_reason: str
    human_reason: str


@dataclass(frozen=True, slots=True)
class Correction:
    """The pass rate over a dataset, corrected for the judge's errors; or why there is none."""

    corrected: Corrected | None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """Everything that a calibration measures.

    Attributes:
        rubric: its id.
        measured: passing or failing, over all labelled cases.
        by_category: the same over the categories of a category rubric, where labels name them.
        slices: by name, sorted.
        alpha: Krippendorff's over scores, where labels are numbers; interval metric.
        split: labelled cases on which people are evenly split; in no figure.
        errors: labelled cases whose verdict is in error; in no figure.
        judged: unlabelled cases with a verdict; `pass_rate` is the judge's over all cases.
        human_rate: share of labelled cases that people pass; with Wilson's interval.
        min_kappa: least lower bound of kappa that a gate may rest on.
    """

    rubric: str
    measured: Measured
    min_kappa: float
    pass_rate: float
    human_rate: float
    human_interval: Interval
    rogan_gladen: Correction
    prediction_powered: Correction
    judged: int
    by_category: Measured | None = None
    slices: Mapping[str, Measured] = field(default_factory=dict)
    people: HumanAgreement | None = None
    alpha: float | None = None
    disagreements: tuple[Disagreement, ...] = ()
    split: tuple[str, ...] = ()
    errors: tuple[Judged, ...] = ()

    @property
    def may_gate(self) -> bool:
        """Whether a gate may rest on the judge."""
        low = self.measured.kappa_interval
        return low is not None and low.low >= self.min_kappa and not self.errors

    @property
    def sentence(self) -> str:
        """Whether a gate may rest on the judge, and if not what to do, in one sentence."""
        measured, kappa, bounds = self.measured, self.measured.kappa, self.measured.kappa_interval
        if kappa is None or bounds is None:
            return "This judge may not gate: it and people use one class only, so nothing is known."
        found = f"kappa is {kappa:.2f} and at least {bounds.low:.2f} over {measured.n} labels"
        if self.may_gate:
            return f"This judge may gate: {found}, and {self.min_kappa:g} is asked for."
        if self.errors:
            return (
                f"This judge may not gate: {len(self.errors)} labelled cases have no verdict; "
                "mend what caused that and calibrate again."
            )
        if kappa >= self.min_kappa:
            todo = "label more cases, or mend the rubric where they disagree"
        else:
            todo = "mend the rubric where they disagree, or take a better judge"
        return f"This judge may not gate: {found}, below {self.min_kappa:g}; {todo}."


@dataclass(frozen=True, slots=True)
class _Pair:
    """A case with what people and the judge said of it."""

    judged: Judged
    human: Said
    labels: tuple[Label, ...]

    @property
    def agrees(self) -> bool:
        return self.judged.passed is self.human.passed


def calibrate(
    judged: Sequence[Judged],
    labels: Sequence[Label],
    rubric: Rubric,
    min_kappa: float = DEFAULT_MIN_KAPPA,
) -> CalibrationReport:
    """Return how far a judge agrees with people.

    Args:
        judged: every case that the judge graded, labelled or not.
        labels: people's; several of one case count as what most of them say.

    Raises:
        ConfigError: a label does not fit the rubric, no labelled case has a verdict, or the labels
            hold one class only.
    """
    pairs, split, errors = _paired(judged, labels, rubric)
    _check_classes(pairs, labels)
    labelled = {label.case for label in labels}
    others = [each for each in judged if each.case not in labelled and each.passed is not None]
    passes = [bool(each.passed) for each in judged if each.passed is not None]
    people = sum(pair.human.passed for pair in pairs)
    corrections = _corrections(pairs, others)
    return CalibrationReport(
        rubric=rubric.id,
        measured=_measured([(p.human.passed, p.judged.passed) for p in pairs], (True, False)),
        min_kappa=min_kappa,
        pass_rate=fmean(passes),
        human_rate=people / len(pairs),
        human_interval=wilson_interval(people, len(pairs), CONFIDENCE),
        rogan_gladen=corrections[0],
        prediction_powered=corrections[1],
        judged=len(others),
        by_category=_by_category(pairs, rubric),
        slices=_slices(pairs),
        people=_people(labels, rubric),
        alpha=_alpha(pairs),
        disagreements=tuple(_disagreement(pair) for pair in pairs if _differ(pair, rubric)),
        split=tuple(split),
        errors=tuple(errors),
    )


def calibration_bound(
    judged: Sequence[Judged],
    labels: Sequence[Label],
    rubric: Rubric,
    min_kappa: float,
    confidence: float = CONFIDENCE,
) -> Calibration:
    """Return what a gate needs to know: the lower bound of kappa, and over how many labels.

    Returns:
        Without a bound where there is no label, or labels of one class only, or a labelled case has
        no verdict: then the judge was not held to people.

    Raises:
        ConfigError: a label does not fit the rubric.
    """
    pairs, _, errors = _paired(judged, labels, rubric)
    classes = {pair.human.passed for pair in pairs}
    if len(classes) < 2 or errors:
        return Calibration(min_kappa, None, len(pairs))
    table = _table([(p.human.passed, p.judged.passed) for p in pairs], (True, False))
    return Calibration(min_kappa, kappa_lower_bound(table, confidence), len(pairs))


def _paired(
    judged: Sequence[Judged], labels: Sequence[Label], rubric: Rubric
) -> tuple[list[_Pair], list[str], list[Judged]]:
    """Return labelled cases with both verdicts, those that people are split on, and errors."""
    by_case: dict[str, list[Label]] = {}
    for label in labels:
        by_case.setdefault(label.case, []).append(label)
    pairs, split, errors = [], [], []
    for each in judged:
        own = by_case.get(each.case)
        if own is None:
            continue
        human = _consensus([said(label, rubric) for label in own])
        if human is None:
            split.append(each.case)
        elif each.passed is None:
            errors.append(each)
        else:
            pairs.append(_Pair(each, human, tuple(own)))
    return pairs, split, errors


def _consensus(said_by_each: Sequence[Said]) -> Said | None:
    """Return what most people say; None where as many say pass as fail."""
    passes = sum(each.passed for each in said_by_each)
    if 2 * passes == len(said_by_each):
        return None
    passed = 2 * passes > len(said_by_each)
    outcomes = Counter(each.outcome for each in said_by_each if each.passed is passed)
    scores = [each.score for each in said_by_each if each.score is not None]
    complete = len(scores) == len(said_by_each)
    return Said(passed, outcomes.most_common(1)[0][0], fmean(scores) if complete else None)


def _check_classes(pairs: Sequence[_Pair], labels: Sequence[Label]) -> None:
    where = labels[0].source.rpartition(":")[0] if labels else "labels"
    if not pairs:
        raise ConfigError(f"{where}: no labelled case has a verdict; label cases of this eval")
    classes = {pair.human.passed for pair in pairs}
    if len(classes) == 1:
        one, other = ("pass", "fail") if classes == {True} else ("fail", "pass")
        raise ConfigError(
            f"{where}: all {len(pairs)} labels say {one}, so any judge that always says {one} "
            f"agrees with them; label outputs that {other} too"
        )


def _table(
    pairs: Iterable[tuple[object, object]], classes: Sequence[object]
) -> tuple[tuple[int, ...], ...]:
    counts = Counter(pairs)
    return tuple(tuple(counts[human, judge] for judge in classes) for human in classes)


def _measured(
    pairs: Sequence[tuple[object, object]],
    classes: Sequence[object],
    names: tuple[str, ...] = PASS_FAIL,
) -> Measured:
    table = _table(pairs, classes)
    n, agree = len(pairs), sum(table[i][i] for i in range(len(classes)))
    rows = [sum(row) for row in table]
    kappa = bounds = None
    if max(rows) < n:
        found = cohen_kappa(table, CONFIDENCE)
        low = kappa_lower_bound(table, CONFIDENCE)
        kappa, bounds = found.value, Interval(low, found.interval.high)
    return Measured(
        classes=names,
        table=table,
        n=n,
        agree=agree,
        interval=wilson_interval(agree, n, CONFIDENCE),
        kappa=kappa,
        kappa_interval=bounds,
        balanced=balanced_accuracy(table) if min(rows) > 0 else None,
        constant=max(rows) / n,
    )


def _by_category(pairs: Sequence[_Pair], rubric: Rubric) -> Measured | None:
    """Return the agreement over categories, where the labels name them."""
    if rubric.kind is not Kind.CATEGORY:
        return None
    keys = [label_key(category) for category in rubric.categories]
    named = [
        (label_key(pair.human.outcome), label_key(pair.judged.outcome))
        for pair in pairs
        if label_key(pair.human.outcome) in keys and label_key(pair.judged.outcome) in keys
    ]
    if len(named) < len(pairs):
        return None
    return _measured(named, keys, rubric.categories)


def _slices(pairs: Sequence[_Pair]) -> dict[str, Measured]:
    members: dict[str, list[tuple[object, object]]] = {}
    for pair in pairs:
        stated = next((label.slice for label in pair.labels if label.slice), pair.judged.slice)
        if stated is not None:
            members.setdefault(stated, []).append((pair.human.passed, pair.judged.passed))
    return {name: _measured(members[name], (True, False)) for name in sorted(members)}


def _people(labels: Sequence[Label], rubric: Rubric) -> HumanAgreement | None:
    reviewers = sorted({label.reviewer for label in labels})
    by_case: dict[str, dict[str, str]] = {}
    for label in labels:
        verdict = said(label, rubric)
        stated = verdict.outcome if rubric.kind is Kind.CATEGORY else PASS_FAIL[not verdict.passed]
        by_case.setdefault(label.case, {})[label.reviewer] = stated
    shared = {case: by for case, by in by_case.items() if len(by) > 1}
    if not shared:
        return None
    pairs = [pair for by in shared.values() for pair in combinations(by.values(), 2)]
    agree = sum(first == second for first, second in pairs)
    kappa = bounds = None
    if len(reviewers) == 2:
        first, second = reviewers
        both = [(by[first], by[second]) for by in shared.values()]
        names = sorted({name for pair in both for name in pair})
        if len(names) > 1:
            table = _table(both, names)
            found = cohen_kappa(table, CONFIDENCE)
            low = kappa_lower_bound(table, CONFIDENCE)
            kappa, bounds = found.value, Interval(low, found.interval.high)
    return HumanAgreement(
        reviewers=len(reviewers),
        cases=len(shared),
        pairs=len(pairs),
        agree=agree,
        interval=wilson_interval(agree, len(pairs), CONFIDENCE),
        alpha=krippendorff_alpha([list(by.values()) for by in shared.values()]),
        kappa=kappa,
        kappa_interval=bounds,
    )


def _alpha(pairs: Sequence[_Pair]) -> float | None:
    """Return Krippendorff's alpha between the judge's scores and people's, if all are numbers."""
    units = [[pair.human.score, pair.judged.score] for pair in pairs]
    if not units or any(score is None for unit in units for score in unit):
        return None
    return krippendorff_alpha(units, "interval")


def _differ(pair: _Pair, rubric: Rubric) -> bool:
    if rubric.kind is Kind.CATEGORY and pair.human.outcome not in PASS_FAIL:
        return label_key(pair.human.outcome) != label_key(pair.judged.outcome)
    return not pair.agrees


def _disagreement(pair: _Pair) -> Disagreement:
    judged = pair.judged
    stated = PASS_FAIL[not judged.passed]
    if judged.outcome not in (*PASS_FAIL, "scored", ""):
        stated = f"{judged.outcome} ({stated})"
    elif judged.outcome == "scored" and judged.score is not None:
        stated = f"{judged.score:.3g} ({stated})"
    notes = [
        f"{label.reviewer}: {label.note}".removeprefix(": ") for label in pair.labels if label.note
    ]
    return Disagreement(judged.case, pair.human.outcome, stated, judged.reason, "; ".join(notes))


def _corrections(pairs: Sequence[_Pair], others: Sequence[Judged]) -> tuple[Correction, Correction]:
    human = [float(pair.human.passed) for pair in pairs]
    judge = [float(bool(pair.judged.passed)) for pair in pairs]
    rest = [float(bool(each.passed)) for each in others]
    if not rest:
        none = Correction(None, "every judged case is labelled, so people's own pass rate stands")
        return none, none
    by_class = {
        passed: [p.agrees for p in pairs if p.human.passed is passed] for passed in (True, False)
    }
    failing, passing = by_class[False], by_class[True]
    return (
        _attempted(
            lambda: rogan_gladen(
                fmean(rest),
                len(rest),
                fmean(failing),
                len(failing),
                fmean(passing),
                len(passing),
                CONFIDENCE,
            )
        ),
        _attempted(
            lambda: prediction_powered_mean(human, judge, rest, weight=None, confidence=CONFIDENCE)
        ),
    )


def _attempted(correct: Callable[[], Corrected]) -> Correction:
    try:
        return Correction(correct())
    except ValueError as error:
        return Correction(None, str(error))
