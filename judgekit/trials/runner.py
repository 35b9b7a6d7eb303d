"""Running tasks: k trials each, in parallel, streamed to disk, resumed after a kill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from judgekit.clock import Clock, SystemClock
from judgekit.errors import ConfigError
from judgekit.trials.judging import HUMAN, TrialJudges
from judgekit.trials.record import TrialRecord
from judgekit.trials.reports import SuiteReport, TaskReport
from judgekit.trials.results import Key, Results, opened_results
from judgekit.trials.stopping import Stop, Stopped
from judgekit.trials.task import Task
from judgekit.trials.trial import Setting, perform
from judgekit.trials.workspace import Workspace, opened


def _ignore(_: TrialRecord) -> None:
    """Be told of a finished trial, and do nothing."""


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """How trials are run.

    Attributes:
        trials: how many of each task, at least 1.
        k: what pass@k and pass^k ask about, 1 to `trials`; `trials` if None.
        jobs: how many trials at once.
        seed: of the trials' own seeds and of the bootstrap.
        flags: for each subsystem of an ablation, whether it is on.
        judges: what judge graders may ask; None where no task has any.
        results: the file that finished trials stream to and a later run resumes from; None keeps
            nothing.
        project: the project's folder, which commands find by ``{project}``.
        observe: is told of every trial as it ends, in the thread that ran it.
    """

    trials: int = 1
    k: int | None = None
    jobs: int = 1
    seed: int = 0
    flags: Mapping[str, bool] = field(default_factory=dict)
    judges: TrialJudges | None = None
    results: Path | None = None
    project: Path | None = None
    clock: Clock = field(default_factory=SystemClock)
    observe: Callable[[TrialRecord], None] = _ignore

    def __post_init__(self) -> None:
        for what, value in (("trials", self.trials), ("jobs", self.jobs), ("k", self.asked)):
            if isinstance(value, bool) or value < 1:
                raise ConfigError(f"{what} must be 1 or more, not {value!r}")
        if self.asked > self.trials:
            raise ConfigError(
                f"k = {self.k} needs at least {self.k} trials, and {self.trials} are to run; "
                "run more or ask about fewer"
            )

    @property
    def asked(self) -> int:
        """The k that the figures ask about."""
        return self.trials if self.k is None else self.k


def run_task(task: Task, options: TrialOptions | None = None) -> TaskReport:
    """Run the trials of one task, each in an environment of its own.

    Raises:
        ConfigError: a judge is not configured, or the results file is of another run.
        BiasGuardRefused: a judge may not judge the subject model.
    """
    return run_suite([task], options, name=task.id).tasks[0]


def run_suite(
    tasks: Iterable[Task], options: TrialOptions | None = None, *, name: str = "trials"
) -> SuiteReport:
    """Run the trials of several tasks.

    The report does not depend on how many run at once, nor on whether the run was resumed.

    Args:
        name: the suite's name, under which judges' verdicts are recorded.

    Raises:
        ConfigError: there is no task, two have one id, a judge is not configured, or the results
            file is of another run.
        BiasGuardRefused: a judge may not judge the subject model; nothing has run then.
        KeyboardInterrupt: Ctrl-C; what runs has been stopped and removed, what had finished is in
            the results file.
    """
    options = options or TrialOptions()
    chosen = _checked(tasks)
    waivers = _guarded(chosen, options.judges)
    stop = Stop()
    setting = Setting(
        seed=options.seed,
        flags=options.flags,
        judges=options.judges,
        project=options.project,
        clock=options.clock,
        stop=stop,
    )
    with opened() as workspace, _results(chosen, options) as results:
        work = _Work(workspace, setting, results, options.observe)
        records = work.all(chosen, options)
    return SuiteReport(
        name=name,
        k=options.asked,
        tasks=tuple(
            TaskReport(
                task,
                options.asked,
                tuple(records[task.id, trial] for trial in range(options.trials)),
                options.seed,
            )
            for task in chosen
        ),
        seed=options.seed,
        flags=options.flags,
        waivers=waivers,
    )


def smoke(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Return the cheap subset: the tasks that say they are smoke.

    Raises:
        ConfigError: there is none.
    """
    chosen = tuple(task for task in tasks if task.smoke)
    if not chosen:
        raise ConfigError("no task is marked smoke; mark one, or run them all")
    return chosen


def smoke_trials(asked: object) -> int:
    """Return how many trials a smoke run makes when `asked` are wanted: 1 to 3.

    It is for callers that pass on what a stranger asked for, such as a web route: whatever is no
    number is 1, so that nobody makes a load test of it.
    """
    if not isinstance(asked, int | float | str):
        return 1
    try:
        return int(min(3.0, max(1.0, float(asked))))
    except (ValueError, OverflowError):
        return 1


def _checked(tasks: Iterable[Task]) -> tuple[Task, ...]:
    chosen = tuple(tasks)
    if not chosen:
        raise ConfigError("there is no task to run; a suite of none would pass on nothing")
    names = [task.id.casefold() for task in chosen]
    twice = next((task.id for task in chosen if names.count(task.id.casefold()) > 1), None)
    if twice is not None:
        raise ConfigError(f"two tasks have the id {twice!r} (case does not count); rename one")
    return chosen


def _guarded(tasks: Sequence[Task], judges: TrialJudges | None) -> tuple[str, ...]:
    return (judges or TrialJudges({}, HUMAN)).check(tasks)


def _results(
    tasks: Sequence[Task], options: TrialOptions
) -> AbstractContextManager[Results | None]:
    if options.results is None:
        return nullcontext()
    judges = options.judges or TrialJudges({}, HUMAN)
    return opened_results(
        options.results,
        tasks,
        seed=options.seed,
        trials=options.trials,
        flags=options.flags,
        judges={task.id: judges.measure(task) for task in tasks},
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """Performs trials and writes down each as it ends."""

    workspace: Workspace
    setting: Setting
    results: Results | None
    observe: Callable[[TrialRecord], None]

    def all(self, tasks: Sequence[Task], options: TrialOptions) -> dict[Key, TrialRecord]:
        """Return every trial of every task, those that an earlier run finished among them."""
        records = dict(self.results.finished) if self.results else {}
        waiting = [
            (task, trial)
            for trial in range(options.trials)
            for task in tasks
            if (task.id, trial) not in records
        ]
        with ThreadPoolExecutor(options.jobs, thread_name_prefix="judgekit-trials") as pool:
            futures: list[Future[TrialRecord]] = []
            try:
                futures += [pool.submit(self.one, task, trial) for task, trial in waiting]
                for future in as_completed(futures):
                    record = future.result()
                    records[record.task, record.trial] = record
            except BaseException:
                self._stop(futures)
                raise
        return records

    def one(self, task: Task, trial: int) -> TrialRecord:
        """Perform one trial."""
        if self.setting.stop.is_set():
            raise Stopped
        record = perform(task, trial, self.workspace, self.setting)
        if self.results is not None:
            self.results.add(record)
        self.observe(record)
        return record

    def _stop(self, futures: Iterable[Future[TrialRecord]]) -> None:
        """End what runs; leaving the pool then waits for its clean-up alone."""
        self.setting.stop.set()
        for future in futures:
            future.cancel()
