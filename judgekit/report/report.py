"""What a report shows: the gate's decision, and what replay had to say beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from judgekit.gate.decision import Decision
from judgekit.gate.run import CaseResult, EvalRun, GradeRecord


@dataclass(frozen=True, slots=True)
class MissNote:
    """A request without a recording, as reports show it.

    Attributes:
        changed: what changed since its nearest recording; empty where there is none.
        diff: unified diff from that recording to the request; may be empty.
        command: records it.
    """

    eval: str
    scorer: str
    case: str
    key: str
    changed: tuple[str, ...]
    diff: str
    command: str


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report may show; every format is a function of it.

    Attributes:
        runs: by name, every case of each.
        unused: recordings that nothing asked for, as paths.
    """

    decision: Decision
    runs: tuple[EvalRun, ...]
    misses: tuple[MissNote, ...] = ()
    unused: tuple[str, ...] = ()


def troubled(run: EvalRun) -> list[tuple[str, str, GradeRecord]]:
    """Return (case, scorer, grade) of everything that did not pass, in dataset order."""
    return [
        (case.id, scorer, grade)
        for case in run.cases
        for scorer, grade in case.grades.items()
        if grade.status != "passed"
    ]


def endings(run: EvalRun) -> str:
    """Return how the outputs of a run ended, as exit classes with their counts."""
    ended = Counter(case.exit_class for case in run.cases)
    told = ", ".join(f"{count:,} {name}" for name, count in sorted(ended.items()))
    return f"How the outputs ended: {told}"


def ended_otherwise(run: EvalRun) -> list[CaseResult]:
    """Return the cases whose output is known to have ended otherwise than in success."""
    return [case for case in run.cases if case.exit_class not in ("success", "unknown")]


def passes(run: EvalRun, scorer: str) -> tuple[int, int, int]:
    """Return how many grades of a scorer passed, how many were graded, how many are in error."""
    grades = [case.grades[scorer] for case in run.cases]
    errors = sum(grade.status == "error" for grade in grades)
    return sum(grade.status == "passed" for grade in grades), len(grades) - errors, errors


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural where it is not one."""
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{ending}"


def number(value: float | None) -> str:
    """Return a score as reports write it; a dash where there is none."""
    return "–" if value is None else f"{value:.4g}"


def verdict_line(report: Report) -> str:
    """Return the one sentence that a report closes with."""
    decision = report.decision
    blocking = len(decision.blocking)
    evals = counted(len(report.runs), "eval")
    if decision.exit_code == 0:
        return f"passed: {evals}, no blocking finding"
    what = counted(blocking, "blocking finding")
    return f"failed: {what} in {evals} (exit {int(decision.exit_code)})"


def savings_line(report: Report) -> str:
    """Return what replay saved, in one sentence."""
    usages = [run.usage for run in report.runs]
    calls = sum(u.calls for u in usages)
    if calls == 0:
        return "no judge was asked"
    replayed = sum(u.replayed for u in usages)
    tokens = sum(u.input_tokens + u.output_tokens for u in usages)
    seconds = sum(u.latency_s for u in usages)
    costs = [u.cost_usd for u in usages if u.calls]
    price = f", ${sum(c for c in costs if c is not None):.4f}" if None not in costs else ""
    return (
        f"{counted(calls, 'judge call')}, {replayed} of them replayed: saved {seconds:.0f} s of "
        f"judge time, {tokens:,} tokens{price}"
    )
