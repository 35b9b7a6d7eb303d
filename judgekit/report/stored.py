"""The report as JSON: the runs as `judgekit gate` reads them back, and the decision beside them."""

from __future__ import annotations

from judgekit.gate.run_json import run_to_json
from judgekit.report.report import Report


def to_json(report: Report) -> str:
    """Return the runs as ``judgekit-run/1``; the same bytes for the same runs."""
    return run_to_json(report.runs)
