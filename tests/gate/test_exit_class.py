"""How an output's ending is classified."""

from __future__ import annotations

import itertools

import pytest

from judgekit.gate.exit_class import REFUSAL_MARKERS, ExitClass, ExitSignal, classify_exit


def of(**signal: object) -> str:
    return classify_exit(ExitSignal(**signal)).value  # type: ignore[arg-type]


def test_the_most_severe_wins_in_every_combination() -> None:
    signs = {"error": True, "timed_out": True, "budget_exhausted": True, "stop_reason": "refusal"}
    order = list(zip(signs, list(ExitClass)[:4], strict=True))
    for size in range(1, 5):
        for chosen in itertools.combinations(order, size):
            given = {name: signs[name] for name, _ in chosen}
            assert of(output="", **given) == chosen[0][1].value


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (None, "unknown"),
        ("", "empty-output"),
        (" \n\t\u200b\ufeff\u00a0", "empty-output"),
        ("0", "success"),
        ("An answer.", "success"),
        ("I'm sorry, but I can’t  assist with that.", "refusal"),
        ("SORRY, I CANNOT HELP WITH THIS", "refusal"),
        ("Es tut mir leid, dabei kann ich nicht helfen.", "refusal"),
        ("Je suis désolé, je ne peux pas vous aider.", "refusal"),
        ("Lo siento, no puedo ayudarte con eso.", "refusal"),
        ("Na\u0303o posso ajudar com isso.", "refusal"),
        ("抱歉,我无法协助您。", "refusal"),
        ("申し訳ありませんが、お手伝いできません。", "refusal"),
        ("죄송하지만 도와드릴 수 없습니다.", "refusal"),
        ("Извините, я не могу помочь с этим.", "refusal"),
        ("Ways to say no politely. " * 20 + "For instance: I cannot help with that.", "success"),
    ],
)
def test_an_output_is_a_success_empty_or_a_refusal(output: str | None, expected: str) -> None:
    assert of(output=output) == expected


@pytest.mark.parametrize("marker", REFUSAL_MARKERS)
def test_every_marker_is_found_at_the_opening(marker: str) -> None:
    assert of(output=marker.upper() + " …") == "refusal"


def test_markers_given_replace_the_own_ones_and_count_anywhere() -> None:
    assert of(output="I cannot help with that", refusal_markers=()) == "success"
    assert of(output="x" * 900 + " No  Way", refusal_markers=("no way",)) == "refusal"
    assert of(output="fine", refusal_markers=("", " ")) == "success"


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        ("stop", "success"),
        ("end_turn", "success"),
        ("length", "budget-exhausted"),
        ("MAX_TOKENS", "budget-exhausted"),
        ("content_filter", "refusal"),
        ("SAFETY", "refusal"),
        ("guardrail_intervened", "refusal"),
        ("MALFORMED_FUNCTION_CALL", "error"),
        ("something-new", "success"),
    ],
)
def test_a_providers_stop_reason_counts(stop: str, expected: str) -> None:
    assert of(output="text", stop_reason=stop) == expected
