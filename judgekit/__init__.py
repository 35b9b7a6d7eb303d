"""Judge the output of language models in CI, offline, from recorded verdicts.

The public API, loaded when it is first used:

>>> from judgekit import define_eval, grade, run_eval
>>> from judgekit.gate import gate
>>> grade("contains", {"fragments": ["refund"]}, "We refund you today.").passed
True
>>> greetings = define_eval(
...     "greetings",
...     prompt_version="greetings/1",
...     threshold=0.5,
...     cases=[{"id": "a", "output": "Hello!"}, {"id": "b", "output": "Go away."}],
...     scorers={"polite": {"grader": "contains", "config": {"fragments": ["Hello"]}}},
... )
>>> run = run_eval(greetings, judges={})
>>> run.score
0.5
>>> [finding.kind.value for finding in gate([run], baseline=None).blocking]
['missing-baseline']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgekit.cassettes.store import CassetteStore as CassetteStore
    from judgekit.errors import CassetteMiss as CassetteMiss
    from judgekit.errors import JudgekitError as JudgekitError
    from judgekit.evals.define import define_eval as define_eval
    from judgekit.evals.files import load_eval as load_eval
    from judgekit.evals.runner import run_eval as run_eval
    from judgekit.gate.decision import Decision as Decision
    from judgekit.gate.run import EvalRun as EvalRun
    from judgekit.graders.grade import Grade as Grade
    from judgekit.graders.judging import ConfiguredJudge as ConfiguredJudge
    from judgekit.graders.judging import Judging as Judging
    from judgekit.graders.registry import grade as grade
    from judgekit.judges.live import LiveJudge as LiveJudge
    from judgekit.judges.port import Judge as Judge
    from judgekit.judges.port import JudgeRequest as JudgeRequest
    from judgekit.judges.port import Verdict as Verdict
    from judgekit.judges.replay import ReplayJudge as ReplayJudge
    from judgekit.judges.rubric import Rubric as Rubric

__version__ = "0.1.0"

DISTRIBUTION = "judgekit-replay"
"""The name that this package is installed under; others on the index install as judgekit."""

_PUBLIC = {
    "CassetteMiss": "judgekit.errors:CassetteMiss",
    "CassetteStore": "judgekit.cassettes.store:CassetteStore",
    "ConfiguredJudge": "judgekit.graders.judging:ConfiguredJudge",
    "Decision": "judgekit.gate.decision:Decision",
    "EvalRun": "judgekit.gate.run:EvalRun",
    "Grade": "judgekit.graders.grade:Grade",
    "Judge": "judgekit.judges.port:Judge",
    "JudgeRequest": "judgekit.judges.port:JudgeRequest",
    "JudgekitError": "judgekit.errors:JudgekitError",
    "Judging": "judgekit.graders.judging:Judging",
    "LiveJudge": "judgekit.judges.live:LiveJudge",
    "ReplayJudge": "judgekit.judges.replay:ReplayJudge",
    "Rubric": "judgekit.judges.rubric:Rubric",
    "Verdict": "judgekit.judges.port:Verdict",
    "define_eval": "judgekit.evals.define:define_eval",
    "grade": "judgekit.graders.registry:grade",
    "load_eval": "judgekit.evals.files:load_eval",
    "run_eval": "judgekit.evals.runner:run_eval",
}

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> Any:
    """Load a public name on its first use, so that importing judgekit costs next to nothing."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'judgekit' has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = _PUBLIC[name].partition(":")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
