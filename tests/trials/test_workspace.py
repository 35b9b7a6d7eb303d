from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judgekit.trials import workspace as workspace_module
from judgekit.trials.workspace import opened, remove, sweep

HOLD = """
import sys, time
from pathlib import Path
from judgekit.trials import workspace as workspace_module
from judgekit.trials.workspace import opened
with opened(Path(sys.argv[1])) as workspace, workspace.workplace() as place:
    (place.work / "left").write_text("behind")
    print(workspace.root, flush=True)
    time.sleep(600)
"""


def test_a_trial_has_empty_folders_that_are_gone_afterwards(tmp_path: Path) -> None:
    with opened(tmp_path) as workspace:
        with workspace.workplace() as place:
            assert [*place.work.iterdir(), *place.home.iterdir(), *place.scratch.iterdir()] == []
            (place.work / "file").write_text("left")
        assert not place.work.exists()
    assert list(tmp_path.iterdir()) == []


def test_everything_is_removed_when_the_trial_raises(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), opened(tmp_path) as workspace, workspace.workplace():
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_rights_is_removed_and_a_link_is_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("stays")
    folder = tmp_path / "folder"
    (folder / "locked").mkdir(parents=True)
    (folder / "locked" / "file").write_text("goes")
    (folder / "link").symlink_to(kept)
    (folder / "locked").chmod(0)
    remove(folder)
    assert not folder.exists()
    assert (kept / "file").read_text() == "stays"
    remove(folder)


def test_what_a_killed_run_left_is_removed_and_what_a_running_one_has_is_not(
    tmp_path: Path,
) -> None:
    held = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert held.stdout is not None
    root = Path(held.stdout.readline().strip())
    try:
        assert sweep(tmp_path) == ()
        assert root.is_dir()
        os.kill(held.pid, signal.SIGKILL)
        held.wait(60)
        assert root.is_dir()
        assert sweep(tmp_path) == (root,)
        assert list(tmp_path.iterdir()) == []
    finally:
        held.kill()
        held.wait(60)
        held.stdout.close()


def test_a_run_sweeps_before_it_begins(tmp_path: Path) -> None:
    (tmp_path / "judgekit-trials-old.lock").touch()
    (tmp_path / "judgekit-trials-old").mkdir()
    (tmp_path / "judgekit-trials-no-lock").mkdir()
    with opened(tmp_path):
        assert not (tmp_path / "judgekit-trials-old").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["judgekit-trials-no-lock"]


def test_a_lock_file_that_a_sweep_took_before_it_was_locked_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Path] = []
    flock = fcntl.flock

    def sweeping(handle: int, operation: int) -> None:
        if not taken:
            taken.extend(tmp_path.glob("*.lock"))
            taken[0].unlink()
        flock(handle, operation)

    monkeypatch.setattr(workspace_module.fcntl, "flock", sweeping)
    with opened(tmp_path) as workspace:
        assert len(taken) == 1
        assert workspace.root.with_suffix(".lock").exists()
        assert workspace.root.with_suffix(".lock") != taken[0]
