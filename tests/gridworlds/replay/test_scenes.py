"""Windows and maps of a replay are, pixel for pixel, what seats and spectators saw."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from otherminds.core.scenario import World
from otherminds.gridworlds.commons import views as commons
from otherminds.gridworlds.commons.rules import SUBSTRATES
from otherminds.gridworlds.commons.world import CommonsWorld
from otherminds.gridworlds.cooking import views as cooking
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.pixels import picture
from otherminds.gridworlds.grid.rules import FORWARD
from otherminds.gridworlds.in_the_matrix import views as in_the_matrix
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.gridworlds.replay.scenes import TILE_ROW, HeldThing, hue, scenery, sheet
from tests.gridworlds.cooking import plain as plain_cooking
from tests.gridworlds.in_the_matrix import plain as plain_matrix

Made = Callable[[], World]
WORLDS: dict[str, tuple[Made, ModuleType, ModuleType]] = {
    "rws": (lambda: InTheMatrixWorld(RWS_REPEATED), in_the_matrix, plain_matrix),
    "pd": (lambda: InTheMatrixWorld(PD_REPEATED), in_the_matrix, plain_matrix),
    "arena": (lambda: InTheMatrixWorld(RWS_ARENA), in_the_matrix, plain_matrix),
    "cooking": (CookingWorld, cooking, plain_cooking),
}


@pytest.mark.parametrize("name", WORLDS)
def test_windows_and_map_are_the_pixels_of_the_world(name: str) -> None:
    make, pixels, plain = WORLDS[name]
    world: Any = make()
    world.reset(seed=4)
    shown = scenery(world, name)
    stage = shown.stage(world)
    rng = np.random.default_rng(5)
    for _ in range(60):
        frame = shown.frame(world)
        state = world.engine.state
        whole = picture(stage.tiles, stage.whole(frame.codes))
        assert np.array_equal(whole, pixels.world(world.rules, state, 0))
        for i, stand in enumerate(frame.stands.tolist()):
            seen = picture(stage.tiles, stage.window(frame.codes, stand, i))
            assert np.array_equal(seen, plain.observe(world.rules, state, 0, i))
        world.step(
            {seat: int(rng.choice(8, p=[0, 0.4, 0, 0.1, 0.1, 0.1, 0.1, 0.2])) for seat in world.agents}
        )


@pytest.mark.parametrize("name", ["coins-v1", "harvest-open-v1", "clean-up-v1"])
def test_windows_and_map_of_common_goods_are_the_pixels_of_the_world(name: str) -> None:
    world = CommonsWorld(SUBSTRATES[name], rgb=True)
    observations, _ = world.reset(seed=4)
    shown = scenery(world, name)
    stage = shown.stage(world)
    rng = np.random.default_rng(5)
    acts = 0
    for step in range(1, 200):
        frame = shown.frame(world)
        whole = picture(stage.tiles, stage.whole(frame.codes))
        assert np.array_equal(whole, commons.world(world.rules, world.engine.state, 0))
        for i, (seat, stand) in enumerate(zip(world.agents, frame.stands.tolist(), strict=True)):
            seen = picture(stage.tiles, stage.window(frame.codes, stand, i))
            assert np.array_equal(seen, observations[seat]["RGB"])
        chosen = np.where(
            rng.random(len(world.agents)) < 0.4,
            rng.integers(len(stage.actions), size=len(world.agents)),
            FORWARD,
        )
        moves = dict(zip(world.agents, chosen.tolist(), strict=True))
        observations = world.step(moves)[0]
        acts += len(shown.happened(world, frame, shown.frame(world), step))
    assert acts == sum(map(len, world.acts.values())) > 0


def test_who_is_not_on_the_map_sees_nothing() -> None:
    world = InTheMatrixWorld(RWS_REPEATED)
    world.reset(seed=0)
    shown = scenery(world, "rws")
    stage = shown.stage(world)
    seen = stage.window(shown.frame(world).codes, (-1, -1, 0), 0)
    assert not stage.tiles[seen].any()


def test_things_have_the_colours_of_their_sprites() -> None:
    world = InTheMatrixWorld(PD_REPEATED)
    world.reset(seed=0)
    stage = scenery(world, "pd").stage(world)
    assert stage.things == (HeldThing("cooperate", "#1ee1b9"), HeldThing("defect", "#e11e46"))


def test_a_sheet_has_tiles_in_rows_and_black_behind_the_last() -> None:
    tiles = np.arange(1, 36, dtype=np.uint8)[:, None, None, None] * np.ones((1, 8, 8, 3), np.uint8)
    whole = sheet(tiles)
    assert whole.shape == (16, TILE_ROW * 8, 3)
    assert whole[8, 16, 0] == 35
    assert not whole[8:, 24:].any()
    assert hue(tiles[15]) == "#101010"
