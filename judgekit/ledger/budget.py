"""The budget of a recording: no call is made that could cross it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass

from judgekit.errors import BudgetReached
from judgekit.judges.port import JudgeRequest, TokenUsage
from judgekit.ledger.spending import NANO, Price

TEMPLATE_TOKENS = 64
"""What a server's chat template may add to a message, in tokens; generous."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one recording may take at most; None sets no limit.

    Attributes:
        tokens: of prompts and replies together.
        usd: US dollars.
    """

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """What calls took, or may take."""

    calls: int = 0
    tokens: int = 0
    nano_usd: int = 0

    def __add__(self, other: Taken) -> Taken:
        return Taken(
            self.calls + other.calls, self.tokens + other.tokens, self.nano_usd + other.nano_usd
        )

    def __sub__(self, other: Taken) -> Taken:
        return Taken(
            self.calls - other.calls, self.tokens - other.tokens, self.nano_usd - other.nano_usd
        )


def crossing(limits: Limits, taken: Taken, following: Taken) -> str | None:
    """Return which limit `following` could cross after `taken`, as one clause; None for none."""
    after = taken + following
    if limits.calls is not None and after.calls > limits.calls:
        return f"budget.calls: {taken.calls} of {limits.calls} judge calls are made"
    if limits.tokens is not None and after.tokens > limits.tokens:
        return (
            f"budget.tokens: {taken.tokens} of {limits.tokens} tokens are spent, and the next call "
            f"may take {following.tokens}"
        )
    if limits.usd is not None and after.nano_usd > round(limits.usd * NANO):
        return (
            f"budget.usd: ${taken.nano_usd / NANO:.6f} of ${limits.usd:.6f} is spent, and the next "
            f"call may take ${following.nano_usd / NANO:.6f}"
        )
    return None


def most_tokens(request: JudgeRequest) -> TokenUsage | None:
    """Return what a call may take at most; None where its reply has no limit.

    A token of a prompt stands for at least one byte of it, in every tokenizer that keeps the text
    whole; a reply ends at the request's `max_tokens`.
    """
    limit = request.sampling.max_tokens
    if limit is None:
        return None
    texts = [message.content for message in request.messages]
    if request.response_schema is not None:
        texts.append(json.dumps(dict(request.response_schema)))
    prompt = sum(len(text.encode()) + TEMPLATE_TOKENS for text in texts)
    return TokenUsage(input_tokens=prompt, output_tokens=limit)


class BudgetGuard:
    """Lets judge calls through as long as none of them could cross the limits. Thread-safe, no I/O.

    A call in flight is counted at the most that it may take, and at what it took once it is done.
    Where calls in flight leave no room, the next one waits for them; once nothing is in flight and
    there is no room, the budget is reached for good.

    Args:
        limits: what the whole recording may take.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._taken = Taken()
        self._in_flight = Taken()
        self._why = ""
        self._refused = 0
        self._changed = threading.Condition()

    @property
    def taken(self) -> Taken:
        """What the calls that are done took."""
        with self._changed:
            return self._taken

    @property
    def reached(self) -> str:
        """Why calls were refused, in one line; empty while none was."""
        with self._changed:
            if not self._why:
                return ""
            asked = "1 call was" if self._refused == 1 else f"{self._refused} calls were"
            return f"{self._why}; {asked} not made; raise the budget, or record the rest later"

    def permit(
        self, price: Price | None = None, *, uses_tokens: bool = True
    ) -> Callable[[JudgeRequest], Callable[[TokenUsage], None]]:
        """Return the gate that a judge's calls go through.

        It is called before a call, and returns what is to be told the call's usage afterwards.

        Args:
            price: of the judge's tokens; without one no call is let through under a limit in USD.
            uses_tokens: False for a judge that is no model, such as a webhook: its calls count, and
                it takes neither tokens nor money.
        """

        def gate(request: JudgeRequest) -> Callable[[TokenUsage], None]:
            most = self._most(request, price) if uses_tokens else Taken(calls=1)
            self._admit(most)
            return lambda usage: self._settle(most, usage, price if uses_tokens else None)

        return gate

    def _most(self, request: JudgeRequest, price: Price | None) -> Taken:
        limits = self._limits
        usage = most_tokens(request)
        if usage is None and (limits.tokens is not None or limits.usd is not None):
            raise self._refuse(
                f"budget: a reply of judge model {request.model} has no limit; set the judge's "
                "sampling.max_tokens"
            )
        if price is None and limits.usd is not None:
            raise self._refuse(
                f"budget.usd: the tokens of judge model {request.model} have no price; set the "
                "judge's price_usd_per_million_input_tokens and …_output_tokens"
            )
        return _taken(usage or TokenUsage(), price)

    def _admit(self, most: Taken) -> None:
        with self._changed:
            while True:
                if self._why:
                    raise self._refuse(self._why)
                why = crossing(self._limits, self._taken + self._in_flight, most)
                if why is None:
                    self._in_flight += most
                    return
                if self._in_flight == Taken():
                    raise self._refuse(why)
                self._changed.wait()

    def _refuse(self, why: str) -> BudgetReached:
        with self._changed:
            self._why = self._why or why
            self._refused += 1
            self._changed.notify_all()
        return BudgetReached(f"not asked: {why}")

    def _settle(self, most: Taken, usage: TokenUsage, price: Price | None) -> None:
        with self._changed:
            self._in_flight -= most
            self._taken += _taken(usage, price)
            self._changed.notify_all()


def _taken(usage: TokenUsage, price: Price | None) -> Taken:
    tokens = (usage.input_tokens, usage.output_tokens)
    return Taken(1, sum(tokens), 0 if price is None else price.nano_usd(*tokens))
