"""The gate's functions give the known values of ``functions.jsonl``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from judgekit.gate.baseline import (
    Baseline,
    BaselineEntry,
    BlessedCase,
    BlessedScorer,
    read_baseline,
)
from judgekit.gate.bless import assert_eligible, bless_requested, merge
from judgekit.gate.decision import decide
from judgekit.gate.errors import GateError
from judgekit.gate.exit_class import ExitSignal, classify_exit
from judgekit.gate.finding import RunSummary, ScorerSummary
from judgekit.gate.run import CaseResult, EvalRun, GradeRecord, ScorerInfo
from judgekit.gate.statistics.agreement import (
    counterfactual_stability,
    ensemble_agreement,
    flags_disagreement,
    fleiss_kappa,
)
from judgekit.gate.statistics.proportions import wilson
from tests.cases.loading import load_cases

SEED_KINDS = {
    "below-threshold",
    "score-regression",
    "scorer-regression",
    "missing-baseline",
    "wilson-below-floor",
}
"""What the other system reports; judgekit reports more, which the rows don't list."""


def grade_of(score: float, passed: bool) -> GradeRecord:
    return GradeRecord("passed" if passed else "failed", score, "as given")


def summary_of(run: dict[str, Any]) -> RunSummary:
    scored = run.get("scoredCases") or []
    cases = [
        CaseResult(
            row["caseId"],
            "",
            {name: grade_of(row["scores"][name], ok) for name, ok in row["passes"].items()},
        )
        for row in scored
    ] or [CaseResult(f"c{i}", "", {}) for i in range(run["cases"])]
    return RunSummary(
        name=run["name"],
        prompt_version=run["promptVersionId"],
        subject="human",
        threshold=run["threshold"],
        score=run["score"],
        scorers={
            name: ScorerSummary(ScorerInfo(name, "exact_match"), mean, len(cases), 0)
            for name, mean in run["scorers"].items()
        },
        cases=tuple(cases),
        wilson_floor=run.get("wilsonFloor"),
    )


def baseline_of(document: dict[str, Any]) -> Baseline:
    return Baseline(
        {
            name: BaselineEntry(
                prompt_version=entry["promptVersionId"],
                subject="human",
                threshold=entry["threshold"],
                score=entry["score"],
                scorers={
                    scorer: BlessedScorer(mean, entry["cases"], "exact_match")
                    for scorer, mean in entry["scorers"].items()
                },
                cases={f"c{i}": BlessedCase("") for i in range(entry["cases"])},
            )
            for name, entry in document["evals"].items()
        }
    )


def compare_to_baseline(run: dict[str, Any], baseline: dict[str, Any]) -> dict[str, Any]:
    found = decide([summary_of(run)], baseline_of(baseline)).findings
    known = [f for f in found if f.kind.value in SEED_KINDS]
    return {
        "passed": not any(f.blocking for f in known),
        "kinds": sorted(f.kind.value for f in known),
    }


def baseline_valid(baseline: Any) -> bool:
    try:
        read_baseline(translated(baseline))
    except GateError:
        return False
    return True


def translated(document: Any) -> Any:
    """Rename the other system's fields; whatever has no counterpart goes through as it is."""
    if not isinstance(document, dict):
        return document
    names = {"schemaVersion": "format"}
    out = {names.get(key, key): value for key, value in document.items()}
    if out.get("format") == 1:
        out["format"] = "judgekit-baseline/1"
    if isinstance(out.get("evals"), dict):
        out["evals"] = {name: translated_entry(entry) for name, entry in out["evals"].items()}
    return out


