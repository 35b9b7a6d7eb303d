"""`--format html` writes the page like any other report."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.report.test_html import Page


def test_the_command_writes_it(judgekit: Run, project: Path) -> None:
    done = judgekit("run", "--format", "html", "--output", "out/report.html")
    assert done.returncode == 3
    page = Page((project / "out" / "report.html").read_text("utf-8"))
    assert "4 cassette misses" in page.text
    assert "judgekit record support" in page.text
    several = judgekit("run", "--format", "html", "--format", "json", "--output", "all")
    assert several.returncode == 3
    assert (project / "all" / "report.html").read_bytes() == (
        project / "out" / "report.html"
    ).read_bytes()
