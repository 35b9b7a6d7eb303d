"""What changed in meaning between two versions of a rubric."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from judgekit.judges.rubric import Example, Kind, Rubric, Scale


@dataclass(frozen=True, slots=True)
class Change:
    """One change of meaning.

    Attributes:
        field: of the front matter, or ``criteria``.
        told: whether the judge is shown it; if not, recorded verdicts stay right.
        lines: the old with ``-`` before each, the new with ``+``.
    """

    field: str
    told: bool
    lines: tuple[str, ...]


def changes(old: Rubric, new: Rubric) -> tuple[Change, ...]:
    """Return what changed in meaning, in the order of a rubric file; white space does not count."""
    return tuple(_changes(old, new))


def _changes(old: Rubric, new: Rubric) -> Iterator[Change]:
    if old.kind is not new.kind:
        yield _replaced("kind", old.kind.value, new.kind.value)
    yield from _scale(old, new)
    if old.kind is new.kind is Kind.SCORE and old.min_score != new.min_score:
        stricter = "stricter" if new.min_score > old.min_score else "easier"
        after = f"{new.min_score:g} ({stricter})"
        yield _replaced("min_score", f"{old.min_score:g}", after, told=False)
    yield from _listed("categories", old.categories, new.categories)
    yield from _listed(
        "passing_categories", old.passing_categories, new.passing_categories, told=False
    )
    yield from _listed(
        "examples", [_example(e) for e in old.examples], [_example(e) for e in new.examples]
    )
    yield from _criteria(old.criteria, new.criteria)


def _replaced(field: str, old: str, new: str, *, told: bool = True) -> Change:
    return Change(field, told, (f"- {old}", f"+ {new}"))


def _scale(old: Rubric, new: Rubric) -> Iterator[Change]:
    before, after = _scale_of(old), _scale_of(new)
    if before is None or after is None:
        return
    if (span := _span(before)) != _span(after):
        yield _replaced("scale", span, _span(after))
    yield from _listed(
        "scale.anchors",
        [f"{a.score:g}: {_spaced(a.meaning)}" for a in before.anchors],
        [f"{a.score:g}: {_spaced(a.meaning)}" for a in after.anchors],
    )


def _scale_of(rubric: Rubric) -> Scale | None:
    return rubric.scale or Scale() if rubric.kind is Kind.SCORE else None


def _span(scale: Scale) -> str:
    return f"{scale.minimum:g} to {scale.maximum:g}{', whole numbers' if scale.whole else ''}"


def _listed(
    field: str, old: Sequence[str], new: Sequence[str], *, told: bool = True
) -> Iterator[Change]:
    if (lines := _line_diff(old, new)) and list(old) != list(new):
        yield Change(field, told, lines)


def _criteria(old: str, new: str) -> Iterator[Change]:
    if _spaced(old) != _spaced(new):
        before, after = ([_spaced(line) for line in t.split("\n")] for t in (old, new))
        lines = _line_diff(list(filter(None, before)), list(filter(None, after)))
        yield Change("criteria", True, lines)


def _line_diff(old: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            for before, after in zip_longest(old[i:j], new[k:m]):
                found += [f"- {before}"] if before is not None else []
                found += [f"+ {after}"] if after is not None else []
    return tuple(found)


def _example(example: Example) -> str:
    verdict = example.verdict if isinstance(example.verdict, str) else f"{example.verdict:g}"
    given = "" if example.input is None else f"{_spaced(example.input)} -> "
    why = f" ({_spaced(example.why)})" if example.why else ""
    return f"{verdict}: {given}{_spaced(example.output)}{why}"


def _spaced(text: str) -> str:
    return " ".join(text.split())
