"""Settings for all tests: no stopwatch in property tests, no trace of the outer environment."""

from __future__ import annotations

import pytest
from hypothesis import settings

settings.register_profile("judgekit", deadline=None, print_blob=True)
settings.load_profile("judgekit")


@pytest.fixture(autouse=True)
def _no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests decide themselves whether they run under CI, and whether they bless."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("BLESS", raising=False)
