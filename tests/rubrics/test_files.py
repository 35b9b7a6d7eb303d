from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judgekit.errors import ConfigError
from judgekit.judges.rubric import Kind, Rubric
from judgekit.rubrics.files import RubricFolder, load_rubric

WHOLE = """\
---
id: tone
kind: score
scale:
  minimum: 1
  maximum: 5
  anchors:
    - {score: 1, meaning: Rude.}
    - {score: 5, meaning: Warm and plain.}
min_score: 0.75
examples:
  - {output: Go away., verdict: 1, why: It is rude.}
changelog:
  - "2026-11-03: first version"
lint-ignore:
  - {code: R004, reason: The scale is the team's own.}
---

The answer is friendly.

---
It uses the customer's name.
"""


def write(folder: Path, text: str, name: str = "tone.md") -> Path:
    (folder / name).write_text(text, "utf-8")
    return folder / name


def fault(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_rubric(write(folder, text))
    return str(caught.value).split("tone.md:", 1)[1]


def test_a_whole_rubric_is_read(tmp_path: Path) -> None:
    rubric = load_rubric(write(tmp_path, WHOLE))
    assert rubric.kind is Kind.SCORE
    assert rubric.criteria == ("The answer is friendly.\n\n---\nIt uses the customer's name.")
    assert rubric.scale is not None
    assert [anchor.score for anchor in rubric.scale.anchors] == [1.0, 5.0]
    assert rubric.examples[0].verdict == 1.0
    assert rubric.changelog == ("2026-11-03: first version",)
    assert rubric.lint_ignore[0].code == "R004"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The answer is friendly.\n\n", "The  answer is\nfriendly.\n\n\n"),
        ("first version", "another word"),
        ("The scale is the team's own.", "We chose it."),
        ("Warm and plain.", "Warm  and plain."),
        ("minimum: 1\n", "minimum: 1.0\n"),
    ],
)
def test_white_space_changelog_and_silenced_findings_change_no_digest(
    tmp_path: Path, old: str, new: str
) -> None:
    assert old in WHOLE
    before = load_rubric(write(tmp_path, WHOLE)).digest
    assert load_rubric(write(tmp_path, WHOLE.replace(old, new))).digest == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("friendly", "curt"),
        ("minimum: 1", "minimum: 0"),
        ("0.75", "0.8"),
        ("Warm and plain", "Warm"),
        ("verdict: 1", "verdict: 2"),
        ("Go away.", "Go away!"),
    ],
)
def test_a_change_of_meaning_changes_the_digest(tmp_path: Path, old: str, new: str) -> None:
    before = load_rubric(write(tmp_path, WHOLE)).digest
    assert load_rubric(write(tmp_path, WHOLE.replace(old, new))).digest != before


def test_a_rubrics_name_is_no_part_of_its_meaning() -> None:
    rubrics = [Rubric(id=name, kind=Kind.PASS_FAIL, criteria="Good?") for name in ("a", "b")]
    assert rubrics[0].digest == rubrics[1].digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: has no front matter; open the file with a line of ---"),
        ("The answer is good.\n", "1: has no front matter"),
        ("---\nid: tone\n", "1: the front matter is not closed"),
        ("---\n---\nGood?\n", "2: the front matter must be a mapping"),
        ("---\nid: tone\nkind: pass_fail\n---\n \n", "5: criteria: the rubric is empty"),
        ("---\nid: tone\nkind: pass_fail\n---", "5: criteria: the rubric is empty"),
        ("---\nid: tune\nkind: pass_fail\n---\nGood?", "2: id: must be 'tone', the name of"),
        ("---\nkind: pass_fail\n---\nGood?", "2: id: must be 'tone', the name of the file"),
        ("---\nid: tone\n---\nGood?", "kind: is missing; add it"),
        ("---\nid: tone\nkind: passfail\n---\nGood?", "3: kind: must be 'pass_fail', 'score'"),
        ("---\nid: tone\nkind: score\nmin-score: 1\n---\nG", "4: min-score: unknown key; did you"),
        ("---\nid: tone\nkind: score\nmin_score: 2\n---\nG", "4: min_score: must be less than"),
        ("---\nid: tone\nkind: pass_fail\ncriteria: x\n---\nG", "4: criteria: must stand below"),
        ("---\nid: tone\nkind: category\n---\nGood?", "categories: a category rubric needs at"),
        (
            "---\nid: tone\nkind: category\ncategories: [a, b]\n---\nGood?",
            "passing_categories: is missing; say which categories pass",
        ),
        (
            "---\nid: tone\nkind: category\ncategories: [a, b]\npassing_categories: [c]\n---\nG",
            "5: passing_categories[0]: 'c' is none of the categories",
        ),
        ("---\nid: tone\nkind: pass_fail\nscale: {maximum: 5}\n---\nG", "4: scale: a rubric of"),
        (
            "---\nid: tone\nkind: score\nscale: {maximum: 0}\n---\nG",
            "4: scale: minimum must be less than maximum",
        ),
        (
            "---\nid: tone\nkind: score\nscale:\n  anchors:\n    - {score: 3, meaning: x}\n---\nG",
            "6: scale.anchors[0].score: 3 is off the scale",
        ),
        (
            "---\nid: tone\nkind: score\n---\n" + "x" * 4001,
            "5: criteria: has 4001 characters, over",
        ),
        ("---\nid: tone\nid: tone\n---\nG", "3: id: stands twice, first in line 2"),
    ],
)
def test_an_unusable_rubric_is_one_line_with_place_and_remedy(
    tmp_path: Path, text: str, message: str
) -> None:
    assert message in fault(tmp_path, text)


def test_a_folder_reads_each_rubric_once_for_all_threads(tmp_path: Path) -> None:
    write(tmp_path, WHOLE)
    folder = RubricFolder(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        rubrics = list(pool.map(folder, ["tone.md", "./tone.md"] * 20))
    assert all(rubric is rubrics[0] for rubric in rubrics)
    assert [path.name for path in folder.files()] == ["tone.md"]


def test_a_reference_out_of_the_folder_or_to_nothing_is_refused(tmp_path: Path) -> None:
    inner = tmp_path / "rubrics"
    inner.mkdir()
    write(tmp_path, WHOLE)
    folder = RubricFolder(inner)
    for reference, message in [
        ("../tone.md", "leads outside"),
        ("none.md", "not found; check the path"),
        ("tone", "must name a Markdown file"),
    ]:
        with pytest.raises(ConfigError, match=message):
            folder(reference)
