from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import ConfigError
from judgekit.gate.run import Usage
from judgekit.ledger.spending import Line, Price, Spend, Sum, priced, run_spend, summed
from tests.ledger.making import WHEN, run_of

SPEND = Spend(WHEN, "support", "helpful", "local")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("calls", -1),
        ("calls", 1.0),
        ("calls", True),
        ("input_tokens", -5),
        ("output_tokens", 2**63),
        ("cost_nano_usd", 2.5),
        ("cost_nano_usd", -1),
        ("cost_nano_usd", float("nan")),
        ("wall_s", -0.1),
        ("wall_s", float("inf")),
        ("wall_s", float("nan")),
        ("eval", " "),
        ("when", ""),
        ("source", "guessed"),
    ],
)
def test_an_entry_that_cannot_be_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"spend: {field} must"):
        replace(SPEND, **{field: value})


def test_a_call_is_priced_in_whole_nano_dollars() -> None:
    price = Price(0.15, 0.6)
    assert price.nano_usd(1000, 100) == 150_000 + 60_000
    spend = replace(SPEND, input_tokens=1000, output_tokens=100)
    assert priced(spend, price).cost_nano_usd == 210_000
    assert priced(spend, None).cost_nano_usd is None


def test_sums_stand_by_what_was_asked_for_and_tell_asked_from_replayed() -> None:
    spends = [
        replace(SPEND, input_tokens=10, output_tokens=1, cost_nano_usd=2_000, wall_s=1.5),
        replace(SPEND, input_tokens=20, output_tokens=2, cost_nano_usd=3_000, wall_s=0.5),
        replace(SPEND, scorer="tone", input_tokens=5, wall_s=4.0),
        replace(SPEND, source="replayed", input_tokens=7, cost_nano_usd=500, wall_s=9.0),
    ]
    by_scorer = summed(spends, ["scorer"])
    assert by_scorer == (
        Line(("helpful",), Sum(2, 30, 3, 5_000, 0, 2.0), Sum(1, 7, 0, 500, 0, 9.0)),
        Line(("tone",), Sum(1, 5, 0, 0, 1, 4.0), Sum()),
    )
    assert by_scorer[0].asked.cost_usd == 5e-6
    assert by_scorer[1].asked.cost_usd is None
    (whole,) = summed(spends, [])
    assert (whole.asked.calls, whole.asked.unpriced, whole.asked.cost_usd) == (3, 1, 5e-6)
    assert summed([]) == ()


SPENDS = st.builds(
    Spend,
    when=st.just(WHEN),
    eval=st.sampled_from(["a", "b"]),
    scorer=st.sampled_from(["x", "y"]),
    judge=st.sampled_from(["local", ""]),
    source=st.sampled_from(["asked", "replayed"]),
    calls=st.integers(0, 1000),
    input_tokens=st.integers(0, 10**9),
    output_tokens=st.integers(0, 10**9),
    cost_nano_usd=st.none() | st.integers(0, 10**12),
    wall_s=st.floats(0, 1e6),
)


@given(st.lists(SPENDS, max_size=12), st.randoms())
def test_the_order_of_entries_changes_no_sum(spends: list[Spend], random: Any) -> None:
    shuffled = list(spends)
    random.shuffle(shuffled)
    assert summed(spends) == summed(shuffled)
    assert sum(line.asked.calls + line.replayed.calls for line in summed(spends, ["eval"])) == sum(
        spend.calls for spend in spends
    )


def test_a_replayed_run_is_one_entry_of_what_was_saved() -> None:
    usage = Usage(4, 400, 40, 0.25, 12.5, replayed=4)
    assert run_spend(run_of(usage=usage), WHEN) == Spend(
        WHEN, "support", "", "", "replayed", 4, 400, 40, 250_000_000, 12.5
    )
    unpriced = run_spend(run_of(usage=replace(usage, cost_usd=None)), WHEN)
    assert unpriced is not None
    assert unpriced.cost_nano_usd is None
    assert run_spend(run_of(), WHEN) is None


def test_a_run_with_live_calls_is_not_entered_twice() -> None:
    with pytest.raises(ConfigError, match="1 of its judge calls were live"):
        run_spend(run_of(usage=Usage(calls=4, replayed=3)), WHEN)
