from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import Cause, ConfigError
from judgekit.graders.grade import Status
from judgekit.trials.environment import BoardEnvironment, GitCheckout, TemporaryFolder
from judgekit.trials.evidence import outcome
from judgekit.trials.runner import TrialOptions, run_task
from judgekit.trials.task import TrialContext, TrialOutcome
from tests.trials.making import make_task, python


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *identity, *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(folder)},
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    for text in ("first", "second"):
        (folder / "file").write_text(text)
        git(folder, "add", "file")
        git(folder, "commit", "--quiet", "-m", text)
    hook = folder / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch hooked\n")
    hook.chmod(0o755)
    return folder


def leak(context: TrialContext) -> TrialOutcome:
    """Look for what an earlier trial planted, then plant it."""
    places = (context.folder, context.home)
    found = [str(path.name) for place in places for path in place.rglob("planted")]
    for place in places:
        (place / "planted").write_text(str(context.trial))
    if context.opened_board is not None:
        found += [task.id for task in context.board.tasks()]
        context.board.create("planted")
    return TrialOutcome(data={"found": [*found]})


CLEAN = outcome("clean", lambda found, _: found.data["found"] == [])


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("environment", [None, BoardEnvironment()])
def test_nothing_that_a_trial_plants_is_found_by_another(environment: Any, jobs: int) -> None:
    task = make_task(CLEAN, run=leak, environment=environment)
    report = run_task(task, TrialOptions(trials=6, jobs=jobs))
    assert report.passed == 6


def test_nothing_that_a_command_plants_in_home_or_temp_is_found_by_another() -> None:
    code = (
        "import os, tempfile, pathlib\n"
        "places = [pathlib.Path.cwd(), pathlib.Path.home(), pathlib.Path(tempfile.gettempdir())]\n"
        "print(sum((place / 'planted').exists() for place in places))\n"
        "[(place / 'planted').write_text('x') for place in places]"
    )
    clean = outcome("clean", lambda found, _: found.summary == "0")
    report = run_task(make_task(clean, command=python(code)), TrialOptions(trials=3))
    assert report.passed == 3


def test_a_folder_is_copied_for_each_trial_and_stays_as_it_is(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "file").write_text("as it was")

    def run(context: TrialContext) -> TrialOutcome:
        file = context.folder / "deep" / "file"
        text = file.read_text()
        file.write_text("changed")
        return TrialOutcome(summary=text)

    same = outcome("as it was", lambda found, _: found.summary == "as it was")
    task = make_task(same, run=run, environment=TemporaryFolder(source))
    assert run_task(task, TrialOptions(trials=2)).passed == 2
    assert (source / "deep" / "file").read_text() == "as it was"


def test_a_commit_is_checked_out_and_nothing_reaches_the_repository(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD~1")
    before = git(repository, "for-each-ref"), git(repository, "status", "--porcelain")

    def run(context: TrialContext) -> TrialOutcome:
        text = (context.folder / "file").read_text()
        (context.folder / "file").write_text("changed")
        git(context.folder, "commit", "--quiet", "--all", "-m", "of the trial")
        names = sorted(path.name for path in context.folder.iterdir())
        remotes = git(context.folder, "remote")
        return TrialOutcome(summary=text, data={"names": [*names], "remotes": remotes})

    right = outcome(
        "right",
        lambda found, _: (
            (found.summary, found.data["names"], found.data["remotes"])
            == ("first", [".git", "file"], "")
        ),
    )
    task = make_task(right, run=run, environment=GitCheckout(repository, first))
    report = run_task(task, TrialOptions(trials=2, jobs=2))
    assert report.passed == 2, report.trials
    assert (git(repository, "for-each-ref"), git(repository, "status", "--porcelain")) == before


@pytest.mark.parametrize("commit", ["no-such-branch", "0" * 40])
def test_a_commit_that_is_not_there_is_an_error_and_no_failure_of_the_agent(
    repository: Path, commit: str
) -> None:
    task = make_task(environment=GitCheckout(repository, commit))
    (trial,) = run_task(task).trials
    assert (trial.status, trial.score, trial.cause) == (Status.ERROR, None, Cause.INVALID_CONFIG)
    assert "has no commit" in trial.grades["environment"].reason


@pytest.mark.parametrize("commit", ["", " ", "--upload-pack=touch"])
def test_a_commit_that_git_could_take_for_an_option_is_refused(
    repository: Path, commit: str
) -> None:
    with pytest.raises(ConfigError, match="is not a commit"):
        GitCheckout(repository, commit)


@pytest.mark.parametrize("make", [TemporaryFolder, lambda path: GitCheckout(path, "HEAD")])
def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, make: Any) -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        make(tmp_path / "nowhere")


class Broken:
    """An environment that fails to open, or to close."""

    def __init__(self, when: str) -> None:
        self.when = when

    def describe(self) -> str:
        return self.when

    def open(self, context: TrialContext) -> Any:
        from contextlib import contextmanager

        @contextmanager
        def broken() -> Iterator[TrialContext]:
            if self.when == "open":
                raise RuntimeError("no room")
            yield context
            raise RuntimeError("stuck")

        return broken()


@pytest.mark.parametrize("when", ["open", "close"])
def test_an_environment_that_fails_is_an_error_with_its_traceback(when: str) -> None:
    (trial,) = run_task(make_task(environment=Broken(when))).trials
    assert (trial.status, trial.cause) == (Status.ERROR, Cause.TASK_FAILED)
    assert "RuntimeError" in trial.trace


def test_a_task_without_board_that_asks_for_one_is_told() -> None:
    def run(context: TrialContext) -> TrialOutcome:
        context.board.create("t")
        return TrialOutcome()

    (trial,) = run_task(make_task(run=run)).trials
    assert trial.status is Status.ERROR
    assert "give it the board environment" in trial.grades["run-error"].reason
