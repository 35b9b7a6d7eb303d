from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import ConfigError
from judgekit.judges.dialects import dialects, find_dialect
from judgekit.judges.dialects.openai_chat import OPENAI_CHAT
from judgekit.judges.port import Sampling
from tests.judges.making import make_request

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "usage", "error", "x"]),
            inner,
            max_size=4,
        )
    ),
)


@pytest.mark.parametrize("name", list(dialects()))
@given(body=json_values)
def test_any_body_is_read_without_an_exception(name: str, body: Any) -> None:
    reply = find_dialect(name).decode(make_request(), body)
    assert isinstance(reply.text, str)


def test_content_in_parts_is_put_together() -> None:
    parts = [{"type": "text", "text": "PA"}, {"type": "text", "text": "SS"}, {"type": "image"}]
    body = {"choices": [{"message": {"content": parts}}]}
    assert OPENAI_CHAT.decode(make_request(), body).text == "PASS"


def test_a_refusal_of_the_server_is_what_the_judge_said() -> None:
    body = {"choices": [{"message": {"content": None, "refusal": "I can't help with that."}}]}
    assert OPENAI_CHAT.decode(make_request(), body).text == "I can't help with that."


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        ("/home/a/models/judge-q4.gguf", "judge-q4.gguf"),
        (r"C:\models\judge.gguf", "judge.gguf"),
        ("./judge.gguf", "judge.gguf"),
        ("~/m/judge.gguf", "judge.gguf"),
        ("Qwen/Qwen2-72B", "Qwen/Qwen2-72B"),
        ("llama3.1:8b", "llama3.1:8b"),
    ],
)
def test_a_model_named_by_a_file_keeps_the_files_name(model: str, kept: str) -> None:
    assert OPENAI_CHAT.lasting({"model": model}) == {"model": kept}


def test_samples_and_re_asks_move_the_seed_and_whole_numbers_are_integers() -> None:
    def sampled(index: int, attempt: int, **changes: Any) -> Any:
        request = make_request(sample_index=index, sampling=Sampling(seed=7, **changes))
        body = OPENAI_CHAT.encode(request, attempt)
        return body["seed"], body["temperature"]

    assert sampled(0, 0) == (7, 0)
    assert sampled(0, 1) == (8, 0.7)
    assert sampled(2, 0) == (2007, 0)
    assert sampled(0, 1, temperature=1.0) == (8, 1)
    assert isinstance(sampled(0, 0)[1], int)


def test_none_leaves_a_parameter_to_the_server() -> None:
    sampling = Sampling(temperature=None, seed=None, max_tokens=None)
    body = OPENAI_CHAT.encode(make_request(sampling=sampling), 0)
    assert set(body) == {"model", "messages", "stream"}


def test_an_unknown_dialect_is_told_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="known are ollama-chat, openai-chat, webhook"):
        find_dialect("grpc")
