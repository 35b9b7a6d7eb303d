"""The HTML report shows everything, and what a judge says is never markup in it."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as s

from judgekit.gate.decision import decide
from judgekit.gate.run import EvalRun, GradeRecord, ScorerInfo
from judgekit.report import html
from judgekit.report.html import to_html
from judgekit.report.report import MissNote, Report
from tests.gate.making import blessed, run_of

VOID = {"meta"}
RUN = run_of({"a": [True, False, "miss"], "b": [1.0, 0.25, 0.5]})


class Page(HTMLParser):
    """Reads a page: its tags with their attributes, in order, and its text; checks the nesting."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def report_of(run: EvalRun, baseline_run: EvalRun | None = None) -> Report:
    baseline = None if baseline_run is None else blessed(baseline_run)
    return Report(decide([run], baseline), (run,))


def saying(text: str) -> EvalRun:
    """Return a run in which everything that is free text is `text`."""
    graded = {text: GradeRecord("failed", 0.0, text), "b": GradeRecord("error", None, text, "miss")}
    return replace(
        RUN,
        name=text,
        prompt_version=text,
        subject=text,
        scorers=(
            ScorerInfo(text, text, judges=(text,), rubric=text),
            ScorerInfo("b", "contains"),
        ),
        cases=(replace(RUN.cases[0], id=text, grades=graded),),
        waivers=(text,),
    )


def full_report(text: str) -> Report:
    run = saying(text)
    miss = MissNote(text, text, text, text, (text,), text, text)
    return replace(report_of(run), misses=(miss,), unused=(text,))


def test_it_shows_the_decision_the_findings_and_every_grade() -> None:
    now = run_of({"a": [True, False, "miss"], "b": [1.0, 0.25, 0.5]})
    page = Page(to_html(report_of(now, run_of({"a": [True] * 3, "b": [1.0] * 3}))))
    for text in (
        "failed: 4 blocking findings in 1 eval (exit 3)",
        "scorer-regression",
        "newly-failing",
        "qa / a",
        "How the outputs ended: 3 unknown.",
        "0.25",
    ):
        assert text in page.text, text


def test_cases_in_error_come_first_then_failed_ones() -> None:
    text = Page(to_html(report_of(RUN))).text.rpartition("3 cases")[2]
    assert text.index("c2") < text.index("c1") < text.index("c0")


def test_a_passed_gate_is_folded_and_a_failed_one_is_open() -> None:
    good = run_of({"a": [True]})
    assert ("details", (("open", None),)) not in Page(to_html(report_of(good, good))).tags
    assert ("details", (("open", None),)) in Page(to_html(report_of(good))).tags


def test_it_needs_nothing_from_outside_and_runs_nothing() -> None:
    page = Page(to_html(full_report("text")))
    assert {tag for tag, _ in page.tags}.isdisjoint(
        {"script", "link", "img", "iframe", "object", "embed", "form", "base", "a", "svg"}
    )
    names = {name for _, attributes in page.tags for name, _ in attributes}
    assert names == {"lang", "charset", "http-equiv", "content", "name", "class", "scope", "open"}
    policy = ("content", "default-src 'none'; style-src 'unsafe-inline'")
    assert any(policy in attributes for _, attributes in page.tags)
    assert "url(" not in to_html(full_report("text"))


def test_it_is_made_for_light_and_dark() -> None:
    page = to_html(report_of(RUN))
    assert "color-scheme: light dark" in page
    assert "@media (prefers-color-scheme: dark)" in page


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</style></title></pre></td><h1>passed</h1>",
        "<!-- ",
        "]]>",
        "&lt;b&gt; &amp;",
        "' onmouseover='alert(1)",
        "<svg/onload=alert(1)>",
    ],
)
def test_markup_in_a_verdict_is_shown_as_it_was_said(text: str) -> None:
    page = Page(to_html(full_report(text)))
    assert page.tags == Page(to_html(full_report("text"))).tags
    assert page.text.count(text) >= 12


@given(s.text(min_size=1, max_size=40).filter(str.strip))
def test_no_text_changes_the_tags(text: str) -> None:
    if text == "b":
        return
    made = to_html(full_report(text))
    assert Page(made).tags == Page(to_html(full_report("text"))).tags
    made.encode()


def test_characters_that_hide_or_turn_text_are_shown_by_their_numbers() -> None:
    said = "pass\u202efail\x00\ud800 a\u00a0b \u2066x \x1b[31m one\r\ntwo"
    text = Page(to_html(full_report(said))).text
    assert r"pass\u202efail\x00\ud800 a" + "\u00a0" + r"b \u2066x \x1b[31m one" + "\ntwo" in text


def test_joined_characters_stay_joined() -> None:
    said = "👩\u200d💻 می\u200cخواهم"
    assert said in Page(to_html(full_report(said))).text


def test_the_same_report_gives_the_same_bytes() -> None:
    assert to_html(full_report("x")) == to_html(full_report("x"))


def test_many_cases_are_cut_and_the_rest_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "CASES_SHOWN", 3)
    text = Page(to_html(report_of(run_of({"a": [True] * 9 + [False]})))).text
    assert "10 cases" in text
    assert "… and 7 more cases; the JSON report holds them all." in text
    assert text.rpartition("10 cases")[2].index("c9") > 0
