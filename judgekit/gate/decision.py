"""The one decision that reports, files and the exit code are all driven by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .baseline import Baseline
from .comparison import compare, summarise
from .exit_codes import EXIT_OF_CAUSE, PRECEDENCE, ExitCode, most_severe
from .finding import Finding, Kind, RunSummary
from .limits import errors_block
from .run import EvalRun


@dataclass(frozen=True, slots=True)
class Decision:
    """What a gate decided.

    Attributes:
        runs: the runs that were gated, by name.
        findings: all of them, of all evals.
        codes: every exit code that applies, most severe first; empty when all passed.
    """

    runs: tuple[EvalRun | RunSummary, ...]
    findings: tuple[Finding, ...]
    codes: tuple[ExitCode, ...]

    @property
    def exit_code(self) -> ExitCode:
        """The exit code that wins."""
        return most_severe(self.codes)

    @property
    def passed(self) -> bool:
        """Whether nothing blocks."""
        return self.exit_code is ExitCode.PASSED

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """The findings that fail the gate."""
        return tuple(finding for finding in self.findings if finding.blocking)

    def of(self, name: str) -> tuple[Finding, ...]:
        """Return the findings of the eval `name`."""
        return tuple(finding for finding in self.findings if finding.eval == name)

    def eval_passed(self, name: str) -> bool:
        """Whether no finding of the eval `name` blocks."""
        return not any(finding.blocking for finding in self.of(name))

    def to_object(self) -> dict[str, Any]:
        """Return the decision as a JSON object, fields in fixed order."""
        return {
            "passed": self.passed,
            "exit_code": int(self.exit_code),
            "codes": [int(code) for code in self.codes],
            "findings": [finding.to_object() for finding in self.findings],
        }


def decide(
    runs: Sequence[EvalRun | RunSummary],
    baseline: Baseline | None,
    *,
    whole_project: bool = False,
    further: Iterable[ExitCode] = (),
) -> Decision:
    """Gate `runs` against `baseline`.

    Args:
        whole_project: see `compare`.
        further: exit codes that something outside the gate asks for.

    Raises:
        InvalidRun: there is no run, or two runs have one name.
    """
    summaries = summarise(runs)
    findings = compare(summaries, baseline, whole_project=whole_project)
    codes = set(further) - {ExitCode.PASSED}
    codes.update(_code_of(finding) for finding in findings if _has_code_of_its_own(finding))
    for run in summaries:
        if errors_block(run):
            codes.update(EXIT_OF_CAUSE.get(cause, ExitCode.REGRESSION) for cause in run.errors)
    ordered = tuple(code for code in PRECEDENCE if code in codes)
    by_name = tuple(sorted(runs, key=lambda run: run.name))
    return Decision(runs=by_name, findings=findings, codes=ordered)


def _has_code_of_its_own(finding: Finding) -> bool:
    """Whether a finding asks for a code itself; errors ask by their causes."""
    return finding.blocking and finding.kind is not Kind.ERRORS


def _code_of(finding: Finding) -> ExitCode:
    if finding.kind is Kind.INCONCLUSIVE:
        return ExitCode.INCONCLUSIVE
    return ExitCode.REGRESSION
