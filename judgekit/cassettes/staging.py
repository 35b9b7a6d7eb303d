"""What was recorded and waits for review: it becomes the cassette when it is accepted.

The staged interactions lie in a store of their own, outside the cassette folder. A recording that
takes the place of another under a different key (the rubric or the output changed) leaves a mark,
an empty hidden file, that names what accepting it removes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from judgekit.cassettes.interaction import Interaction
from judgekit.cassettes.naming import slug
from judgekit.cassettes.store import CassetteStore
from judgekit.documents.writing import create_atomically

_MARK = ".replaces-"


@dataclass(frozen=True, slots=True)
class StagedItem:
    """One staged interaction beside what it changes in the cassette.

    Attributes:
        path: its file in the staging folder.
        standing: what the cassette holds for the same request, if anything.
        replaced: what the cassette holds for the same case under other requests, and loses.
    """

    path: Path
    interaction: Interaction
    standing: Interaction | None
    replaced: tuple[Interaction, ...]

    @property
    def change(self) -> str:
        """What accepting it does: ``new``, ``unchanged``, ``re-recorded`` or ``replaces``."""
        if self.standing is None:
            return "replaces" if self.replaced else "new"
        same = self.standing.response == self.interaction.response
        return "unchanged" if same else "re-recorded"


class Staging:
    """The recordings that wait for review.

    Args:
        root: the staging folder; it need not exist.
        cassettes: the store that accepted recordings go to.
    """

    def __init__(self, root: Path, cassettes: CassetteStore) -> None:
        self.store = CassetteStore(root)
        self.cassettes = cassettes

    def add(self, interaction: Interaction) -> Path:
        """Stage a recording; safe under a kill and under other recorders."""
        return self.store.add(interaction)

    def mark_replaced(self, interaction: Interaction) -> None:
        """Note that the cassette's `interaction` goes once its case's new recording is accepted."""
        path = self.store.path_of(interaction)
        create_atomically(path.with_name(_MARK + path.name), b"")

    def items(self, evals: Iterable[str] = ()) -> list[StagedItem]:
        """Return what is staged, in a stable order.

        Args:
            evals: names of the evals to look at; all if none is named.

        Raises:
            CassetteCorrupt: a staged or a standing file is damaged.
        """
        wanted = {slug(name) for name in evals}
        self.store.forget()
        self.cassettes.forget()
        found = []
        for eval_slug, scorer_slug in self.store.scorers():
            if wanted and eval_slug not in wanted:
                continue
            marked = self._marked(eval_slug, scorer_slug)
            for place, interaction in self.store.read_all(eval_slug, scorer_slug):
                recorded = interaction.recorded
                standing = self.cassettes.find(eval_slug, scorer_slug, interaction.key)
                replaced = tuple(
                    old
                    for name, old in marked.items()
                    if old.recorded.case == recorded.case and old.key != interaction.key
                    if name != Path(place.path).name
                )
                found.append(StagedItem(Path(place.path), interaction, standing, replaced))
        return found

    def accept(self, items: Iterable[StagedItem]) -> None:
        """Make staged recordings part of the cassette, and remove what they replace."""
        for item in items:
            for old in item.replaced:
                self.cassettes.remove(old)
            if item.change != "unchanged":
                self.cassettes.replace(item.interaction)
            self._drop(item)
        self.store.forget()

    def reject(self, items: Iterable[StagedItem]) -> None:
        """Throw staged recordings away; the cassette stays as it is."""
        for item in items:
            self._drop(item)
        self.store.forget()

    def _drop(self, item: StagedItem) -> None:
        item.path.unlink(missing_ok=True)
        for old in item.replaced:
            item.path.with_name(_MARK + self.store.path_of(old).name).unlink(missing_ok=True)
        for folder in (item.path.parent, item.path.parent.parent, self.store.root):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def _marked(self, eval_slug: str, scorer_slug: str) -> dict[str, Interaction]:
        """Return the cassette's interactions that are marked as replaced, by file name."""
        folder = self.store.root / eval_slug / scorer_slug
        names = {path.name.removeprefix(_MARK) for path in folder.glob(_MARK + "*")}
        if not names:
            return {}
        standing = self.cassettes.read_all(eval_slug, scorer_slug)
        return {
            path.name: old
            for _, old in standing
            if (path := self.cassettes.path_of(old)).name in names
        }
