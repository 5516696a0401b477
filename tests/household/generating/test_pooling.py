"""A pool is the same for any number of processes and after any interruption, and counts what was rejected."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from otherminds.core.errors import InternalError, StudyError
from otherminds.household.generating.pooling import (
    DUPLICATE,
    EASY,
    Pooling,
    PoolSlot,
    SeedTally,
    Submit,
    Trial,
    consecutive,
    here,
    slots_of,
    tried,
)
from otherminds.household.generating.properties import Candidate, Generator, TaskProperties, composition
from otherminds.household.pool.folder import PoolWriter
from otherminds.household.pool.store import LEDGER, read_pool
from otherminds.household.proofs.episodes import SHARES
from otherminds.studies.chunks import Workers
from tests.cases import for_each
from tests.household.pool.killed import Killed, Writes
from tests.household.pool.pooled import candidate, contents, never, often_easy, pooled

ALIKE = consecutive(TaskProperties(), 12, 100)
SPLIT = slots_of(composition(12), "dev", 5)


def made(
    folder: Path,
    slots: Sequence[PoolSlot] = ALIKE,
    generator: Generator = candidate,
    submit: Submit = here,
    processes: int = 1,
    most: int = 30,
) -> SeedTally:
    writer = PoolWriter(folder, {"seed": 0})
    try:
        return Pooling(slots, generator, writer, submit, processes, most, lambda tally: None).fill()
    finally:
        writer.release()


def threads(delay: Callable[[int], float]) -> tuple[Submit, ThreadPoolExecutor]:
    """Tries seeds in three threads, each seed after a delay."""
    pool = ThreadPoolExecutor(3)

    def later(trial: Trial) -> Candidate:
        time.sleep(delay(trial[1]))
        return tried(trial)

    return lambda trial: pool.submit(later, trial), pool


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, bytes]]:
    """The pools of both kinds of slots, made in one process without interruption."""
    found: dict[int, dict[str, bytes]] = {}
    for slots in (ALIKE, SPLIT):
        folder = tmp_path_factory.mktemp("whole") / "pool"
        made(folder, slots)
        found[len(slots)] = contents(folder)
    return found


def test_seeds_are_tried_in_order_and_counted_by_verdict(tmp_path: Path) -> None:
    tally = made(tmp_path / "pool", consecutive(TaskProperties(), 30, 100))
    entries = [one.entry for one in read_pool(tmp_path / "pool")]
    seeds = [entry.seed for entry in entries]
    assert seeds == sorted(seeds)
    last = seeds[-1]
    assert tally.rejected["fair"] == sum(seed % 5 == 1 for seed in range(100, last + 1))
    assert tally.rejected["guess-proof"] == sum(seed % 5 == 3 for seed in range(100, last + 1))
    assert tally.rejected[DUPLICATE] == sum(seed % 5 not in (1, 3) for seed in range(100, last + 1)) - 30 > 0
    assert len({entry.structure for entry in entries}) == len(entries) == tally.kept == 30
    assert tally.candidates == last - 99
    assert tally.seconds == {"draft": 0.25 * tally.candidates, "proofs": 1.5 * tally.candidates}


@pytest.mark.parametrize("slots", [ALIKE, SPLIT], ids=["alike", "split"])
def test_two_processes_give_the_same_bytes(slots: Sequence[PoolSlot], whole, tmp_path: Path) -> None:
    workers, folder = Workers(2, ()), tmp_path / "pool"
    try:
        made(folder, slots, submit=lambda trial: workers.submit(tried, trial), processes=2)
    finally:
        workers.close()
    assert contents(folder) == whole[len(slots)]


@settings(max_examples=12, deadline=None)
@given(salt=st.integers(0, 10**6), processes=st.integers(1, 5), alike=st.booleans())
def test_the_order_in_which_candidates_end_has_no_effect(
    whole, tmp_path_factory: pytest.TempPathFactory, salt: int, processes: int, alike: bool
) -> None:
    folder, slots = tmp_path_factory.mktemp("order") / "pool", ALIKE if alike else SPLIT
    submit, pool = threads(lambda seed: (seed * 7919 + salt) % 7 / 2000)
    with pool:
        made(folder, slots, submit=submit, processes=processes)
    assert contents(folder) == whole[len(slots)]


@pytest.mark.parametrize("slots", [ALIKE, SPLIT], ids=["alike", "split"])
def test_an_end_at_any_write_loses_and_repeats_nothing(
    slots: Sequence[PoolSlot], whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes, folder = Writes(monkeypatch), tmp_path / "pool"
    ends = 0
    for step in (1, 2, 3, 5, 8, 1, 4, 2) * 12:
        writes.left = step
        try:
            made(folder, slots)
        except Killed:
            ends += 1
            continue
        break
    else:
        pytest.fail("the pool was never full")
    assert ends > 10
    found = contents(folder)
    assert {name: text for name, text in found.items() if not name.endswith(".part")} == whole[len(slots)]


SCRIPT = """
import sys, time
from pathlib import Path
from tests.household.generating.test_pooling import ALIKE, made
from tests.household.pool.killed import Killed, Writes
from tests.household.pool.pooled import candidate
def slow(seed, wanted):
    time.sleep(0.01)
    return candidate(seed, wanted)
