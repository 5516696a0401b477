"""Pools on disk are read back as they were, and every damage is named with its file and line."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from otherminds.core.errors import StudyError, TaskError
from otherminds.household.pool.folder import PoolWriter
from otherminds.household.pool.store import (
    LEDGER,
    PACKED,
    PooledTask,
    certificate_path,
    digest_bytes,
    is_pool,
    pack,
    read_certificate,
    read_pool,
    task_json,
    task_path,
)
from otherminds.household.tasks.load import load_task
from tests.household.pool.pooled import CERTIFICATE, STEPS, contents, pooled

TASKS = tuple(pooled(seed) for seed in range(3))


def pool(folder: Path) -> Path:
    writer = PoolWriter(folder, {"seed": 0})
    for one in TASKS:
        writer.keep(one, CERTIFICATE, STEPS)
    writer.reject(9, "fair", STEPS)
    writer.release()
    return folder


def test_a_folder_is_read_back(tmp_path: Path) -> None:
    folder = pool(tmp_path / "pool")
    assert is_pool(folder)
    assert read_pool(folder) == TASKS
    assert load_task(task_path(folder, TASKS[0].entry.task_id)) == TASKS[0].task
    assert all(read_certificate(folder, one.entry) == CERTIFICATE for one in TASKS)


def test_a_packed_pool_is_read_back_and_has_equal_bytes_for_equal_tasks(tmp_path: Path) -> None:
    one, other = tmp_path / f"one{PACKED}", tmp_path / f"other{PACKED}"
    pack(TASKS, one)
    pack(read_pool(pool(tmp_path / "pool")), other)
    assert one.read_bytes() == other.read_bytes()
    assert is_pool(one)
    assert read_pool(one) == TASKS
    with pytest.raises(StudyError, match="choose such a name"):
        pack(TASKS, tmp_path / "one.json")


def test_equal_tasks_have_equal_json_in_every_process() -> None:
    """Also where a text equals a default without being the same object."""
    task = TASKS[0].task
    assert task.category == "cooperative"
    for same in (
        pickle.loads(pickle.dumps(task)),
        replace(task, category="".join(("cooper", "ative"))),
        msgspec.json.decode(msgspec.json.encode(msgspec.structs.asdict(task)), type=type(task)),
    ):
        assert same == task
        assert task_json(same) == task_json(task)


def test_an_incomplete_last_line_is_not_read(tmp_path: Path) -> None:
    folder = pool(tmp_path / "pool")
    ledger = folder / LEDGER
    ledger.write_bytes(ledger.read_bytes()[:-7])
    assert read_pool(folder) == TASKS[:2]


def _cut(folder: Path) -> None:
    lines = (folder / LEDGER).read_bytes().splitlines(keepends=True)
    (folder / LEDGER).write_bytes(lines[0] + lines[1][:40] + b"\n" + lines[2])


def _lost(folder: Path) -> None:
    task_path(folder, TASKS[1].entry.task_id).unlink()


def _edited(folder: Path) -> None:
    path = task_path(folder, TASKS[1].entry.task_id)
    path.write_text(
        path.read_text().replace('"num_agents": 3', '"num_agents": 2').replace('"title": "', '"title": "x')
    )


def _torn(folder: Path) -> None:
    path = task_path(folder, TASKS[1].entry.task_id)
    path.write_bytes(path.read_bytes()[:99])


def _twice(folder: Path) -> None:
    lines = (folder / LEDGER).read_bytes().splitlines(keepends=True)
    (folder / LEDGER).write_bytes(lines[0] + lines[0] + lines[2])


def _outside(folder: Path) -> None:
    text = (folder / LEDGER).read_text().splitlines(keepends=True)
    text[1] = text[1].replace(f'"{TASKS[1].entry.task_id}"', '"../ledger"')
    (folder / LEDGER).write_text("".join(text))


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (_cut, "damaged"),
        (_lost, "there is no file"),
        (_edited, "is not the task of its entry"),
        (_torn, ".json is damaged"),
        (_twice, "is there twice, first in"),
        (_outside, "'../ledger' is no name of a task"),
    ],
)
def test_damage_of_a_folder_is_named(damage: Callable[[Path], None], text: str, tmp_path: Path) -> None:
    folder = pool(tmp_path / "pool")
    damage(folder)
    with pytest.raises(TaskError) as told:
        read_pool(folder)
    assert f"{folder / LEDGER}, line 2: " in str(told.value)
    assert text in str(told.value)


def test_damage_of_a_packed_pool_is_named(tmp_path: Path) -> None:
    path = tmp_path / f"pool{PACKED}"
    pack(TASKS, path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with pytest.raises(TaskError, match="a damaged gzip file"):
        read_pool(path)
    lines = gzip.decompress(whole).splitlines(keepends=True)
    path.write_bytes(gzip.compress(lines[0] + lines[1][:50]))
    with pytest.raises(TaskError, match=r"pool\.jsonl\.gz, line 2: damaged"):
        read_pool(path)
    other = PooledTask(TASKS[0].entry, replace(TASKS[0].task, title="another"))
    pack((TASKS[1], other), path)
    with pytest.raises(TaskError, match=r"pool\.jsonl\.gz, line 2: task .* is not the task of its entry"):
        read_pool(path)


def test_damage_of_a_certificate_is_named(tmp_path: Path) -> None:
    folder = pool(tmp_path / "pool")
    path = certificate_path(folder, TASKS[0].entry.task_id)
    path.write_bytes(gzip.compress(b"{}"))
    with pytest.raises(TaskError, match="not the certificate of the entry"):
        read_certificate(folder, TASKS[0].entry)
    path.unlink()
    with pytest.raises(TaskError, match=path.name):
        read_certificate(folder, TASKS[0].entry)


def test_what_is_no_pool_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"no pool: it has no pool\.json"):
        read_pool(tmp_path)
    with pytest.raises(TaskError, match="cannot be read"):
        read_pool(tmp_path / "nowhere.jsonl.gz")


def test_digests_are_of_the_content() -> None:
    assert digest_bytes(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert len({one.entry.sha256 for one in TASKS}) == 3


def test_a_folder_has_these_files(tmp_path: Path) -> None:
    names = {"pool.json", "ledger.jsonl", "rejected.jsonl", "seconds.jsonl"}
    for one in TASKS:
        names |= {f"tasks/{one.entry.task_id}.json", f"certificates/{one.entry.task_id}.json.gz"}
    assert contents(pool(tmp_path / "pool"), seconds=True).keys() == names
