"""Which families a model belongs to, read from its id: its maker, its base and its teacher.

A judge favours its own kind, so a judge and a subject model of one family give no independent
evidence (Panickssery et al. 2024, "LLM Evaluators Recognize and Favor Their Own Generations"). Ids
come from many hands: gateways, clouds, file names, fine-tunes. Each part of an id is cut into
words, and the words are read by the table in ``families.toml``; everything that is found counts,
since a family too many is refused and can be waived, and one too few passes in silence.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias

from judgekit.errors import ConfigError

FamilyTable: TypeAlias = Mapping[str, str | Sequence[str]]
"""A project's own entries: model name to its family or families."""

_NOT_WORD: Final = re.compile(r"[\W_]+")
_TAIL: Final = re.compile(r"v?\d\w*")
_FILE: Final = re.compile(r"\.(?:gguf|ggml|safetensors|bin|pth?|onnx|mlpackage|llamafile)$")
_PATH: Final = re.compile(r"^(?:[/~.]|[a-z]:[\\/]|file:|\\)")
_CLOUD_NAMES: Final = re.compile(
    r"(?:^|(?<=/))(?:arn:[^/]*/|accounts/[^/]+/(?=models/)|projects/[^/]+/|locations/[^/]+/)"
)
_FINE_TUNE: Final = re.compile(r"(?:^|(?<=/))ft:([^:/]+)(?::.*)?$")
_PACKING: Final = re.compile(
    r"[-_.](?:i?q\d\w*|[bf]?f?p?(?:16|32|8)|gguf|ggml|awq|gptq|exl2|mlx|int[48]|[48]bit|latest)$"
)

_Kind: TypeAlias = Literal["host", "owner", "model", "derived"]


@dataclass(frozen=True, slots=True)
class ModelFamilies:
    """What is known of a model's families.

    Attributes:
        model: the id as it was given.
        families: names of makers, such as ``openai``; an unknown model's own name; empty for a
            blank id.
        known: whether the table knows the model; reports say where it does not.
        evidence: the names in the id by which it was read.
    """

    model: str
    families: frozenset[str]
    known: bool
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rule:
    """One name and what it tells; see the head of ``families.toml``."""

    words: tuple[str, ...]
    kind: _Kind
    makers: frozenset[str] = frozenset()
    bases: frozenset[str] = frozenset()
    is_base: bool = False
    at_start: bool = False
    rank: int = 0

    def fits(self, words: Sequence[str]) -> bool:
        """Whether `words` begin with this name; its last word may go on with a version number."""
        if len(words) < len(self.words) or tuple(words[: len(self.words) - 1]) != self.words[:-1]:
            return False
        last, name = words[len(self.words) - 1], self.words[-1]
        if last == name:
            return True
        goes_on = last.startswith(name) and name[-1].isalpha()
        return goes_on and _TAIL.fullmatch(last, len(name)) is not None

    @property
    def weight(self) -> tuple[int, int, int]:
        """The longest name counts; among equals a project's own, then the one that says more."""
        return (len(self.words), sum(map(len, self.words)), self.rank)


_Rules: TypeAlias = Mapping[str, Sequence[_Rule]]
"""Rules by the first letter of their first word, the weightiest first."""


@dataclass(slots=True)
class _Reading:
    """What the words of an id told so far."""

    makers: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)
    has_base: bool = False
    evidence: list[str] = field(default_factory=list)

    def add(self, rule: _Rule) -> None:
        if rule.kind == "host":
            return
        self.makers |= rule.makers
        self.bases |= rule.bases
        self.has_base = self.has_base or rule.is_base
        self.evidence.append("-".join(rule.words))

    @property
    def families(self) -> frozenset[str]:
        return frozenset(self.makers if self.has_base else self.makers | self.bases)


def resolve_families(model_id: str, extra: FamilyTable | None = None) -> ModelFamilies:
    """Return the families of `model_id`, and whether the table knows it.

    Args:
        model_id: as a provider, server, file or registry names the model.
        extra: the project's own entries (``[tool.judgekit.families]``): a name, which is read like
            the built-in ones and wins over them, and the family or families that it stands for.

    Raises:
        ConfigError: an entry of `extra` has no name or no family.
    """
    text = _plain(model_id).strip().lower()
    if not text:
        return ModelFamilies(model_id, frozenset(), known=False)
    reading = _read(text, _with_extra(extra))
    if reading.families:
        evidence = tuple(dict.fromkeys(reading.evidence))
        return ModelFamilies(model_id, reading.families, known=True, evidence=evidence)
    return ModelFamilies(model_id, frozenset({_own_name(text)}), known=False)


def model_families(model_id: str, extra: FamilyTable | None = None) -> frozenset[str]:
    """Return the families of `model_id`; see `resolve_families`.

    >>> sorted(model_families("deepseek-r1-distill-qwen-7b"))
    ['deepseek', 'qwen']
    """
    return resolve_families(model_id, extra).families


