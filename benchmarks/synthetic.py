"""A synthetic project with any number of recorded judge calls of about 3 KB each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from judgekit.cassettes.file_form import to_file, to_line
from judgekit.cassettes.interaction import Interaction, Response
from judgekit.cassettes.naming import relative_path
from judgekit.graders.judging import ConfiguredJudge, Judging
from judgekit.graders.registry import grade
from judgekit.judges.asking import call_of, hear
from judgekit.judges.dialects import find_dialect
from judgekit.judges.port import JudgeRequest, Origin, Verdict
from judgekit.judges.replay import recorded_of

EVAL, SCORER, MODEL = "bench", "helpful", "bench-judge"
RUBRIC = "The ANSWER answers the question, and says nothing that the question does not ask for."
DIALECT = find_dialect("openai-chat")

_CONFIG = f"""[judges.local]
url = "http://127.0.0.1:1"
model = "{MODEL}"
"""
_EVAL = f"""name: {EVAL}
prompt_version: bench/1
subject: human
threshold: 0.5
cases: {EVAL}.jsonl
scorers:
  {SCORER}:
    grader: llm_judge
    config: {{rubric: "{RUBRIC}"}}
"""


def case(number: int) -> dict[str, str]:
    """Return a case whose judge call takes about 3 KB in its cassette."""
    line = f"Case {number}: the parcel left on day {number % 28 + 1} and arrives within a week. "
    return {
        "id": f"case-{number:06d}",
        "input": f"Where is my parcel, order {number}?",
        "output": "\n".join(f"{i}. {line * 2}" for i in range(8)),
    }


class _Catching:
    """A judge that keeps the request that it is asked, and passes everything."""

    def __init__(self) -> None:
        self.request: JudgeRequest | None = None

    def evaluate(self, request: JudgeRequest) -> Verdict:
        self.request = request
        return Verdict(outcome="pass", score=1.0)


def requests(count: int) -> Iterator[JudgeRequest]:
    """Yield the judge requests of `count` cases, as `llm_judge` makes them."""
    catching = _Catching()
    judges = {"local": ConfiguredJudge("local", MODEL, catching)}
    for number in range(count):
        made = case(number)
        origin = Origin(eval=EVAL, scorer=SCORER, case=made["id"])
        judging = Judging(judges, origin, made["input"])
        grade("llm_judge", {"rubric": RUBRIC}, made["output"], judging=judging)
        assert catching.request is not None
        yield catching.request


def interaction_of(request: JudgeRequest) -> Interaction:
    """Return a recorded answer to `request`."""
    passed = sum(request.origin.case.encode()) % 10 != 0
    content = json.dumps({"reason": "It names the day and the order.", "passed": passed})
    choice = {"index": 0, "finish_reason": "stop", "message": {"content": content}}
    usage = {"prompt_tokens": 600, "completion_tokens": 20}
    response = Response(200, {"model": MODEL, "choices": [choice], "usage": usage})
    summary = hear(request, DIALECT, response).summary
    return Interaction(
        call_of(request, DIALECT).redacted(), response, recorded_of(request), summary
    )


def make_project(folder: Path, count: int, *, packed: bool = False) -> None:
    """Write a project with `count` cases, all recorded; without fsync, which is not measured."""
    (folder / "evals").mkdir(parents=True)
    (folder / "rubrics").mkdir()
    (folder / "judgekit.toml").write_text(_CONFIG)
    (folder / "evals" / f"{EVAL}.yaml").write_text(_EVAL)
    with (folder / "evals" / f"{EVAL}.jsonl").open("w") as cases:
        cases.writelines(json.dumps(case(number)) + "\n" for number in range(count))
    scorer = folder / "cassettes" / EVAL / SCORER
    scorer.mkdir(parents=True)
    made = (interaction_of(request) for request in requests(count))
    if packed:
        lines = sorted((each.key, to_line(each)) for each in made)
        scorer.with_suffix(".jsonl").write_bytes(b"".join(line for _, line in lines))
        return
    for each in made:
        (folder / "cassettes" / relative_path(each)).write_bytes(to_file(each))
