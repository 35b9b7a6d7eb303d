from __future__ import annotations

from pathlib import Path

import pytest

from judgekit.documents import confined
from judgekit.errors import ConfigError


def test_a_path_inside_is_resolved(tmp_path: Path) -> None:
    inside = (tmp_path / "a" / "b").resolve()
    assert confined(tmp_path, "a/../a/b") == inside
    assert confined(tmp_path, "b", base=tmp_path / "a") == inside
    assert confined(tmp_path, "../a/b", base=tmp_path / "c") == inside
    assert confined(tmp_path, str(inside)) == inside


def test_a_path_that_leads_outside_names_file_and_field(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "project-b").mkdir()
    (root / "link").symlink_to(tmp_path)
    for path in ("..", "../x", "/etc/passwd", "link/x", "a/../../x", "../project-b/x"):
        with pytest.raises(ConfigError) as caught:
            confined(root, path, named_by="evals/a.yaml:3: cases")
        assert str(caught.value).startswith(f"evals/a.yaml:3: cases: {path!r} leads outside")


def test_a_path_that_is_none_is_an_error_and_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a usable path"):
        confined(tmp_path, "a\0b")
