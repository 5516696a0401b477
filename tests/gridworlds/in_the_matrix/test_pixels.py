"""Pictures are the real engine's, pixel for pixel, and the compiled painter paints the plain ones."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from otherminds.gridworlds.grid.pixels import TILE, picture
from otherminds.gridworlds.in_the_matrix.rules import RWS_ARENA, RWS_REPEATED, SUBSTRATES, State, empty
from otherminds.gridworlds.in_the_matrix.views import world
from tests.cases import for_each
from tests.gridworlds.grid.arrays import same
from tests.gridworlds.in_the_matrix.plain import observe, plain_engine
from tests.gridworlds.in_the_matrix.staging import drawn, staged
from tests.gridworlds.in_the_matrix.substrates import FIRST

DATA = Path(__file__).parents[2] / "data" / "melting_pot"
NAMES = tuple(SUBSTRATES)


@cache
def recorded(name: str) -> dict[str, np.ndarray]:
    with np.load(DATA / f"frames_{name}.npz") as file:
        return {key: file[key] for key in file.files}


@pytest.mark.parametrize("name", NAMES)
def test_what_every_seat_of_the_matrix_sees_is_what_the_real_engine_draws(name: str) -> None:
    rules, film = SUBSTRATES[name], recorded(name)
    for t in range(0, len(film["world"]), 5 if rules.players > 2 else 2):
        state = staged(rules, film, t)
        for player in range(rules.players):
            true = picture(film["tiles"], film["windows"][t, player])
            same(observe(rules, state, 0, player), true, f"frame {t}, player {player}")


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_matrix_map_is_what_the_real_engine_draws(name: str) -> None:
    rules, film = SUBSTRATES[name], recorded(name)
    for t in range(len(film["world"])):
        true = picture(film["tiles"], film["world"][t])
        same(world(rules, staged(rules, film, t), 0), true, f"frame {t}")


@for_each("name", FIRST)
def test_all_there_is_to_see_in_the_matrix_was_recorded(name: str) -> None:
    rules, film = SUBSTRATES[name], recorded(name)
    alive = film["avatars"][:, :, 3] == 1
    assert set(film["avatars"][alive][:, 4]) == set(range(7))
    assert set(film["avatars"][alive][:, 2]) == set(range(4))
    assert set(np.unique(film["shown"])) == set(range(len(rules.classes) + 1))
    assert film["beam"].any(axis=(1, 2)).sum() >= 50
    respawned = ~alive[:-1] & alive[1:]
    assert respawned.sum() >= 20
    assert (~alive).any(axis=0).all(), "each player was removed at some time"


@pytest.mark.parametrize("name", NAMES)
def test_the_compiled_painter_of_the_matrix_paints_every_recorded_frame(name: str) -> None:
    rules, film = SUBSTRATES[name], recorded(name)
    for t in range(len(film["world"])):
        seen = drawn(rules, staged(rules, film, t))[0]
        for player in range(rules.players):
            true = picture(film["tiles"], film["windows"][t, player])
            same(seen[player], true, f"frame {t}, player {player}")


def test_the_compiled_painter_paints_several_worlds_of_the_matrix_at_once() -> None:
    rules, film = RWS_ARENA, recorded(RWS_ARENA.name)
    states = [staged(rules, film, t) for t in (100, 400, 800)]
    stacked = State(*(np.concatenate(arrays) for arrays in zip(*states, strict=True)))
    seen = drawn(rules, stacked)
    assert seen.shape == (3, 8, 11 * TILE, 11 * TILE, 3)
    for b in range(3):
        for player in range(rules.players):
            same(seen[b, player], observe(rules, stacked, b, player))


def test_a_beam_hides_the_avatar_that_respawned_into_it() -> None:
    engine = plain_engine(RWS_REPEATED)
    engine.reset(3)
    x, y = engine.state.avatars[0, 0, :2]
    engine.state.beam[0, y * RWS_REPEATED.size[0] + x] = 1
    cell = world(RWS_REPEATED, engine.state, 0)[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE]
    assert (cell == (252, 252, 106)).all()


def test_a_larger_picture_of_the_matrix_has_the_same_pixels_as_blocks() -> None:
    engine = plain_engine(RWS_REPEATED)
    engine.reset(3)
    small, large = world(RWS_REPEATED, engine.state, 0), world(RWS_REPEATED, engine.state, 0, scale=3)
    assert large.shape == (small.shape[0] * 3, small.shape[1] * 3, 3)
    for shift in range(3):
        same(large[shift::3, shift::3], small)


def test_a_crowd_for_which_there_are_no_colours_is_refused() -> None:
    with pytest.raises(ValueError, match="9 players"):
        world(replace(RWS_ARENA, players=9), empty(RWS_ARENA, 1), 0)
