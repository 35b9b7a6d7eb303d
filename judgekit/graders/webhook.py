"""A grader of one's own behind HTTP: `custom_webhook`."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import AfterValidator, Field

from judgekit.cassettes.secrets import find_secrets, is_secret_parameter
from judgekit.documents.document import one_line
from judgekit.errors import Cause
from judgekit.graders.candidate import has_non_finite, json_text
from judgekit.graders.grade import Grade, Json
from judgekit.graders.judging import Judging
from judgekit.graders.registry import GraderConfig, model_graded
from judgekit.judges.port import JudgeRequest, Message, Sampling
from judgekit.judges.rubric import Kind, Rubric
from judgekit.net.targets import WebAddress

RUBRIC = Rubric(id="custom_webhook", kind=Kind.PASS_FAIL, criteria="What the webhook decides.")
"""Stands for the webhook's own rule, which judgekit does not know."""

_REMEDY = (
    ", and a URL is committed with its eval and recordings; name the variable that holds it in "
    "webhook_keys of the configuration, and take it out of the URL"
)


def _no_secret(url: str) -> str:
    query = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    name = next((name for name, _ in query if is_secret_parameter(name)), None)
    if name is not None:
        raise ValueError(f"its parameter {one_line(name)!r} is a secret{_REMEDY}")
    if find_secrets(unquote(url)):
        raise ValueError(f"it holds a secret{_REMEDY}")
    return url


class WebhookConfig(GraderConfig):
    """Options of `custom_webhook`."""

    url: Annotated[WebAddress, AfterValidator(_no_secret)] = Field(
        description="Where the candidate is posted; http or https, without a user name or a secret."
    )


@model_graded(
    "custom_webhook",
    example={
        "config": {"url": "https://grader.example.com/grade"},
        "candidate": "Refunds take five working days.",
        "replies": ['{"passed": true, "reason": "It names the days."}'],
    },
)
def custom_webhook(config: WebhookConfig, candidate: Json, judging: Judging) -> Grade:
    """A webhook decides: it is sent the candidate and answers `passed`; replayed like a judge."""
    if has_non_finite(candidate):
        return Grade.of(False, "the candidate holds NaN or an infinity, which JSON can't say")
    if judging.webhook is None:
        return Grade.error(Cause.INVALID_CONFIG, "custom_webhook: no webhook can be asked here")
    verdict = judging.webhook.evaluate(
        JudgeRequest(
            model=config.url,
            rubric=RUBRIC,
            messages=(Message(role="user", content=json_text(candidate)),),
            origin=judging.origin,
            sampling=Sampling(temperature=None, seed=None, max_tokens=None),
        )
    )
    passed = verdict.outcome == "pass"
    return Grade.of(passed, verdict.rationale or f"the webhook says {verdict.outcome}")
