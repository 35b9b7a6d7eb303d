"""The family guard fails closed, and only a dated, written waiver opens it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from judgekit.bias.families import model_families
from judgekit.bias.guard import FamilyCheck, Waiver, check_family
from judgekit.errors import BiasGuardRefused, Cause
from judgekit.gate.exit_codes import ExitCode

TODAY = date(2026, 12, 1)


def a_waiver(**changes: Any) -> Waiver:
    fields: dict[str, Any] = {
        "judge": "gpt-4o",
        "subject": "o3",
        "reason": "no other judge reads Welsh; see the calibration of November",
        "granted": date(2026, 11, 1),
        "expires": date(2026, 12, 31),
    }
    return Waiver(**(fields | changes))


@pytest.mark.parametrize(
    ("judge", "subject"),
    [
        ("gpt-4o", "o3"),
        ("openrouter/openai/o3", "azure/gpt-4o-mini"),
        ("sonnet", "us.anthropic.claude-3-5-sonnet-20241022-v2:0"),
        ("/x/gemma3-270m-q4_k_m.gguf", "gemini-2.0-flash"),
        ("llama3.1:8b", "vicuna-13b"),
        ("qwen2.5:72b", "deepseek-r1-distill-qwen-7b"),
        ("deepseek-chat", "deepseek-r1-distill-qwen-7b"),
        ("codestral", "zephyr-7b-beta"),
        ("gpt-4o", "ft:gpt-4o-mini:acme::id"),
        ("my-private-model", "azure/my-private-model"),
        ("my-private-model:7b", "my-private-model:13b"),
        ("gpt-4o", "gpt-4o"),
    ],
)
def test_a_judge_of_the_subjects_family_is_refused(judge: str, subject: str) -> None:
    for one, other in ((judge, subject), (subject, judge)):
        with pytest.raises(BiasGuardRefused) as refused:
            check_family([one], other, today=TODAY)
        assert refused.value.exit_code is ExitCode.BIAS
        assert refused.value.cause is Cause.BIAS_GUARD


@pytest.mark.parametrize(
    ("judge", "subject"),
    [
        ("gpt-4o", "claude-opus-4-8"),
        ("gemma3:270m", "llama3.1:8b"),
        ("groq/llama3-70b", "grok-4"),
        ("qwen2.5:7b", "deepseek-r1-distill-llama-70b"),
        ("prometheus-7b-v2.0", "gpt-4o"),
    ],
)
def test_a_judge_of_another_family_may_judge(judge: str, subject: str) -> None:
    assert check_family([judge], subject, today=TODAY) == FamilyCheck()


def test_the_refusal_names_judge_subject_family_and_remedy() -> None:
    with pytest.raises(BiasGuardRefused) as refused:
        check_family(["azure/gpt-4o"], "o3", today=TODAY)
    assert str(refused.value) == (
        "judge 'azure/gpt-4o' (openai) shares a family with the subject model 'o3': "
        "use a judge of another family, or write a dated waiver with a reason"
    )


def test_the_refusal_of_a_panel_counts_its_seats() -> None:
    with pytest.raises(BiasGuardRefused) as refused:
        check_family(["gpt-4o", "claude-3", "gpt-4.1", "gemma3"], "o3", today=TODAY)
    assert str(refused.value) == (
        "of the panel, 'gpt-4o' (openai), 'gpt-4.1' (openai) share a family with the subject model "
        "'o3', and only 2 of 4 do not: seat a strict majority of other families, or write a dated "
        "waiver with a reason"
    )


@pytest.mark.parametrize("subject", [None, "", "  ", "\n"])
def test_a_missing_subject_is_refused(subject: str | None) -> None:
    with pytest.raises(BiasGuardRefused, match="`subject: human`"):
        check_family(["gpt-4o"], subject, today=TODAY)


@pytest.mark.parametrize("subject", [None, "", "human", "Human"])
def test_what_people_wrote_any_judge_may_judge(subject: str | None) -> None:
    check = check_family(["gpt-4o", "house"], subject, subject_is_human=True, today=TODAY)
    assert check == FamilyCheck(unknown=("house",))


def test_a_subject_that_is_human_and_a_model_is_refused() -> None:
    with pytest.raises(BiasGuardRefused, match="said to be human and the model 'gpt-4o'"):
        check_family(["claude-3"], "gpt-4o", subject_is_human=True, today=TODAY)


def test_a_model_named_human_is_no_leave_to_judge_without_the_flag() -> None:
    assert check_family(["gpt-4o"], "human", today=TODAY).unknown == ("human",)


@pytest.mark.parametrize("judges", [[], [""], ["gpt-4o", " "]])
@pytest.mark.parametrize("is_human", [True, False])
def test_a_missing_judge_is_refused(judges: list[str], is_human: bool) -> None:
    subject = None if is_human else "claude-3"
    with pytest.raises(BiasGuardRefused, match="judge model is not named"):
        check_family(judges, subject, subject_is_human=is_human, today=TODAY)


@pytest.mark.parametrize(
    ("panel", "is_refused"),
    [
        (["claude-3", "gemma3"], False),
        (["gpt-4o", "claude-3", "gemma3"], False),
        (["gpt-4o", "gpt-4.1", "claude-3", "gemma3", "qwen3"], False),
        (["gpt-4o", "claude-3"], True),
        (["gpt-4o", "gpt-4.1", "claude-3"], True),
        (["gpt-4o", "gpt-4.1", "claude-3", "gemma3"], True),
        (["gpt-4o", "gpt-4.1"], True),
    ],
)
def test_a_panel_needs_a_strict_majority_from_outside(panel: list[str], is_refused: bool) -> None:
    if is_refused:
        with pytest.raises(BiasGuardRefused):
            check_family(panel, "o3", today=TODAY)
        return
    check = check_family(panel, "o3", today=TODAY)
    assert check.sharing == tuple(judge for judge in panel if judge.startswith("gpt"))


def test_a_waiver_lets_its_judge_judge_its_subject_and_is_told() -> None:
    waiver = a_waiver()
    check = check_family(["gpt-4o"], "o3", waiver=waiver, today=TODAY)
    assert check.waiver is waiver
    assert check.sharing == ("gpt-4o",)
    assert str(waiver).startswith(
        "gpt-4o may judge o3 until 2026-12-31 (granted 2026-11-01): no other judge reads Welsh"
    )


@pytest.mark.parametrize("today", [date(2026, 11, 1), date(2026, 12, 31)])
def test_a_waiver_holds_on_its_first_and_last_day(today: date) -> None:
    assert check_family(["gpt-4o"], "o3", waiver=a_waiver(), today=today).waiver == a_waiver()


@pytest.mark.parametrize(
    ("waiver", "today", "why"),
    [
        (a_waiver(), date(2027, 1, 1), "its waiver expired on 2026-12-31"),
        (a_waiver(), date(2026, 10, 31), "its waiver holds only from 2026-11-01 on"),
        (a_waiver(judge="gpt-4.1"), TODAY, "the waiver is for 'gpt-4.1' judging 'o3'"),
        (a_waiver(subject="o1"), TODAY, "the waiver is for 'gpt-4o' judging 'o1'"),
    ],
)
def test_a_waiver_that_does_not_hold_is_refused_and_says_why(
    waiver: Waiver, today: date, why: str
) -> None:
    with pytest.raises(BiasGuardRefused) as refused:
        check_family(["gpt-4o"], "o3", waiver=waiver, today=today)
    assert f"({why})" in str(refused.value)


def test_a_waiver_that_was_not_needed_is_not_told() -> None:
    waiver = a_waiver(subject="claude-3")
    assert check_family(["gpt-4o"], "claude-3", waiver=waiver, today=TODAY).waiver is None


def test_a_waived_panel_member_counts_as_outside() -> None:
    panel = ["gpt-4o", "gpt-4.1", "claude-3"]
    check = check_family(panel, "o3", waiver=a_waiver(), today=TODAY)
    assert check.waiver == a_waiver()
    assert check.sharing == ("gpt-4o", "gpt-4.1")


def test_a_waiver_for_one_of_too_many_is_not_enough() -> None:
    panel = ["gpt-4o", "gpt-4.1", "gpt-4", "claude-3"]
    with pytest.raises(BiasGuardRefused, match="its waiver alone is not enough"):
        check_family(panel, "o3", waiver=a_waiver(), today=TODAY)


def test_unknown_models_are_told_once_each() -> None:
    check = check_family(["house", "house", "gpt-4o"], "garage", today=TODAY)
    assert check.unknown == ("house", "garage")


def test_families_of_the_project_count() -> None:
    extra = {"house": "openai"}
    with pytest.raises(BiasGuardRefused, match=r"'house-7b' \(openai\)"):
        check_family(["house-7b"], "o3", today=TODAY, extra=extra)
    assert check_family(["house-7b"], "claude-3", today=TODAY, extra=extra) == FamilyCheck()


@pytest.mark.parametrize(
    "changes",
    [
        {"reason": ""},
        {"reason": "  \n"},
        {"reason": "…"},
        {"reason": "\u200b"},
        {"judge": ""},
        {"subject": " "},
        {"granted": date(2027, 1, 1)},
        {"expires": None},
        {"expires": "soon"},
        {"expires": 20261231},
        {"forever": True},
    ],
)
def test_a_waiver_without_reason_names_or_end_cannot_be_written(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        a_waiver(**changes)


def test_a_waiver_without_expiry_cannot_be_written() -> None:
    with pytest.raises(ValidationError, match="expires"):
        Waiver.model_validate(
            {"judge": "a", "subject": "b", "reason": "because", "granted": date(2026, 1, 1)}
        )


def test_a_waiver_takes_dates_as_text_and_cannot_be_changed() -> None:
    waiver = a_waiver(granted="2026-11-01", expires="2026-12-31")
    assert waiver == a_waiver()
    with pytest.raises(ValidationError):
        waiver.expires = date(2099, 1, 1)  # type: ignore[misc]


MODELS = st.sampled_from(["gpt-4o", "claude-3", "gemma3", "qwen3", "llama3", "vicuna-7b", "house"])


@given(st.lists(MODELS, min_size=1, max_size=7), MODELS)
def test_what_passes_has_a_strict_majority_of_unshared_families(
    panel: list[str], subject: str
) -> None:
    outside = [j for j in panel if not model_families(j) & model_families(subject)]
    try:
        check_family(panel, subject, today=TODAY)
    except BiasGuardRefused:
        assert 2 * len(outside) <= len(panel)
    else:
        assert 2 * len(outside) > len(panel)


@given(st.integers(-800, 800))
def test_a_waiver_holds_exactly_between_its_dates(days: int) -> None:
    today = TODAY + timedelta(days=days)
    holds = date(2026, 11, 1) <= today <= date(2026, 12, 31)
    assert (a_waiver().fault(today) is None) is holds
