"""Ray: a run on two nodes of one core, of which one is killed, has the records of a plain run."""

from pathlib import Path

import pytest

pytest.importorskip("ray")
import ray
from ray.cluster_utils import Cluster

from otherminds.core.errors import StudyError
from otherminds.models.hosts import Hosts
from otherminds.models.registry import open_model
from otherminds.studies.executor import open_executor
from tests.bridges.clusters import Kills, same_as_here


def test_a_node_that_is_killed_changes_no_record(nodes: Cluster, tmp_path: Path) -> None:
    second = nodes.worker_nodes.copy().pop()
    kills = Kills(lambda: nodes.remove_node(second, allow_graceful=False))
    same_as_here(f"ray:{nodes.address}", tmp_path, kills)
    assert not ray.is_initialized(), "the executor disconnects"


def test_the_address_may_come_from_the_environment(
    nodes: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)
    same_as_here("ray", tmp_path, Kills())


def test_models_of_services_stay_in_this_process(nodes: Cluster) -> None:
    with open_executor(f"ray:{nodes.address}", ()) as executor:
        (model,) = executor.servers("scripted:first", Hosts())
    assert type(model) is type(open_model("scripted:first"))


def test_a_cluster_that_does_not_answer_is_named() -> None:
    with (
        pytest.raises(StudyError, match=r"executor 'ray:no-such-file' cannot be opened: "),
        open_executor("ray:no-such-file", ()),
    ):
        pass


def test_no_cluster_is_started_that_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(StudyError, match="ray:ADDRESS needs a cluster"), open_executor("ray", ()):
        pass
    assert not ray.is_initialized()
