"""The process exit codes, and which one wins when several apply."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """What a judgekit command tells the shell."""

    PASSED = 0
    REGRESSION = 1
    USAGE = 2
    CASSETTE = 3
    JUDGE = 4
    BIAS = 5
    INCONCLUSIVE = 6


PRECEDENCE = (
    ExitCode.USAGE,
    ExitCode.BIAS,
    ExitCode.JUDGE,
    ExitCode.CASSETTE,
    ExitCode.REGRESSION,
    ExitCode.INCONCLUSIVE,
)


def most_severe(codes: Iterable[ExitCode]) -> ExitCode:
    """Return the code that wins among `codes`: the first of `PRECEDENCE`, else PASSED."""
    present = set(codes)
    return next((code for code in PRECEDENCE if code in present), ExitCode.PASSED)


EXIT_OF_CAUSE = {
    "miss": ExitCode.CASSETTE,
    "corrupt-cassette": ExitCode.CASSETTE,
    "malformed-verdict": ExitCode.JUDGE,
    "refusal": ExitCode.JUDGE,
    "truncated": ExitCode.JUDGE,
    "judge-unreachable": ExitCode.JUDGE,
    "bias-guard": ExitCode.BIAS,
    "invalid-config": ExitCode.USAGE,
    "missing-measurement": ExitCode.REGRESSION,
    "task-failed": ExitCode.REGRESSION,
}
"""What a grade in error, beyond the allowed number, makes of the exit code, by its cause."""

NEVER_ALLOWED = frozenset({"miss", "corrupt-cassette", "bias-guard", "invalid-config"})
"""Causes that lie in the repository and not in a judge's or subject's mood: no number of them is
allowed, since a verdict that was never recorded must not become a pass by a setting."""
