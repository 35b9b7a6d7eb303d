"""The committed baseline: what every eval scored when it was last blessed.

The file is made to be read in a pull request: names sorted, two-space indent, one scorer and one
case a line, so that a blessed change shows exactly the cases that changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from statistics import fmean
from typing import Any

from .errors import InvalidFile
from .run import GateSettings, mean_score
from .run_json import read_gate
from .strict_json import ENCODER, Fields, load

BASELINE_FORMAT = "judgekit-baseline/1"
EPS = 1e-9
"""Two figures closer than this are equal: it lets rounding pass, and no change of a grade."""

_WHAT = "baseline"


@dataclass(frozen=True, slots=True)
class BlessedGrade:
    """What one scorer gave one case: whether it passed, and the score in [0, 1]."""

    passed: bool
    score: float


@dataclass(frozen=True, slots=True)
class BlessedCase:
    """One case as it was blessed.

    Attributes:
        digest: SHA-256 (hex) of the case's content without its output.
        grades: by scorer; None for a grade that was in error (within the allowed number).
    """

    digest: str
    grades: Mapping[str, BlessedGrade | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BlessedScorer:
    """One scorer as it was blessed.

    Attributes:
        mean: mean score over the `n` grades that were not in error, in [0, 1].
        judges: the judge models that it asked, in order.
        rubric: id of its rubric; `rubric_digest` is the digest of its meaning.
        config_digest: SHA-256 (hex) of its options, where known.
        wilson_floor: least Wilson lower bound of its pass rate.
        min_kappa: least lower bound of its judge's kappa, in [-1, 1], where the eval asks for one.
    """

    mean: float
    n: int
    grader: str
    judges: tuple[str, ...] = ()
    rubric: str | None = None
    rubric_digest: str | None = None
    config_digest: str | None = None
    wilson_floor: float | None = None
    min_kappa: float | None = None


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """One eval as it was blessed.

    Attributes:
        score: the mean of the scorers' means, in [0, 1].
        cases: by case id.
        gate: the settings it was blessed under; None in an entry older than their being kept.
    """

    prompt_version: str
    subject: str
    threshold: float
    score: float
    scorers: Mapping[str, BlessedScorer]
    cases: Mapping[str, BlessedCase]
    wilson_floor: float | None = None
    gate: GateSettings | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """Every blessed eval, by name."""

    evals: Mapping[str, BaselineEntry] = field(default_factory=dict)


def baseline_to_json(baseline: Baseline) -> str:
    """Return the file's text; the same baseline gives the same bytes, whatever its order was."""
    head = f'{{\n  "format": {ENCODER.encode(BASELINE_FORMAT)},\n  "evals": '
    return head + _block(_entries(baseline), 2) + "\n}\n"


def _entries(baseline: Baseline) -> list[str]:
    return [
        f"{ENCODER.encode(name)}: {_entry_text(entry)}"
        for name, entry in sorted(baseline.evals.items())
    ]


def _entry_text(entry: BaselineEntry) -> str:
    scorers = [
        f"{ENCODER.encode(name)}: {ENCODER.encode(_scorer_record(scorer))}"
        for name, scorer in sorted(entry.scorers.items())
    ]
    cases = [f"{ENCODER.encode(id_)}: {_case_text(c)}" for id_, c in sorted(entry.cases.items())]
    floor = entry.wilson_floor
    gate = [] if entry.gate is None else [f'"gate": {ENCODER.encode(asdict(entry.gate))}']
    return _block(
        [
            f'"prompt_version": {ENCODER.encode(entry.prompt_version)}',
            f'"subject": {ENCODER.encode(entry.subject)}',
            f'"threshold": {ENCODER.encode(float(entry.threshold))}',
            f'"wilson_floor": {ENCODER.encode(None if floor is None else float(floor))}',
            *gate,
            f'"score": {ENCODER.encode(float(entry.score))}',
            f'"scorers": {_block(scorers, 6)}',
            f'"cases": {_block(cases, 6)}',
        ],
        4,
    )


def _scorer_record(scorer: BlessedScorer) -> dict[str, Any]:
    """Return a scorer as JSON; one without a `min_kappa` is written as before there was any."""
    record = {**asdict(scorer), "mean": float(scorer.mean)}
    if scorer.min_kappa is None:
        del record["min_kappa"]
    return record


def _case_text(case: BlessedCase) -> str:
    grades = {
        scorer: grade and {"passed": grade.passed, "score": float(grade.score)}
        for scorer, grade in sorted(case.grades.items())
    }
    return ENCODER.encode({"digest": case.digest, "grades": grades})


def _block(lines: Iterable[str], indent: int) -> str:
    """Return an object of ready-made lines, closed at `indent` spaces."""
    margin = " " * indent
    body = ",\n".join(f"{margin}  {line}" for line in lines)
    return f"{{\n{body}\n{margin}}}" if body else "{}"


