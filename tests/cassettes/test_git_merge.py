"""Two branches that recorded, merged by real git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from judgekit.cassettes.maintenance import damage, pack
from judgekit.cassettes.store import CassetteStore
from tests.cassettes.making import make_interaction

NO = '{"reason": "no", "passed": false}'


def git(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=check
    )


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose main branch holds 200 recordings."""
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    record(tmp_path, range(200))
    commit(tmp_path, "base")
    return tmp_path


def store_in(repository: Path) -> CassetteStore:
    return CassetteStore(repository / "cassettes")


def record(repository: Path, numbers: range) -> None:
    for number in numbers:
        store_in(repository).add(make_interaction(case=f"case-{number:04}", text=f"q {number}"))


def on_branch(repository: Path, name: str) -> None:
    git(repository, "checkout", "--quiet", "-B", name, "main")


def test_branches_that_recorded_different_cases_merge_without_conflict(repository: Path) -> None:
    on_branch(repository, "one")
    record(repository, range(200, 250))
    commit(repository, "one")
    on_branch(repository, "other")
    record(repository, range(250, 300))
    commit(repository, "other")
    merged = git(repository, "merge", "--quiet", "one", "--message", "merge", check=False)
    assert merged.returncode == 0, merged.stdout
    assert len(list(store_in(repository).all())) == 300


def test_branches_that_recorded_the_same_verdict_merge_without_conflict(repository: Path) -> None:
    for name in ("one", "other"):
        on_branch(repository, name)
        record(repository, range(200, 210))
        commit(repository, name)
    assert git(repository, "merge", "--quiet", "one", "--message", "m", check=False).returncode == 0
    assert list(damage(store_in(repository))) == []


def test_branches_that_recorded_different_verdicts_conflict(repository: Path) -> None:
    for name, content in (("one", '{"reason": "yes", "passed": true}'), ("other", NO)):
        on_branch(repository, name)
        store_in(repository).add(make_interaction(case="new", text="new", content=content))
        commit(repository, name)
    merged = git(repository, "merge", "one", "--message", "m", check=False)
    assert merged.returncode == 1
    assert "CONFLICT" in merged.stdout
    (damaged,) = damage(store_in(repository))
    assert "holds a merge conflict between HEAD and one" in damaged


def test_a_re_recorded_case_shows_as_a_rename(repository: Path) -> None:
    store = store_in(repository)
    text = "\n".join(f"line {i} of a long question" for i in range(40))
    old = make_interaction(case="long", text=text)
    store.add(old)
    commit(repository, "record")
    store.remove(old)
    store.add(make_interaction(case="long", text=text + "\nand one more line"))
    git(repository, "add", "--all")
    shown = git(repository, "diff", "--cached", "--find-renames", "--name-status").stdout
    assert shown.startswith("R")
    assert len(shown.splitlines()) == 1


def test_packed_sets_of_two_branches_merge_by_union(repository: Path) -> None:
    pack(store_in(repository), "support", "helpful")
    commit(repository, "pack")
    git(repository, "branch", "--force", "packed")
    for name, numbers in (("one", range(200, 250)), ("other", range(250, 300))):
        git(repository, "checkout", "--quiet", "-B", name, "packed")
        record(repository, numbers)
        pack(store_in(repository), "support", "helpful")
        commit(repository, name)
    git(repository, "config", "core.attributesFile", str(repository / "cassettes/.gitattributes"))
    merged = git(repository, "merge", "--quiet", "one", "--message", "m", check=False)
    assert merged.returncode == 0, merged.stdout
    assert len({i.key for _, i in store_in(repository).all()}) == 300
