"""The spend ledger and the budget, from the shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CONFIG, Run
from tests.cli.test_main_job import record
from tests.judges.making import PASS
from tests.judges.model_server import model_server, says

PRICES = "price_usd_per_million_input_tokens = 1.0\nprice_usd_per_million_output_tokens = 10.0\n"


def configure(project: Path, *, prices: str = "", budget: str = "") -> None:
    model = 'model = "test-judge"\n'
    text = CONFIG.replace(model, model + prices)
    table = f"[budget]\n{budget}" if budget else ""
    (project / "judgekit.toml").write_text(text + table)


def total(judgekit: Run, *options: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(judgekit("spend", "--format", "json", *options).stdout)
    return document


def test_a_recording_enters_what_it_took_and_a_kept_run_what_it_saved(
    judgekit: Run, project: Path
) -> None:
    configure(project, prices=PRICES)
    record(judgekit, PASS)
    assert judgekit("run", "--save").returncode == 1
    found = total(judgekit)
    assert [(each["eval"], each["scorer"], each["judge"]) for each in found["lines"]] == [
        ("support", "", ""),
        ("support", "helpful", "local"),
    ]
    saved, asked = found["lines"][0]["replayed"], found["lines"][1]["asked"]
    assert (asked["calls"], saved["calls"]) == (4, 4)
    assert asked["input_tokens"] == saved["input_tokens"] > 0
    expected = (asked["input_tokens"] + 10 * asked["output_tokens"]) / 1e6
    assert asked["cost_usd"] == saved["cost_usd"] == pytest.approx(expected, abs=1e-9)
    assert found["total"] == {"asked": asked, "replayed": saved}


def test_the_table_says_what_has_no_price(judgekit: Run) -> None:
    record(judgekit, PASS)
    lines = judgekit("spend").stdout.splitlines()
    assert lines[0].split()[:4] == ["eval", "scorer", "judge", "asked"]
    assert lines[1].startswith("support  helpful  local")
    assert "no price" in lines[1]
    assert lines[-1].startswith("total")


def test_sums_are_by_what_is_asked_for(judgekit: Run) -> None:
    record(judgekit, PASS)
    assert [list(each)[:1] for each in total(judgekit, "--by", "judge")["lines"]] == [["judge"]]
    assert total(judgekit, "--since", "2999-01-01")["lines"] == []
    assert total(judgekit)["lines"] != []
    assert judgekit("spend", "other").stdout.startswith("the ledger holds nothing of that")


def test_an_empty_ledger_says_what_fills_it(judgekit: Run, project: Path) -> None:
    assert "fill it" in judgekit("spend").stdout
    assert total(judgekit)["total"]["asked"]["calls"] == 0
    assert not (project / ".judgekit").exists()


def test_a_ledger_that_cannot_be_written_never_breaks_a_recording(
    judgekit: Run, project: Path
) -> None:
    ledger = project / ".judgekit" / "spend.sqlite"
    ledger.parent.mkdir()
    ledger.write_text("my notes\n" * 50)
    with model_server(says(PASS)) as server:
        done = judgekit("record", "--judge-url", server.url)
    assert done.returncode == 0, done.stderr
    assert "recorded 4 of 4 due" in done.stdout
    assert "note     4 judge calls are not in the spend ledger: " in done.stderr
    assert ledger.read_text() == "my notes\n" * 50


def test_a_budget_stops_a_recording_cleanly_and_the_next_one_goes_on(
    judgekit: Run, project: Path
) -> None:
    configure(project, budget="calls = 3\n")
    with model_server(says(PASS)) as server:
        stopped = judgekit("record", "--judge-url", server.url)
        assert len(server.requests) == 3
        assert stopped.returncode == 2
        assert "recorded 3 of 4 due" in stopped.stdout
        assert stopped.stderr.strip() == (
            "error: budget.calls: 3 of 3 judge calls are made; 1 call was not made; raise the "
            "budget, or record the rest later"
        )
        again = judgekit("record", "--judge-url", server.url)
        assert len(server.requests) == 4
    assert again.returncode == 0, again.stderr
    assert "recorded 1 of 4 due (3 more staged before)," in again.stdout
    assert "4 wait for review" in again.stdout


def test_a_budget_in_tokens_holds_with_many_calls_at_once(judgekit: Run, project: Path) -> None:
    configure(project, budget="tokens = 4500\n")
    with model_server(says(PASS)) as server:
        stopped = judgekit("record", "--judge-url", server.url, "--concurrency", "4")
    assert stopped.returncode in (0, 2), stopped.stderr
    asked = total(judgekit)["total"]["asked"]
    assert 0 < asked["input_tokens"] + asked["output_tokens"] <= 4500


def test_a_budget_in_money_needs_a_price(judgekit: Run, project: Path) -> None:
    configure(project, budget="usd = 1.0\n")
    with model_server(says(PASS)) as server:
        refused = judgekit("record", "--judge-url", server.url)
        assert server.requests == []
    assert refused.returncode == 2
    assert "budget.usd: the tokens of judge model test-judge have no price" in refused.stderr
    configure(project, prices=PRICES, budget="usd = 1.0\n")
    record(judgekit, PASS)
    assert total(judgekit)["total"]["asked"]["calls"] == 4