def parse_baseline(text: str | bytes) -> Baseline:
    """Return the baseline in a file's text; it must be whole and agree with itself.

    Raises:
        InvalidFile: in one line that names the field: not UTF-8, not JSON, merge-conflict markers
            (both sides named), another format version, a duplicate or unknown key, NaN, a value
            out of range, or a mean that its own cases do not give.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidFile(f"{_WHAT}: not UTF-8 at byte {error.start}") from None
    baseline = read_baseline(load(text, _WHAT))
    for name, entry in baseline.evals.items():
        _check_agrees(f"{_WHAT}.evals.{name}", entry)
    return baseline


def read_baseline(value: Any) -> Baseline:
    """Return the baseline that a JSON value holds, checked field by field against the schema.

    Raises:
        InvalidFile: the value breaks the schema.
    """
    found = Fields(value, _WHAT)
    if found.get("format") != BASELINE_FORMAT:
        must = f"must be {BASELINE_FORMAT!r} (bless again with this judgekit, or use the other)"
        found.refuse("format", must, found.get("format"))
    document = Fields(value, _WHAT, frozenset({"format", "evals"}))
    return Baseline(
        {name: _read_entry(item, f"{_WHAT}.evals.{name}") for name, item in document.items("evals")}
    )


_ENTRY_KEYS = frozenset(f.name for f in fields(BaselineEntry))
_SCORER_KEYS = frozenset(f.name for f in fields(BlessedScorer))
_CASE_KEYS = frozenset(f.name for f in fields(BlessedCase))
_GRADE_KEYS = frozenset(f.name for f in fields(BlessedGrade))


def _read_entry(value: Any, where: str) -> BaselineEntry:
    read = Fields(value, where, _ENTRY_KEYS)
    gate = read.get("gate", None)
    return BaselineEntry(
        prompt_version=read.text("prompt_version"),
        subject=read.text("subject"),
        threshold=read.number("threshold"),
        wilson_floor=read.optional_number("wilson_floor"),
        gate=None if gate is None else read_gate(gate, f"{where}.gate"),
        score=read.number("score"),
        scorers={
            name: _read_scorer(item, f"{where}.scorers.{name}")
            for name, item in read.items("scorers")
        },
        cases={
            name: _read_case(item, f"{where}.cases.{name}") for name, item in read.items("cases")
        },
    )


def _read_scorer(value: Any, where: str) -> BlessedScorer:
    read = Fields(value, where, _SCORER_KEYS)
    return BlessedScorer(
        mean=read.number("mean"),
        n=read.count("n"),
        grader=read.text("grader"),
        judges=read.texts("judges"),
        rubric=read.optional_text("rubric"),
        rubric_digest=read.optional_text("rubric_digest"),
        config_digest=read.optional_text("config_digest"),
        wilson_floor=read.optional_number("wilson_floor"),
        min_kappa=read.optional_number("min_kappa", low=-1),
    )


def _read_case(value: Any, where: str) -> BlessedCase:
    read = Fields(value, where, _CASE_KEYS)
    return BlessedCase(
        digest=read.any_text("digest"),
        grades={
            scorer: None if item is None else _read_grade(item, f"{where}.grades.{scorer}")
            for scorer, item in read.items("grades")
        },
    )


def _read_grade(value: Any, where: str) -> BlessedGrade:
    read = Fields(value, where, _GRADE_KEYS)
    return BlessedGrade(passed=read.flag("passed"), score=read.number("score"))


def _check_agrees(where: str, entry: BaselineEntry) -> None:
    """Refuse figures that the entry's own cases do not give: a hand edit, or a half-done merge."""
    if not entry.scorers or not entry.cases:
        raise InvalidFile(f"{where}: holds no scorer or no case; bless the eval again")
    for id_, case in entry.cases.items():
        if case.grades.keys() != entry.scorers.keys():
            raise InvalidFile(
                f"{where}.cases.{id_}.grades: must name exactly the scorers; bless the eval again"
            )
    for name, scorer in entry.scorers.items():
        scores = [g.score for case in entry.cases.values() if (g := case.grades[name])]
        mean = mean_score(scores)
        if scorer.n != len(scores) or mean is None or abs(scorer.mean - mean) > EPS:
            raise InvalidFile(
                f"{where}.scorers.{name}.mean: {scorer.mean!r} of {scorer.n}, but the cases give "
                f"{mean!r} of {len(scores)}; bless the eval again instead of editing the file"
            )
    score = fmean(scorer.mean for scorer in entry.scorers.values())
    if abs(score - entry.score) > EPS:
        raise InvalidFile(
            f"{where}.score: {entry.score!r}, but the scorers' means give {score!r}; "
            "bless the eval again instead of editing the file"
        )
