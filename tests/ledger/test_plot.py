from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from judgekit.ledger.plot import to_svg
from judgekit.ledger.trend import trends
from tests.ledger.test_trend import kept

SVG = "{http://www.w3.org/2000/svg}"


def texts(root: ET.Element) -> list[str]:
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


def test_the_same_runs_give_the_same_bytes() -> None:
    runs = [kept(n, name, n / 10, helpful=n / 10) for n in range(5) for name in ("a", "b")]
    assert to_svg(trends(runs)) == to_svg(trends(reversed(runs)))


def test_each_run_is_a_dot_and_a_gap_parts_the_line() -> None:
    values = (0.5, 0.6, None, 0.7)
    runs = [kept(n, "a", value, helpful=1.0) for n, value in enumerate(values)]
    root = ET.fromstring(to_svg(trends(runs)))
    dots = ["".join(each.itertext()) for each in root.iter(f"{SVG}circle")]
    assert [dot for dot in dots if dot.startswith("whole eval")] == [
        "whole eval: 0.5",
        "whole eval: 0.6",
        "whole eval: 0.7",
    ]
    lines = [each.get("d", "") for each in root.iter(f"{SVG}path") if each.get("style")]
    (whole,) = [d for d in lines if d.count("M") == 2 and d.count("L") == 1]
    heights = [float(part.split()[1]) for part in whole.replace("L", "M").split("M")[1:]]
    assert heights == sorted(heights, reverse=True)


def test_what_a_name_says_is_text_and_never_markup() -> None:
    name = '</text><script>alert(1)</script>\x1b[31m "&'
    root = ET.fromstring(to_svg(trends([kept(1, name, 0.5, **{name: 0.5})])))
    assert not list(root.iter(f"{SVG}script"))
    assert any(
        text.startswith("</text><script>alert(1)</script>\ufffd[31m") for text in texts(root)
    )


@pytest.mark.parametrize("scorers", [1, 3, 40])
def test_names_never_overlap_nor_leave_the_panel(scorers: int) -> None:
    means = {f"s{n}": 0.0 for n in range(scorers)}
    root = ET.fromstring(to_svg(trends([kept(1, "a", 0.0, **means)])))
    names = [t for t in root.iter(f"{SVG}text") if (t.text or "").endswith(" 0")]
    heights = sorted(float(name.get("y", "")) for name in names)
    assert len(heights) == scorers + 1
    assert all(b - a > 15 for a, b in pairwise(heights))
    assert heights[0] > 0
    assert heights[-1] < float(root.get("height", ""))


def test_no_run_is_said_and_not_drawn() -> None:
    root = ET.fromstring(to_svg([]))
    assert texts(root) == ["no run is kept yet"]


def test_it_follows_the_readers_light_or_dark_colours_and_loads_nothing() -> None:
    text = to_svg(trends([kept(1, "a", 0.5, helpful=0.5)]))
    assert "prefers-color-scheme: dark" in text
    assert text.count("http") == 1
