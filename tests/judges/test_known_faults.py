"""What a real local judge (llama.cpp with Gemma 3 270M) got wrong, replayed from its own words."""

from __future__ import annotations

import pytest

from judgekit.cassettes.store import CassetteStore
from judgekit.errors import MalformedVerdict, TruncatedReply
from judgekit.judges.replay import ReplayJudge
from tests.judges.known_faults import FOLDER, MODEL, REQUESTS


def judge() -> ReplayJudge:
    return ReplayJudge(CassetteStore(FOLDER), re_asks=0)


def test_a_score_beyond_its_schema_is_malformed_and_never_clamped() -> None:
    with pytest.raises(MalformedVerdict, match="the score 1000000000000000 is outside 0 to 1"):
        judge().evaluate(REQUESTS["impossible-score"])


def test_a_reply_cut_by_max_tokens_is_truncated() -> None:
    with pytest.raises(TruncatedReply, match="token limit"):
        judge().evaluate(REQUESTS["cut-reply"])


def test_the_path_of_the_model_file_is_kept_as_its_name() -> None:
    recorded = [interaction for _, interaction in CassetteStore(FOLDER).all()]
    assert len(recorded) == len(REQUESTS)
    assert {each.recorded.model_answered for each in recorded} == {MODEL}
    assert {each.response.body["model"] for each in recorded} == {MODEL}
