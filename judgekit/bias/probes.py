"""The probes: further judgements that tell a judge's bias from the quality of what it judges.

A probe's recordings stand beside the eval's own, under a scorer name that no eval file can hold
(scorers open with a letter or digit), so that no run asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from judgekit.bias import edits
from judgekit.bias.edits import Edit

PREFIX: Final = "_bias."

PROBE_TEMPERATURE: Final = 0.7
"""At what temperature samples are drawn of a judge that is configured to sample greedily."""

DEFAULT_SAMPLES: Final = 5


class ProbeKind(StrEnum):
    """What a probe changes."""

    POSITION = "position"
    PADDING = "padding"
    FORMAT = "format"
    COUNTERFACTUAL = "counterfactual"
    SAMPLES = "samples"


@dataclass(frozen=True, slots=True)
class Variant:
    """One change of a case whose verdict is recorded beside the verdict on the case as it is.

    Attributes:
        name: its part of the scorer name that it is recorded under.
        edit: of the judged text; None where something else is changed.
        whole_case: whether input and expectations are edited like the output.
    """

    kind: ProbeKind
    name: str
    what: str
    edit: Edit | None = None
    whole_case: bool = False


SAME_ANSWER: Final = Variant(ProbeKind.POSITION, "same-answer", "one answer as A and as B")
PADDED: Final = Variant(ProbeKind.PADDING, "padded", "content-free sentences added", edits.padded)
PLAIN: Final = Variant(ProbeKind.FORMAT, "plain", "Markdown taken out", edits.plain_text)
LISTED: Final = Variant(ProbeKind.FORMAT, "list", "as a bulleted list", edits.as_list)
BOLD: Final = Variant(ProbeKind.FORMAT, "bold", "sentences in bold", edits.in_bold)
RENAMED: Final = Variant(
    ProbeKind.COUNTERFACTUAL, "renamed", "people given other names", whole_case=True
)
CLOSED: Final = Variant(
    ProbeKind.COUNTERFACTUAL, "closing", "a polite closing added", edits.with_closing
)
REWRAPPED: Final = Variant(
    ProbeKind.COUNTERFACTUAL, "rewrapped", "lines broken elsewhere", edits.rewrapped
)
SAMPLED: Final = Variant(ProbeKind.SAMPLES, "samples", "asked again with other seeds")

VARIANTS: Final = (
    SAME_ANSWER,
    PADDED,
    PLAIN,
    LISTED,
    BOLD,
    RENAMED,
    CLOSED,
    REWRAPPED,
    SAMPLED,
)


def probe_scorer(scorer: str, variant: Variant) -> str:
    """Return the scorer name that a variant is recorded under.

    >>> probe_scorer("tone", PADDED)
    '_bias.tone.padded'
    """
    return f"{PREFIX}{scorer}.{variant.name}"


def base_scorer(name: str) -> str:
    """Return the scorer that a probe's recordings vary; any other name as it is.

    >>> base_scorer("_bias.tone.padded")
    'tone'
    """
    return name.removeprefix(PREFIX).rpartition(".")[0] if name.startswith(PREFIX) else name


def probe_scorers(scorers: Iterable[str]) -> frozenset[str]:
    """Return every scorer name that probes of these scorers are recorded under."""
    return frozenset(probe_scorer(each, variant) for each in scorers for variant in VARIANTS)
