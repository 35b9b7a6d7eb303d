"""The case file of URLs and whether the default guard blocks them."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.errors import AddressBlocked
from judgekit.net.targets import check_url
from tests.cases.loading import load_cases


def is_blocked(url: str) -> bool:
    try:
        check_url(url)
    except AddressBlocked:
        return True
    return False


@pytest.mark.parametrize("row", load_cases("ssrf.jsonl"))
def test_the_default_guard_blocks_what_the_row_says(row: dict[str, Any]) -> None:
    assert is_blocked(row["url"]) is row["blocked"]
