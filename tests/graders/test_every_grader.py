"""Laws that every registered grader keeps, whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgekit.errors import Cause
from judgekit.graders.grade import REASON_LIMIT, Grade, Status
from judgekit.graders.registry import GraderSpec, Option, grade, graders

DETERMINISTIC = [spec for spec in graders().values() if not spec.model_graded]

by_name = pytest.mark.parametrize("spec", list(graders().values()), ids=lambda spec: spec.name)
deterministic_by_name = pytest.mark.parametrize("spec", DETERMINISTIC, ids=lambda spec: spec.name)

# every character, lone surrogates among them
any_text = st.text(st.characters(exclude_categories=()), max_size=80)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([2**63, -(2**64), 10**30, 10**300]),
    st.integers(min_value=-(10**400), max_value=10**400),
    st.floats(),
    any_text,
    st.sampled_from([b"bytes", {"a", "set"}, ("a", "tuple"), object(), 1j]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(any_text | st.integers(), inner, max_size=5)
    ),
    max_leaves=12,
)


def like(example: Any) -> st.SearchStrategy[Any]:
    """Return candidates near to one that passes: cut, wrapped, repeated, any part replaced."""
    if isinstance(example, str):
        cuts = st.integers(0, len(example))
        return st.one_of(
            st.builds(lambda cut, text: example[:cut] + text + example[cut:], cuts, any_text),
            st.builds(lambda count: example * count, st.integers(0, 5)),
            st.builds(lambda cut: example[:cut], cuts),
        )
    if isinstance(example, dict) and example:
        return st.sampled_from(sorted(example)).flatmap(
            lambda key: st.builds(
                lambda value: {**example, key: value}, values | like(example[key])
            )
        )
    if isinstance(example, list) and example:
        return st.integers(0, len(example) - 1).flatmap(
            lambda index: st.builds(
                lambda value: [*example[:index], value, *example[index:]],
                values | like(example[index]),
            )
        )
    return values


def candidates(spec: GraderSpec) -> st.SearchStrategy[Any]:
    return values | like(spec.example["candidate"])


def check(spec: GraderSpec, candidate: Any) -> None:
    """Assert that the grade of any candidate is whole, bounded, printable and repeatable."""
    result = grade(spec.name, spec.example["config"], candidate)
    assert isinstance(result, Grade)
    assert result.reason
    assert len(result.reason) <= REASON_LIMIT
    result.reason.encode()
    assert (result.score is None) is (result.status is Status.ERROR)
    assert result == grade(spec.name, spec.example["config"], candidate)


@deterministic_by_name
def test_no_candidate_makes_a_grader_raise(spec: GraderSpec) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(candidates(spec))
    def law(candidate: Any) -> None:
        check(spec, candidate)

    law()


@pytest.mark.thorough
@deterministic_by_name
def test_no_candidate_of_ten_thousand_makes_a_grader_raise(spec: GraderSpec) -> None:
    @settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
    @given(candidates(spec))
    def law(candidate: Any) -> None:
        check(spec, candidate)

    law()


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def holding_itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def doubled(levels: int) -> Any:
    """Return a list of few objects in memory that is 2**levels values when it is walked."""
    value: Any = []
    for _ in range(levels):
        value = [value, value]
    return value


EVIL = {
    "64 KiB of one letter": "a" * 65_536,
    "64 KiB of digits": "1" * 65_536,
    "64 KiB of one letter, then another": "a" * 65_536 + "!",
    "text nested 100,000 levels": "[" * 100_000 + "]" * 100_000,
    "text of unclosed objects": '{"a":' * 50_000,
    "a list nested 150 levels": nested(150),
    "a list nested 100,000 levels": nested(100_000),
    "a list that holds itself": holding_itself(),
    "a list of 2**60 shared values": doubled(60),
    "an integer of 5,000 digits": 10**5_000,
    "text of an integer of 5,000 digits": "9" * 5_000,
    "text of a number too large": "1e999",
    "text of NaN": "NaN",
    "a lone surrogate": "\ud800",
    "an object with a lone surrogate as key": {"\udfff": "\ud800"},
    "control characters": "".join(map(chr, range(32))),
    "a NUL": "\x00",
    "an object of 10,000 keys": {f"key{number}": number for number in range(10_000)},
    "10,000 colons": ":" * 10_000,
    "10,000 at signs": "a@" * 10_000,
    "10,000 percent signs": "%25" * 10_000,
    "10,000 ampersands": "&amp;" * 10_000,
    "64 KiB of white space": " " * 65_536,
    "an empty text": "",
    "an empty list": [],
    "an empty object": {},
}


@deterministic_by_name
@pytest.mark.parametrize("candidate", EVIL.values(), ids=EVIL.keys())
def test_no_evil_candidate_makes_a_grader_raise_or_hang(spec: GraderSpec, candidate: Any) -> None:
    check(spec, candidate)


@deterministic_by_name
def test_the_example_passes(spec: GraderSpec) -> None:
    result = grade(spec.name, spec.example["config"], spec.example["candidate"])
    assert result.passed, result.reason


@by_name
def test_every_option_is_described(spec: GraderSpec) -> None:
    assert spec.summary
    assert spec.evidence
    for option in spec.options():
        assert option.description, f"{spec.name}: {option.name} has no description"
        assert option.type


@by_name
def test_the_options_in_the_example_are_options(spec: GraderSpec) -> None:
    assert set(spec.example["config"]) <= {option.name for option in spec.options()}


WRONG: Mapping[str, tuple[Any, ...]] = {
    "true or false": ("yes", "true", 1, 0, "", [], {}),
    "number": ("1", "", True, [], {}, float("nan"), float("inf")),
    "whole number": ("1", 1.5, True, [], {}),
    "text": (5, True, [], {}, ["a"]),
    "list of text": ([], [""], ["  \t"], [5], [None], [["a"]], "a", "", {"a": "b"}, 5, True),
}
"""Values that are wrong for every option of a type, whatever the grader."""


def wrong_values(option: Option) -> tuple[Any, ...]:
    values = WRONG.get(option.type.removesuffix(" or null"), ())
    return values if option.type.endswith(" or null") or option.default is None else (*values, None)


def invalid_configs() -> Iterator[Any]:
    for spec in graders().values():
        good = spec.example["config"]
        broken: list[tuple[str, Any]] = [
            ("an unknown option", {**good, "no_such_option": 1}),
            ("a misspelt option", {**good, "Threshold ": 0.5}),
            ("a list", []),
            ("text", "config"),
            ("null", None),
        ]
        required = [option.name for option in spec.options() if option.required]
        broken += [
            (f"no {name}", {key: value for key, value in good.items() if key != name})
            for name in required
        ]
        broken += [
            (f"{option.name} is {wrong!r:.30}", {**good, option.name: wrong})
            for option in spec.options()
            for wrong in wrong_values(option)
        ]
        for what, config in broken:
            yield pytest.param(spec, config, id=f"{spec.name}: {what}")


@pytest.mark.parametrize(("spec", "config"), list(invalid_configs()))
def test_an_invalid_config_is_an_error_that_names_the_option(spec: GraderSpec, config: Any) -> None:
    result = grade(spec.name, config, spec.example["candidate"])
    assert result.status is Status.ERROR, result.reason
    assert result.cause is Cause.INVALID_CONFIG
    assert result.reason.startswith(f"{spec.name}: ")
    assert "\n" not in result.reason


@by_name
def test_no_config_makes_a_grader_raise(spec: GraderSpec) -> None:
    names = st.sampled_from([option.name for option in spec.options()]) | any_text

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.dictionaries(names, values, max_size=4))
    def law(config: dict[str, Any]) -> None:
        result = grade(spec.name, {**spec.example["config"], **config}, "any")
        assert isinstance(result, Grade)
        result.reason.encode()

    law()
