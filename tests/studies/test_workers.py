"""Worker processes: results, errors, and kills at the worst moment."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from concurrent.futures import BrokenExecutor
from multiprocessing.connection import Connection
from time import sleep

import pytest

from otherminds.core.errors import InternalError, StudyError
from otherminds.studies.chunks import Workers


def add_one(number: int) -> int:
    return number + 1


def process(_: int) -> int:
    return os.getpid()


def fail(how: str) -> None:
    if how == "exit":
        sys.exit(3)
    raise StudyError("no such study") if how == "study" else ZeroDivisionError("by\nzero")


def die_in_the_middle_of_the_answer(size: int) -> bytes:
    def send(pipe: Connection, message: memoryview) -> None:
        os.write(pipe.fileno(), message[: len(message) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(Connection, "_send", send)  # noqa: B010 - not public
    return bytes(size)


def test_results_and_errors_come_back() -> None:
    workers = Workers(2, ())
    assert [workers.submit(add_one, n).result() for n in range(5)] == [1, 2, 3, 4, 5]
    with pytest.raises(StudyError, match="no such study"):
        workers.submit(fail, "study").result()
    with pytest.raises(InternalError, match=r"^ZeroDivisionError: by zero \(.*test_workers.py, line \d+\)$"):
        workers.submit(fail, "other").result()
    with pytest.raises(InternalError, match="SystemExit: 3"):
        workers.submit(fail, "exit").result()
    assert workers.submit(add_one, 1).result() == 2, "workers continue after errors"
    workers.close()


def test_a_plugin_that_cannot_be_loaded_is_named() -> None:
    workers = Workers(1, ("no_such_plugin.py",))
    with pytest.raises(StudyError, match=r"plugin 'no_such_plugin\.py' is not at"):
        workers.submit(add_one, 1).result(timeout=60)
    workers.close()


def test_processes_are_reused_and_end() -> None:
    before = set(multiprocessing.active_children())
    workers = Workers(2, ())
    assert len({future.result() for future in [workers.submit(process, n) for n in range(10)]}) <= 2
    workers.close()
    assert set(multiprocessing.active_children()) <= before


@pytest.mark.parametrize("size", [100, 10_000_000])
def test_a_worker_that_is_killed_in_the_middle_of_its_answer_ends_its_call_only(size: int) -> None:
    workers = Workers(2, ())
    broken = workers.submit(die_in_the_middle_of_the_answer, size)
    other = workers.submit(add_one, 1)
    with pytest.raises(BrokenExecutor):
        broken.result(timeout=60)
    assert other.result(timeout=60) == 2
    workers.close()


def test_kill_ends_running_calls_and_calls_that_have_not_begun() -> None:
    workers = Workers(1, ())
    workers.submit(process, 0).result()
    calls = [workers.submit(sleep, 600) for _ in range(3)]
    while not calls[0].running():
        sleep(0.01)
    workers.kill()
    workers.close()
    assert isinstance(calls[0].exception(), BrokenExecutor)
    assert all(call.cancelled() or isinstance(call.exception(), BrokenExecutor) for call in calls[1:])
