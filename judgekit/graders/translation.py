"""BLEU and chrF, the metrics of machine translation, through sacrebleu (imported when used)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from judgekit.errors import Cause
from judgekit.graders.candidate import as_text
from judgekit.graders.grade import Grade, Json
from judgekit.graders.option_types import NonBlankText, Share, Terms
from judgekit.graders.registry import GraderConfig, deterministic

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Score

MAX_TEXT = 65_536
"""Most characters of one text."""

MAX_TOKENS = 4_096
"""Most tokens of one text, as BLEU's tokenizer counts them."""

MAX_SENTENCES = 1_000
"""Most sentences of a corpus."""


class TranslationConfig(GraderConfig):
    """What both metrics take."""

    reference: NonBlankText | Terms = Field(
        description="A right text, or several; at corpus level one for each sentence."
    )
    level: Literal["sentence", "corpus"] = Field(
        "sentence",
        description="One text against every reference, or a list of texts, each against its own.",
    )
    threshold: Share = Field(0.5, description="Least score that passes, in (0, 1].")
    case_sensitive: bool = Field(False, description="Whether case counts.")

    @model_validator(mode="after")
    def _check_sizes(self) -> TranslationConfig:
        if self.level == "corpus" and isinstance(self.reference, str):
            raise ValueError("reference: at corpus level, a list with one text for each sentence")
        if len(self.references) > MAX_SENTENCES:
            raise ValueError(f"reference: at most {MAX_SENTENCES:,} texts")
        if any(len(text) > MAX_TEXT for text in self.references):
            raise ValueError(f"reference: at most {MAX_TEXT:,} characters each")
        return self

    @property
    def references(self) -> tuple[str, ...]:
        """The references as a list, in order."""
        return (self.reference,) if isinstance(self.reference, str) else self.reference


class BleuConfig(TranslationConfig):
    """Options of `bleu_score`."""

    tokenizer: Literal["13a", "intl", "zh", "char", "none"] = Field(
        "13a", description="sacrebleu's tokenizer; zh for Chinese, char for any script."
    )
    max_order: int = Field(4, ge=1, le=4, description="Longest n-gram.")


class ChrfConfig(TranslationConfig):
    """Options of `chrf_score`."""

    char_order: int = Field(6, ge=1, le=10, description="Longest character n-gram.")
    word_order: int = Field(0, ge=0, le=2, description="Longest word n-gram; 2 is chrF++.")
    beta: int = Field(2, ge=1, le=10, description="How much more recall counts than precision.")


@deterministic(
    "bleu_score",
    example={
        "config": {"reference": "Refunds take five working days."},
        "candidate": "Refunds take five working days!",
    },
)
def bleu_score(config: BleuConfig, candidate: Json) -> Grade:
    """The candidate overlaps with `reference` by BLEU (Papineni et al., 2002; Post, 2018)."""
    texts = _texts(config, candidate)
    if isinstance(texts, Grade):
        return texts
    metric = _bleu(config.tokenizer, config.max_order, config.level == "sentence")
    references = _cased(config, config.references)
    for name, checked in (("the candidate", texts), ("reference", references)):
        # The tokenizer keeps what it returned, so that scoring does not tokenize anew.
        if any(len(metric.tokenizer(text.rstrip()).split()) > MAX_TOKENS for text in checked):
            return _too_long(name, f"{MAX_TOKENS:,} tokens")
    return _grade("BLEU", config, metric, texts, references)


@cache
def _bleu(tokenizer: str, max_order: int, effective_order: bool) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(
        tokenize=tokenizer,
        max_ngram_order=max_order,
        effective_order=effective_order,
        force=True,
    )


@deterministic(
    "chrf_score",
    example={
        "config": {"reference": "Refunds take five working days."},
        "candidate": "A refund takes five working days.",
    },
)
def chrf_score(config: ChrfConfig, candidate: Json) -> Grade:
    """The candidate overlaps with `reference` by chrF, character n-grams (Popović, 2015)."""
    texts = _texts(config, candidate)
    if isinstance(texts, Grade):
        return texts
    metric = _chrf(config.char_order, config.word_order, config.beta)
    return _grade("chrF", config, metric, texts, _cased(config, config.references))


@cache
def _chrf(char_order: int, word_order: int, beta: int) -> Any:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(char_order=char_order, word_order=word_order, beta=beta)


def _cased(config: TranslationConfig, texts: tuple[str, ...]) -> tuple[str, ...]:
    return texts if config.case_sensitive else tuple(text.lower() for text in texts)


def _texts(config: TranslationConfig, candidate: Json) -> tuple[str, ...] | Grade:
    """Return the candidate's sentences, or the grade that says why there are none to compare."""
    if config.level == "sentence":
        texts: tuple[Any, ...] = (as_text(candidate),)
    elif isinstance(candidate, list) and all(isinstance(text, str) for text in candidate):
        texts = tuple(candidate)
    else:
        return Grade.of(False, "at corpus level the candidate must be a list of texts")
    if config.level == "corpus" and len(texts) != len(config.references):
        return Grade.of(
            False, f"the candidate has {len(texts)} texts, for {len(config.references)} references"
        )
    if any(len(text) > MAX_TEXT for text in texts):
        return _too_long("the candidate", f"{MAX_TEXT:,} characters")
    if not any(text.strip() for text in texts):
        return Grade.of(False, "the candidate is empty")
    return _cased(config, texts)


def _too_long(name: str, limit: str) -> Grade:
    reason = f"{name} has over {limit}"
    if name == "reference":
        return Grade.error(Cause.INVALID_CONFIG, reason)
    return Grade.of(False, reason)


def _grade(
    name: str,
    config: TranslationConfig,
    metric: Any,
    texts: tuple[str, ...],
    references: tuple[str, ...],
) -> Grade:
    found: Score
    if config.level == "sentence":
        found = metric.sentence_score(texts[0], list(references))
    else:
        found = metric.corpus_score(list(texts), [list(references)])
    score = min(max(round(found.score / 100, 12), 0.0), 1.0)
    return Grade.of(
        score >= config.threshold,
        f"{name} {score:.4f}, threshold {config.threshold:g}",
        score=score,
    )
