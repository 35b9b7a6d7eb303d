from __future__ import annotations

from dataclasses import replace

import pytest

from judgekit.cassettes.miss import explain
from tests.cassettes.making import make_call, make_interaction


def test_a_case_that_was_never_recorded_says_so() -> None:
    explanation = explain(make_call(), make_interaction().recorded, [])
    assert not explanation.stale
    assert explanation.changed == ()
    assert explanation.key == make_call().key


@pytest.mark.parametrize("part", ["rubric", "output", "input", "template"])
def test_a_changed_part_is_named(part: str) -> None:
    old = make_interaction(text="one\ntwo\nthree", parts={"rubric": "a", "output": "b", part: "c"})
    wanted = replace(old.recorded, parts={**old.recorded.parts, part: "d"})
    explanation = explain(make_call("one\nTWO\nthree"), wanted, [old])
    assert explanation.stale
    assert explanation.changed == (part,)
    assert explanation.diff.splitlines()[-3:] == ["-two", "+TWO", " three"] or (
        "-two" in explanation.diff and "+TWO" in explanation.diff
    )


def test_a_changed_model_and_changed_parameters_are_named() -> None:
    old = make_interaction()
    body = {**make_call().body, "model": "another", "temperature": 1}
    wanted = replace(old.recorded, model="another")
    explanation = explain(make_call(body=body), wanted, [old])
    assert explanation.changed == ("model", "parameters")
    assert "-temperature: 0" in explanation.diff
    assert "+temperature: 1" in explanation.diff


def test_the_nearest_recording_is_the_one_with_the_fewest_changes() -> None:
    far = make_interaction(text="far", parts={"output": "x", "rubric": "x"})
    near = make_interaction(text="near", parts={"output": "y", "rubric": "y"})
    wanted = replace(near.recorded, parts={"output": "y", "rubric": "z"})
    explanation = explain(make_call("nearer"), wanted, [far, near])
    assert explanation.nearest == near
    assert explanation.changed == ("rubric",)


def test_a_long_diff_is_cut_and_says_so() -> None:
    old = make_interaction(text="\n".join(f"old {i}" for i in range(200)))
    new = make_call("\n".join(f"new {i}" for i in range(200)))
    lines = explain(new, old.recorded, [old]).diff.splitlines()
    assert len(lines) == 41
    assert lines[-1].endswith("more lines")
