"""The policies of the package are small, valid, and play where they were trained."""

from __future__ import annotations

from collections import Counter

import otherminds as om
from otherminds.minds.learned.files import load_network, shipped_files

MOST = 2_000_000
"""Bytes of all policies of a substrate."""


def test_they_are_small() -> None:
    sizes: Counter[str] = Counter()
    for path in shipped_files().values():
        policy = load_network(path).policy
        sizes[policy.info.substrate] += policy.size
    assert max(sizes.values()) <= MOST


def test_names_say_algorithm_partners_substrate_and_seed() -> None:
    for name, path in shipped_files().items():
        info = load_network(path).policy.info
        substrate = info.substrate.removesuffix("-v1")
        kind = info.algorithm if info.partners == "own population" else f"{info.algorithm}_scripted"
        assert name.rpartition("-")[0] == f"{kind}-{substrate}"
        assert name.rpartition("-")[2].isdecimal()


def test_they_play_where_they_were_trained() -> None:
    for name, path in shipped_files().items():
        info = load_network(path).policy.info
        scenario = f"{info.substrate.removesuffix('-v1')}-0-v1"
        record = om.play(scenario, om.SeatSpec("learned", {"policy": name}), options={"steps": 40})
        assert record.outcome.status == "scored", name
        assert all(asked.answer in info.behaviours for asked in record.asked)
