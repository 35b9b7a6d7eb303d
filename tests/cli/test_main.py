from __future__ import annotations

import subprocess
import sys

import pytest

import judgekit as package
from judgekit.cli.main import COMMANDS, cli
from tests.cli.conftest import Run

HEAVY = (
    "rich",
    "httpx",
    "pydantic",
    "tenacity",
    "vcr",
    "yaml",
    "re2",
    "jsonschema_rs",
    "sacrebleu",
)


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys\nfrom judgekit.cli.main import cli\n"
        "cli.main(['--help'], standalone_mode=False)\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Judge evals offline" in done.stdout


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_explains_itself(judgekit: Run, name: str) -> None:
    done = judgekit(name, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: judgekit {name}")
    command = cli.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    assert command.help


def test_a_package_that_was_overwritten_is_told(
    judgekit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(package, "DISTRIBUTION")
    done = judgekit("run")
    assert done.returncode == 2
    assert "another distribution has overwritten the package judgekit" in done.stderr


def test_every_public_name_is_there() -> None:
    for name in package.__all__:
        assert getattr(package, name) is not None
        assert name in dir(package)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = package.nonsense


def test_a_fault_of_our_own_is_one_line_unless_asked_for(
    judgekit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("something\nunforeseen")

    monkeypatch.setattr("judgekit.cli.run.open_session", broken)
    done = judgekit("run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "RuntimeError: something unforeseen" in done.stderr
    with pytest.raises(RuntimeError):
        judgekit("run", JUDGEKIT_DEBUG="1")
