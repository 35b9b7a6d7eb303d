"""What the fault tests run as processes of their own: ``python -m tests.evals.blessing JOB PATH``.

Each job ends with one JSON line, or never.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import signal
import sys
from pathlib import Path

from judgekit.errors import ConfigError
from judgekit.evals.baseline_file import bless, load_baseline
from judgekit.gate.run import EvalRun
from tests.gate.making import run_of

CASES = 3000


def one_run(version: str, name: str = "qa", count: int = CASES) -> EvalRun:
    """Return a run of `count` cases; runs of two versions differ in every case."""
    digests = {f"c{i}": version for i in range(count)}
    return run_of({"a": [True] * count}, name=name, prompt_version=version, digests=digests)


def for_ever(path: Path) -> None:
    """Bless two versions in turn, saying when the first is there."""
    for version in itertools.cycle(("old", "new")):
        bless(path, [one_run(version)])
        print("blessed", flush=True)


def killed_at_step(path: Path, step: str) -> None:
    """Bless the new version, and be killed at the given step that touches the folder."""
    bless(path, [one_run("old")])
    left = int(step)

    def hook(_: str, given: tuple[object, ...]) -> None:
        nonlocal left
        if any(str(path.parent) in str(each) for each in given):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    bless(path, [one_run("new")])
    left = -1


def killed_in_writing(path: Path) -> None:
    """Bless the new version, and be killed when half of it is written."""
    bless(path, [one_run("old")])
    half = path.stat().st_size // 2
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (half, half))
    bless(path, [one_run("new")])


def each_of_twenty(path: Path, name: str) -> None:
    """Bless twenty evals of one's own, one at a time."""
    for number in range(20):
        bless(path, [one_run("v1", f"{name}-{number}", 50)])


def small_then_large(path: Path) -> dict[str, object]:
    """Bless a little, then more than there is room for, then a little again."""
    bless(path, [one_run("v1", count=3)])
    before = path.read_bytes()
    refused = ""
    try:
        bless(path, [one_run("v2", count=20_000)])
    except ConfigError as error:
        refused = str(error)
    kept = path.read_bytes() == before
    names = sorted(each.name for each in path.parent.iterdir())
    bless(path, [one_run("v3", count=4)])
    blessed = load_baseline(path)
    assert blessed is not None
    return {
        "refused": refused,
        "kept": kept,
        "names": names,
        "after": blessed.evals["qa"].prompt_version,
    }


def refused(path: Path) -> dict[str, object]:
    """Say what would change, then try to bless it."""
    before, names = path.read_bytes(), sorted(each.name for each in path.parent.iterdir())
    changes = bless(path, [one_run("v2", count=3)], write=False)
    said = ""
    try:
        bless(path, [one_run("v2", count=3)])
    except ConfigError as error:
        said = str(error)
    kept = path.read_bytes() == before
    same = names == sorted(each.name for each in path.parent.iterdir())
    return {"changes": list(changes), "refused": said, "kept": kept and same}


JOBS = {
    "for-ever": for_ever,
    "killed-at-step": killed_at_step,
    "killed-in-writing": killed_in_writing,
    "each-of-twenty": each_of_twenty,
    "small-then-large": small_then_large,
    "refused": refused,
}

if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])))  # type: ignore[operator]
