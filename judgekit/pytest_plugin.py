"""The pytest plugin: a replaying judge as a fixture, and evals as tests.

``pytest --judgekit`` collects the project's eval files: one test for each case, and one, ``gate``,
for each eval's gate. A case that fails is a failed test, unless the committed baseline has it
failing too (then it is an expected failure) or it is in error (then it always fails).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from judgekit.config import Project
    from judgekit.evals.session import Session
    from judgekit.gate.baseline import Baseline, BlessedGrade
    from judgekit.gate.run import CaseResult, EvalRun
    from judgekit.judges.replay import ReplayJudge


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--judgekit``."""
    group = parser.getgroup("judgekit")
    group.addoption(
        "--judgekit", action="store_true", help="collect the project's evals as tests, offline"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect an eval file of the project, where ``--judgekit`` asks for it."""
    if not parent.config.getoption("--judgekit") or file_path.suffix not in (".yaml", ".yml"):
        return None
    from judgekit.config import find_project

    project = find_project(file_path.parent)
    if file_path.parent.resolve() != project.evals.resolve():
        return None
    collector: pytest.Collector = EvalFile.from_parent(parent, path=file_path)
    return collector


@pytest.fixture
def judgekit_replay(request: pytest.FixtureRequest) -> Iterator[ReplayJudge]:
    """The project's default judge, replayed from its cassettes, with the network refused."""
    from judgekit.cassettes.store import CassetteStore
    from judgekit.config import find_project
    from judgekit.judges.replay import ReplayJudge
    from judgekit.net.replay_guard import refuse_network

    project = find_project(request.path.parent)
    _, config = project.judge()
    with refuse_network() as attempts:
        yield ReplayJudge(CassetteStore(project.cassettes), config.dialect, config.re_asks)
    attempts.raise_if_any()


class CaseFailed(Exception):
    """A case did not pass; its text is what the report shows."""


class EvalFile(pytest.File):
    """An eval file: its cases as tests, and its gate as one more."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the gate and a test for each case; nothing is judged yet."""
        from judgekit.errors import JudgekitError
        from judgekit.evals.files import load_eval

        project = self.project
        try:
            definition = load_eval(self.path, root=project.root)
        except JudgekitError as error:
            raise self.CollectError(str(error)) from None
        yield GateItem.from_parent(self, name=f"{definition.name}::gate")
        for case in definition.cases:
            yield CaseItem.from_parent(self, name=f"{definition.name}::{case.id}", case_id=case.id)

    @property
    def project(self) -> Project:
        """The project that the file belongs to."""
        from judgekit.config import find_project

        return find_project(self.path.parent)

    def run(self) -> EvalRun:
        """Return the eval's run, made when the first of its tests asks."""
        if not hasattr(self, "_run"):
            self._run = self._replayed()
        return self._run

    def baseline(self) -> Baseline | None:
        """Return the project's committed baseline."""
        from judgekit.evals.baseline_file import load_baseline

        return load_baseline(self.project.baseline)

    def _replayed(self) -> EvalRun:
        from judgekit.evals.files import load_eval
        from judgekit.evals.session import Session

        session: Session = Session(self.project)
        definition = load_eval(self.path, root=session.project.root)
        return session.replay([definition]).runs[0]


class _EvalItem(pytest.Item):
    parent: EvalFile

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what judgekit says in a few lines, and any other error as pytest does."""
        from judgekit.errors import JudgekitError

        if isinstance(excinfo.value, CaseFailed | JudgekitError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return where the test stands, for reports."""
        return self.path, None, self.name


class GateItem(_EvalItem):
    """The gate of one eval: fails with its blocking findings."""

    def runtest(self) -> None:
        """Hold the run against the baseline."""
        from judgekit.gate.decision import decide

        decision = decide([self.parent.run()], self.parent.baseline())
        if decision.blocking:
            raise CaseFailed("\n".join(f"{f.kind}: {f.detail}" for f in decision.blocking))


class CaseItem(_EvalItem):
    """One case of an eval, graded by every scorer."""

    def __init__(self, *, case_id: str, **rest: Any) -> None:
        super().__init__(**rest)
        self.case_id = case_id

    def runtest(self) -> None:
        """Fail with every grade that did not pass."""
        run = self.parent.run()
        case = next(case for case in run.cases if case.id == self.case_id)
        if case.passed:
            return
        lines = [
            f"{scorer}: {grade.cause or grade.status}: {grade.reason}"
            for scorer, grade in case.grades.items()
            if grade.status != "passed"
        ]
        if self._failed_before(run, case):
            pytest.xfail(f"the baseline has it failing too: {'; '.join(lines)}")
        raise CaseFailed("\n".join(lines))

    def _failed_before(self, run: EvalRun, case: CaseResult) -> bool:
        """Whether nothing is in error, and no grade that fails passed in the baseline."""
        baseline = self.parent.baseline()
        entry = baseline.evals.get(run.name) if baseline is not None else None
        blessed = entry.cases.get(case.id) if entry is not None else None
        if blessed is None:
            return False
        return all(
            grade.status == "passed"
            or (grade.status == "failed" and _failed(blessed.grades.get(scorer)))
            for scorer, grade in case.grades.items()
        )


def _failed(blessed: BlessedGrade | None) -> bool:
    return blessed is not None and not blessed.passed
