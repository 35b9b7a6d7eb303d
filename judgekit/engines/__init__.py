"""Where work runs: adapters of the engine port."""

from judgekit.evals.engine import Engine

__all__ = ["Engine"]