def _read(text: str, rules: _Rules) -> _Reading:
    """Read all parts of an id together; those of a file path from the file upwards, until known."""
    is_path = bool(_PATH.search(text) or _FILE.search(text))
    parts = [
        part for part in re.split(r"[/\\]", _FINE_TUNE.sub(r"\1", _without_cloud(text))) if part
    ]
    whole = _Reading()
    for part in reversed(parts):
        _read_part([word for word in _NOT_WORD.split(part) if word], rules, whole)
        if is_path and whole.families:
            break
    return whole


def _without_cloud(text: str) -> str:
    """Take out account, project and region names: they are the customer's, not the maker's."""
    return _CLOUD_NAMES.sub("", text)


def _read_part(words: Sequence[str], rules: _Rules, reading: _Reading) -> None:
    place, is_leading = 0, True
    while place < len(words):
        rule = _rule_at(words[place:], rules, is_leading)
        if rule is not None:
            reading.add(rule)
        is_leading = is_leading and rule is not None and rule.kind in ("host", "owner")
        place += len(rule.words) if rule else 1


def _rule_at(words: Sequence[str], rules: _Rules, is_leading: bool) -> _Rule | None:
    candidates = rules.get(words[0][0], ())
    return next((r for r in candidates if (is_leading or not r.at_start) and r.fits(words)), None)


def _own_name(text: str) -> str:
    """Return the name that an unknown model is its own family by: without path, tag and packing."""
    name = _FINE_TUNE.sub(r"\1", _without_cloud(text))
    parts = [part for part in re.split(r"[/\\]", name) if part]
    plain = _FILE.sub("", parts[-1] if parts else text)
    plain = plain.partition(":")[0] or plain
    while (shorter := _PACKING.sub("", plain)) != plain:
        plain = shorter
    return plain or text


@cache
def _built_in() -> tuple[_Rule, ...]:
    table = tomllib.loads(files("judgekit.bias").joinpath("families.toml").read_text("utf-8"))
    return (
        *(_Rule(_words(name), "host") for name in table["hosts"]["names"]),
        *(rule for maker in table["maker"] for rule in _maker_rules(maker)),
        *(rule for derived in table["derived"] for rule in _derived_rules(derived)),
    )


@cache
def _built_in_rules() -> _Rules:
    return _by_letter(_built_in())


def _maker_rules(maker: Mapping[str, Any]) -> Iterator[_Rule]:
    makers = frozenset({maker["name"]})
    is_base = maker.get("weights") == "open"
    for name in maker["owners"]:
        yield _Rule(_words(name), "owner", makers, at_start=True, rank=1)
    for name in maker["models"]:
        yield _Rule(_words(name), "model", makers, is_base=is_base, rank=2 + is_base)
    for name in maker.get("words", ()):
        yield _Rule(_words(name), "model", makers, is_base=is_base, at_start=True, rank=2)


def _derived_rules(derived: Mapping[str, Any]) -> Iterator[_Rule]:
    makers, bases = frozenset(derived["makers"]), frozenset(derived.get("bases", ()))
    for name in derived["names"]:
        at_start = derived.get("start", False)
        yield _Rule(_words(name), "derived", makers, bases, at_start=at_start, rank=4)


def _with_extra(extra: FamilyTable | None) -> _Rules:
    if not extra:
        return _built_in_rules()
    return _by_letter([*_built_in(), *(_extra_rule(name, value) for name, value in extra.items())])


def _extra_rule(name: str, value: str | Sequence[str]) -> _Rule:
    families = [value] if isinstance(value, str) else list(value)
    words = _words(_plain(name))
    if not words or not families or not all(isinstance(f, str) and f.strip() for f in families):
        raise ConfigError(
            f"families: {name!r} = {value!r}: give a model name and at least one family"
        )
    return _Rule(words, "derived", frozenset().union(*map(_as_makers, families)), rank=9)


def _as_makers(family: str) -> frozenset[str]:
    """Read a family that a project names: a maker, or one of its models (``llama`` is meta's)."""
    name = family.strip().lower()
    makers = frozenset().union(*(rule.makers for rule in _built_in()))
    if name in makers:
        return frozenset({name})
    return _read(name, _built_in_rules()).families or frozenset({name})


def _by_letter(rules: Iterable[_Rule]) -> _Rules:
    table: dict[str, list[_Rule]] = {}
    for rule in rules:
        table.setdefault(rule.words[0][0], []).append(rule)
    for of_letter in table.values():
        of_letter.sort(key=lambda rule: rule.weight, reverse=True)
    return table


def _plain(text: str) -> str:
    """Fold full-width and other look-alike forms, and take out characters that show nothing."""
    folded = unicodedata.normalize("NFKC", text)
    return "".join(char for char in folded if unicodedata.category(char) != "Cf")


def _words(name: str) -> tuple[str, ...]:
    return tuple(word for word in _NOT_WORD.split(name.strip().lower()) if word)
