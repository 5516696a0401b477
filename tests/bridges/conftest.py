"""A cluster of Ray for tests: two nodes of one core on this machine."""

from collections.abc import Iterator
from typing import Any

import pytest

NODE = {
    "num_cpus": 1,
    "node_ip_address": "127.0.0.1",
    "object_store_memory": 80 * 2**20,
    "include_dashboard": False,
}


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The cluster; ``worker_nodes`` has the one node that may be killed."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setattr("ray._private.ray_constants.ENABLE_RAY_CLUSTER", False)  # 127.0.0.1 stays that
    made = Cluster(initialize_head=True, head_node_args=NODE)
    try:
        made.add_node(**NODE)
        made.wait_for_nodes()
        yield made
    finally:
        made.shutdown()
