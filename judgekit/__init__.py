"""Judge the output of language models in CI, offline, from recorded verdicts."""

__version__ = "0.1.0"
