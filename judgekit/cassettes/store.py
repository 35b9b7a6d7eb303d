"""The cassette store: finds a recorded interaction by its key, in O(1), and writes new ones.

A folder ``<root>/<eval>/<scorer>/`` holds one file an interaction; beside it a packed set
``<root>/<eval>/<scorer>.jsonl`` may hold many, one a line. The names are the index, so that a run
reads only what it needs. Safe under threads, and under several processes that write.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

from judgekit.cassettes.file_form import parse, to_file
from judgekit.cassettes.index import Index, Place, check_folder, scan, shown
from judgekit.cassettes.interaction import Call, Interaction
from judgekit.cassettes.naming import KEY_DIGITS, PACKED_SUFFIX, relative_path, slug
from judgekit.documents.document import one_line
from judgekit.documents.writing import create_atomically, write_atomically
from judgekit.errors import CassetteCorrupt


class CassetteStore:
    """The recorded interactions below one folder.

    Args:
        root: the folder; it need not exist.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._indexes: dict[tuple[str, str], Index] = {}
        self._served: set[str] = set()
        self._lock = threading.Lock()

    def look_up(self, eval_name: str, scorer: str, call: Call) -> Interaction | None:
        """Return the interaction recorded for exactly this call, or None; it counts as used.

        Raises:
            CassetteCorrupt: its file is damaged, or two recordings of the call differ.
        """
        found = self._find(eval_name, scorer, call.key, call)
        if found is not None:
            self._served.add(call.key[:KEY_DIGITS])
        return found

    def unused(self, eval_name: str, scorer: str) -> list[Place]:
        """Return where the interactions of one scorer stand that no `look_up` has served."""
        places = self._index(eval_name, scorer).places()
        return [place for place in places if place.digits not in self._served]

    def find(self, eval_name: str, scorer: str, key: str) -> Interaction | None:
        """Return the interaction recorded under `key`, or None.

        Raises:
            CassetteCorrupt: its file is damaged, or two recordings of the key differ.
        """
        return self._find(eval_name, scorer, key, None)

    def _find(
        self, eval_name: str, scorer: str, key: str, asked: Call | None
    ) -> Interaction | None:
        found: Interaction | None = None
        found_at: Place | None = None
        for place in self._index(eval_name, scorer).of_key(key):
            try:
                candidate = parse(place.read(), place, asked)
            except FileNotFoundError:  # another process accepted or rejected it meanwhile
                continue
            if candidate.key[:KEY_DIGITS] != key[:KEY_DIGITS]:
                raise CassetteCorrupt(
                    f"{place}: its name says another key than its request "
                    f"({candidate.key[:KEY_DIGITS]}); restore its name"
                )
            if candidate.key != key:
                continue
            check_case(candidate, place)
            if found is not None and candidate.response != found.response:
                raise CassetteCorrupt(
                    f"{place}: records another answer to the request of {found_at}; keep one"
                )
            found, found_at = candidate, place
        return found

    def recorded_for(self, eval_name: str, scorer: str, case: str) -> Iterator[Interaction]:
        """Yield every readable interaction of one case; damaged files are passed over."""
        for place in self._index(eval_name, scorer).of_case(slug(case)):
            try:
                interaction = parse(place.read(), place)
            except CassetteCorrupt:
                continue
            if interaction.recorded.case == case:
                yield interaction

    def places(self, eval_name: str, scorer: str) -> list[Place]:
        """Return where every interaction of one scorer is stored, in a stable order."""
        return self._index(eval_name, scorer).places()

    def scorers(self) -> list[tuple[str, str]]:
        """Return the (eval, scorer) folders and packed sets that exist, as slugs, sorted."""
        found = set()
        for folder in _subfolders(self.root):
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir() and not entry.name.startswith("."):
                        found.add((folder.name, entry.name))
                    elif entry.name.endswith(PACKED_SUFFIX):
                        found.add((folder.name, entry.name.removesuffix(PACKED_SUFFIX)))
        return sorted(found)

    def all(self) -> Iterator[tuple[Place, Interaction]]:
        """Yield everything in the store, in a stable order.

        Raises:
            CassetteCorrupt: at the first damaged file.
        """
        for eval_name, scorer in self.scorers():
            yield from self.read_all(eval_name, scorer)

    def read_all(self, eval_name: str, scorer: str) -> Iterator[tuple[Place, Interaction]]:
        """Yield everything recorded for one scorer, in a stable order.

        Raises:
            CassetteCorrupt: at the first damaged file.
        """
        for place in self.places(eval_name, scorer):
            yield place, parse(place.read(), place)

    def add(self, interaction: Interaction) -> Path:
        """Write a new interaction; the first writer of a key wins.

        Returns:
            The file. Where it exists already with the same answer, nothing is written.

        Raises:
            CassetteCorrupt: it exists already, with another answer; nothing is written.
        """
        path = self.path_of(interaction)
        if not create_atomically(path, to_file(interaction)):
            standing = parse(path.read_bytes(), shown(str(path)))
            if standing.key != interaction.key or standing.response != interaction.response:
                raise CassetteCorrupt(
                    f"{shown(str(path))}: another recorder wrote another answer first; it was kept"
                )
        self._remember(interaction, path)
        return path

    def replace(self, interaction: Interaction) -> Path:
        """Write an interaction in the place of any that stands under its name."""
        path = self.path_of(interaction)
        write_atomically(path, to_file(interaction))
        self._remember(interaction, path)
        return path

    def remove(self, interaction: Interaction) -> None:
        """Take an interaction out of the store: its own file, and its line of a packed set."""
        recorded = interaction.recorded
        index = self._index(recorded.eval, recorded.scorer)
        for place in index.of_key(interaction.key):
            found = parse(place.read(), place)
            if found.key != interaction.key or found.recorded.case != recorded.case:
                continue
            if place.offset is None:
                Path(place.path).unlink(missing_ok=True)
                with self._lock:
                    index.discard(place)
            else:
                packed = Path(place.path)
                lines = packed.read_bytes().splitlines(keepends=True)
                write_atomically(packed, b"".join(lines[: place.line - 1] + lines[place.line :]))
                self.forget()

    def path_of(self, interaction: Interaction) -> Path:
        """Return the file that holds, or would hold, an interaction."""
        return self.root / relative_path(interaction)

    def forget(self) -> None:
        """Drop the index: the next look-up scans the names again."""
        with self._lock:
            self._indexes.clear()

    def _remember(self, interaction: Interaction, path: Path) -> None:
        recorded = interaction.recorded
        index = self._index(recorded.eval, recorded.scorer)
        with self._lock:
            index.add(Place(str(path), slug(recorded.case), interaction.key[:KEY_DIGITS]))

    def _index(self, eval_name: str, scorer: str) -> Index:
        where = (slug(eval_name), slug(scorer))
        index = self._indexes.get(where)
        if index is None:
            with self._lock:
                index = self._indexes.get(where)
                if index is None:
                    index = self._indexes[where] = scan(self.root, *where)
        return index


def check_case(interaction: Interaction, place: Place) -> None:
    """Hold the case that a recording names to the case that its file is named after.

    Raises:
        CassetteCorrupt: they differ: one of them was edited.
    """
    case = interaction.recorded.case
    if slug(case) != place.case:
        raise CassetteCorrupt(
            f"{place}: field recorded.case is {one_line(case)!r}, which is not the case that the "
            "file is named after; restore the file or record it again"
        )


def _subfolders(root: Path) -> list[Path]:
    check_folder(root)
    if not root.exists():
        return []
    return sorted(p for p in root.iterdir() if p.is_dir() and not p.name.startswith("."))
