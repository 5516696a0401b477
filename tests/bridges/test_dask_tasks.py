"""Dask: a run on two workers, of which one is killed, has the records of a plain run."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")
import dask
import distributed
import psutil

from otherminds.core.errors import StudyError
from otherminds.studies.executor import open_executor
from tests.bridges.clusters import Kills, same_as_here


@pytest.fixture
def cluster() -> Iterator[distributed.LocalCluster]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    ) as made:
        yield made


def test_a_worker_that_is_killed_changes_no_record(cluster: distributed.LocalCluster, tmp_path: Path) -> None:
    def kill() -> None:
        os.kill(cluster.workers[0].pid, signal.SIGKILL)

    same_as_here(f"dask:{cluster.scheduler_address}", tmp_path, Kills(kill))


def test_the_address_may_come_from_the_environment(cluster: distributed.LocalCluster, tmp_path: Path) -> None:
    with dask.config.set({"scheduler-address": cluster.scheduler_address}):
        same_as_here("dask", tmp_path, Kills())


def test_a_scheduler_that_does_not_answer_is_named() -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "200ms"}),
        pytest.raises(StudyError, match=r"executor 'dask:tcp://127.0.0.1:9' cannot be opened: "),
        open_executor("dask:tcp://127.0.0.1:9", ()),
    ):
        pass


def test_workers_that_a_run_starts_are_reached_from_this_machine_alone() -> None:
    with dask.config.set({"scheduler-address": None}), open_executor("dask", ()):
        here = psutil.Process()
        ports = [
            one
            for process in (here, *here.children(recursive=True))
            for one in process.net_connections("inet")
        ]
        listening = {one.laddr.ip for one in ports if one.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
