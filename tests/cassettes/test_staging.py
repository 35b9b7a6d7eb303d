from __future__ import annotations

from pathlib import Path

from judgekit.cassettes.staging import Staging
from judgekit.cassettes.store import CassetteStore
from tests.cassettes.making import make_interaction

NO = '{"reason": "no", "passed": false}'


def staging(tmp_path: Path) -> Staging:
    return Staging(tmp_path / "staged", CassetteStore(tmp_path / "cassettes"))


def files(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_staged_recording_is_no_cassette_before_it_is_accepted(tmp_path: Path) -> None:
    here = staging(tmp_path)
    here.add(make_interaction())
    assert [item.change for item in here.items()] == ["new"]
    assert here.cassettes.find("support", "helpful", make_interaction().key) is None
    here.accept(here.items())
    assert here.cassettes.find("support", "helpful", make_interaction().key) == make_interaction()
    assert here.items() == []
    assert not (tmp_path / "staged").exists()


def test_rejecting_leaves_the_cassette_as_it_was(tmp_path: Path) -> None:
    here = staging(tmp_path)
    here.cassettes.add(make_interaction())
    before = files(tmp_path / "cassettes")
    here.add(make_interaction(content=NO))
    here.reject(here.items())
    assert here.items() == []
    assert files(tmp_path / "cassettes") == before
    assert here.cassettes.find("support", "helpful", make_interaction().key) == make_interaction()


def test_another_answer_to_the_same_request_replaces_the_old(tmp_path: Path) -> None:
    here = staging(tmp_path)
    here.cassettes.add(make_interaction())
    here.add(make_interaction(content=NO))
    (item,) = here.items()
    assert item.change == "re-recorded"
    assert item.standing == make_interaction()
    here.accept([item])
    assert len(files(tmp_path / "cassettes")) == 1
    found = here.cassettes.find("support", "helpful", make_interaction().key)
    assert found == make_interaction(content=NO)


def test_recording_the_same_answer_again_changes_no_byte(tmp_path: Path) -> None:
    here = staging(tmp_path)
    path = here.cassettes.add(make_interaction())
    before = path.read_bytes()
    here.add(make_interaction(when="2027-01-01T00:00:00Z"))
    (item,) = here.items()
    assert item.change == "unchanged"
    here.accept([item])
    assert path.read_bytes() == before


def test_a_changed_request_removes_the_recording_that_it_replaces(tmp_path: Path) -> None:
    here = staging(tmp_path)
    old, bystander = make_interaction("c1", "old rubric"), make_interaction("c2", "old rubric 2")
    here.cassettes.add(old)
    here.cassettes.add(bystander)
    here.add(make_interaction("c1", "new rubric"))
    here.mark_replaced(old)
    (item,) = here.items()
    assert item.change == "replaces"
    assert item.replaced == (old,)
    here.accept([item])
    kept = [i for _, i in here.cassettes.all()]
    assert kept == [make_interaction("c1", "new rubric"), bystander]
    assert not (tmp_path / "staged").exists()


def test_a_marked_recording_stays_until_its_replacement_is_accepted(tmp_path: Path) -> None:
    here = staging(tmp_path)
    old = make_interaction("c1", "old rubric")
    here.cassettes.add(old)
    here.mark_replaced(old)
    assert here.items() == []
    here.accept(here.items())
    assert [i for _, i in here.cassettes.all()] == [old]


def test_items_can_be_asked_for_by_eval(tmp_path: Path) -> None:
    here = staging(tmp_path)
    here.add(make_interaction())
    here.add(make_interaction(eval_name="other"))
    assert [item.interaction.recorded.eval for item in here.items(["other"])] == ["other"]
    assert len(here.items()) == 2
