from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from judgekit.errors import ConfigError
from judgekit.ledger.history import HistoryStore, KeptRun, ScorerFigure, figures_of
from tests.ledger.making import WHEN, run_of

RUN = run_of(
    {
        "c1": {"helpful": 1.0, "tone": 0.25},
        "c2": {"helpful": 0.0, "tone": None},
        "c3": {"helpful": 0.5, "tone": 0.75},
    }
)


@pytest.fixture
def history(tmp_path: Path) -> HistoryStore:
    return HistoryStore(tmp_path / ".judgekit" / "runs.sqlite")


def test_a_run_comes_back_whole(history: HistoryStore) -> None:
    made = history.save(RUN, WHEN, "abc123")
    assert history.load(made) == RUN


def test_a_kept_run_shows_its_figures(history: HistoryStore) -> None:
    made = history.save(RUN, WHEN, "abc123")
    assert history.runs("support") == (
        KeptRun(
            made,
            WHEN,
            "abc123",
            "support",
            "v1",
            "human",
            0.5,
            3,
            1,
            (ScorerFigure("helpful", 0.5, 2, 3, 0), ScorerFigure("tone", 0.5, 1, 2, 1)),
        ),
    )


def test_a_scorer_that_graded_nothing_has_no_mean() -> None:
    run = run_of({"c1": {"helpful": None}})
    assert figures_of(run) == (ScorerFigure("helpful", None, 0, 0, 1),)


def test_runs_come_oldest_first_by_eval_and_only_so_many(history: HistoryStore) -> None:
    for number in range(4):
        history.save_all([RUN, replace(RUN, name="other")], WHEN, str(number))
    assert [(r.eval, r.label) for r in history.runs(last=2)] == [
        ("support", "2"),
        ("other", "2"),
        ("support", "3"),
        ("other", "3"),
    ]
    assert [r.label for r in history.runs("other")] == ["0", "1", "2", "3"]
    assert history.runs("unknown") == ()


def test_an_empty_history_is_no_error_and_makes_no_file(history: HistoryStore) -> None:
    assert history.runs() == ()
    assert not history.path.exists()


def test_an_unknown_id_says_where_ids_are_listed(history: HistoryStore) -> None:
    with pytest.raises(ConfigError, match=r"no run has the id 7; `judgekit history` lists them"):
        history.load(7)


@pytest.mark.parametrize("damage", [b"", b"nonsense", "text", "cut", "packed nonsense"])
def test_a_damaged_run_is_one_clear_line_and_the_others_are_whole(
    history: HistoryStore, damage: bytes | str
) -> None:
    import zlib

    first, second = history.save_all([RUN, replace(RUN, name="other")], WHEN)
    connection = sqlite3.connect(history.path)
    if damage == "cut":
        (data,) = connection.execute("SELECT run FROM runs WHERE id = ?", (first,)).fetchone()
        damage = data[:-20]
    elif damage == "packed nonsense":
        damage = zlib.compress(b'{"format": "judgekit-run/1"}')
    connection.execute("UPDATE runs SET run = ? WHERE id = ?", (damage, first))
    connection.commit()
    connection.close()
    with pytest.raises(ConfigError, match=rf"run {first} is damaged") as raised:
        history.load(first)
    assert "\n" not in str(raised.value)
    assert history.load(second).name == "other"


def test_several_runs_are_kept_all_or_none(history: HistoryStore) -> None:
    history.save(RUN, WHEN)
    strange = replace(RUN, name="\ud800")
    with pytest.raises(ConfigError):
        history.save_all([RUN, strange], WHEN)
    assert len(history.runs()) == 1


SAVE_FOREVER = """
import sys
from pathlib import Path
from judgekit.ledger.history import HistoryStore
from tests.ledger.test_history import RUN, WHEN
history = HistoryStore(Path(sys.argv[1]))
while True:
    print(history.save(RUN, WHEN), flush=True)
"""


def test_a_kill_loses_no_run_that_was_kept(history: HistoryStore) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SAVE_FOREVER, str(history.path)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    with process.stdout as told_by_it:
        told = [int(told_by_it.readline()) for _ in range(10)]
        process.send_signal(signal.SIGKILL)
        told += [int(line) for line in told_by_it.read().split("\n")[:-1]]
    process.wait(30)
    kept = [run.id for run in history.runs()]
    assert set(told) <= set(kept)
    assert len(kept) <= len(told) + 1
    assert all(history.load(made) == RUN for made in kept)
