from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import BudgetReached, JudgeUnreachable, RecordingRefused
from judgekit.judges.dialects import find_dialect
from judgekit.judges.live import Connection, LiveExchange
from judgekit.judges.port import JudgeRequest, Message, Sampling, TokenUsage
from judgekit.judges.recording import Progress, RecordingEvent, RecordingExchange, RecordingJudge
from judgekit.ledger.budget import (
    TEMPLATE_TOKENS,
    BudgetGuard,
    Limits,
    Taken,
    crossing,
    most_tokens,
)
from judgekit.ledger.spending import Price
from tests.judges.making import PASS, make_request
from tests.judges.model_server import Behaviour, answers, model_server, says
from tests.judges.test_recording import WHEN, staging_in

PRICE = Price(1.0, 10.0)
USAGE = TokenUsage(input_tokens=50, output_tokens=10)


def test_no_limit_lets_everything_through() -> None:
    assert crossing(Limits(), Taken(10**9, 10**12, 10**15), Taken(1, 1, 1)) is None


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(calls=3), "budget.calls: 3 of 3 judge calls are made"),
        (Limits(tokens=109), "budget.tokens: 100 of 109 tokens are spent, and the next call may"),
        (Limits(usd=0.000_001), "budget.usd: $0.000001 of $0.000001 is spent"),
    ],
)
def test_what_could_cross_a_limit_is_named(limits: Limits, said: str) -> None:
    taken, following = Taken(3, 100, 1000), Taken(1, 10, 1)
    why = crossing(limits, taken, following)
    assert why is not None
    assert said in why


def test_a_call_that_reaches_a_limit_exactly_is_let_through() -> None:
    limits = Limits(calls=4, tokens=110, usd=0.000_001_001)
    assert crossing(limits, Taken(3, 100, 1000), Taken(1, 10, 1)) is None


def test_a_call_takes_at_most_its_bytes_and_its_longest_reply() -> None:
    request = make_request(
        messages=(Message(role="user", content="é" * 10),), sampling=Sampling(max_tokens=200)
    )
    assert most_tokens(request) == TokenUsage(input_tokens=20 + TEMPLATE_TOKENS, output_tokens=200)
    constrained = request.model_copy(update={"response_schema": {"type": "object"}})
    most = most_tokens(constrained)
    assert most is not None
    assert most.input_tokens == 20 + len('{"type": "object"}') + 2 * TEMPLATE_TOKENS
    endless = request.model_copy(update={"sampling": Sampling(max_tokens=None)})
    assert most_tokens(endless) is None


def test_what_was_used_counts_and_not_what_might_have_been() -> None:
    guard = BudgetGuard(Limits(calls=10, tokens=690))
    gate = guard.permit(PRICE)
    for _ in range(7):
        gate(make_request())(USAGE)
    assert guard.taken == Taken(7, 7 * 60, 7 * (50_000 + 100_000))
    assert guard.reached == ""
    with pytest.raises(BudgetReached, match=r"not asked: budget.tokens: 420 of 690 tokens are"):
        gate(make_request())
    assert guard.reached.startswith("budget.tokens: 420 of 690")
    assert guard.reached.endswith("1 call was not made; raise the budget, or record the rest later")


def test_once_reached_it_stays_reached() -> None:
    guard = BudgetGuard(Limits(calls=1))
    gate = guard.permit()
    gate(make_request())(USAGE)
    for _ in range(3):
        with pytest.raises(BudgetReached, match=r"budget.calls: 1 of 1 judge calls are made"):
            gate(make_request())
    assert "3 calls were not made" in guard.reached


def test_a_limit_in_money_needs_a_price_and_a_reply_an_end() -> None:
    with pytest.raises(BudgetReached, match=r"the tokens of judge model test-judge have no price"):
        BudgetGuard(Limits(usd=1.0)).permit(None)(make_request())
    endless = make_request(sampling=Sampling(max_tokens=None))
    with pytest.raises(BudgetReached, match=r"set the judge's sampling.max_tokens"):
        BudgetGuard(Limits(tokens=10**9)).permit(PRICE)(endless)
    BudgetGuard(Limits(calls=1)).permit(None)(endless)


def test_a_webhook_counts_as_a_call_and_takes_no_money() -> None:
    guard = BudgetGuard(Limits(calls=1, usd=0.0, tokens=0))
    gate = guard.permit(uses_tokens=False)
    gate(make_request())(TokenUsage())
    assert guard.taken == Taken(calls=1)
    with pytest.raises(BudgetReached, match="judge calls are made"):
        gate(make_request())


