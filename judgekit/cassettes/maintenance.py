"""Keeps a cassette folder in order: verify, pack, unpack, seal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson

from judgekit.cassettes.file_form import parse, resealed, to_file, to_line
from judgekit.cassettes.naming import PACKED_SUFFIX, slug
from judgekit.cassettes.store import CassetteStore, check_case
from judgekit.documents.document import shown
from judgekit.documents.writing import create_atomically, write_atomically
from judgekit.errors import CassetteCorrupt, ConfigError

_UNION = "*.jsonl merge=union\n"


def damage(store: CassetteStore) -> Iterator[str]:
    """Yield a line for everything in the store that can't be replayed, file by file."""
    for eval_name, scorer in store.scorers():
        try:
            places = store.places(eval_name, scorer)
        except CassetteCorrupt as error:
            yield str(error)
            continue
        for place in places:
            try:
                interaction = parse(place.read(), place)
                check_case(interaction, place)
                store.find(eval_name, scorer, interaction.key)
            except CassetteCorrupt as error:
                yield str(error)


def pack(store: CassetteStore, eval_name: str, scorer: str) -> Path:
    """Put all that is recorded for a scorer into one packed set, sorted by key.

    A kill in between leaves recordings in both forms, which replay and a further `pack` accept.

    Returns:
        The packed set.

    Raises:
        ConfigError: nothing is recorded for the scorer.
        CassetteCorrupt: a file is damaged, or one request has two answers; nothing is changed.
    """
    found = list(store.read_all(eval_name, scorer))
    if not found:
        raise ConfigError(f"eval {eval_name}, scorer {scorer}: nothing is recorded to pack")
    lines: dict[tuple[str, str], bytes] = {}
    for _, interaction in found:
        store.find(eval_name, scorer, interaction.key)
        lines.setdefault((interaction.key, interaction.recorded.case), to_line(interaction))
    packed = store.root / slug(eval_name) / f"{slug(scorer)}{PACKED_SUFFIX}"
    write_atomically(packed, b"".join(lines[key] for key in sorted(lines)))
    create_atomically(store.root / ".gitattributes", _UNION.encode())
    for place, _ in found:
        if place.offset is None:
            Path(place.path).unlink(missing_ok=True)
    store.forget()
    return packed


def unpack(store: CassetteStore, eval_name: str, scorer: str) -> int:
    """Put each interaction of a packed set into a file of its own; the set is removed.

    Returns:
        How many there were.
    """
    packed = store.root / slug(eval_name) / f"{slug(scorer)}{PACKED_SUFFIX}"
    where = shown(packed)
    if not packed.exists():
        raise ConfigError(f"{where}: there is no such packed set")
    lines = packed.read_bytes().splitlines()
    made = [parse(line, f"{where}:{number}") for number, line in enumerate(lines, start=1)]
    for interaction in made:
        path = store.path_of(interaction)
        if not create_atomically(path, to_file(interaction)) and path.read_bytes() != to_file(
            interaction
        ):
            raise CassetteCorrupt(f"{shown(path)}: differs from {where}; keep one of them")
    packed.unlink()
    store.forget()
    return len(made)


def seal(path: Path) -> Path:
    """Give a deliberately edited file the key and the digest of what it now says.

    Returns:
        The file, renamed where its request (and so its key) was edited.

    Raises:
        ConfigError: it is no file that can be sealed.
        CassetteCorrupt: it is damaged otherwise than by an edit.
    """
    try:
        document = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise ConfigError(f"{shown(path)}: can't be sealed: {error}") from None
    interaction = resealed(document, shown(path))
    stem = path.name.split(".")[0]
    target = path.with_name(f"{stem}.{interaction.key[:10]}.json")
    write_atomically(target, to_file(interaction))
    if target != path:
        path.unlink()
    return target
