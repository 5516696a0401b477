"""Chunks over any pool of workers: one that reorders, duplicates, loses and kills changes no record."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from otherminds.core.errors import InternalError, StudyError
from otherminds.core.segments import read_line
from otherminds.studies.chunks import TRIES, Chunks, play_chunk
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.store import Store
from tests.cases import thinned

if TYPE_CHECKING:
    from conftest import Heard

HOW = ("played", "played", "twice", "lost", "killed", "cancelled")


class Hostile(Executor):
    """Plays calls in a random order: some twice, some never; of some the worker dies."""

    def __init__(self, seed: int, how: tuple[str, ...] = HOW) -> None:
        self.calls: list[str] = []
        self._rng = Random(seed)
        self._how = how
        self._waiting: list[tuple[Future[Any], Callable[[Any], Any], Any]] = []
        self._more = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        assert not kwargs
        with self._more:
            future: Future[Any] = Future()
            self._waiting.append((future, fn, args[0]))
            self._more.notify()
            return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._more:
            self._open = False
            self._more.notify()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            with self._more:
                self._more.wait_for(lambda: self._waiting or not self._open)
                if not self._open:
                    return
                future, function, argument = self._waiting.pop(self._rng.randrange(len(self._waiting)))
            how = self._rng.choice(self._how)
            self.calls.append(how)
            if how == "cancelled" or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            if how == "killed":
                future.set_exception(BrokenExecutor("a node has gone"))
            elif how != "lost":
                lines = function(argument)
                future.set_result(lines + function(argument)[::-1] if how == "twice" else lines)


@pytest.fixture
def hostile(request: pytest.FixtureRequest) -> Iterator[Callable[..., Hostile]]:
    made: list[Hostile] = []

    def make(seed: int = 0, how: tuple[str, ...] = HOW) -> Hostile:
        made.append(Hostile(seed, how))
        return made[-1]

    yield make
    for one in made:
        one.shutdown()


def hashes(folder: Path) -> list[tuple[str, str]]:
    """Of each stored line, also where an episode has several."""
    return sorted((line.episode, line.hash) for line in Store(folder).lines())


def test_pools_of_threads_and_of_processes_give_the_records_of_a_plain_run(
    small: Path, tmp_path: Path, heard: Heard
) -> None:
    plan = plan_file(small)
    assert run(plan, tmp_path / "plain", heard) == {"scored": 24}
    context = multiprocessing.get_context("spawn")
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(1, context) as processes:
        for name, pool in (("threads", threads), ("processes", processes)):
            assert run(plan, tmp_path / name, heard, executor=Chunks(pool, size=5)) == {"scored": 24}
            assert hashes(tmp_path / name) == hashes(tmp_path / "plain")
        assert threads.submit(len, "open").result() == 4, "the pool is its owner's to close"


@pytest.mark.parametrize("seed", thinned(range(4), 2))
def test_a_pool_that_reorders_duplicates_loses_and_kills_gives_the_records_of_a_plain_run(
    seed: int,
    small: Path,
    tmp_path: Path,
    heard: Heard,
    hostile: Callable[..., Hostile],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("otherminds.studies.chunks.LATE", 0.02)
    plan = plan_file(small)
    run(plan, tmp_path / "plain", heard)
    pool = hostile(seed)
    chunks = Chunks(pool, room=3, size=2, patience=0.5)
    chunks.tries = 50
    assert run(plan, tmp_path / "hostile", heard, executor=chunks) == {"scored": 24}
    assert hashes(tmp_path / "hostile") == hashes(tmp_path / "plain")
    assert set(pool.calls) == set(HOW), "all of it happened"


def test_a_chunk_whose_workers_die_again_and_again_ends_the_run(
    small: Path, tmp_path: Path, heard: Heard, hostile: Callable[..., Hostile]
) -> None:
    pool = hostile(how=("killed",))
    with pytest.raises(
        InternalError, match=rf"died {TRIES} times \(BrokenExecutor: a node has gone\); .* again"
    ):
        run(plan_file(small), tmp_path / "out", heard, executor=Chunks(pool, size=24))
    assert len(pool.calls) == TRIES


def test_a_pool_that_never_answers_ends_the_run(
    small: Path, tmp_path: Path, heard: Heard, hostile: Callable[..., Hostile]
) -> None:
    pool = hostile(how=("lost",))
    with pytest.raises(
        InternalError, match=r"the executor has not answered for 0 s; .* run the command again"
    ):
        run(plan_file(small), tmp_path / "out", heard, executor=Chunks(pool, size=24, patience=0.1))
    assert len(pool.calls) == TRIES


def test_another_error_of_a_pool_ends_the_run(small: Path, tmp_path: Path, heard: Heard) -> None:
    class Failing(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            return super().submit(lambda: 1 // 0)

    with Failing(1) as pool, pytest.raises(InternalError, match="the executor failed: ZeroDivisionError"):
        run(plan_file(small), tmp_path / "out", heard, executor=Chunks(pool))


def test_a_pool_that_is_closed_is_named(small: Path, tmp_path: Path, heard: Heard) -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(
        StudyError, match=r"the executor takes no more episodes: RuntimeError: cannot schedule"
    ):
        run(plan_file(small), tmp_path / "out", heard, executor=Chunks(pool))


def test_plugins_are_imported_where_a_chunk_is_played(small: Path, tmp_path: Path, heard: Heard) -> None:
    specs = plan_file(small).episodes[:2]
    lines = play_chunk((), specs)
    assert isinstance(lines, list)
    assert [read_line(line).episode for line in lines] == [spec.hash for spec in specs]
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(StudyError, match=r"plugin 'no_such_plugin\.py' is not at"),
    ):
        run(plan_file(small), tmp_path / "out", heard, executor=Chunks(pool, ("no_such_plugin.py",)))
