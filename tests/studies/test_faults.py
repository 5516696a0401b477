"""A whole study against a server with a fault that repeats: the fault costs its own episode and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.models import wrappers
from tests.models.poisoned import SHAPES, WAITS, Poisoned, played

SMALL = (60, 60)
WHOLE = pytest.param((300, 400), marks=pytest.mark.slow)
"""Episodes of two calls, and one poisoned request in how many."""


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrappers, "BASE", 0.01)


@pytest.mark.parametrize("sizes", [SMALL, WHOLE])
@pytest.mark.parametrize(
    "shape",
    ["no choices", *(pytest.param(one, marks=pytest.mark.slow) for one in SHAPES if one != "no choices")],
)
def test_a_request_that_is_always_answered_in_a_wrong_form_costs_its_episode_alone(
    shape: str, sizes: tuple[int, int], tmp_path: Path
) -> None:
    episodes, one_in = sizes
    server = Poisoned(SHAPES[shape], one_in)
    states, outcomes = played(server, tmp_path, episodes)
    bad = len(server.poisoned)
    assert bad > 0
    assert states == {"scored": episodes - bad, "failed": bad}, (
        "none was left unplayed for a server that is down"
    )
    assert outcomes == states
    assert [server.asked[one] for one in server.poisoned] == [wrappers.SHAPELESS] * bad
    assert sum(server.asked.values()) - len(server.asked) == bad * (wrappers.SHAPELESS - 1)


@pytest.mark.parametrize("sizes", [SMALL, WHOLE])
@pytest.mark.parametrize(
    "wait", ["Retry-After: 1e9", pytest.param("retry-after-ms: 1e15", marks=pytest.mark.slow)]
)
def test_a_fault_that_passes_costs_nothing_however_long_the_wait_that_it_asks_for(
    wait: str, sizes: tuple[int, int], tmp_path: Path
) -> None:
    episodes, one_in = sizes
    server = Poisoned(WAITS[wait], one_in, once=True)
    states, outcomes = played(server, tmp_path, episodes)
    assert states == outcomes == {"scored": episodes}
    assert {server.asked[one] for one in server.poisoned} == {2}
