"""Faults of storage: one line, nothing lost, nothing billed twice, no command that hangs.

The exit code is 2, or 1 for a run that had begun to play.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from otherminds.core.errors import OtherMindsError
from otherminds.studies import store
from otherminds.studies.run_dir import results
from tests.cases import for_each
from tests.studies.storage import (
    EPISODES,
    KINDS,
    ROUNDS,
    SCHEMAS,
    SEGMENTS,
    Service,
    command,
    failing_sync,
    file_limit,
    flipped_in_body,
    forged,
    in_body,
    in_place_of,
    locked,
    mutated,
    packed,
    recorded,
    recorded_run,
    served,
    without_permission,
)

JOURNAL = "records/00000.jsonl"
SEALED = JOURNAL + ".zst"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Path, Path]]:
    """The model, a study, and the output folder of its run, in a place that everybody can read."""
    with served() as service:
        study, out = recorded_run(tmp_path_factory.mktemp("storage"))
        for part in (out, *list(out.parents)[:3]):
            part.chmod(0o755)
        yield service, study, out


@pytest.fixture
def again(finished: tuple[Service, Path, Path]) -> Callable[[], Path]:
    """Makes a copy of the run, always at one place."""

    def fresh() -> Path:
        copy = finished[2].with_name("copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(finished[2], copy)
        finished[0].asked.clear()
        return copy

    return fresh


def refused(service: Service, words: tuple[object, ...], *said: str) -> None:
    done = command(*words)
    assert done.one_line, f"{words}: {done.code}, {done.shown}"
    assert all(text in done.said[0] for text in said), done.said
    assert not service.asked, "nothing is played again"


def readers(study: Path, out: Path) -> list[tuple[object, ...]]:
    """All commands that read records."""
    return [
        ("run", study, "--out", out),
        ("report", out),
        ("report", out, "--json"),
        ("replay", out, "0"),
        ("compare", out, out),
    ]


@for_each("fault", [fault for fault in SEGMENTS if "bomb" not in fault])
def test_a_damaged_segment_is_named_and_never_taken_for_empty(fault: str, finished, again) -> None:
    service, study, _ = finished
    out = again()
    plain = (out / JOURNAL).read_bytes()
    (out / JOURNAL).unlink()
    (out / SEALED).write_bytes(SEGMENTS[fault](plain))
    for words in readers(study, out)[:2]:
        refused(service, words, "00000.jsonl.zst")


def test_every_command_that_reads_records_refuses_them_alike(finished, again) -> None:
    service, study, _ = finished
    out = again()
    (out / SEALED).write_bytes(SEGMENTS["a frame cut at a line"]((out / JOURNAL).read_bytes()))
    for words in readers(study, out):
        refused(service, words, "00000.jsonl.zst is damaged (its compressed data end early)")


def test_bombs_fill_no_memory(finished, again) -> None:
    """512 MiB in one line, in line breaks, in zeros: at most 300 MB more than before."""
    service, study, _ = finished
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for fault in (fault for fault in SEGMENTS if "bomb" in fault):
        out = again()
        (out / JOURNAL).unlink()
        (out / SEALED).write_bytes(SEGMENTS[fault](b""))
        why = "holds more than" if "line breaks" in fault else "damaged"
        for words in readers(study, out)[:2]:
            refused(service, words, "00000.jsonl.zst", why)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@for_each("schema", SCHEMAS)
@for_each("sealed", [False, True])
def test_a_record_of_another_schema_is_refused_by_name(schema: str, sealed: bool, finished, again) -> None:
    service, study, _ = finished
    out = again()
    plain = (out / JOURNAL).read_bytes()
    changed = in_body(plain, b'"schema":4', SCHEMAS[schema])
    first, _, rest = changed.partition(b"\n")
    changed = rest + first + b"\n"  # also where it is not the first
    if sealed:
        (out / JOURNAL).unlink()
        (out / SEALED).write_bytes(packed(changed))
    else:
        (out / JOURNAL).write_bytes(changed)
    for words in readers(study, out)[:2]:
        refused(
            service,
            words,
            f"00000.jsonl{'.zst' * sealed}: line {EPISODES}: ",
            schema,
            "this version reads schema 4",
        )


def test_blank_lines_are_passed_over(finished, again) -> None:
    service, study, whole = finished
    out = again()
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    (out / JOURNAL).write_bytes(b"\n \r\n" + b"\n\n".join(lines) + b"\n\t\n\n ")
    assert command("run", study, "--out", out).code == 0
    assert command("report", out).shown == command("report", whole).shown
    assert recorded(out) == recorded(whole)
    assert not service.asked


def test_only_a_torn_end_of_the_open_journal_is_repaired(finished, again) -> None:
    """Random cuts, and blocks of zeros after one; the line before is never touched."""
    service, study, whole = finished
    plain = (whole / JOURNAL).read_bytes()
    starts = [0, *(n + 1 for n, byte in enumerate(plain) if byte == 10)]
    rng = random.Random(0)
    for n in range(12):
        out = again()
        cut = rng.randrange(1, len(plain))
        (out / JOURNAL).write_bytes(plain[:cut] + bytes(rng.choice((0, 0, 5, 4096)) if n % 2 else 0))
        kept = sum(start <= cut for start in starts[1:])
        assert command("run", study, "--out", out).code == 0
        assert recorded(out) == recorded(whole)
        assert service.again == 0
        assert len(service.asked) == 2 * ROUNDS * (EPISODES - kept)


@for_each(
    "spoil",
    [
        flipped_in_body,
        lambda plain: bytes(len(plain)),
        lambda plain: b"rubbish",
        lambda plain: b"rubbish\n" + plain,
    ],
)
def test_damage_of_the_journal_that_no_crash_makes_is_refused(spoil, finished, again) -> None:
    service, study, _ = finished
    out = again()
    (out / JOURNAL).write_bytes(spoil((out / JOURNAL).read_bytes()))
    spoiled = (out / JOURNAL).read_bytes()
    for words in readers(study, out):
        refused(service, words, "00000.jsonl: line ", "is damaged")
    assert (out / JOURNAL).read_bytes() == spoiled


@for_each("kind", KINDS)
@for_each(
    "name",
    ["study.json", "lock.sqlite", "ledger.sqlite", "ledger.sqlite-wal", "calls.sqlite", "records", JOURNAL],
)
def test_a_file_of_another_kind_is_refused(name: str, kind: str, finished, again) -> None:
    service, study, _ = finished
    if (name, kind) == ("records", "a folder"):
        return
    out = again()
    in_place_of(out / name, KINDS[kind])
    reads = name in {"study.json", "records", JOURNAL}
    for words in readers(study, out)[: 2 if reads else 1]:
        refused(service, words, "" if name == "study.json" else name)


@for_each("kind", KINDS)
def test_nor_is_another_kind_written_over(kind: str, finished, tmp_path: Path) -> None:
    service, study, out = finished
    service.asked.clear()
    there = tmp_path / "there"
    in_place_of(there, KINDS[kind])
    mode = os.lstat(there).st_mode
    refused(service, ("run", study, "--out", tmp_path / "new", "--cache", there), "there")
    refused(service, ("replay", out, "0", "--page", there))
    assert os.lstat(there).st_mode == mode
    in_place_of(there, lambda path: None)


@for_each("name", ["ledger.sqlite", "lock.sqlite", "calls.sqlite"])
def test_a_locked_database_is_left_alone(name: str, finished, again, monkeypatch: pytest.MonkeyPatch) -> None:
    service, study, _ = finished
    for room in ("studies.run_dir", "studies.access", "models.wrappers"):
        monkeypatch.setattr(f"otherminds.{room}.PATIENCE", 0.05)
    out = again()
    inode = (out / name).stat().st_ino
    with locked(out / name):
        refused(
            service, ("run", study, "--out", out), "is locked" if name != "lock.sqlite" else "another run"
        )
    assert (out / name).stat().st_ino == inode
    assert command("run", study, "--out", out).code == 0


@for_each(
    ("name", "mode"),
    [
        (".", 0),
        (".", 0o555),
        ("records", 0),
        ("study.json", 0),
        ("lock.sqlite", 0),
        ("ledger.sqlite", 0),
        ("ledger.sqlite", 0o444),
        ("calls.sqlite", 0),
        ("calls.sqlite", 0o444),
        (JOURNAL, 0),
        (JOURNAL, 0o444),
    ],
)
def test_a_file_without_permission_is_refused(name: str, mode: int, finished, again) -> None:
    service, study, whole = finished
    out = again()
    with without_permission(out, name, mode):
        refused(service, ("run", study, "--out", out))
    assert recorded(out) == recorded(whole)


def resumes(service: Service, study: Path, out: Path, whole: Path) -> None:
    """After a fault, the run goes on: nothing finished is lost or billed twice, and the records are the same."""
    before = recorded(out) if (out / "records").exists() else {}
    service.asked, first = type(service.asked)(), service.asked
    assert command("run", study, "--out", out).code == 0
    assert before.items() <= recorded(out).items()
    assert recorded(out) == recorded(whole)
    made = {
        call.config["seed"]
        for record in results(out)[1]
        for call in record.calls
        if record.spec.hash in before
    }
    assert not made.intersection(service.asked), "calls of finished episodes"
    assert len(first.keys() & service.asked.keys()) <= service.concurrency, "at most those in flight"


@for_each("size", [0, 4000, 20_000, 45_000, 100_000])
def test_a_full_disk_loses_nothing(size: int, finished, tmp_path: Path) -> None:
    """No file can grow beyond ``size``: the study, the ledger, the replies and the records fail in turn."""
    service, study, whole = finished
    out = tmp_path / str(size)
    service.asked.clear()
    with file_limit(size):
        done = command("run", study, "--out", out)
    assert done.stopped if service.asked else done.one_line, done.shown
    resumes(service, study, out, whole)


def test_a_fault_of_any_write_of_records_loses_nothing(
    finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The n-th time that something is to be on disk, the disk is full: appends, seals and the study's card."""
    service, study, whole = finished
    monkeypatch.setattr(store, "SEGMENT", 10_000)
    n, code = 0, None
    while code != 0:
        n += 1
        out = tmp_path / str(n)
        service.asked.clear()
        with failing_sync(n):
            done = command("run", study, "--out", out)
        code = done.code
        assert code == 0 or (done.stopped if service.asked else done.one_line), done.shown
        assert not list(out.rglob("*.part"))
        resumes(service, study, out, whole)
    assert n > 8


