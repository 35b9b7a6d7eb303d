"""The baseline on disk outlives kills, full disks, two at once, and every kind of damage."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from judgekit.errors import ConfigError
from judgekit.evals import baseline_file
from judgekit.evals.baseline_file import bless, load_baseline
from judgekit.gate.baseline import baseline_to_json
from judgekit.gate.decision import decide
from judgekit.gate.exit_codes import ExitCode
from judgekit.gate.run import CaseResult
from tests.evals.blessing import one_run
from tests.gate.making import blessed, grade, run_of

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60
RUN = run_of({"a": [True, False]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "evals" / "baseline.json"


def command(job: str, path: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "tests.evals.blessing", job, str(path), *more]


def started(job: str, path: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(command(job, path, *more), cwd=ROOT, stdout=subprocess.PIPE, text=True)


def told(program: Sequence[str], limit: Callable[[], None] | None = None) -> dict[str, object]:
    done = subprocess.run(
        program,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        preexec_fn=limit,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def ended(program: Sequence[str]) -> int:
    return subprocess.run(program, cwd=ROOT, timeout=PATIENCE_S, check=False).returncode


def with_mounts(script: str, program: list[str]) -> list[str]:
    """Return a program that runs after `script` in a mount namespace of its own; skip without."""
    shell = f"{script} && exec {' '.join(program)}"
    tried = subprocess.run(["unshare", "--mount", "sh", "-c", script], check=False)
    if tried.returncode != 0:
        pytest.skip("mounting needs root")
    return ["unshare", "--mount", "sh", "-c", shell]


def files(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


@pytest.mark.parametrize("delay_s", [0.0, 0.003, 0.01, 0.03, 0.1])
def test_a_kill_in_bless_leaves_a_whole_file_and_a_free_lock(path: Path, delay_s: float) -> None:
    versions = {baseline_to_json(blessed(one_run(version))) for version in ("old", "new")}
    process = started("for-ever", path)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "blessed\n"
        time.sleep(delay_s)
        process.kill()
        process.wait(PATIENCE_S)
    assert path.read_text() in versions
    baseline = load_baseline(path)
    assert baseline is not None
    done = subprocess.run(
        command("refused", path), cwd=ROOT, timeout=PATIENCE_S, capture_output=True, check=False
    )
    assert json.loads(done.stdout)["refused"] == ""
    assert f".{path.name}.lock" not in files(path)


def test_a_kill_at_each_step_of_bless_leaves_the_old_file_or_the_new(path: Path) -> None:
    versions = {baseline_to_json(blessed(one_run(version))) for version in ("old", "new")}
    found, kills = set(), 0
    while ended(command("killed-at-step", path, str(kills + 1))) == -signal.SIGKILL:
        kills += 1
        found.add(path.read_text())
        bless(path, [one_run("old")])
    assert kills >= 5
    assert found == versions
    assert load_baseline(path) == blessed(one_run("new"))


def test_a_kill_in_the_middle_of_writing_leaves_the_old_file(path: Path) -> None:
    assert ended(command("killed-in-writing", path)) == -signal.SIGXFSZ
    assert load_baseline(path) == blessed(one_run("old"))
    bless(path, [one_run("new")])
    assert load_baseline(path) == blessed(one_run("new"))


def test_two_that_bless_at_once_lose_no_entry(path: Path) -> None:
    both = [started("each-of-twenty", path, name) for name in ("one", "two")]
    seen: list[set[str]] = []
    while any(process.poll() is None for process in both):
        standing = load_baseline(path)
        seen.append(set() if standing is None else set(standing.evals))
        time.sleep(0.005)
    for process in both:
        assert process.stdout is not None
        process.stdout.close()
        assert process.returncode == 0
    baseline = load_baseline(path)
    assert baseline is not None
    assert set(baseline.evals) == {f"{who}-{n}" for who in ("one", "two") for n in range(20)}
    assert all(before <= after for before, after in pairwise(seen))
    assert files(path) == ["baseline.json"]


def test_a_lock_that_a_dead_process_left_hinders_nobody(path: Path) -> None:
    path.parent.mkdir()
    (path.parent / ".baseline.json.lock").touch()
    bless(path, [RUN])
    assert files(path) == ["baseline.json"]


def assert_old_file_kept(found: dict[str, object], reason: str) -> None:
    assert f"cannot be written ({reason}); nothing was changed" in str(found["refused"])
    assert "\n" not in str(found["refused"])
    assert found["kept"] is True
    assert found["names"] == ["baseline.json"]
    assert found["after"] == "v3"


def test_a_full_disk_leaves_the_old_file(path: Path) -> None:
    path.parent.mkdir()
    mount = f"mount -t tmpfs -o size=256k tmpfs {path.parent}"
    program = with_mounts(mount, command("small-then-large", path))
    assert_old_file_kept(told(program), "No space left on device")


def test_a_quota_leaves_the_old_file(path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (256 * 1024, 256 * 1024))

    assert_old_file_kept(told(command("small-then-large", path), limit), "File too large")


def test_a_disk_without_room_for_a_lock_is_one_clear_error(path: Path) -> None:
    bless(path, [RUN])
    copy = path.parents[1] / "kept.json"
    copy.write_bytes(path.read_bytes())
    mount = f"mount -t tmpfs -o nr_inodes=2 tmpfs {path.parent} && cp {copy} {path}"
    found = told(with_mounts(mount, command("refused", path)))
    assert "no lock file can be made in it (No space left on device)" in str(found["refused"])
    assert found["kept"] is True


def read_only(folder: Path, program: list[str]) -> tuple[list[str], str]:
    """Return a program that finds `folder` read-only, and what the system says of writing there."""
    if os.geteuid() == 0:
        mount = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"
        return with_mounts(mount, program), "Read-only file system"
    folder.chmod(0o555)
    return program, "Permission denied"


def test_a_project_in_a_read_only_checkout_runs(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = path.parents[1]
    path.parent.mkdir()
    (project / "judgekit.toml").write_text("")
    (path.parent / "qa.yaml").write_text(
        "name: qa\nprompt_version: v1\nsubject: human\nthreshold: 1\n"
        "cases: [{id: one, input: a, output: a refund}]\n"
        "scorers: {names_it: {grader: contains, config: {fragments: [refund]}}}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    judgekit = ["env", "-C", str(project), sys.executable, "-m", "judgekit.cli.main"]
    assert ended([*judgekit, "bless", "--yes"]) == 0
    program, _ = read_only(project, [*judgekit, "run", "--format", "json"])
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["runs"][0]["name"] == "qa"
    program, _ = read_only(project, [*judgekit, "bless", "--dry-run"])
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "nothing changes\n")


def test_a_read_only_checkout_is_gated_and_shown_but_not_blessed(path: Path) -> None:
    bless(path, [one_run("v1", count=3)])
    program, reason = read_only(path.parent, command("refused", path))
    found = told(program)
    assert found["kept"] is True
    assert found["changes"] == [
        "~ qa: prompt_version v1 → v2",
        "~ qa: cases edited: c0, c1, c2",
    ]
    assert f"no lock file can be made in it ({reason}), so nothing is blessed" in str(
        found["refused"]
    )


def damaged(edit: Callable[[str], str | bytes]) -> bytes:
    text = baseline_to_json(blessed(RUN))
    edited = edit(text)
    assert edited != text
    return edited if isinstance(edited, bytes) else edited.encode()


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            lambda text: f"<<<<<<< main\n{text}=======\n{text}>>>>>>> feature\n",
            r":1: holds the conflict markers of a git merge \(main and feature\)",
        ),
        (
            lambda text: text.replace('      "score": 0.5,', '<<<<<<< main\n      "score": 0.5,'),
            r"an unresolved merge conflict between main \(line 10\)",
        ),
        (lambda text: "\ufeff" + text, r":1: opens with a byte order mark"),
        (lambda text: text.encode("utf-16"), r":1: opens with a byte order mark"),
        (lambda text: text.replace('"qa": {', '"qa": {}, "qa": {'), "'qa' stands twice"),
        (
            lambda text: text.replace('"score": 0.5', '"score": 0.5, "score": 0.5', 1),
            "'score' stands twice",
        ),
        (lambda text: text.replace('"score": 0.5', '"score": NaN', 1), "NaN is not a number"),
        (lambda text: text.replace('"score": 0.5', '"score": 1e999', 1), "must be a finite number"),
        (lambda text: text.replace('"mean": 0.5', '"mean": 0.6'), "the cases give 0.5 of 2"),
        (lambda text: text[:-40], "not JSON"),
        (lambda text: "", "not JSON"),
        (lambda text: text.encode().replace(b"human", b"hum\xff"), "is not UTF-8"),
        (lambda text: text.replace("baseline/1", "baseline/9"), "must be 'judgekit-baseline/1'"),
        (lambda text: "[" * 100_000_000, "nested too deeply"),
    ],
    ids=[
        "whole-conflict",
        "half-conflict",
        "byte-order-mark",
        "utf-16",
        "eval-twice",
        "key-twice",
        "nan",
        "infinity",
        "edited-mean",
        "cut-short",
        "empty",
        "not-utf-8",
        "other-version",
        "100-mb-of-brackets",
    ],
)
def test_a_damaged_baseline_is_one_clear_error_and_is_never_overwritten(
    path: Path, edit: Callable[[str], str | bytes], said: str
) -> None:
    path.parent.mkdir()
    data = damaged(edit)
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=said) as loading:
        load_baseline(path)
    assert "\n" not in str(loading.value)
    assert str(path) in str(loading.value)
    with pytest.raises(ConfigError, match=said):
        bless(path, [RUN])
    assert path.read_bytes() == data
    assert files(path) == ["baseline.json"]


def test_a_baseline_with_crlf_is_read_and_is_left_alone_when_nothing_changes(path: Path) -> None:
    path.parent.mkdir()
    data = damaged(lambda text: text.replace("\n", "\r\n"))
    path.write_bytes(data)
    assert load_baseline(path) == blessed(RUN)
    assert bless(path, [RUN]) == ()
    assert path.read_bytes() == data


def test_a_baseline_of_100_mb_is_read_and_written(path: Path) -> None:
    long = "x" * 100_000_000
    large = run_of({"a": [True, False]}, digests={"c0": long})
    assert len(bless(path, [large])) == 1
    assert path.stat().st_size > 100_000_000
    baseline = load_baseline(path)
    assert baseline is not None
    assert baseline.evals["qa"].cases["c0"].digest == long


def test_a_baseline_beyond_the_limit_is_refused_unread(path: Path) -> None:
    path.parent.mkdir()
    with path.open("wb") as file:
        file.truncate(baseline_file.LIMIT + 1)
    with pytest.raises(ConfigError, match="is larger than the limit of 512 MiB"):
        load_baseline(path)


def test_a_baseline_that_could_not_be_read_back_is_not_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bless(path, [RUN])
    before = path.read_bytes()
    monkeypatch.setattr(baseline_file, "LIMIT", len(before))
    with pytest.raises(ConfigError, match=r"at most .* are read back; split the evals"):
        bless(path, [run_of({"a": [True] * 9})])
    assert path.read_bytes() == before


def test_half_a_character_in_a_case_id_is_refused(path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds '\\ud800', half of a character"):
        bless(path, [run_of({"a": [True]}, ids=["\ud800"])])
    assert files(path) == []


def test_two_runs_with_one_name_are_refused_before_anything_is_touched(path: Path) -> None:
    with pytest.raises(ConfigError, match="not blessed: two runs are named 'qa'"):
        bless(path, [RUN, RUN])
    assert not path.parent.exists()


def test_one_run_that_may_not_be_blessed_keeps_the_others_out_too(path: Path) -> None:
    low = run_of({"a": [False]}, name="low", threshold=0.5)
    with pytest.raises(ConfigError, match="'low' cannot be blessed: below-threshold"):
        bless(path, [RUN, low])
    assert not path.parent.exists()


def test_a_score_of_a_tenth_and_two_tenths_is_kept_to_the_bit(path: Path) -> None:
    score = 0.1 + 0.2
    bless(path, [run_of({"a": [score]})])
    baseline = load_baseline(path)
    assert baseline is not None
    assert baseline.evals["qa"].score == score != 0.3
    assert '"score": 0.30000000000000004' in path.read_text()
    for again in (score, 0.3):
        decision = decide([run_of({"a": [again]})], baseline)
        assert (decision.exit_code, decision.findings) == (ExitCode.PASSED, ())


def test_thirds_and_tenths_agree_with_the_file_in_any_order(path: Path) -> None:
    scores = [0.1, 0.2, 0.3, 1 / 3, 2 / 3, 0.7, 0.1 + 0.2, 1.0, 0.0]
    forward, backward = run_of({"a": scores}), run_of({"a": scores})
    cases: tuple[CaseResult, ...] = tuple(reversed(backward.cases))
    bless(path, [forward])
    before = path.read_bytes()
    reversed_run = run_of({"a": scores[::-1]}, ids=[case.id for case in cases])
    assert [case.grades["a"] for case in reversed_run.cases] == [grade(s) for s in scores[::-1]]
    assert bless(path, [reversed_run]) == ()
    assert path.read_bytes() == before


def test_a_link_is_followed_and_stays_a_link(path: Path, tmp_path: Path) -> None:
    bless(path, [RUN])
    link = tmp_path / "link.json"
    link.symlink_to(path)
    bless(link, [run_of({"a": [True]}, name="other")])
    assert link.is_symlink()
    baseline = load_baseline(path)
    assert baseline is not None
    assert set(baseline.evals) == {"qa", "other"}
    assert files(path) == ["baseline.json"]


def test_a_link_that_leads_nowhere_is_no_missing_baseline(tmp_path: Path) -> None:
    link = tmp_path / "baseline.json"
    link.symlink_to(tmp_path / "gone.json")
    with pytest.raises(ConfigError, match=r"baseline\.json: not found"):
        load_baseline(link)


def test_a_file_where_the_folder_should_be_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "evals").write_text("a file")
    with pytest.raises(ConfigError, match="no lock file can be made in it"):
        bless(tmp_path / "evals" / "baseline.json", [RUN])
