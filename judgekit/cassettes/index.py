"""The index of a scorer's recordings: where each stands, by key and by case.

It is made of names alone: of files, or of the beginning of each line of a packed set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from judgekit.cassettes.file_form import PACKED_KEY_PREFIX, parse
from judgekit.cassettes.naming import KEY_DIGITS, PACKED_SUFFIX, SUFFIX, slug
from judgekit.errors import CassetteCorrupt

_READ_BYTES = 65_536
_CASE = re.compile(rb'"case":("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True)
class Place:
    """Where an interaction is stored: a file, or some bytes of a packed set.

    Attributes:
        case: the slug of the case that it was recorded for.
        digits: the first digits of its key.
        offset: first byte in a packed set; None for a file of its own.
        length: bytes of the line, without its newline.
        line: line number in a packed set, from 1.
    """

    path: str
    case: str
    digits: str
    offset: int | None = None
    length: int = 0
    line: int = 0

    def __str__(self) -> str:
        """Name it from the cassette folder on: the same on every machine."""
        return shown(self.path) if self.offset is None else f"{shown(self.path)}:{self.line}"

    def read(self) -> bytes:
        """Return the stored bytes."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            if self.offset is not None:
                return os.pread(descriptor, self.length, self.offset)
            data = os.read(descriptor, _READ_BYTES)
            while len(data) % _READ_BYTES == 0 and (more := os.read(descriptor, _READ_BYTES)):
                data += more
            return data
        finally:
            os.close(descriptor)


def shown(path: str) -> str:
    """Return the path of a recording or a packed set from its cassette folder on."""
    parts = path.replace(os.sep, "/").split("/")
    return "/".join(parts[-3 if path.endswith(PACKED_SUFFIX) else -4 :])


class Index:
    """Places by key and by case."""

    def __init__(self, places: Iterable[Place] = ()) -> None:
        self._by_digits: dict[str, list[Place]] = {}
        self._by_case: dict[str, list[Place]] = {}
        for place in places:
            self.add(place)

    def add(self, place: Place) -> None:
        """Add a place, unless it is known."""
        known = self._by_digits.setdefault(place.digits, [])
        if place not in known:
            known.append(place)
            self._by_case.setdefault(place.case, []).append(place)

    def discard(self, place: Place) -> None:
        """Take a place out."""
        self._by_digits.get(place.digits, []).remove(place)
        self._by_case.get(place.case, []).remove(place)

    def of_key(self, key: str) -> Sequence[Place]:
        """Return the places whose keys begin like `key`."""
        return tuple(self._by_digits.get(key[:KEY_DIGITS], ()))

    def of_case(self, case: str) -> Sequence[Place]:
        """Return the places of one case, by its slug, in a stable order."""
        return sorted(self._by_case.get(case, ()), key=_order)

    def places(self) -> list[Place]:
        """Return every place, in a stable order."""
        return sorted((p for places in self._by_digits.values() for p in places), key=_order)


def _order(place: Place) -> tuple[str, int]:
    return place.path, place.line


def check_folder(root: Path) -> None:
    """Refuse a cassette folder that is none.

    Raises:
        CassetteCorrupt: it is a file.
    """
    if root.exists() and not root.is_dir():
        raise CassetteCorrupt(
            f"{root.name}: is a file; cassettes are kept in a folder; move it away"
        )


def scan(root: Path, eval_slug: str, scorer_slug: str) -> Index:
    """Return the index of a scorer's folder and packed set.

    Raises:
        CassetteCorrupt: something in the folder is not named as a recording, or a line of the set
            is not in packed form.
    """
    check_folder(root)
    folder = root / eval_slug / scorer_slug
    packed = folder.with_name(scorer_slug + PACKED_SUFFIX)
    return Index([*_in_folder(folder), *_in_packed_set(packed)])


def _in_folder(folder: Path) -> list[Place]:
    try:
        entries = os.scandir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    with entries:
        return [_place_of(entry) for entry in entries if not entry.name.startswith(".")]


def _place_of(entry: os.DirEntry[str]) -> Place:
    stem, dot, suffix = entry.name.rpartition(".")
    case, _, digits = stem.rpartition(".")
    if dot + suffix != SUFFIX or not case or len(digits) != KEY_DIGITS:
        raise CassetteCorrupt(
            f"{shown(entry.path)}: not named as a recording (<case>.<{KEY_DIGITS} hex>.json); "
            "move it out of the cassette folder, or restore its name"
        )
    return Place(entry.path, case, digits)


def _in_packed_set(path: Path) -> list[Place]:
    try:
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        return []
    places, offset = [], 0
    with file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                places.append(_place_on(line, str(path), number, offset))
            offset += len(line)
    return places


def _place_on(line: bytes, path: str, number: int, offset: int) -> Place:
    case = _CASE.search(line) if line.startswith(PACKED_KEY_PREFIX) else None
    if case is None:
        where = f"{shown(path)}:{number}"
        parse(line, where)
        raise CassetteCorrupt(f"{where}: is not in packed form; pack it again")
    start = len(PACKED_KEY_PREFIX)
    digits = line[start : start + KEY_DIGITS].decode("ascii", "replace")
    name = slug(orjson.loads(case[1]))
    return Place(path, name, digits, offset, len(line.rstrip(b"\n")), number)
