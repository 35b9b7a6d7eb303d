"""What the gate refuses; each message is one line that names the field and says what to do.

GateError
├── InvalidFile    a stored run or baseline cannot be read
├── InvalidRun     a run contradicts itself, or the runs given do
└── BlessRefused   a run may not become the baseline

They are ValueErrors and carry no exit code: the command that ran into one gives it (2, usage).
"""

from __future__ import annotations

_LONGEST = 600


def one_line(text: str) -> str:
    """Return text fit for a terminal's line: what does not print is escaped, the rest is kept."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class GateError(ValueError):
    """Base of all; its text is one line, whatever names and values it quotes."""

    def __init__(self, message: str) -> None:
        cut = message if len(message) <= _LONGEST else message[: _LONGEST - 1] + "…"
        super().__init__(one_line(cut))


class InvalidFile(GateError):
    """A stored run or baseline is damaged, of another version, or breaks its schema."""


class InvalidRun(GateError):
    """A run contradicts itself, no run was given, or two have one name."""


class BlessRefused(GateError):
    """A run is not good enough, or not whole enough, to become the baseline."""
