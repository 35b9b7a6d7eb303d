"""The gate alone, in Pyodide under Node and in Chromium, tells the same bytes as CPython."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

import pytest

import judgekit.gate
from tests.gate import generated
from tests.gate.browser.page_server import HERE, page_server
from tests.gate.test_purity import GOLDEN

pytestmark = pytest.mark.browser

GATE = Path(judgekit.gate.__file__).parent
PYODIDE = Path(os.environ.get("JUDGEKIT_PYODIDE", Path(sys.prefix, "pyodide")))
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE_S = 300


def files() -> dict[str, str]:
    """Return exactly the package judgekit/gate, as a package `gate`, and the generated runs."""
    package = {
        f"gate/{path.relative_to(GATE).as_posix()}": path.read_text("utf-8")
        for path in sorted(GATE.rglob("*.py"))
    }
    return package | {"generated.py": Path(generated.__file__).read_text("utf-8")}


def pyodide() -> Path:
    folder = PYODIDE / "node_modules" / "pyodide"
    assert folder.is_dir(), f"{folder} is missing: make test-live installs it"
    return folder


def installed(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    assert found, f"none of {', '.join(names)} is installed: run tests/gate/browser/install.sh"
    return found


def assert_the_same(told: dict[str, Any]) -> None:
    assert told.get("error") is None, told["error"]
    assert told["platform"] == "emscripten"
    here = generated.outcome(judgekit.gate)
    assert told["outcome"].splitlines() == here.splitlines()
    assert told["outcome"] == here
    assert generated.digest(judgekit.gate) == GOLDEN
    assert told["imported"] == ["gate", "generated", "pyodide", "pyodide_js"]


def test_the_gate_under_node_tells_what_it_tells_here(tmp_path: Path) -> None:
    given, told = tmp_path / "files.json", tmp_path / "told.json"
    given.write_text(json.dumps(files()))
    done = subprocess.run(
        [installed("node", "nodejs"), HERE / "in_node.mjs", pyodide(), given, told],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert_the_same(json.loads(told.read_text("utf-8")))


def test_the_gate_in_a_browser_tells_what_it_tells_here(tmp_path: Path) -> None:
    with page_server(pyodide(), files()) as served:
        with chromium(served.url, tmp_path) as browser:
            told = None
            for _ in range(PATIENCE_S):
                try:
                    told = served.told.get(timeout=1)
                    break
                except Empty:
                    assert browser.poll() is None, said(tmp_path)
        assert told is not None, said(tmp_path)
        assert_the_same(json.loads(told))
        assert served.asked.count("/files.json") == 1


@contextmanager
def chromium(url: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a headless browser with a profile of its own, and end it with all its processes."""
    profile = folder / "profile"
    profile.mkdir()
    command = [installed(*CHROMIUM), *FLAGS, f"--user-data-dir={profile}", url]
    with (folder / "chromium.log").open("wb") as log:
        browser = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        yield browser
    finally:
        if browser.poll() is None:
            os.killpg(browser.pid, signal.SIGTERM)
        try:
            browser.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait(10)


def said(folder: Path) -> str:
    return (folder / "chromium.log").read_text("utf-8", "replace")[-4000:]
