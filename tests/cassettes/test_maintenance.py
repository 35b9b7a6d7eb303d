from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgekit.cassettes.maintenance import damage, pack, seal, unpack
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import CassetteCorrupt, ConfigError
from tests.cassettes.making import make_interaction


@pytest.fixture
def store(tmp_path: Path) -> CassetteStore:
    made = CassetteStore(tmp_path / "cassettes")
    for i in range(5):
        made.add(make_interaction(case=f"c{i}", text=f"q {i}"))
    return made


def test_packing_moves_every_recording_into_one_sorted_file(store: CassetteStore) -> None:
    before = [i for _, i in store.all()]
    packed = pack(store, "support", "helpful")
    keys = [json.loads(line)["key"] for line in packed.read_text().splitlines()]
    assert keys == sorted(i.key for i in before)
    assert list((store.root / "support" / "helpful").iterdir()) == []
    assert {i.key for _, i in store.all()} == set(keys)
    assert (store.root / ".gitattributes").read_text() == "*.jsonl merge=union\n"


def test_packing_twice_and_after_more_recordings_changes_nothing_else(store: CassetteStore) -> None:
    first = pack(store, "support", "helpful").read_bytes()
    assert pack(store, "support", "helpful").read_bytes() == first
    store.add(make_interaction(case="c9", text="q 9"))
    lines = pack(store, "support", "helpful").read_bytes().splitlines()
    assert set(first.splitlines()) < set(lines)
    assert len(lines) == 6


def test_unpacking_gives_back_the_very_files(store: CassetteStore) -> None:
    folder = store.root / "support" / "helpful"
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    packed = pack(store, "support", "helpful")
    assert unpack(store, "support", "helpful") == 5
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    assert not packed.exists()


def test_packing_nothing_is_an_error(store: CassetteStore) -> None:
    with pytest.raises(ConfigError, match="nothing is recorded to pack"):
        pack(store, "support", "unheard-of")


def test_packing_a_damaged_folder_changes_nothing(store: CassetteStore) -> None:
    victim = next((store.root / "support" / "helpful").iterdir())
    victim.write_text("{}")
    with pytest.raises(CassetteCorrupt):
        pack(store, "support", "helpful")
    assert not (store.root / "support" / "helpful.jsonl").exists()
    assert len(list((store.root / "support" / "helpful").iterdir())) == 5


def test_every_damaged_file_is_named(store: CassetteStore) -> None:
    paths = sorted((store.root / "support" / "helpful").iterdir())
    paths[0].write_bytes(paths[0].read_bytes()[:99])
    paths[1].write_text(paths[1].read_text().replace("fine", "bad"))
    found = list(damage(store))
    assert len(found) == 2
    assert found[0].startswith(
        f"cassettes/support/helpful/{paths[0].name}: is cut short after 99 bytes"
    )
    assert found[1].startswith(f"cassettes/support/helpful/{paths[1].name}: field digest")


def test_sealing_accepts_a_deliberate_edit_of_the_request(store: CassetteStore) -> None:
    path = sorted((store.root / "support" / "helpful").iterdir())[0]
    document = json.loads(path.read_text())
    document["request"]["body"]["temperature"] = 1
    path.write_text(json.dumps(document))
    sealed = seal(path)
    store.forget()
    assert sealed.name.startswith("c0.")
    assert sealed != path
    assert not path.exists()
    assert list(damage(store)) == []


def test_sealing_what_is_no_cassette_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be sealed"):
        seal(tmp_path / "absent.json")
    (tmp_path / "c.0123456789.json").write_text("[]")
    with pytest.raises(CassetteCorrupt):
        seal(tmp_path / "c.0123456789.json")