def test_a_call_waits_for_those_in_flight_before_it_is_refused() -> None:
    guard = BudgetGuard(Limits(tokens=300))
    gate = guard.permit()
    settle = gate(make_request())
    admitted = threading.Event()

    def second() -> None:
        gate(make_request())(USAGE)
        admitted.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert not admitted.wait(0.05)
    settle(TokenUsage(input_tokens=5))
    assert admitted.wait(10)
    thread.join()
    assert guard.reached == ""


LIMITS = st.builds(
    Limits,
    calls=st.none() | st.integers(0, 30),
    tokens=st.none() | st.integers(0, 6000),
    usd=st.none() | st.floats(0, 0.01),
)


@given(LIMITS, st.lists(st.tuples(st.integers(0, 12), st.integers(0, 200)), max_size=30))
def test_no_limit_is_ever_crossed(limits: Limits, used: list[tuple[int, int]]) -> None:
    guard = BudgetGuard(limits)
    gate = guard.permit(PRICE)

    def call(tokens: tuple[int, int]) -> None:
        try:
            settle = gate(make_request())
        except BudgetReached:
            return
        settle(TokenUsage(input_tokens=tokens[0], output_tokens=tokens[1]))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(call, used))
    taken = guard.taken
    assert limits.calls is None or taken.calls <= limits.calls
    assert limits.tokens is None or taken.tokens <= limits.tokens
    assert limits.usd is None or taken.nano_usd <= round(limits.usd * 1e9)
    assert bool(guard.reached) == (taken.calls < len(used))


def record(
    tmp_path: Path, limits: Limits, requests: list[JudgeRequest], *behaviours: Behaviour
) -> tuple[BudgetGuard, list[RecordingEvent], int]:
    """Record requests under a budget; return the guard, the events, and how often was asked."""
    guard, events = BudgetGuard(limits), list[RecordingEvent]()
    with model_server(*behaviours) as server:
        live = LiveExchange(
            Connection(server.url, connect_s=5, attempt_s=20, call_s=1), find_dialect("openai-chat")
        )
        exchange = RecordingExchange(
            live,
            staging_in(tmp_path),
            lambda: WHEN,
            observe=events.append,
            permit=guard.permit(PRICE),
            judge="local",
        )
        judge = RecordingJudge(exchange, live)
        for request in requests:
            try:
                judge.evaluate(request)
            except (BudgetReached, JudgeUnreachable, RecordingRefused):
                continue
        live.close()
        return guard, events, len(server.requests)


def test_a_recording_stops_before_the_ceiling_and_keeps_what_it_has(tmp_path: Path) -> None:
    requests = [make_request(f"q {i}", case=f"c{i}") for i in range(5)]
    guard, events, asked = record(tmp_path, Limits(calls=2), requests, says(PASS))
    assert asked == 2
    assert "3 calls were not made" in guard.reached
    assert len(staging_in(tmp_path).items()) == 2
    assert [each.what for each in events] == [Progress.ASKED, Progress.RECORDED] * 2
    assert {each.judge for each in events} == {"local"}
    assert [each.answered for each in events] == [False, True] * 2


def test_what_is_recorded_already_takes_nothing_of_the_budget(tmp_path: Path) -> None:
    requests = [make_request(f"q {i}", case=f"c{i}") for i in range(3)]
    record(tmp_path, Limits(calls=2), requests, says(PASS))
    guard, events, asked = record(tmp_path, Limits(calls=1), requests, says(PASS))
    assert asked == 1
    assert guard.reached == ""
    assert [each.what for each in events].count(Progress.SERVED) == 2


def test_a_call_that_fails_gives_back_what_was_set_aside_for_it(tmp_path: Path) -> None:
    requests = [make_request(f"q {i}", case=f"c{i}") for i in range(2)]
    limits = Limits(tokens=400)
    guard, _, _ = record(tmp_path, limits, requests, answers(404, {}), says(PASS))
    assert guard.reached == ""
    assert guard.taken.calls == 2
    assert len(staging_in(tmp_path).items()) == 1


def test_every_re_ask_is_a_call_of_its_own(tmp_path: Path) -> None:
    guard, _, asked = record(tmp_path, Limits(calls=2), [make_request()], says("hm"))
    assert asked == 2
    assert "budget.calls: 2 of 2" in guard.reached
