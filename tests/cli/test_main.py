from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import judgekit as package
from judgekit.cli.main import COMMANDS, cli
from judgekit.documents import shown
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


def test_each_format_can_be_given_a_file_of_its_own(judgekit: Run, project: Path) -> None:
    formats = ("--format", "json", "--format", "junit")
    done = judgekit("run", *formats, "--output", "run.json", "--output", "out/junit.xml")
    assert done.returncode == 3
    assert (project / "run.json").read_bytes().startswith(b"{")
    assert b"<testsuites" in (project / "out" / "junit.xml").read_bytes()


@pytest.mark.parametrize("count", [2, 4])
def test_outputs_that_do_not_fit_the_formats_are_refused(
    judgekit: Run, project: Path, count: int
) -> None:
    formats = ("--format", "json", "--format", "junit", "--format", "html")
    outputs = [part for number in range(count) for part in ("--output", f"{number}.out")]
    done = judgekit("run", *formats, *outputs)
    assert done.returncode == 2
    assert f"--output: {count} are given for 3 formats" in done.stderr
    assert not list(project.glob("*.out"))


def test_a_command_in_a_folder_of_the_project_names_files_alike(
    judgekit: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "rubrics" / "helpful.md").write_text("no front matter")
    assert " rubrics/helpful.md:1: " in judgekit("plan").stderr
    monkeypatch.chdir(project / "evals")
    assert "../rubrics/helpful.md" in shown(project / "rubrics" / "helpful.md")
