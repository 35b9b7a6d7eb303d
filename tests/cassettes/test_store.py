from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from judgekit.cassettes.file_form import to_line
from judgekit.cassettes.store import CassetteStore
from judgekit.errors import CassetteCorrupt
from tests.cassettes.making import make_interaction, make_response


def test_what_was_added_is_found_by_its_key(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    interaction = make_interaction()
    path = store.add(interaction)
    assert path == tmp_path / "support" / "helpful" / f"c1.{interaction.key[:10]}.json"
    assert store.find("support", "helpful", interaction.key) == interaction
    assert CassetteStore(tmp_path).find("support", "helpful", interaction.key) == interaction


def test_an_unknown_key_is_not_found(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    store.add(make_interaction())
    assert store.find("support", "helpful", "0" * 64) is None
    assert store.find("support", "other", make_interaction().key) is None
    assert store.find("nowhere", "helpful", make_interaction().key) is None


def test_a_key_that_shares_its_first_digits_is_another_key(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    interaction = make_interaction()
    store.add(interaction)
    near = interaction.key[:10] + "f" * 54
    assert store.find("support", "helpful", near) is None


def test_adding_the_same_answer_twice_writes_nothing(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    path = store.add(make_interaction())
    before = path.read_bytes()
    later = make_interaction(when="2027-01-01T00:00:00Z")
    assert store.add(later) == path
    assert path.read_bytes() == before


def test_the_first_writer_of_a_key_wins(tmp_path: Path) -> None:
    one, other = CassetteStore(tmp_path), CassetteStore(tmp_path)
    path = one.add(make_interaction())
    before = path.read_bytes()
    with pytest.raises(CassetteCorrupt, match="another recorder wrote another answer first"):
        other.add(make_interaction(content='{"reason": "no", "passed": false}'))
    assert path.read_bytes() == before
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name]


def test_many_threads_add_without_losing_anything(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    made = [make_interaction(case=f"c{i}", text=f"question {i}") for i in range(200)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(store.add, made))
    again = CassetteStore(tmp_path)
    assert all(again.find("support", "helpful", i.key) == i for i in made)
    assert len(again.places("support", "helpful")) == 200


def test_threads_share_one_scan_of_the_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interaction = make_interaction()
    CassetteStore(tmp_path).add(interaction)
    store, scans = CassetteStore(tmp_path), []
    scandir = os.scandir

    def counted(path: str | Path) -> object:
        scans.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    ready = threading.Barrier(8)

    def look_up(_: int) -> bool:
        ready.wait()
        return store.find("support", "helpful", interaction.key) is not None

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(look_up, range(8)))
    assert len(scans) == 1


def test_a_packed_set_is_read_like_a_folder(tmp_path: Path) -> None:
    made = [make_interaction(case=f"c{i}", text=f"question {i}") for i in range(20)]
    packed = tmp_path / "support" / "helpful.jsonl"
    packed.parent.mkdir()
    packed.write_bytes(b"".join(to_line(i) for i in made))
    store = CassetteStore(tmp_path)
    assert all(store.find("support", "helpful", i.key) == i for i in made)
    assert [str(p) for p in store.places("support", "helpful")][
        2
    ] == f"{tmp_path.name}/support/helpful.jsonl:3"


def test_both_forms_are_read_together(tmp_path: Path) -> None:
    one, other = make_interaction("c1", "one"), make_interaction("c2", "two")
    store = CassetteStore(tmp_path)
    store.add(one)
    (tmp_path / "support" / "helpful.jsonl").write_bytes(to_line(other))
    store.forget()
    assert store.find("support", "helpful", one.key) == one
    assert store.find("support", "helpful", other.key) == other


def test_the_same_key_twice_is_fine_when_the_answers_agree(tmp_path: Path) -> None:
    interaction = make_interaction()
    store = CassetteStore(tmp_path)
    store.add(interaction)
    (tmp_path / "support" / "helpful.jsonl").write_bytes(to_line(interaction) * 2)
    store.forget()
    assert store.find("support", "helpful", interaction.key) == interaction


def test_the_same_key_twice_is_an_error_when_the_answers_differ(tmp_path: Path) -> None:
    interaction = make_interaction()
    store = CassetteStore(tmp_path)
    store.add(interaction)
    other = replace(interaction, response=make_response("no"))
    (tmp_path / "support" / "helpful.jsonl").write_bytes(to_line(other))
    store.forget()
    with pytest.raises(CassetteCorrupt, match=r"helpful\.jsonl:1: records another answer"):
        store.find("support", "helpful", interaction.key)


def test_a_damaged_file_is_an_error_and_not_a_miss(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    path = store.add(make_interaction())
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(CassetteCorrupt, match="is cut short after 200 bytes"):
        store.find("support", "helpful", make_interaction().key)


def test_a_file_named_for_another_key_is_an_error(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    path = store.add(make_interaction())
    other = make_interaction(text="something else")
    path.rename(store.path_of(other))
    store.forget()
    with pytest.raises(CassetteCorrupt, match="its name says another key"):
        store.find("support", "helpful", other.key)


@pytest.mark.parametrize("name", ["notes.txt", "c1.json", "c1.xyz.json", "README"])
def test_a_stranger_in_the_folder_is_an_error(tmp_path: Path, name: str) -> None:
    store = CassetteStore(tmp_path)
    path = store.add(make_interaction())
    path.with_name(name).write_text("{}")
    store.forget()
    with pytest.raises(CassetteCorrupt, match="not named as a recording"):
        store.find("support", "helpful", make_interaction().key)


def test_an_unfinished_write_is_passed_over(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    path = store.add(make_interaction())
    path.with_name(".0123456789abcdef.tmp").write_text('{"form')
    store.forget()
    assert store.find("support", "helpful", make_interaction().key) is not None


def test_a_merge_conflict_in_a_packed_set_is_named(tmp_path: Path) -> None:
    packed = tmp_path / "support" / "helpful.jsonl"
    packed.parent.mkdir()
    line = to_line(make_interaction())
    packed.write_bytes(b"<<<<<<< HEAD\n" + line + b"=======\n>>>>>>> topic\n")
    with pytest.raises(CassetteCorrupt, match=r"helpful\.jsonl:1: holds a merge conflict"):
        CassetteStore(tmp_path).find("support", "helpful", make_interaction().key)


def test_removing_takes_only_the_one(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    made = [make_interaction(case=f"c{i}", text=f"q {i}") for i in range(3)]
    packed = tmp_path / "support" / "helpful.jsonl"
    packed.parent.mkdir()
    packed.write_bytes(b"".join(to_line(i) for i in made[:2]))
    store.add(made[2])
    store.remove(made[0])
    store.remove(made[2])
    assert [i for _, i in store.all()] == [made[1]]


def test_the_recordings_of_one_case_are_found_without_their_key(tmp_path: Path) -> None:
    store = CassetteStore(tmp_path)
    for i in range(3):
        store.add(make_interaction(case="Case 7", text=f"wording {i}"))
        store.add(make_interaction(case=f"other {i}", text=f"else {i}"))
    found = list(store.recorded_for("support", "helpful", "Case 7"))
    assert {i.call.body["messages"][0]["content"] for i in found} == {
        "wording 0",
        "wording 1",
        "wording 2",
    }


def test_a_look_up_reads_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = CassetteStore(tmp_path)
    made = [make_interaction(case=f"c{i}", text=f"q {i}") for i in range(50)]
    for interaction in made:
        store.add(interaction)
    reads = []
    monkeypatch.setattr(
        "judgekit.cassettes.index.Place.read",
        lambda place: reads.append(place.path) or Path(place.path).read_bytes(),
    )
    assert store.find("support", "helpful", made[7].key) == made[7]
    assert len(reads) == 1


def test_a_file_holds_exactly_one_interaction(tmp_path: Path) -> None:
    path = CassetteStore(tmp_path).add(make_interaction())
    assert json.loads(path.read_text())["key"] == make_interaction().key
