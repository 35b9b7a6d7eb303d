from __future__ import annotations

import io
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from judgekit.gate.bless import merge
from judgekit.gate.decision import decide
from judgekit.gate.run import CaseResult, EvalRun, GradeRecord, ScorerInfo, Usage
from judgekit.gate.run_json import parse_runs, run_to_json
from judgekit.report.console import print_report
from judgekit.report.html import to_html
from judgekit.report.junit import to_junit
from judgekit.report.markdown import to_markdown
from judgekit.report.report import MissNote, Report

EVIL = "<b>&amp; [red]x[/] | `*_ \x00\x1b[31m ]]> \ud7ff\n## head"


def run_of(*statuses: str, name: str = "support", reason: str = "because") -> EvalRun:
    cases = tuple(
        CaseResult(
            id=f"c{number}",
            digest="0" * 64,
            grades={
                "s": GradeRecord(
                    status=status,  # type: ignore[arg-type]
                    score={"passed": 1.0, "failed": 0.0, "error": None}[status],
                    reason=reason,
                    cause="miss" if status == "error" else None,
                )
            },
        )
        for number, status in enumerate(statuses)
    )
    return EvalRun(
        name=name,
        prompt_version="p/1",
        subject="human",
        threshold=0.4,
        scorers=(ScorerInfo(name="s", grader="llm_judge", judges=("judge",)),),
        cases=cases,
        usage=Usage(calls=2, input_tokens=30, output_tokens=12, latency_s=3.0, replayed=2),
    )


def report_of(*runs: EvalRun, blessed: bool = False, misses: tuple[MissNote, ...] = ()) -> Report:
    baseline = merge(None, runs) if blessed else None
    return Report(decide(runs, baseline), runs, misses)


def console_text(report: Report, *, verbose: bool = False) -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, width=100), verbose=verbose)
    return out.getvalue()


def test_a_passed_gate_is_green_in_every_format_though_a_case_failed() -> None:
    report = report_of(run_of("passed", "failed"), blessed=True)
    assert "passed: 1 eval, no blocking finding" in console_text(report)
    suites = ET.fromstring(to_junit(report))
    assert (suites.get("failures"), suites.get("errors"), suites.get("skipped")) == ("0", "0", "1")
    assert to_markdown(report).startswith("## ✅ judgekit: passed")


def test_a_blocking_finding_fails_in_every_format() -> None:
    report = report_of(run_of("passed", "failed"))
    assert "missing-baseline" in console_text(report)
    suites = ET.fromstring(to_junit(report))
    assert (suites.get("failures"), suites.get("skipped")) == ("2", "0")
    gate = suites.find("testsuite/testcase[@name='gate']/failure")
    assert gate is not None
    assert gate.get("message") == "missing-baseline"
    assert to_markdown(report).startswith("## ❌ judgekit: failed: 1 blocking finding")


def test_an_error_is_an_error_and_not_a_failure() -> None:
    report = report_of(run_of("passed", "error"))
    suites = ET.fromstring(to_junit(report))
    assert suites.get("errors") == "1"
    assert "1/1" in console_text(report)
    assert "exit 3" in console_text(report)


def test_misses_are_listed_with_what_changed_and_how_to_record_them() -> None:
    miss = MissNote("support", "s", "c1", "ab" * 32, ("output",), "-old\n+new", "judgekit record x")
    report = report_of(run_of("passed", "error"), misses=(miss,))
    short = console_text(report)
    assert "support / s / c1: output changed (key ababababab)" in short
    assert "record them: judgekit record x" in short
    assert "+new" not in short
    assert "+new" in console_text(report, verbose=True)
    assert "output changed" in to_markdown(report)


def test_what_a_judge_says_is_never_markup() -> None:
    report = report_of(run_of("passed", "failed", reason=EVIL))
    suites = ET.fromstring(to_junit(report))
    failure = suites.find("testsuite/testcase[@name='c1']/failure")
    assert failure is not None
    assert "<b>&amp; [red]x[/]" in (failure.text or "")
    shown = to_markdown(report)
    assert "<b>" not in shown
    assert "\n## head" not in shown
    assert "[red]x[/]" in console_text(report, verbose=True)


def test_a_long_list_is_cut_unless_asked_for() -> None:
    report = report_of(run_of("passed", *["failed"] * 30))
    assert "… and 20 more (--verbose shows them)" in console_text(report)
    assert "c30 / s" in console_text(report, verbose=True)


def test_a_stored_report_is_read_back() -> None:
    runs = (run_of("passed", "error"), run_of("failed", name="other"))
    assert parse_runs(run_to_json(report_of(*runs).runs)) == runs


@pytest.mark.parametrize("render", [to_junit, to_markdown])
def test_the_same_report_is_the_same_bytes(render: object) -> None:
    one, other = report_of(run_of("passed", "failed")), report_of(run_of("passed", "failed"))
    assert render(one) == render(other)  # type: ignore[operator]


def test_what_replay_saved_is_told() -> None:
    text = console_text(report_of(run_of("passed"), blessed=True))
    assert "2 judge calls, 2 of them replayed: saved 3 s of judge time, 42 tokens" in text


@pytest.mark.parametrize("ending", ["refusal", "timeout", "empty-output", "budget-exhausted"])
def test_how_an_output_ended_is_told_by_case_in_every_format_though_it_passed(ending: str) -> None:
    run = run_of("passed", "passed")
    first, second = run.cases
    cases = replace(first, exit_class=ending), replace(second, exit_class="success")
    report = report_of(replace(run, cases=cases), blessed=True)
    for verbose in (False, True):
        text = console_text(report, verbose=verbose)
        counts = ", ".join(sorted([f"1 {ending}", "1 success"], key=lambda told: told[2:]))
        assert f"How the outputs ended: {counts}\n" in text
        assert f"ended c0: {ending}\n" in text
        assert "ended c1" not in text
    assert f"\n- c0: {ending}\n" in to_markdown(report)
    found = ET.fromstring(to_junit(report)).iterfind(".//testcase/properties/property")
    assert [(p.get("name"), p.get("value")) for p in found] == [
        ("exit_class", ending),
        ("exit_class", "success"),
    ]
    assert f"<td>{ending}</td>" in to_html(report)
    assert [c.exit_class for c in parse_runs(run_to_json(report.runs))[0].cases] == [
        ending,
        "success",
    ]


def test_a_failed_case_says_how_its_output_ended() -> None:
    run = run_of("failed")
    run = replace(run, cases=(replace(run.cases[0], exit_class="timeout"),))
    assert "| c0 | timeout | s | failed | because |" in to_markdown(report_of(run))


def test_a_long_list_of_endings_is_cut_unless_asked_for() -> None:
    run = run_of(*["passed"] * 60)
    run = replace(run, cases=tuple(replace(c, exit_class="refusal") for c in run.cases))
    report = report_of(run, blessed=True)
    assert "… and 50 more (--verbose shows them)" in console_text(report)
    assert console_text(report, verbose=True).count(": refusal\n") == 60
    assert "- … and 10 more" in to_markdown(report)
