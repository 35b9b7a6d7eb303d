from __future__ import annotations

from pathlib import Path

from judgekit.cassettes.store import CassetteStore
from judgekit.judges.replay import ReplayJudge
from judgekit.judges.survey import SurveyJudge
from tests.judges.making import PASS, make_request
from tests.judges.test_replay import record


def test_every_request_is_found_with_its_state(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    record(store, make_request("recorded", case="hit"), PASS)
    record(store, make_request("old", case="stale"), PASS)
    damaged = make_request("damaged", case="corrupt")
    path = record(store, damaged, PASS)
    path.write_bytes(path.read_bytes()[:50])
    survey = SurveyJudge(ReplayJudge(store))
    survey.evaluate(make_request("recorded", case="hit"))
    survey.evaluate(make_request("new", case="stale"))
    survey.evaluate(make_request("never", case="miss"))
    survey.evaluate(damaged)
    assert {s.request.origin.case: s.state for s in survey.found} == {
        "hit": "hit",
        "stale": "stale",
        "miss": "miss",
        "corrupt": "corrupt",
    }


def test_a_stand_in_lets_the_grader_go_on(tmp_path: Path) -> None:
    survey = SurveyJudge(ReplayJudge(CassetteStore(tmp_path)))
    assert survey.evaluate(make_request()).outcome == "pass"
