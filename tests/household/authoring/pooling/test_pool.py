"""An authored pool is a pool, refuses a structure that it has, and says where each task comes from."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from otherminds.core import disk
from otherminds.core.errors import StudyError, TaskError
from otherminds.core.locks import Lock
from otherminds.household.authoring import authored_pool
from otherminds.household.authoring.authored_pool import AuthoredPool, name_by_structure, rename_certificate
from otherminds.household.authoring.results import ATTEMPTS, PROVENANCE, RESULTS
from otherminds.household.house import House
from otherminds.household.pool.folder import PoolWriter
from otherminds.household.pool.store import (
    LEDGER,
    digest_bytes,
    load_split,
    pack,
    pool_called,
    read_certificate,
    read_pool,
    task_json,
)
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.matching import check_for
from otherminds.household.proofs.verdicts import verified
from otherminds.household.scenes.load import load_scene
from tests.household.authoring.pooling.submissions import (
    JUDGED,
    dev_task,
    ended,
    renamed_task,
    result,
    submission,
)
from tests.household.pool.killed import Killed, Writes
from tests.household.pool.pooled import CERTIFICATE, VERDICTS, pooled
from tests.planner import needs_planner


@pytest.fixture
def pool(tmp_path: Path) -> AuthoredPool:
    return AuthoredPool.create(tmp_path / "pool")


def test_a_submitted_task_is_read_as_one_of_any_pool(pool: AuthoredPool) -> None:
    task_id = pool.submit(submission(0)).task_id
    (read,) = pool_called(str(pool.folder))
    assert read == pool.tasks()[0]
    assert (read.entry.task_id, read.task, read.entry.verdicts) == (task_id, dev_task(0), VERDICTS)
    assert task_id == f"authored_{read.entry.structure[:12]}"
    assert read.entry.levels == {"level_0": 0, "level_3": 3}
    assert read_certificate(pool.folder, read.entry) == CERTIFICATE


def test_its_provenance_is_kept(pool: AuthoredPool) -> None:
    task_id = pool.submit(submission(3, generation=2)).task_id
    found = pool.provenance()[task_id]
    assert (found.author, found.parents, found.attempt) == ("scripted_author", ("relay_7",), "attempt_3")
    assert (found.generation, found.judgements) == (2, (JUDGED,))
    assert found.category == dev_task(3).category
    assert found.depth == submission(3).assignment.depth
    assert found.sha256 == pool.tasks()[0].entry.sha256


def test_a_structure_that_the_pool_has_is_refused(pool: AuthoredPool) -> None:
    kept = pool.submit(submission(0))
    again = pool.submit(submission(0, attempt="another"))
    assert (again.task_id, again.refused) == (
        "",
        f"duplicate: the pool has a task of the same structure, {kept.task_id}",
    )
    other_words = replace(submission(0, attempt="a third"), task=replace(dev_task(0), task="Tidy the house."))
    assert pool.submit(renamed_task(other_words, dev_task(0).task_id)).refused
    assert len(pool.tasks()) == 1


def test_a_name_that_the_pool_has_is_refused(pool: AuthoredPool, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = submission(0), submission(1)
    monkeypatch.setattr(authored_pool, "DIGITS", 0)
    monkeypatch.setattr(authored_pool, "rename_certificate", lambda certificate, task: certificate)
    assert pool.submit(first).task_id == "authored_"
    assert pool.submit(second).refused == "duplicate: the pool has a task called authored_"
    assert len(pool.tasks()) == 1


def test_the_same_attempt_gets_its_task_again(pool: AuthoredPool) -> None:
    first = pool.submit(submission(0))
    assert pool.submit(submission(0)) == first
    assert len(pool.tasks()) == 1
    assert (pool.folder / PROVENANCE).read_bytes().count(b"\n") == 1


def test_a_structure_of_the_start_is_refused(tmp_path: Path) -> None:
    task = next(iter(load_split("dev").values()))
    pack([task], tmp_path / "one.jsonl.gz")
    pool = AuthoredPool.create(tmp_path / "pool", str(tmp_path / "one.jsonl.gz"))
    assert pool.submit(submission(0)).refused.endswith(task.entry.task_id)
    (origin,) = pool.provenance().values()
    assert (origin.author, origin.generation, origin.attempt) == ("generator", 0, "")
    assert (origin.category, origin.depth) == (task.task.category, submission(0).assignment.depth)


def test_a_pool_that_starts_with_an_authored_one_keeps_its_authors_and_certificates(
    pool: AuthoredPool, tmp_path: Path
) -> None:
    task_id = pool.submit(submission(0, generation=4)).task_id
    later = AuthoredPool.create(tmp_path / "later", str(pool.folder))
    assert later.tasks() == pool.tasks()
    origin = later.provenance()[task_id]
    assert (origin.author, origin.generation, origin.parents) == ("scripted_author", 0, ())
    assert read_certificate(later.folder, later.tasks()[0].entry) == CERTIFICATE


def test_a_pool_is_created_once(pool: AuthoredPool) -> None:
    pool.submit(submission(0))
    assert len(AuthoredPool.create(pool.folder).tasks()) == 1
    with pytest.raises(StudyError, match="holds a pool made with start"):
        AuthoredPool.create(pool.folder, "dev")


@needs_planner
def test_a_proof_is_one_of_the_task_under_its_new_name(pool: AuthoredPool) -> None:
    (first, *_) = load_split("dev").values()
    scene = load_scene(first.task.scene_id)
    task = msgspec.json.decode(task_json(replace(first.task, title="My task")), type=type(first.task))
    certificate = msgspec.json.encode(verified(House(task, scene), 60).certificate)
    pool.submit(replace(submission(0), task=task, certificate=certificate))
    (kept,) = pool.tasks()
    proved = check_for(House(kept.task, scene), read_certificate(pool.folder, kept.entry))
    assert proved == check_for(House(task, scene), certificate)
    assert exported(House(kept.task, scene)).digest == digest_bytes(task_json(kept.task))
    with pytest.raises(TaskError, match="its proofs are no certificate"):
        rename_certificate(b"{}", name_by_structure(task))


def test_a_pattern_that_is_none_is_refused_with_its_name(pool: AuthoredPool) -> None:
    with pytest.raises(TaskError, match="its pattern 'gossip' is none of delegation"):
        pool.submit(replace(submission(0), task=replace(dev_task(0), pattern="gossip")))


def test_attempts_and_results_are_added_once(pool: AuthoredPool) -> None:
    task_id = pool.submit(submission(0)).task_id
    for _ in range(2):
        pool.add_attempt(ended(0))
        pool.add_attempt(ended(1, "judged"))
        pool.add_results([result(task_id), result(task_id, run=1, solved=True), result(task_id)])
    pool.add_results([result(task_id, solved=True)])
    pool.add_results([result(task_id, "level_2"), result(task_id, "level_2", solved=True)])
    assert pool.attempts() == (ended(0), ended(1, "judged"))
    assert pool.results() == (
        result(task_id),
        result(task_id, run=1, solved=True),
        result(task_id, "level_2"),
    )
    with pytest.raises(StudyError, match="has no task 'authored_0'"):
        pool.add_results([result("authored_0")])


def test_an_end_at_any_write_loses_no_kept_task_and_keeps_none_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes, folder, reported, ends = Writes(monkeypatch), tmp_path / "pool", set[str](), 0
    start = tmp_path / "start.jsonl.gz"
    pack([pooled(seed) for seed in range(2)], start)
    for step in (0, 1, 2, 3, 5, 1, 4, 2, 7, 3, 6, 2, 1) * 9:
        writes.left = step
        try:
            pool = AuthoredPool.create(folder, str(start))
            for k in range(4):
                task_id = pool.submit(submission(k)).task_id
                reported.add(task_id)
                pool.add_attempt(ended(k))
                pool.add_results([result(task_id), result(task_id, run=1)])
        except Killed:
            ends += 1
            if (folder / LEDGER).is_file():
                assert reported <= {one.entry.task_id for one in read_pool(folder)}
                AuthoredPool(folder).provenance()
            continue
        break
    else:
        pytest.fail("the pool was never complete")
    assert ends > 10
    assert [one.entry.task_id for one in pool.tasks()] == [
        *(pooled(seed).entry.task_id for seed in range(2)),
        *(dev_task(k).task_id for k in range(4)),
    ]
    assert {*pool.provenance()} == {one.entry.task_id for one in pool.tasks()}
    assert pool.attempts() == tuple(map(ended, range(4)))
    assert len(pool.results()) == 8


def test_a_provenance_of_a_killed_addition_counts_for_nothing(
    pool: AuthoredPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        Writes(patched).left = 3  # the files of the task and its provenance; the ledger is cut
        with pytest.raises(Killed):
            pool.submit(submission(0, attempt="killed"))
    assert (pool.folder / PROVENANCE).read_bytes().count(b"\n") == 1
    assert (pool.tasks(), pool.provenance()) == ((), {})
    task_id = pool.submit(submission(0, attempt="other")).task_id
    assert pool.provenance()[task_id].attempt == "other"


def test_a_pool_that_was_not_completely_made_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        Writes(patched).left = 2
        with pytest.raises(Killed):
            AuthoredPool.create(tmp_path / "pool")
    with pytest.raises(StudyError, match="not completely made"):
        AuthoredPool(tmp_path / "pool")
    assert AuthoredPool.create(tmp_path / "pool").tasks() == ()


def test_an_addition_waits_for_others_but_not_for_ever(
    pool: AuthoredPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(authored_pool, "PATIENCE", 0.05)
    held = Lock(pool.folder)
    with pytest.raises(StudyError, match=r"another run is writing here after 0\.05 s"):
        pool.submit(submission(0))
    assert pool.tasks() == ()
    held.release()
    assert pool.submit(submission(0)).task_id


def test_a_full_disk_leaves_the_pool_as_it_was(pool: AuthoredPool, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(disk, "append_file", full)
        with pytest.raises(StudyError, match="No space left on device"):
            pool.submit(submission(0))
        with pytest.raises(StudyError, match="No space left on device"):
            pool.add_attempt(ended(0))
    assert (pool.tasks(), pool.attempts()) == ((), ())
    assert pool.submit(submission(0)).task_id


@pytest.mark.parametrize(
    ("name", "use"),
    [
        (LEDGER, AuthoredPool.tasks),
        (PROVENANCE, AuthoredPool.provenance),
        (ATTEMPTS, AuthoredPool.attempts),
        (RESULTS, AuthoredPool.results),
        (PROVENANCE, lambda pool: pool.submit(submission(1))),
        (ATTEMPTS, lambda pool: pool.add_attempt(ended(1))),
    ],
    ids=["tasks", "provenance", "attempts", "results", "submit", "attempted"],
)
def test_a_damaged_line_is_named(
    pool: AuthoredPool, name: str, use: Callable[[AuthoredPool], object]
) -> None:
    task_id = pool.submit(submission(0)).task_id
    pool.add_attempt(ended(0))
    pool.add_results([result(task_id)])
    (pool.folder / name).write_bytes(b'{"seed": 3}\n' + (pool.folder / name).read_bytes())
    with pytest.raises(TaskError, match=rf"{name}, line 1: damaged"):
        use(pool)


def test_a_named_pipe_is_refused_at_once(pool: AuthoredPool) -> None:
    os.mkfifo(pool.folder / ATTEMPTS)
    with pytest.raises(TaskError, match="is a named pipe and not a file"):
        pool.add_attempt(ended(0))
    with pytest.raises(TaskError, match="is a named pipe and not a file"):
        pool.attempts()


def test_a_pool_without_authors_is_none(tmp_path: Path) -> None:
    PoolWriter(tmp_path / "pool", {"seed": 0}).release()
    for folder in (tmp_path / "pool", tmp_path / "nowhere"):
        with pytest.raises(StudyError, match="no authored pool"):
            AuthoredPool(folder)


def test_a_missing_provenance_is_named(pool: AuthoredPool) -> None:
    pool.submit(submission(0))
    (pool.folder / PROVENANCE).unlink()
    with pytest.raises(TaskError, match=r"authored\.jsonl: has no line of task"):
        pool.provenance()
