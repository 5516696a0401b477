"""Pictures are the real engine's, pixel for pixel, and the compiled painter paints the plain ones."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC as RULES
from otherminds.gridworlds.cooking.rules import State, empty
from otherminds.gridworlds.cooking.views import BARS, world
from otherminds.gridworlds.grid.pixels import TILE, picture, words
from tests.gridworlds.cooking.plain import observe
from tests.gridworlds.grid.arrays import same

DATA = Path(__file__).parents[2] / "data" / "melting_pot"
FRAMES = 1200


@cache
def recorded() -> dict[str, np.ndarray]:
    with np.load(DATA / f"frames_{RULES.name}.npz") as file:
        return {key: file[key] for key in file.files}


def staged(film: dict[str, np.ndarray], t: int) -> State:
    """A state of ours in which stands what stood in the engine's cells when frame ``t`` was taken."""
    state = empty(RULES, 1)
    avatars = film["avatars"][t]
    state.avatars[0, :, [columns.X, columns.Y, columns.FACING, columns.HELD]] = avatars.T
    state.items[0] = [film["on"][t, y, x] for x, y in RULES.containers]
    for n, (x, y) in enumerate(RULES.pots):
        # The engine's fifth look, cooked, is that of a pot with three tomatoes.
        state.pots[0, n, columns.INSIDE] = min(film["pot"][t, y, x] - 1, RULES.capacity)
        state.pots[0, n, columns.BAR] = film["bar"][t, y, x]
    # A bit a player in the film; ours is the last player's number.
    state.beam[0] = np.array([0, 1, 2, 2])[film["beam"][t].ravel()]
    state.clock[0, columns.BEAMS] = film["beam"][t].any()
    return state


def drawn(state: State) -> np.ndarray:
    """The windows of all players as the compiled painter draws them: uint8[B, P, rows · 8, columns · 8, 3]."""
    from otherminds.gridworlds.cooking._kernel import draw_all, scene

    rows, across = RULES.view.shape
    pictures = np.zeros((len(state.luck), RULES.players, rows * TILE, across * TILE, 3), np.uint8)
    draw_all(scene(RULES), state, words(pictures))
    return pictures


def test_what_every_seat_of_the_kitchen_sees_is_what_the_real_engine_draws() -> None:
    film = recorded()
    for t in range(FRAMES):
        state = staged(film, t)
        for player in range(RULES.players):
            true = picture(film["tiles"], film["windows"][t, player])
            same(observe(RULES, state, 0, player), true, f"frame {t}, player {player}")


def test_the_whole_kitchen_is_what_the_real_engine_draws() -> None:
    film = recorded()
    for t in range(FRAMES):
        true = picture(film["tiles"], film["world"][t])
        same(world(RULES, staged(film, t), 0), true, f"frame {t}")


def test_all_there_is_to_see_in_the_kitchen_was_recorded() -> None:
    film = recorded()
    assert len(film["avatars"]) == FRAMES
    ways_and_items = {
        (way, item) for player in film["avatars"].swapaxes(0, 1) for _, _, way, item in player.tolist()
    }
    assert ways_and_items == {(way, item) for way in range(4) for item in range(4)}
    counters = [(x, y) for (x, y), stock in zip(RULES.containers, RULES.stock, strict=True) if not stock]
    assert {item for x, y in counters for item in film["on"][:, y, x].tolist()} == set(range(4))
    pots = {(film["pot"][t, y, x], film["bar"][t, y, x]) for x, y in RULES.pots for t in range(FRAMES)}
    assert pots >= {(look, 0) for look in (1, 2, 3, 4)} | {(4, bar) for bar in range(BARS - 1)} | {(5, 10)}
    assert (1, 10) in pots, "the bar is full for one more step when soup was taken"
    assert set(np.unique(film["beam"])) == {0, 1, 2, 3}
    assert {film["avatars"][t, 0, 0] < 4 for t in (0, FRAMES - 1)} == {True, False}, "both rooms"


def test_the_compiled_painter_of_the_kitchen_paints_every_recorded_frame() -> None:
    film = recorded()
    for t in range(FRAMES):
        seen = drawn(staged(film, t))[0]
        for player in range(RULES.players):
            true = picture(film["tiles"], film["windows"][t, player])
            same(seen[player], true, f"frame {t}, player {player}")


def test_the_compiled_painter_paints_several_kitchens_at_once() -> None:
    states = [staged(recorded(), t) for t in (100, 400, 800)]
    stacked = State(*(np.concatenate(arrays) for arrays in zip(*states, strict=True)))
    seen = drawn(stacked)
    for b in range(3):
        for player in range(RULES.players):
            same(seen[b, player], observe(RULES, stacked, b, player))


def test_a_larger_picture_of_the_kitchen_has_the_same_pixels_as_blocks() -> None:
    state = staged(recorded(), 500)
    small, large = world(RULES, state, 0), world(RULES, state, 0, scale=4)
    for shift in range(4):
        same(large[shift::4, shift::4], small)


def test_more_cooks_or_larger_pots_than_there_are_sprites_for_are_refused() -> None:
    for rules in (replace(RULES, players=10), replace(RULES, capacity=4)):
        with pytest.raises(ValueError, match="sprites"):
            world(rules, empty(RULES, 1), 0)
