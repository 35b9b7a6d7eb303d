"""Judge the output of language models in CI, offline, from recorded verdicts."""

from __future__ import annotations

__version__ = "0.1.0"

DISTRIBUTION = "judgekit-replay"
"""The name that this package is installed under; others on the index install as judgekit."""
