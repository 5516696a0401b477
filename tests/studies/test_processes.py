"""Processes of this machine as an executor: their number, and one that is killed."""

from __future__ import annotations

import asyncio
import multiprocessing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from otherminds.core.errors import InternalError, StudyError
from otherminds.studies.executor import ProcessPool, open_executor
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run

if TYPE_CHECKING:
    from conftest import Heard


def test_a_worker_that_is_killed_ends_the_run(small: Path) -> None:
    """One process is killed while it starts: the pool says so, and can still be closed."""

    async def killed() -> None:
        before = set(multiprocessing.active_children())
        pool = ProcessPool(())
        try:
            assert pool.submit(plan_file(small).episodes[0])
            results = pool.results()
            first = asyncio.ensure_future(anext(results))
            while not (started := set(multiprocessing.active_children()) - before):
                await asyncio.sleep(0.01)
            for process in started:
                process.kill()
            await first
        finally:
            await pool.close()

    with pytest.raises(
        InternalError, match="a worker process was killed from outside; run the command again"
    ):
        asyncio.run(killed())


def test_processes_are_counted(small: Path, tmp_path: Path, heard: Heard) -> None:
    with open_executor("processes:1", ()) as executor:
        assert run(plan_file(small), tmp_path / "out", heard, executor=executor) == {"scored": 24}


@pytest.mark.parametrize("where", ["0", "-1", "many"])
def test_a_wrong_number_of_processes_is_named(where: str) -> None:
    with (
        pytest.raises(StudyError, match="needs a whole number from 1"),
        open_executor(f"processes:{where}", ()),
    ):
        pass
