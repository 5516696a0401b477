"""Partners of a batch: they sit where the cast says, and their episodes are those of the worlds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from otherminds.core.encoding import derive
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.scenario import scenario
from otherminds.gridworlds.cooking.cooks import NAMES as COOKS
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.gridworlds.cooking.world import make_substrate
from otherminds.gridworlds.grid.learner import GridBatch, LearnerBatch
from otherminds.gridworlds.grid.partners import BatchedPartners, Cast
from otherminds.gridworlds.grid.rules import seat_of
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED
from otherminds.gridworlds.in_the_matrix.world import make_substrate as matrix
from tests.cases import for_each

NAMES = ("left", "right")


class Turners(BatchedPartners):
    """Partners whose action is 5 more than their number. They note the worlds and streams in which they begin."""

    def __init__(self, batch: GridBatch, cast: Cast, noise: float = 0.0) -> None:
        super().__init__(batch, cast, NAMES, noise)
        self.started: list[tuple[list[int], list[list[int]]]] = []

    def _list_memory(self) -> dict[str, NDArray[Any]]:
        return {}

    def _start(self, fresh: NDArray[np.bool_], streams: NDArray[np.uint64]) -> None:
        self.started.append((np.flatnonzero(fresh).tolist(), streams[fresh].tolist()))

    def _decide(self, actions: NDArray[np.int64]) -> None:
        actions[self.cast >= 0] = self.cast[self.cast >= 0] + 5


def kitchens(worlds: int, maximum: int = 4) -> LearnerBatch:
    return make_substrate(replace(COOKING_ASYMMETRIC, maximum=maximum)).batch(worlds)


def streams(seed: int, *seats: int) -> list[int]:
    """The seeds of the generators of those in ``seats``, 0 for others."""
    return [derive(seed, "mind", seat_of(i)) if i in seats else 0 for i in range(2)]


def test_each_world_has_the_partners_of_its_entry() -> None:
    batch = kitchens(4)
    partners = Turners(batch.shards[0], [{1: "left"}, ("right", None), ("left", "right"), {}])
    batch.reset(7)
    partners.begin()
    assert partners.cast.tolist() == [[-1, 0], [1, -1], [0, 1], [-1, -1]]
    assert partners.act().tolist() == [[0, 5], [6, 0], [5, 6], [0, 0]]
    drawn = [streams(7, 1), streams(8, 0), streams(9, 0, 1), streams(10)]
    assert partners.started == [([0, 1, 2, 3], drawn)]


@for_each("maximum", [1, 2, 5, 12])
def test_episodes_that_begin_within_a_step_have_partners_of_their_own(maximum: int) -> None:
    asked: list[tuple[int, int]] = []

    def draw(world: int, seed: int) -> dict[int, str | None]:
        asked.append((world, seed))
        return {1: NAMES[seed % 2]}

    batch = kitchens(2, maximum)
    partners = Turners(batch.shards[0], draw)
    batch.reset([11, 12])
    partners.begin()
    episodes: list[list[int]] = []
    for step in range(12):
        if step % maximum == 0:
            episodes.append(batch.seeds.tolist())
        actions = partners.act()
        assert actions.tolist() == [[0, 5 + seed % 2] for seed in episodes[-1]]
        batch.step(actions)
    assert asked == [(b, seed) for seeds in episodes for b, seed in enumerate(seeds)]
    assert partners.started == [([0, 1], [streams(seed, 1) for seed in seeds]) for seeds in episodes]
    assert len(episodes) == -(-12 // maximum)


def test_only_worlds_that_begin_anew_are_begun() -> None:
    """In matches whose length is drawn, so that episodes end at different times."""
    batch = matrix(replace(PD_REPEATED, minimum=3, interval=4, ending=0.5, maximum=40)).batch(3)
    partners = Turners(batch.shards[0], [{1: "left"}] * 3)
    batch.reset(0)
    partners.begin()
    expected = [([0, 1, 2], [streams(seed, 1) for seed in range(3)])]
    for _ in range(60):
        batch.step(partners.act())
        ended = np.flatnonzero(batch.terminations | batch.truncations).tolist()
        if ended:
            expected.append((ended, [streams(int(batch.seeds[b]), 1) for b in ended]))
    partners.act()
    assert partners.started == expected
    assert {len(worlds) for worlds, _ in expected} >= {1, 3}


def test_the_partners_of_a_scenario_are_those_that_a_study_meets_under_the_seed() -> None:
    built = scenario("cooking-asymmetric-mixed-v1", {})

    class Cooks(Turners):
        def __init__(self, batch: GridBatch) -> None:
            BatchedPartners.__init__(self, batch, built, COOKS)
            self.started = []

    batch = kitchens(6)
    partners = Cooks(batch.shards[0])
    batch.reset(100)
    for seeds in (None, 30, range(40, 46)):
        partners.begin(seeds)
        under = [100 + b if seeds is None else (30 + b if seeds == 30 else 40 + b) for b in range(6)]
        met = [COOKS.index(built.population.met(seed)[0].mind) for seed in under]
        assert partners.cast.tolist() == [[-1, number] for number in met]
        assert set(met) == set(range(len(COOKS)))
        assert partners.started[-1][1] == [streams(seed, 1) for seed in under]


@for_each(
    ("cast", "text"),
    [
        ([{1: "left"}], "the cast of 2 worlds has 1 entries; give one a world"),
        (
            scenario("cooking-asymmetric-0-v1", {}),
            "partner 'chef_0' of cooking-asymmetric-0-v1 is none of left, right",
        ),
    ],
)
def test_a_cast_that_cannot_fit_is_refused_at_once(cast: Cast, text: str) -> None:
    with pytest.raises(StudyError, match=text):
        Turners(kitchens(2).shards[0], cast)


def test_a_scenario_whose_partners_have_options_is_refused() -> None:
    class Cooks(Turners):
        def __init__(self, batch: GridBatch) -> None:
            noisy = scenario("cooking-asymmetric-0-v1", {"noise": 0.1})
            BatchedPartners.__init__(self, batch, noisy, COOKS)

    with pytest.raises(StudyError, match=r"the options \{'noise': 0.1\}; make it without"):
        Cooks(kitchens(1).shards[0])


@for_each(
    ("seats", "text"),
    [
        ({2: "left"}, "a cast names seat 2; there are seats 0 to 1"),
        (("left", "left", "left"), "a cast names seat 2"),
        ({0: "up"}, "no batched partner 'up'; there are left, right"),
    ],
)
def test_seats_that_a_cast_cannot_fill_are_named(seats: Any, text: str) -> None:
    batch = kitchens(1)
    batch.reset(0)
    for cast in ([seats], lambda world, seed: seats):
        with pytest.raises(StudyError, match=text):
            Turners(batch.shards[0], cast).begin()


def test_partners_begin_and_act_once_in_each_step() -> None:
    batch = kitchens(3)
    partners = Turners(batch.shards[0], [{}] * 3)
    batch.reset(0)
    with pytest.raises(WorldError, match="have not begun: call begin"):
        partners.act()
    with pytest.raises(WorldError, match="2 seeds for the partners of 3 worlds"):
        partners.begin([1, 2])
    partners.begin()
    actions = partners.act()
    with pytest.raises(WorldError, match="world 0 is at step 0 and its partners acted last in step 0"):
        partners.act()
    batch.step(actions)
    batch.step(actions)
    with pytest.raises(WorldError, match="world 0 is at step 2 and its partners acted last in step 0"):
        partners.act()


def test_a_snapshot_of_other_partners_is_refused() -> None:
    three, two = (Turners(kitchens(worlds).shards[0], [{1: "left"}] * worlds) for worlds in (3, 2))
    with pytest.raises(WorldError, match="the snapshot is of another set of partners: 'cast' does not fit"):
        two.restore(three.snapshot())
