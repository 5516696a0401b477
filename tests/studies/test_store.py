"""Records on disk: nothing is lost, nothing damaged goes unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.errors import StudyError
from otherminds.core.record import SCHEMA, EpisodeSpec, Timing
from otherminds.core.segments import read_line
from otherminds.studies import store as module
from otherminds.studies.store import Store, last_statuses, line_of, seal


def record(seed: int) -> Record:
    spec = EpisodeSpec("toy-v1", {"ego": SeatSpec("m")}, seed)
    return Record(spec, ("ego",), {}, None, {}, None, [(0,), (1,)], [(1.0,), (0.5,)], {})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    kept = Store(tmp_path)
    kept.append([line_of(record(seed), Timing(0.25)) for seed in range(5)])
    return kept


def segment(store: Store) -> Path:
    return store.folder / "00000.jsonl"


def test_what_is_written_is_read_back(store: Store) -> None:
    lines = list(store.lines())
    assert [line.record() for line in lines] == [record(seed) for seed in range(5)]
    assert [line.hash for line in lines] == [record(seed).hash for seed in range(5)]
    assert lines[0].timing.seconds == 0.25
    assert lines[0].outcome().status == "scored"


def test_the_clock_is_outside_the_hash() -> None:
    quick, slow = (read_line(line_of(record(0), Timing(s))) for s in (0.1, 99.0))
    assert quick.hash == slow.hash


@pytest.mark.parametrize("kept", [1, 40, -1])
def test_a_torn_last_line_is_dropped_and_said(store: Store, kept: int) -> None:
    raw = segment(store).read_bytes()
    start = raw.rstrip(b"\n").rfind(b"\n") + 1
    segment(store).write_bytes(raw[: start + kept] if kept > 0 else raw[:-1])
    assert len(list(store.lines())) == 4, "readers pass over it"
    assert "incomplete last line" in store.repair()
    assert len(list(store.lines())) == 4
    assert store.repair() == "", "once is enough"
    store.append([line_of(record(9), Timing())])
    assert [line.record().spec.seed for line in store.lines()] == [0, 1, 2, 3, 9]


def test_damage_before_the_last_line_is_an_error_that_names_it(store: Store) -> None:
    raw = segment(store).read_bytes()
    segment(store).write_bytes(raw.replace(b'"seed":1', b'"seed":7'))
    with pytest.raises(StudyError, match=r"00000\.jsonl: line 2 is damaged"):
        list(store.lines())
    assert store.repair() == "", "repair touches nothing but a torn last line"


@pytest.mark.parametrize("renamed", [b'"timing"', b'"status"'])
def test_records_of_another_version_are_refused_and_kept(store: Store, renamed: bytes) -> None:
    old = (
        segment(store)
        .read_bytes()
        .replace(b'"schema":%d' % SCHEMA, b'"schema":2')
        .replace(renamed, b'"former"')
    )
    segment(store).write_bytes(old)
    with pytest.raises(
        StudyError, match=r"00000\.jsonl: line 1: another version .*schema 2; this version reads schema 4"
    ):
        list(store.lines())
    assert store.repair() == ""
    assert segment(store).read_bytes() == old


def test_a_changed_number_is_seen(store: Store) -> None:
    line = segment(store).read_bytes().splitlines()[0]
    read_line(line)
    with pytest.raises(StudyError, match=r"line 7 is damaged .it does not match its hash"):
        read_line(line.replace(b"0.5", b"0.6"), "line 7")


def test_full_segments_are_compressed_and_read_alike(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEGMENT", 100)
    store.append([line_of(record(5), Timing())])
    assert not segment(store).exists()
    store.append([line_of(record(6), Timing())])
    assert [path.name for path in sorted(store.folder.iterdir())] == ["00000.jsonl.zst", "00001.jsonl.zst"]
    assert [line.record().spec.seed for line in store.lines()] == [0, 1, 2, 3, 4, 5, 6]


def test_a_crash_between_compressing_and_deleting_counts_no_episode_twice(store: Store) -> None:
    plain = segment(store).read_bytes()
    seal(segment(store))
    segment(store).write_bytes(plain)
    assert [line.record().spec.seed for line in store.lines()] == [0, 1, 2, 3, 4]


def test_an_empty_folder_has_no_episodes(tmp_path: Path) -> None:
    assert list(Store(tmp_path / "new").lines()) == []
    assert Store(tmp_path / "new").repair() == ""


def test_an_episode_that_was_played_is_not_lost_by_a_failure_before_or_after_it() -> None:
    assert last_statuses([("a", "failed"), ("a", "scored"), ("b", "invalid"), ("b", "failed")]) == {
        "a": "scored",
        "b": "invalid",
    }
    assert last_statuses([("a", "failed"), ("a", "failed")]) == {"a": "failed"}