def test_what_is_printed_to_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        words = [sys.executable, "-m", "otherminds", "list", "worlds"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "otherminds: the output cannot be written: No space left on device\n"


def test_a_part_that_is_moved_away_is_not_written_over(finished, again) -> None:
    """A new segment has a number that none had."""
    _, study, whole = finished
    out = again()
    lines = (out / JOURNAL).read_bytes().splitlines(keepends=True)
    (out / JOURNAL).unlink()
    (out / "records/00001.jsonl.zst").write_bytes(packed(b"".join(lines[3:])))
    assert command("run", study, "--out", out).code == 0
    assert [path.name for path in sorted((out / "records").iterdir())] == ["00001.jsonl.zst", "00002.jsonl"]
    assert recorded(out) == recorded(whole)


@pytest.mark.parametrize("sealed", [False, True])
def test_mutated_files_are_read_or_refused_in_one_line(sealed: bool, finished, again) -> None:
    """``benchmarks/hardening_storage.py`` has more of them, with whole commands."""
    _, _, whole = finished
    out, rng = again(), random.Random(1)
    plain = (whole / JOURNAL).read_bytes()
    (out / JOURNAL).unlink()
    path = out / (SEALED if sealed else JOURNAL)
    said: list[str] = []
    for _ in range(500):
        path.write_bytes(mutated(packed(plain) if sealed else plain, rng))
        try:
            found = [record.hash for record in results(out)[1]]
        except OtherMindsError as error:
            said.append(str(error))
        else:
            kept = recorded(whole).values()
            assert set(found) <= set(kept)
            assert len(found) >= EPISODES - (not sealed)
    assert len(said) > 300
    assert all(path.name in text and "\n" not in text for text in said)


def test_a_record_that_was_changed_under_its_hash_is_reported_or_refused(finished, again) -> None:
    """Whatever the measures would stumble over is refused by file and line."""
    service, _, whole = finished
    out, rng = again(), random.Random(2)
    plain = (whole / JOURNAL).read_bytes()
    refusals = 0
    for _ in range(60):
        (out / JOURNAL).write_bytes(forged(plain, rng))
        done = command("report", out)
        if done.code != 0:
            refusals += 1
            assert done.one_line, done.shown
            assert "00000.jsonl: line 1 is damaged (" in done.said[0]
    assert refusals > 20
    assert not service.asked
