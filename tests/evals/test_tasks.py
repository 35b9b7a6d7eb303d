from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import ConfigError
from judgekit.evals.tasks import find_task, make_output


def test_a_task_is_found_by_its_name_in_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "kit_task_module.py").write_text("class Box:\n    def make(x): return x + 1\n")
    assert find_task("kit_task_module:Box.make", root=tmp_path)(1) == 2


async def asynchronous(_: Any) -> str:
    return "x"


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("no_such_module_here:f", "cannot import no_such_module_here (ModuleNotFoundError"),
        ("json:no_such", "json has no no_such; check the name"),
        ("json:__name__", "is not a function; name one"),
        (asynchronous, "is asynchronous; name a plain function"),
    ],
)
def test_a_task_that_cannot_run_is_refused(task: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_task(task)
    assert message in str(caught.value)


def test_a_module_that_leaves_while_it_is_imported_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "kit_leaving_module.py").write_text("raise SystemExit(0)\n")
    with pytest.raises(ConfigError, match=r"cannot import kit_leaving_module \(SystemExit: 0\)"):
        find_task("kit_leaving_module:f", root=tmp_path)


def fail(error: BaseException) -> Any:
    def task(_: Any) -> Any:
        raise error

    return task


@pytest.mark.parametrize("timeout_s", [None, 5.0])
@pytest.mark.parametrize(
    ("task", "fault", "timed_out"),
    [
        (fail(ValueError("bad\nvalue")), "the task raised ValueError: bad value", False),
        (fail(SystemExit(0)), "the task raised SystemExit: 0", False),
        (fail(TimeoutError()), "the task raised TimeoutError", True),
        (lambda _: None, "the task returned nothing", False),
        (lambda _: {"x": float("nan")}, "must be a finite number, not nan", False),
        (lambda _: {1, 2}, "holds a set, which JSON has no word for", False),
    ],
)
def test_whatever_goes_wrong_in_a_task_is_its_fault(
    task: Any, fault: str, timed_out: bool, timeout_s: float | None
) -> None:
    made = make_output(task, 1, timeout_s)
    assert made.output is None
    assert fault in (made.fault or "")
    assert made.signal.timed_out is timed_out
    assert made.signal.error


def test_a_task_that_does_not_end_is_given_up() -> None:
    made = make_output(lambda _: time.sleep(30), 1, 0.02)
    assert made.fault == "the task raised TimeoutError: gave no output within 0.02 s"
    assert made.signal.timed_out


def test_a_task_gives_any_json_value() -> None:
    assert make_output(lambda x: {"twice": (x, x)}, 2, 5.0).output == {"twice": [2, 2]}
    assert make_output(lambda x: "", 2).fault is None
