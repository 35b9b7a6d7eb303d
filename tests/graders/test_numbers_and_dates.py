"""numeric_match, date_match and levenshtein."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders.calendar_dates import DateNotation
from judgekit.graders.grade import Status
from judgekit.graders.numerals import Numerals
from judgekit.graders.registry import grade


def result_of(grader: str, candidate: Any, **config: Any) -> bool:
    result = grade(grader, config, candidate)
    assert result.status is not Status.ERROR, result.reason
    return result.passed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", Fraction("1234.5")),
        (" 12% ", Fraction("0.12")),
        ("3/4", Fraction(3, 4)),
        ("1 3/4", Fraction(7, 4)),
        ("-1/2", Fraction(-1, 2)),
        ("−5", Fraction(-5)),
        ("+.5", Fraction("0.5")),
        ("1e-3", Fraction("0.001")),
        ("1 234 567", Fraction(1234567)),
        ("0.1", Fraction(1, 10)),
        ("5‰", Fraction("0.005")),
        ("42.", Fraction(42)),
    ],
)
def test_numbers_are_read_as_they_are_written(text: str, value: Fraction) -> None:
    assert Numerals(units={}).whole(text) == value


@pytest.mark.parametrize(
    "text",
    ["", " ", "-", ".", "1,23", "12,34,567", "1.2.3", "1/0", "1e999", "0x10", "٣", "½x", "1-2",
     "12 %%", "NaN", "inf", "1e", "five", "1" * 500, "5 km"],
)  # fmt: skip
def test_what_is_no_number_is_not_read(text: str) -> None:
    assert Numerals(units={}).whole(text) is None


@given(st.integers(-(10**12), 10**12), st.integers(0, 999))
def test_a_grouped_number_is_itself(whole: int, thousandths: int) -> None:
    text = f"{whole:,}.{thousandths:03}"
    size = abs(whole) + Fraction(thousandths, 1000)
    assert Numerals(units={}).whole(text) == (-size if text.startswith("-") else size)
    swapped = text.translate(str.maketrans(",.", ".,"))
    assert Numerals(units={}, decimal_comma=True).whole(swapped) == Numerals(units={}).whole(text)


@pytest.mark.parametrize(
    ("candidate", "config", "passed"),
    [
        ("0.3", {"expected": 0.3}, True),
        (0.1 + 0.2, {"expected": 0.3}, False),
        (0.1 + 0.2, {"expected": 0.3, "relative_tolerance": 1e-9}, True),
        ("10.5", {"expected": 10, "tolerance": 0.5}, True),
        ("10.51", {"expected": 10, "tolerance": 0.5}, False),
        ("99", {"expected": 100, "relative_tolerance": 0.01}, True),
        ("5 km", {"expected": 5000, "units": {"km": 1000, "m": 1}}, True),
        ("5000m", {"expected": 5000, "units": {"km": 1000, "m": 1}}, True),
        ("5000", {"expected": 5000, "units": {"km": 1000, "m": 1}}, False),
        (5000, {"expected": 5000, "units": {"km": 1000}}, False),
        ("-$5", {"expected": -5, "units": {"$": 1}}, True),
        ("5 miles", {"expected": 5, "units": {"mi": 1}}, False),
        ("12%", {"expected": 12, "units": {"%": 1}}, True),
        ("The answer is 42.", {"expected": 42}, False),
        ("The answer is 42.", {"expected": 42, "read": "only"}, True),
        ("It is 6 x 7 = 42", {"expected": 42, "read": "only"}, False),
        ("It is 6 x 7 = 42", {"expected": 42, "read": "last"}, True),
        ("about 5 km, say", {"expected": 5000, "read": "only", "units": {"km": 1000}}, True),
        ("about 5 kmh", {"expected": 5000, "read": "only", "units": {"km": 1000}}, False),
        ("version 1.2.3", {"expected": 3, "read": "last"}, False),
        ("file v42", {"expected": 42, "read": "last"}, False),
        ("no number", {"expected": 0, "read": "last"}, False),
        (True, {"expected": 1}, False),
        (None, {"expected": 0}, False),
        (float("nan"), {"expected": 0, "tolerance": 1e300}, False),
        (2**53 + 1, {"expected": 2**53}, False),
    ],
)
def test_a_number_matches_within_its_tolerance(
    candidate: Any, config: dict[str, Any], passed: bool
) -> None:
    assert result_of("numeric_match", candidate, **config) is passed


@pytest.mark.parametrize(
    "config",
    [
        {"expected": "5"},
        {"expected": True},
        {"expected": float("nan")},
        {"expected": 10**400},
        {"expected": 1, "tolerance": -1},
        {"expected": 1, "relative_tolerance": 1},
        {"expected": 1, "units": {"km": 0}},
        {"expected": 1, "read": "first"},
    ],
)
def test_an_unusable_number_config_is_an_error(config: dict[str, Any]) -> None:
    assert grade("numeric_match", config, "5").status is Status.ERROR


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-15",
        "20240315",
        "2024/3/15",
        "15 March 2024",
        "15th of March, 2024",
        "March 15, 2024",
        "Mar. 15th 2024",
        "Friday, 15 March 2024",
        "15-Mar-2024",
        "15/03/2024",
        "3/15/2024",
        "15.03.2024",
        "March 15th, 2024.",
    ],
)
def test_dates_are_read_as_they_are_written(text: str) -> None:
    assert DateNotation().whole(text) == date(2024, 3, 15)


@pytest.mark.parametrize(
    "text",
    ["03/04/2024", "2023-02-29", "31 April 2024", "15 Marchember 2024", "2024", "15/03-2024"],
)
def test_what_means_no_one_day_is_not_read(text: str) -> None:
    assert DateNotation().whole(text) is None


def test_the_numeric_order_is_an_option() -> None:
    assert DateNotation("day-first").whole("03/04/2024") == date(2024, 4, 3)
    assert DateNotation("month-first").whole("03/04/2024") == date(2024, 3, 4)
    assert DateNotation().whole("04/04/2024") == date(2024, 4, 4)


@pytest.mark.parametrize(
    ("candidate", "config", "passed"),
    [
        ("It ships on March 15, 2024.", {"expected": "2024-03-15", "read": "only"}, True),
        ("From 1 March 2024 to 2024-03-15", {"expected": "2024-03-15", "read": "only"}, False),
        ("From 1 March 2024 to 2024-03-15", {"expected": "2024-03-15", "read": "last"}, True),
        ("14 March 2024", {"expected": "2024-03-15"}, False),
        ("14 March 2024", {"expected": "2024-03-15", "tolerance_days": 1}, True),
        ("2024-03-15T09:30:00Z", {"expected": "2024-03-15"}, True),
        ("2024-03-15 11:30+02:00", {"expected": "2024-03-15T09:30:00+00:00"}, True),
        ("2024-03-15 9:30 a.m. UTC", {"expected": "2024-03-15T09:30:00+00:00"}, True),
        ("2024-03-15 09:30", {"expected": "2024-03-15T09:30:00+00:00"}, False),
        ("2024-03-15", {"expected": "2024-03-15T00:00:00"}, False),
        ("2024-03-15 09:30:02", {"expected": "2024-03-15T09:30:00", "tolerance_s": 2}, True),
        ("2024-03-15 09:30:03", {"expected": "2024-03-15T09:30:00", "tolerance_s": 2}, False),
        ("2024-03-15 25:00", {"expected": "2024-03-15"}, False),
        ("13:00 pm", {"expected": "2024-03-15", "read": "last"}, False),
        (20240315, {"expected": "2024-03-15"}, False),
    ],
)
def test_a_date_matches_within_its_tolerance(
    candidate: Any, config: dict[str, Any], passed: bool
) -> None:
    assert result_of("date_match", candidate, **config) is passed


@pytest.mark.parametrize(
    "config",
    [
        {"expected": "15 March 2024"},
        {"expected": ""},
        {"expected": "2024-03-15", "tolerance_s": 5},
        {"expected": "2024-03-15", "tolerance_days": -1},
        {"expected": "2024-03-15", "numeric_order": "dmy"},
    ],
)
def test_an_unusable_date_config_is_an_error(config: dict[str, Any]) -> None:
    assert grade("date_match", config, "2024-03-15").status is Status.ERROR


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_day_is_read_back(day: date) -> None:
    notation = DateNotation()
    assert notation.whole(day.isoformat()) == day
    assert notation.whole(f"{day:%B} {day.day}, {day.year}") == day
    assert notation.within(f"on {day.day} {day:%b} {day.year}.") == [day]


def test_likeness_is_one_less_edits_over_length() -> None:
    result = grade("levenshtein", {"expected": "kitten", "threshold": 0.5}, "sitting")
    assert result.passed
    assert result.score == pytest.approx(1 - 3 / 7)
    assert result.details["edits"] == 3
    assert result_of("levenshtein", " KITTEN ", expected="kitten", threshold=1.0)
    assert not result_of("levenshtein", "KITTEN", expected="kitten", case_sensitive=True)
    assert not result_of("levenshtein", "", expected="kitten", threshold=0.01)


@pytest.mark.parametrize("threshold", [0, -0.1, 1.5, "0.5", True, None])
def test_a_threshold_that_anything_reaches_is_an_error(threshold: Any) -> None:
    result = grade("levenshtein", {"expected": "a", "threshold": threshold}, "a")
    assert result.status is Status.ERROR
