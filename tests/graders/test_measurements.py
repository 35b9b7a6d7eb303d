from __future__ import annotations

from typing import Any

import pytest

from judgekit.errors import Cause
from judgekit.graders.registry import grade

CEILINGS: dict[str, tuple[dict[str, Any], str]] = {
    "latency_threshold": ({"p95_ms": 200}, "p95_ms"),
    "cost_threshold": ({"max_usd": 200}, "cost_usd"),
    "token_threshold": ({"max_tokens": 200}, "tokens"),
}


@pytest.mark.parametrize("grader", CEILINGS)
@pytest.mark.parametrize(
    ("value", "passed"), [(0, True), (199.5, True), (200, True), (200.1, False)]
)
def test_a_measurement_is_held_to_its_ceiling(grader: str, value: float, passed: bool) -> None:
    config, name = CEILINGS[grader]
    assert grade(grader, config, {name: value}).passed is passed


@pytest.mark.parametrize("grader", [*CEILINGS, "http_status"])
@pytest.mark.parametrize(
    "value", [None, "", "100", False, True, [], {}, -1, float("nan"), float("inf"), float("-inf")]
)
def test_what_is_no_measurement_is_an_error_and_no_zero(grader: str, value: Any) -> None:
    config, name = CEILINGS.get(grader, ({"status": 200}, "status"))
    result = grade(grader, config, {name: value})
    assert result.cause is Cause.MISSING_MEASUREMENT
    assert not result.passed


@pytest.mark.parametrize("candidate", [{}, [], 100, None, "text", "100", {"other": 1}])
def test_an_absent_measurement_never_passes(candidate: Any) -> None:
    for grader, (config, _) in CEILINGS.items():
        assert not grade(grader, config, candidate).passed


@pytest.mark.parametrize(
    ("grader", "config", "record"),
    [
        ("cost_threshold", {"max_usd": 1}, {"cost_usd": 0, "total_cost_usd": 99}),
        ("cost_threshold", {"max_usd": 1}, {"cost_usd": 99, "total_cost_usd": 0}),
        ("token_threshold", {"max_tokens": 10}, {"tokens": 1, "total_tokens": 500}),
        ("token_threshold", {"max_tokens": 10}, {"tokens": 1, "usage": {"total_tokens": 500}}),
        ("latency_threshold", {"p95_ms": 10}, {"latency_ms": 1, "duration_ms": 500}),
        ("http_status", {"status": 200}, {"status": 200, "status_code": 500}),
        ("http_status", {"status": [200, 500]}, {"status": 200, "status_code": 500}),
    ],
)
def test_two_measurements_that_contradict_each_other_never_pass(
    grader: str, config: dict[str, Any], record: dict[str, Any]
) -> None:
    result = grade(grader, config, record)
    assert not result.passed
    for name in record:
        assert name in result.reason


def test_a_second_measurement_must_be_a_number_too() -> None:
    record = {"cost_usd": 0.5, "total_cost_usd": "0.5"}
    result = grade("cost_threshold", {"max_usd": 1}, record)
    assert (result.cause, result.reason) == (
        Cause.MISSING_MEASUREMENT,
        "total_cost_usd is no number",
    )
    assert grade("cost_threshold", {"max_usd": 1}, {**record, "total_cost_usd": 0.5}).passed
    assert grade("cost_threshold", {"max_usd": 1}, {**record, "total_cost_usd": 0.7}).passed
    assert grade("latency_threshold", {"p95_ms": 9}, {"p95_ms": 5, "latency_ms": 99}).passed


def test_null_falls_through() -> None:
    config = {"max_tokens": 200}
    assert not grade("token_threshold", config, {"tokens": 300, "total_tokens": 100}).passed
    assert grade("token_threshold", config, {"tokens": None, "total_tokens": 100}).passed
    assert grade("token_threshold", config, {"usage": {"total_tokens": 100}}).passed
    assert grade("token_threshold", config, '{"total_tokens": 100}').passed


def test_one_status_or_several_may_be_expected() -> None:
    assert grade("http_status", {"status": [200, 204]}, {"status_code": 204}).passed
    assert not grade("http_status", {"status": [200, 204]}, {"status": 200.5}).passed
    for status in ([], "200", 99, 600, True, None):
        assert (
            grade("http_status", {"status": status}, {"status": 200}).cause is Cause.INVALID_CONFIG
        )
