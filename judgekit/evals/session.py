"""A project opened for work: its evals run against replayed, surveyed or recorded verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from judgekit.bias.guard import HUMAN, check_family, check_panel
from judgekit.cassettes.file_form import parse
from judgekit.cassettes.index import Place
from judgekit.cassettes.naming import slug
from judgekit.cassettes.staging import Staging
from judgekit.cassettes.store import CassetteStore
from judgekit.clock import Clock, SystemClock
from judgekit.config import JudgeConfig, Project
from judgekit.evals.definition import EvalDefinition
from judgekit.evals.engine import Engine
from judgekit.evals.files import load_evals
from judgekit.evals.judged_by import Rubrics
from judgekit.evals.runner import run_eval
from judgekit.gate.run import EvalRun
from judgekit.graders.judging import ConfiguredJudge
from judgekit.judges.dialects import find_dialect
from judgekit.judges.dialects.webhook import WEBHOOK
from judgekit.judges.live import Connection, LiveExchange
from judgekit.judges.port import Judge, JudgeRequest, Verdict
from judgekit.judges.recording import (
    RecordingEvent,
    RecordingExchange,
    RecordingJudge,
    ignore_event,
)
from judgekit.judges.replay import Miss, ReplayJudge
from judgekit.judges.survey import Surveyed, SurveyJudge
from judgekit.ledger.budget import BudgetGuard, Limits
from judgekit.ledger.spending import Price
from judgekit.net.replay_guard import refuse_network
from judgekit.rubrics.files import RubricFolder

STATE_FOLDER = ".judgekit"
"""What judgekit keeps beside a project and nobody commits: staged recordings, stored runs."""


WEBHOOK_S = 10.0
"""Seconds that a webhook has for its whole answer."""

WEBHOOK_ANSWER = 1024 * 1024
"""Bytes of a webhook's answer that are read at most."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay gave.

    Attributes:
        misses: every request without a recording, in the order of eval, scorer and case.
        unused: recordings of these evals that nothing asked for.
    """

    runs: tuple[EvalRun, ...]
    misses: tuple[Miss, ...] = ()
    unused: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class _Noting:
    """A judge whose misses are noted."""

    judge: ReplayJudge
    misses: list[Miss]

    def evaluate(self, request: JudgeRequest) -> Verdict:
        try:
            return self.judge.evaluate(request)
        except Miss as miss:
            self.misses.append(miss)
            raise


def _miss_order(miss: Miss) -> tuple[str, str, str, str]:
    origin = miss.origin
    return (origin.eval, origin.scorer, origin.case, miss.explanation.key)


@dataclass(frozen=True)
class Session:
    """A project with its stores.

    Attributes:
        engine: runs the cases of an eval; one after another if None.
    """

    project: Project
    engine: Engine | None = None
    clock: Clock = field(default_factory=SystemClock)

    @cached_property
    def cassettes(self) -> CassetteStore:
        """The committed cassettes."""
        return CassetteStore(self.project.cassettes)

    @cached_property
    def staging(self) -> Staging:
        """The recordings that wait for review."""
        return Staging(self.project.root / STATE_FOLDER / "staged", self.cassettes)

    @cached_property
    def rubrics(self) -> RubricFolder:
        """The project's rubric files."""
        return RubricFolder(self.project.rubrics)

    def evals(self, names: Sequence[str] = ()) -> tuple[EvalDefinition, ...]:
        """Return the evals of these names, or all, sorted by name.

        Raises:
            ConfigError: a file is invalid, or a name unknown.
        """
        return load_evals(self.project.evals, names or None, root=self.project.root)

    def replay(self, evals: Iterable[EvalDefinition]) -> Replayed:
        """Run evals from cassettes, with the network refused to the whole process.

        Raises:
            NetworkRefused: something tried to reach the network, even if it swallowed the refusal.
        """
        chosen, misses = tuple(evals), list[Miss]()
        judges = self._judges(lambda _, config: _Noting(self.replay_judge(config), misses))
        webhook = _Noting(self._replayed_webhook(), misses)
        with refuse_network() as attempts:
            runs = tuple(self._run(definition, judges, webhook) for definition in chosen)
        attempts.raise_if_any()
        unused = tuple(
            place
            for definition in chosen
            for scorer in definition.scorers
            for place in self.cassettes.unused(definition.name, scorer.name)
        )
        return Replayed(runs, tuple(sorted(misses, key=_miss_order)), unused)

    def survey(self, evals: Iterable[EvalDefinition]) -> list[Surveyed]:
        """Return every judge request of the evals, with whether it is recorded. Asks nobody."""
        surveys: list[SurveyJudge] = []

        def surveying(_: str, config: JudgeConfig) -> Judge:
            surveys.append(SurveyJudge(self.replay_judge(config)))
            return surveys[-1]

        judges = self._judges(surveying)
        surveys.append(SurveyJudge(self._replayed_webhook()))
        webhook = surveys[-1]
        with refuse_network():
            for definition in evals:
                self._run(definition, judges, webhook)
        return sorted(
            (found for survey in surveys for found in survey.found),
            key=lambda found: (
                found.request.origin.eval,
                found.request.origin.scorer,
                found.request.origin.case,
                found.request.sample_index,
            ),
        )

    def record(
        self,
        evals: Iterable[EvalDefinition],
        *,
        again: bool = False,
        observe: Callable[[RecordingEvent], None] = ignore_event,
        budget: BudgetGuard | None = None,
    ) -> list[EvalRun]:
        """Run evals against live judges, staging what is not recorded yet.

        Args:
            again: whether to ask anew for what the cassettes hold.
            observe: is told of every step.
            budget: lets live calls through; one of the project's limits if None.
        """
        lives: list[LiveExchange] = []
        guard = self.budget_guard() if budget is None else budget

        def recording(name: str, config: JudgeConfig) -> Judge:
            lives.append(
                LiveExchange(connection_of(config), find_dialect(config.dialect), self.clock)
            )
            exchange = RecordingExchange(
                lives[-1],
                self.staging,
                self.now,
                again=again,
                observe=observe,
                permit=guard.permit(self.prices.get(name)),
                judge=name,
            )
            return RecordingJudge(exchange, lives[-1], config.re_asks)

        judges = self._judges(recording)
        lives.append(LiveExchange(self._webhooks(), WEBHOOK, self.clock))
        exchange = RecordingExchange(
            lives[-1],
            self.staging,
            self.now,
            again=again,
            observe=observe,
            permit=guard.permit(uses_tokens=False),
            judge=WEBHOOK.name,
        )
        webhook = RecordingJudge(exchange, lives[-1], re_asks=0)
        chosen = tuple(evals)
        try:
            runs = [self._run(definition, judges, webhook) for definition in chosen]
        finally:
            for live in lives:
                live.close()
        for definition in chosen:
            self._mark_replaced(definition)
        return runs

    def run_by(
        self,
        definition: EvalDefinition,
        make: Callable[[str, JudgeConfig], Judge],
        rubrics: Rubrics | None = None,
    ) -> EvalRun:
        """Run one eval by judges of the caller's making, past the family guard; record nothing.

        Args:
            make: makes the judge of a name and a configuration.
            rubrics: loads rubrics instead of the project's folder.
        """
        webhook = self._replayed_webhook()
        return self._run(definition, self._judges(make), webhook, rubrics)

    def replay_judge(self, config: JudgeConfig) -> ReplayJudge:
        """Return the judge that answers from the cassettes for a configured one."""
        return ReplayJudge(self.cassettes, config.dialect, config.re_asks)

    def _mark_replaced(self, definition: EvalDefinition) -> None:
        """Mark what the cassettes hold for a newly recorded case, and no longer serve."""
        for scorer in definition.scorers:
            staged = {p.case for p in self.staging.store.places(definition.name, scorer.name)}
            for place in self.cassettes.unused(definition.name, scorer.name):
                old = parse(place.read(), place)
                if slug(old.recorded.case) in staged:
                    self.staging.mark_replaced(old)

    def _run(
        self,
        definition: EvalDefinition,
        judges: Mapping[str, ConfiguredJudge],
        webhook: Judge,
        rubrics: Rubrics | None = None,
    ) -> EvalRun:
        return run_eval(
            definition,
            judges,
            rubrics or self.rubrics,
            self.engine,
            guard=self._guard,
            prices=self.prices,
            root=self.project.root,
            webhook=webhook,
        )

    def _guard(self, subject: str, judges: Sequence[str]) -> Sequence[str]:
        """Refuse judges of the subject's family; return the waiver that let them through.

        Raises:
            BiasGuardRefused: a family is shared and no waiver holds.
        """
        config, today = self.project.config, self.clock.now().date()
        check_panel(judges, config.families)
        fitting = [w for w in config.waivers if any(w.names(judge, subject) for judge in judges)]
        holding = [waiver for waiver in fitting if waiver.fault(today) is None]
        checked = check_family(
            judges,
            subject,
            subject_is_human=subject == HUMAN,
            waiver=next(iter(holding or fitting), None),
            today=today,
            extra=config.families,
        )
        return () if checked.waiver is None else (str(checked.waiver),)

    def _judges(self, make: Callable[[str, JudgeConfig], Judge]) -> dict[str, ConfiguredJudge]:
        return {
            name: ConfiguredJudge(name, config.model, make(name, config), config.sampling)
            for name, config in self.project.judges.items()
        }

    def _replayed_webhook(self) -> ReplayJudge:
        return ReplayJudge(self.cassettes, WEBHOOK, re_asks=0)

    def _webhooks(self) -> Connection:
        """Return how webhooks are called: within 10 seconds in all, and not on this network."""
        return Connection(
            url="",
            attempt_s=WEBHOOK_S,
            call_s=WEBHOOK_S,
            largest_answer=WEBHOOK_ANSWER,
            allowed=self.project.config.webhooks,
            key_envs=self.project.config.webhook_keys,
        )

    def budget_guard(self) -> BudgetGuard:
        """Return a guard with nothing spent yet of what the project lets one recording take."""
        budget = self.project.config.budget
        return BudgetGuard(Limits(budget.calls, budget.tokens, budget.usd))

    def now(self) -> str:
        """Return the time as what is stored carries it: ISO 8601, UTC, to the second."""
        return self.clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def prices(self) -> dict[str, Price]:
        """What judges' tokens cost, by judge name; judges without a price are not in it."""
        return {
            name: Price(
                config.price_usd_per_million_input_tokens,
                config.price_usd_per_million_output_tokens,
            )
            for name, config in self.project.judges.items()
            if config.price_usd_per_million_input_tokens is not None
            and config.price_usd_per_million_output_tokens is not None
        }


def connection_of(config: JudgeConfig) -> Connection:
    """Return where a configured judge is, and how long to wait for it."""
    return Connection(
        url=config.url,
        api_key_env=config.api_key_env,
        connect_s=config.timeouts.connect_s,
        attempt_s=config.timeouts.attempt_s,
        call_s=config.timeouts.call_s,
    )
