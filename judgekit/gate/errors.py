"""What the gate refuses; each message is one line that names the field and says what to do.

GateError
├── InvalidFile    a stored run or baseline cannot be read
├── InvalidRun     a run contradicts itself, or the runs given do
└── BlessRefused   a run may not become the baseline

They are ValueErrors and carry no exit code: the command that ran into one gives it (2, usage).
"""

from __future__ import annotations


class GateError(ValueError):
    """Base of all."""


class InvalidFile(GateError):
    """A stored run or baseline is damaged, of another version, or breaks its schema."""


class InvalidRun(GateError):
    """A run contradicts itself, no run was given, or two have one name."""


class BlessRefused(GateError):
    """A run is not good enough, or not whole enough, to become the baseline."""
