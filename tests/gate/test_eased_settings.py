"""Settings of the gate that were eased since the baseline: no way to pass unseen."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as s

import judgekit.gate
from judgekit.gate.baseline import Baseline, baseline_to_json, parse_baseline
from judgekit.gate.bless import describe_changes, merge
from judgekit.gate.comparison import compare
from judgekit.gate.decision import decide
from judgekit.gate.errors import BlessRefused, InvalidFile
from judgekit.gate.finding import Kind
from judgekit.gate.run import Calibration, GateSettings, ScorerInfo
from tests.gate import generated
from tests.gate.making import blessed, run_of

STRICT = GateSettings()
STATISTICAL = GateSettings("statistical", max_drop=0.1, allowed_errors=1)
RUN = run_of({"a": [True, True, False]})


def found_after(before: GateSettings, after: GateSettings) -> list[tuple[str, Any, Any, bool]]:
    found = compare([replace(RUN, gate=after)], blessed(replace(RUN, gate=before)))
    return [(f.kind.value, f.actual, f.baseline, f.blocking) for f in found]


@pytest.mark.parametrize(
    ("before", "change", "figures"),
    [
        (STRICT, {"allowed_errors": 2}, (2, 0)),
        (STRICT, {"confidence": 0.9}, (0.9, 0.95)),
        (STRICT, {"mode": "statistical"}, ("statistical", "strict")),
        (STATISTICAL, {"mode": "strict"}, ("strict", "statistical")),
        (STATISTICAL, {"alpha": 0.01}, (0.01, 0.05)),
        (STATISTICAL, {"alpha": 0.2}, (0.2, 0.05)),
        (STATISTICAL, {"max_drop": 0.2}, (0.2, 0.1)),
        (STATISTICAL, {"max_drop": 0.0}, (0.0, 0.1)),
        (replace(STATISTICAL, max_drop=0.0), {"max_drop": 0.01}, (0.01, 0.0)),
    ],
)
def test_an_eased_setting_blocks_until_it_is_blessed(
    before: GateSettings, change: dict[str, Any], figures: tuple[object, object]
) -> None:
    after = replace(before, **change)
    assert found_after(before, after) == [("gate-changed", *figures, True)]
    assert found_after(after, after) == []


@pytest.mark.parametrize(
    ("before", "change"),
    [
        (STATISTICAL, {"allowed_errors": 0}),
        (STATISTICAL, {"confidence": 0.99}),
        (STATISTICAL, {"max_drop": 0.05}),
        (STRICT, {"alpha": 0.5, "max_drop": 0.5}),
    ],
)
def test_a_stricter_setting_or_one_without_effect_is_no_finding(
    before: GateSettings, change: dict[str, Any]
) -> None:
    assert found_after(before, replace(before, **change)) == []


def test_every_eased_setting_is_named_at_once() -> None:
    eased = GateSettings("statistical", alpha=0.2, max_drop=0.9, allowed_errors=9, confidence=0.5)
    details = [f.detail for f in compare([replace(RUN, gate=eased)], blessed(RUN))]
    assert [detail.split(" is another")[0] for detail in details] == [
        "the gate's mode",
        "the gate's allowed_errors",
        "the gate's confidence",
    ]


gates = s.builds(
    GateSettings,
    mode=s.sampled_from(["strict", "statistical"]),
    alpha=s.sampled_from([0.001, 0.05, 0.3]),
    max_drop=s.sampled_from([0.0, 0.05, 0.3]),
    allowed_errors=s.integers(0, 4),
    confidence=s.sampled_from([0.5, 0.95, 0.999]),
)


@given(s.integers(0, 10_000), s.integers(1, 4), gates, gates)
@settings(max_examples=150, deadline=None)
def test_no_change_of_settings_passes_what_the_blessed_ones_block(
    seed: int, drift: int, before: GateSettings, after: GateSettings
) -> None:
    gate = importlib.import_module(judgekit.gate.__name__)
    try:
        committed = merge(None, [replace(generated.run(gate, Random(seed), 0), gate=before)])
    except BlessRefused:
        return
    run = generated.run(gate, Random(seed), drift)
    if not decide([replace(run, gate=before)], committed).passed:
        assert not decide([replace(run, gate=after)], committed).passed


@pytest.mark.parametrize("now", [None, Calibration(0.2, 0.7, 50)])
def test_asking_less_of_a_judge_blocks(now: Calibration | None) -> None:
    judged = ScorerInfo("a", "llm_judge", ("m",), calibration=Calibration(0.6, 0.7, 50))
    before = replace(RUN, scorers=(judged,))
    after = replace(before, scorers=(replace(judged, calibration=now),))
    found = compare([after], blessed(before))
    assert [(f.kind, f.scorer, f.baseline, f.blocking) for f in found] == [
        (Kind.LOWERED_THRESHOLD, "a", 0.6, True)
    ]
    assert compare([before], blessed(after)) == ()
    assert parse_baseline(baseline_to_json(blessed(before))) == blessed(before)


def older(baseline: Baseline) -> str:
    """Return a file as it was written before the settings were kept."""
    lines = baseline_to_json(baseline).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith('      "gate":'))


def test_an_older_baseline_is_read_and_keeps_its_bytes_until_its_eval_is_blessed() -> None:
    eased = replace(RUN, gate=replace(STRICT, allowed_errors=5))
    text = older(blessed(RUN))
    read = parse_baseline(text)
    assert baseline_to_json(read) == text
    assert compare([eased], read) == ()
    beside = merge(read, [replace(RUN, name="zz")])
    assert baseline_to_json(beside).startswith(text.removesuffix("\n    }\n  }\n}\n"))
    assert describe_changes(read, merge(read, [RUN])) == (
        "~ qa: gate none → mode strict, alpha 0.05, max_drop 0, allowed_errors 0, confidence 0.95",
    )


def test_a_reviewer_sees_which_setting_a_bless_eases() -> None:
    eased = replace(RUN, gate=replace(STRICT, allowed_errors=5))
    assert describe_changes(blessed(RUN), blessed(eased)) == ("~ qa: gate allowed_errors 0 → 5",)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("alpha", 0, "alpha must be in (0, 1)"),
        ("mode", "lax", "gate.mode: must be strict or statistical"),
        ("allowed_errors", True, "gate.allowed_errors: must be a whole number"),
        ("allowed", 1, "gate: unknown key 'allowed'"),
    ],
)
def test_a_broken_setting_in_the_baseline_is_named(key: str, value: object, said: str) -> None:
    document = json.loads(baseline_to_json(blessed(RUN)))
    document["evals"]["qa"]["gate"][key] = value
    with pytest.raises(InvalidFile) as caught:
        parse_baseline(json.dumps(document))
    assert "evals.qa.gate" in str(caught.value)
    assert said in str(caught.value)
