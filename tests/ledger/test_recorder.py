from __future__ import annotations

from pathlib import Path

from judgekit.errors import ConfigError
from judgekit.judges.port import TokenUsage
from judgekit.judges.recording import Progress, RecordingEvent
from judgekit.ledger.recorder import SpendRecorder
from judgekit.ledger.spend_store import MemorySpendStore, SqliteSpendStore
from judgekit.ledger.spending import Price, Spend
from tests.judges.making import make_request
from tests.ledger.making import WHEN

USAGE = TokenUsage(input_tokens=1000, output_tokens=100)


def event(what: Progress, *, answered: bool = False, judge: str = "local") -> RecordingEvent:
    usage = USAGE if answered or what is Progress.SERVED else TokenUsage()
    latency_s = 2.5 if usage.input_tokens else 0.0
    return RecordingEvent(
        what, make_request(), "key", 0, usage, latency_s, judge=judge, answered=answered
    )


def recorder(store: MemorySpendStore) -> SpendRecorder:
    return SpendRecorder(store, {"local": Price(1.0, 10.0)}, lambda: WHEN)


def test_each_call_is_entered_with_its_price_and_time() -> None:
    store = MemorySpendStore()
    entries = recorder(store)
    entries.observe(event(Progress.ASKED))
    entries.observe(event(Progress.RECORDED, answered=True))
    entries.observe(event(Progress.SERVED))
    whole = ("support", "helpful", "local")
    assert store.spends() == (
        Spend(WHEN, *whole, "asked", 1, 1000, 100, 2_000_000, 2.5),
        Spend(WHEN, *whole, "replayed", 1, 1000, 100, 2_000_000, 2.5),
    )
    assert entries.problem == ""


def test_an_answer_that_could_not_be_kept_has_its_cost_and_a_call_without_one_has_none() -> None:
    store = MemorySpendStore()
    entries = recorder(store)
    entries.observe(event(Progress.FAILED, answered=True))
    entries.observe(event(Progress.FAILED))
    assert [each.input_tokens for each in store.spends()] == [1000]


def test_a_judge_without_a_price_is_entered_without_one() -> None:
    store = MemorySpendStore()
    recorder(store).observe(event(Progress.RECORDED, answered=True, judge="other"))
    (entry,) = store.spends()
    assert (entry.judge, entry.cost_nano_usd) == ("other", None)


class Failing(MemorySpendStore):
    def __init__(self, failures: list[Exception]) -> None:
        super().__init__()
        self.failures = failures
        self.tried = 0

    def record_spend(self, spend: Spend) -> None:
        self.tried += 1
        if self.failures:
            raise self.failures.pop(0)
        super().record_spend(spend)


def test_a_ledger_that_fails_is_told_of_and_never_raises() -> None:
    store = Failing([ConfigError("the disk is full"), OSError(28, "No space left on device")])
    entries = recorder(store)
    for _ in range(4):
        entries.observe(event(Progress.RECORDED, answered=True))
    assert len(store.spends()) == 2
    assert entries.problem == "2 judge calls are not in the spend ledger: the disk is full"


def test_a_ledger_that_keeps_failing_is_left_alone() -> None:
    store = Failing([ConfigError("locked")] * 10)
    entries = recorder(store)
    for _ in range(9):
        entries.observe(event(Progress.RECORDED, answered=True))
    assert store.tried == 3
    assert entries.problem == "9 judge calls are not in the spend ledger: locked"


def test_another_programs_file_in_its_place_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "spend.sqlite"
    path.write_text("my notes\n" * 100)
    entries = SpendRecorder(SqliteSpendStore(path), {}, lambda: WHEN)
    entries.observe(event(Progress.RECORDED, answered=True))
    assert "1 judge call is not in the spend ledger" in entries.problem
    assert path.read_text() == "my notes\n" * 100
