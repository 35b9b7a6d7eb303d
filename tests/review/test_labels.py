from __future__ import annotations

from pathlib import Path

import pytest

from judgekit.errors import ConfigError
from judgekit.review.labels import Label, labels_text, read_labels


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text(text)
    return path


def test_labels_are_read_with_where_they_stand(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '{"case": "c1", "label": "pass"}\n\n'
        '{"case": "c1", "eval": "e", "scorer": "s", "label": "fail", "reviewer": "ann", '
        '"note": "n"}\n',
    )
    first, second = read_labels(path)
    assert first == Label("c1", "", "", "pass", source=first.source)
    assert second == Label("c1", "e", "s", "fail", "ann", "n", second.source)
    assert second.source.endswith("labels.jsonl:3")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    labels = (Label("ç1", "e", "s", "pass", "ann", "a\nb"), Label("c2", "e", "s", "fail"))
    text = labels_text(labels)
    assert text.splitlines()[0] == (
        '{"case": "ç1", "eval": "e", "scorer": "s", "label": "pass", "reviewer": "ann", '
        '"note": "a\\nb"}'
    )
    # A label without a reviewer is written with an empty one.
    assert [
        Label(x.case, x.eval, x.scorer, x.label, x.reviewer, x.note)
        for x in read_labels(write(tmp_path, text))
    ] == list(labels)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no label"),
        ("nonsense\n", r"labels.jsonl:1: is not JSON"),
        ('{"case": "c", "label": "pass"}\n{"case": "c", "label": "Pass"}\n', "jsonl:2: label"),
        ('{"case": "c", "label": "skip"}\n', "jsonl:1: label"),
        ('{"case": "c", "label": true}\n', "jsonl:1: label"),
        ('{"case": "c"}\n', "label: is missing"),
        ('{"case": " ", "label": "pass"}\n', "case: must not be blank"),
        ('{"case": "c", "label": "pass", "lable": 1}\n', "lable: unknown key"),
        ('{"case": "c", "label": "pass"}\n' * 2, "labelled already in .*jsonl:1; keep one"),
        ("[1]\n", "jsonl:1"),
    ],
)
def test_a_line_that_is_no_label_is_one_clear_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as raised:
        read_labels(write(tmp_path, text))
    assert "\n" not in str(raised.value)