print("ready", flush=True)
made(Path(sys.argv[1]), ALIKE, slow)
"""


def test_a_killed_process_resumes_to_the_same_bytes(whole, tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder)], stdout=subprocess.PIPE, env={**os.environ}, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    ledger = folder / LEDGER
    while not ledger.exists() or ledger.read_bytes().count(b"\n") < 3:
        assert process.poll() is None
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert 3 <= len(read_pool(folder)) < 12
    tally = made(folder)
    assert 0 < tally.new < tally.kept == 12
    assert contents(folder) == whole[1]


def test_a_full_pool_tries_nothing_and_counts_the_same(tmp_path: Path) -> None:
    before = made(tmp_path / "pool")

    def fails(seed: int, wanted: TaskProperties) -> Candidate:
        raise AssertionError("no seed is left to try")

    after = made(tmp_path / "pool", generator=fails)
    assert (after.kept, after.rejected, after.seconds) == (before.kept, before.rejected, before.seconds)
    assert after.new == 0


def test_a_larger_pool_begins_with_the_smaller_one(tmp_path: Path) -> None:
    made(tmp_path / "pool", consecutive(TaskProperties(), 5, 0))
    smaller = [one.entry for one in read_pool(tmp_path / "pool")]
    made(tmp_path / "pool", consecutive(TaskProperties(), 9, 0))
    made(tmp_path / "at_once", consecutive(TaskProperties(), 9, 0))
    assert [one.entry for one in read_pool(tmp_path / "pool")][:5] == smaller
    assert contents(tmp_path / "pool") == contents(tmp_path / "at_once")


def test_a_slot_that_cannot_be_filled_is_given_up_and_the_others_are_filled(tmp_path: Path) -> None:
    wished = composition(12)
    tally = made(tmp_path / "pool", slots_of(wished, "dev", 5), never, most=4)
    deep = [str(k) for k, wanted in enumerate(wished) if wanted.depth == 3]
    assert [slot.name for slot in tally.unfilled] == deep
    assert tally.kept == 12 - len(deep)
    assert tally.rejected == {"solvable": 4 * len(deep)}
    further = made(tmp_path / "pool", slots_of(wished, "dev", 5), never, most=6)
    assert further.rejected == {"solvable": 6 * len(deep)}


def test_alike_tasks_are_given_up_after_rejections_in_a_row(tmp_path: Path) -> None:
    tally = made(tmp_path / "pool", consecutive(TaskProperties(depth=3), 2, 0), never, most=7)
    assert (tally.kept, tally.rejected) == (0, {"solvable": 7})
    assert len(tally.unfilled) == 1


def test_seeds_of_a_split_depend_on_split_seed_slot_and_attempt() -> None:
    wished = composition(3)
    seeds = {
        slot.seed(attempt)
        for name in ("dev", "hard")
        for seed in (0, 1, 2**63)
        for slot in slots_of(wished, name, seed)
        for attempt in range(5)
    }
    assert len(seeds) == 2 * 3 * 3 * 5
    assert max(seeds) < 2**40


def test_a_large_first_seed_fits_into_the_files(tmp_path: Path) -> None:
    made(tmp_path / "pool", consecutive(TaskProperties(), 3, 2**63))
    assert min(one.entry.seed for one in read_pool(tmp_path / "pool")) >= 2**63


def failing(seed: int, wanted: TaskProperties) -> Candidate:
    raise StudyError("no scene")


def undecided(seed: int, wanted: TaskProperties) -> Candidate:
    return Candidate(seed, "", None, b"", {})


def other_pattern(seed: int, wanted: TaskProperties) -> Candidate:
    good = pooled(seed)
    return Candidate(seed, "", replace(good, task=replace(good.task, pattern="")), b"", {})


def other_digest(seed: int, wanted: TaskProperties) -> Candidate:
    return Candidate(seed, "", pooled(seed), b"{}", {})


def by_future(trial: Trial) -> Future[Candidate]:
    future: Future[Candidate] = Future()
    try:
        future.set_result(tried(trial))
    except StudyError as error:
        future.set_exception(error)
    return future


@for_each(
    ("generator", "text"),
    [
        (failing, "seed 100: the generator failed: no scene"),
        (undecided, "a candidate is either rejected or has a task"),
        (other_pattern, "the task says 'delegation_100' and '', its entry"),
        (other_digest, "the digests of the entry are not those"),
    ],
)
def test_a_fault_of_the_generator_names_the_seed(generator: Generator, text: str, tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="seed 100: ") as told:
        made(tmp_path / "pool", generator=generator, submit=by_future)
    assert text in str(told.value)


def test_a_killed_worker_stops_the_run_and_says_what_to_do(tmp_path: Path) -> None:
    def broken(trial: Trial) -> Future[Candidate]:
        future: Future[Candidate] = Future()
        future.set_exception(BrokenExecutor("a worker process has ended"))
        return future

    with pytest.raises(StudyError, match="goes on from here, with fewer --processes"):
        made(tmp_path / "pool", submit=broken)


@for_each("hard", [None, True])
def test_no_cheap_team_solves_more_than_its_share_of_a_split(tmp_path: Path, hard: bool | None) -> None:
    slots = slots_of(composition(40, hard), "hard" if hard else "dev", 5)
    tally = made(tmp_path / f"{hard}", slots, often_easy, most=200)
    entries = [one.entry for one in read_pool(tmp_path / f"{hard}")]
    assert len(entries) == 40
    for kept in range(1, 41):
        counts = Counter(team for entry in entries[:kept] for team in entry.cheap or ())
        assert max(counts.values(), default=0) <= max(1, SHARES[bool(hard)] * kept)
    assert tally.rejected[EASY] > 0
    assert any("a third" in (entry.cheap or ()) for entry in entries)


def test_shares_are_the_same_for_any_number_of_processes_and_after_an_interruption(tmp_path: Path) -> None:
    slots = slots_of(composition(30), "dev", 5)
    made(tmp_path / "one", slots, often_easy, most=200)
    submit, pool = threads(lambda seed: 0.001 * (seed % 7))
    made(tmp_path / "three", slots, often_easy, submit, 3, most=200)
    pool.shutdown()
    for count in (7, 19):
        made(tmp_path / "later", slots[:count], often_easy, most=200)
    made(tmp_path / "later", slots, often_easy, most=200)
    assert contents(tmp_path / "one") == contents(tmp_path / "three") == contents(tmp_path / "later")


def test_a_pool_that_is_no_split_has_no_shares(tmp_path: Path) -> None:
    tally = made(tmp_path / "pool", consecutive(TaskProperties(), 12, 100), often_easy)
    assert tally.rejected[EASY] == 0
