"""Every error that judgekit raises; each knows the exit code of a command that it ends.

JudgekitError
├── ConfigError                2  a file, option or value is unusable
│   ├── RecordingRefused       2  recording is not allowed here (CI, remote judge, secret found)
│   │   └── BudgetReached      2  the next judge call could cross the recording's budget
│   └── AddressBlocked         2  a URL is unusable, or leads to an address that may not be called
├── BiasGuardRefused           5  the judge shares a family with the subject model
├── JudgeError                 4  the judge gave no usable verdict
│   ├── JudgeUnreachable       4  refused, timed out, disconnected, or answered with an HTTP error
│   ├── MalformedVerdict       4  the reply holds no verdict, or more than one
│   ├── JudgeRefusal           4  the judge declined to judge
│   └── TruncatedReply         4  the reply, or the prompt, was cut at a token limit
├── CassetteError              3  a recording cannot serve the request
│   ├── CassetteMiss           3  this request was never recorded
│   └── CassetteCorrupt        3  a cassette file is damaged, edited or contradicts itself
└── NetworkRefused             3  something tried to reach the network while replay is on

None of them derives from an HTTP client's exceptions, so that no retry loop takes a miss for a
passing fault.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from judgekit.gate.exit_codes import ExitCode


class Cause(StrEnum):
    """Why a grade is in error, in the words of reports and baselines."""

    MISS = "miss"
    CORRUPT_CASSETTE = "corrupt-cassette"
    MALFORMED_VERDICT = "malformed-verdict"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    JUDGE_UNREACHABLE = "judge-unreachable"
    BIAS_GUARD = "bias-guard"
    INVALID_CONFIG = "invalid-config"
    MISSING_MEASUREMENT = "missing-measurement"
    TASK_FAILED = "task-failed"


class JudgekitError(Exception):
    """Base of all; its text is one line that says what happened, where, and what to do."""

    exit_code: ClassVar[ExitCode] = ExitCode.USAGE
    cause: ClassVar[Cause] = Cause.INVALID_CONFIG


class ConfigError(JudgekitError):
    """A configuration, eval, rubric, dataset, baseline or option is unusable."""


class RecordingRefused(ConfigError):
    """Recording is refused: under CI, towards a remote judge, or a secret would be written."""


class BudgetReached(RecordingRefused):
    """The next judge call could cross the recording's budget, so it is not made."""


class AddressBlocked(ConfigError):
    """A URL is not a plain http(s) one, or leads to an address that may not be called (SSRF)."""


class BiasGuardRefused(JudgekitError):
    """A judge shares a model family with the subject model, or the subject model is not named."""

    exit_code = ExitCode.BIAS
    cause = Cause.BIAS_GUARD


class JudgeError(JudgekitError):
    """The judge gave no usable verdict."""

    exit_code = ExitCode.JUDGE
    cause = Cause.JUDGE_UNREACHABLE


class JudgeUnreachable(JudgeError):
    """The judge refused the connection, timed out, disconnected or answered with an HTTP error."""


class MalformedVerdict(JudgeError):
    """The reply holds no readable verdict, an impossible one, or two that differ."""

    cause = Cause.MALFORMED_VERDICT


class JudgeRefusal(JudgeError):
    """The judge declined to judge."""

    cause = Cause.REFUSAL


class TruncatedReply(JudgeError):
    """The reply or the prompt was cut at a token limit, so what it says is not the verdict."""

    cause = Cause.TRUNCATED


class CassetteError(JudgekitError):
    """A recording cannot serve the request."""

    exit_code = ExitCode.CASSETTE
    cause = Cause.CORRUPT_CASSETTE


class CassetteMiss(CassetteError):
    """The request was never recorded. Raised by replay; never retried, never a pass."""

    cause = Cause.MISS


class CassetteCorrupt(CassetteError):
    """A cassette file is cut short, edited, misnamed, in conflict, or of an unknown version."""


class NetworkRefused(CassetteError):
    """Something in the process tried to open a socket or look up a name while replay is on."""

    cause = Cause.MISS
