"""The gate is standard library only, does no I/O, and gives the same bytes everywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import judgekit.gate
from judgekit.errors import Cause
from judgekit.gate.exit_codes import EXIT_OF_CAUSE
from tests.gate import generated

GOLDEN = "ba5f6669a9e1fcad996487049a0379bc34d6944c03dfea0365bd7c1a199db502"
ROOT = Path(judgekit.gate.__file__).parents[1]

CHECK = """
import builtins, io, os, socket, sys, time, importlib, pkgutil, random, secrets
import hashlib, importlib.util, json, statistics, unicodedata, dataclasses
sys.path.insert(0, {folder!r})
spec = importlib.util.spec_from_file_location("generated", {generated!r})
generated = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generated)
stdlib = sys.stdlib_module_names
real = builtins.__import__
def guarded(name, globals=None, locals=None, fromlist=(), level=0):
    top = name.partition(".")[0]
    if level == 0 and top not in stdlib and top != "gate":
        raise AssertionError("imported " + name)
    return real(name, globals, locals, fromlist, level)
builtins.__import__ = guarded
import gate
names = [m.name for m in pkgutil.walk_packages(gate.__path__, "gate.")]
for name in names:
    importlib.import_module(name)
def refuse(what):
    def refused(*args, **kwargs):
        raise AssertionError("used " + what)
    return refused
def hook(event, args):
    if event in ("open", "os.listdir", "os.putenv") or event.startswith(("socket.", "subprocess.")):
        raise AssertionError("audited " + event)
builtins.open = io.open = refuse("open")
socket.socket = refuse("socket")
time.time = time.monotonic = time.perf_counter = refuse("the clock")
os.getenv = os.urandom = refuse("the environment")
os.environ = None
sys.addaudithook(hook)
assert "judgekit" not in sys.modules
print(len(names), generated.digest(gate))
"""


def check() -> list[str]:
    code = CHECK.format(folder=str(ROOT), generated=generated.__file__)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_it_works_as_a_package_of_its_own_with_everything_else_blocked() -> None:
    modules, digest = check()
    assert int(modules) >= 20
    assert digest == GOLDEN


def test_this_process_gives_the_same_bytes() -> None:
    assert generated.digest(judgekit.gate) == GOLDEN


def test_the_generated_runs_reach_every_verdict() -> None:
    text = generated.outcome(judgekit.gate)
    for word in (
        "score-regression",
        "scorer-regression",
        "inconclusive",
        "wilson-below-floor",
        "fewer-cases",
        "changed-cases",
        "judge-changed",
        "rubric-changed",
        "lowered-threshold",
        "gate-changed",
        "missing-baseline",
        "newly-failing",
        "newly-passing",
        '"errors"',
        "BlessRefused",
        "McNemar",
        "paired t",
        "cluster-robust",
    ):
        assert word in text, word


def test_every_cause_of_an_error_has_an_exit_code() -> None:
    assert set(EXIT_OF_CAUSE) == {cause.value for cause in Cause}