def translated_entry(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    names = {"promptVersionId": "prompt_version", "wilsonFloor": "wilson_floor"}
    out = {names.get(key, key): value for key, value in entry.items()} | {"subject": "human"}
    count = out.get("cases")
    if type(count) is int and count >= 0:
        out["cases"] = {f"c{i}": {"digest": "", "grades": {}} for i in range(count)}
    if isinstance(out.get("scorers"), dict):
        out["scorers"] = {
            name: {"mean": mean, "n": count, "grader": "exact_match"}
            for name, mean in out["scorers"].items()
        }
    return out


def eligible(**run: Any) -> dict[str, Any]:
    assert_eligible(summary_of(run))
    return {"ok": True}


def gated(**given: Any) -> dict[str, Any]:
    runs = [summary_of(run) for run in given["runs"]]
    file = None if given.get("file") is None else baseline_of(given["file"])
    if bless_requested(given.get("BLESS"), in_ci=False):
        merge(file, runs)
        return {"passed": True}
    return {"passed": decide(runs, file).passed}


def merged(existing: dict[str, Any] | None, runs: list[dict[str, Any]]) -> dict[str, Any]:
    kept = None if existing is None else baseline_of(existing)
    result = merge(kept, [summary_of(run) for run in runs])
    shown: dict[str, Any] = {"evals": sorted(result.evals)}
    for name, entry in result.evals.items():
        shown[f"{name}.score"] = entry.score
        shown[f"{name}.threshold"] = entry.threshold
        shown[f"{name}.cases"] = len(entry.cases)
        shown[f"{name}.promptVersionId"] = entry.prompt_version
        shown[f"{name}.scorers"] = {s: scorer.mean for s, scorer in entry.scorers.items()}
    return shown


def classified(**given: Any) -> str:
    markers = given.get("refusalMarkers")
    return classify_exit(
        ExitSignal(
            error=bool(given.get("error") or given.get("errored")),
            timed_out=bool(given.get("timedOut")),
            budget_exhausted=bool(given.get("budgetExhausted")),
            output=given.get("output"),
            stop_reason=given.get("stopReason"),
            refusal_markers=None if markers is None else tuple(markers),
        )
    ).value


def defined(**given: Any) -> dict[str, Any]:
    """Score with the arithmetic of a run; the eval runner has its own tests."""
    scorers = tuple(ScorerInfo(name, "exact_match") for name in given["scorers"])
    cases = tuple(
        CaseResult(case["id"], "", {scorer.name: exact(case) for scorer in scorers})
        for case in given["cases"]
    )
    run = EvalRun(
        given["name"], given["promptVersionId"], "human", given["threshold"], scorers, cases
    )
    kinds = {finding.kind.value for finding in decide([run], None).findings}
    return {
        "score": run.score,
        "passed": "below-threshold" not in kinds,
        "scorers": {scorer.name: run.scorer_mean(scorer.name) for scorer in scorers},
        "cases": len(run.cases),
    }


def exact(case: dict[str, Any]) -> GradeRecord:
    same = case["output"] == case["expected"]["equals"]
    return grade_of(float(same), same)


def stability(base: str, variants: list[str]) -> dict[str, Any]:
    found = counterfactual_stability(base, variants)
    return {"agree": found.agree, "total": found.total, "stabilityScore": found.score}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "assert_bless_eligible": eligible,
    "baseline_valid": baseline_valid,
    "bless_enabled": lambda BLESS: bless_requested(BLESS, in_ci=False),
    "classify_exit": classified,
    "compare_to_baseline": compare_to_baseline,
    "counterfactual_stability": stability,
    "define_eval": defined,
    "ensemble_agreement": ensemble_agreement,
    "flags_disagreement": flags_disagreement,
    "fleiss_kappa": fleiss_kappa,
    "gate": gated,
    "merge_into_baseline": merged,
    "wilson_lower_bound": lambda successes, n, z=1.96: wilson(successes, n, z).low if n else 0,
}

OURS = [
    row
    for row in load_cases("functions.jsonl")
    if not row.values[0] or row.values[0]["function"] in FUNCTIONS  # type: ignore[index]
]


def rests_on_uuids(row: dict[str, Any]) -> bool:
    """Whether a row's result hangs on prompt versions being UUIDs, which judgekit doesn't ask."""
    text = re.findall(r"'promptVersionId': '([^']+)'", str(row["args"]))
    refused = row["expected"] is False or row["expected"] == {"raises": True}
    return refused and any(id_.strip() and len(id_) != 36 for id_ in text)


@pytest.mark.parametrize("row", OURS)
def test_the_known_value_holds(row: dict[str, Any]) -> None:
    if rests_on_uuids(row):
        pytest.skip("a prompt version is any id that is not blank")
    function, expected = FUNCTIONS[row["function"]], row["expected"]
    if isinstance(expected, dict) and expected.get("raises"):
        with pytest.raises(ValueError, match=r"\S"):
            function(**row["args"])
        return
    got = function(**row["args"])
    if isinstance(expected, dict):
        for key, value in expected.items():
            want = sorted(value) if key == "kinds" else value
            assert got[key] == pytest.approx(want) if isinstance(value, float) else got[key] == want
    elif isinstance(expected, (int, float)) and not isinstance(expected, bool):
        assert got == pytest.approx(expected, abs=row.get("tol", 1e-12))
    else:
        assert got == expected
