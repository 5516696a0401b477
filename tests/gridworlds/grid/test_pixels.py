"""Tiles are mixed as the engine mixes them, and pictures are put together in the right places."""

from __future__ import annotations

import numpy as np
import pytest

from otherminds.gridworlds.grid.pixels import TILE, overlaid, paint, picture, sprites
from otherminds.gridworlds.grid.rules import EAST, NORTH, SOUTH, WEST, View
from tests.cases import for_each


def plain(*colour: int) -> np.ndarray:
    """A sprite of one colour with its opacity."""
    return np.full((TILE, TILE, 4), colour, np.uint8)


def test_every_sprite_has_pixels_with_opacity_and_cannot_be_written() -> None:
    for name, sprite in sprites().items():
        assert sprite.dtype == np.uint8, name
        assert sprite.shape[-3:] == (TILE, TILE, 4), name
        with pytest.raises(ValueError, match="read-only"):
            sprite[...] = 0


def test_the_walls_turn_a_quarter_clockwise_from_one_orientation_to_the_next() -> None:
    wall = sprites()["wall"]
    for way in range(4):
        np.testing.assert_array_equal(wall[(way + 1) % 4], np.rot90(wall[way], -1))


@for_each(
    ("layers", "colour"),
    [
        ([], (0, 0, 0)),
        ([(10, 20, 30, 255)], (10, 20, 30)),
        ([(10, 20, 30, 255), (200, 200, 200, 0)], (10, 20, 30)),
        ([(171, 170, 167, 150)], (101, 100, 98)),
        ([(115, 81, 39, 255), (171, 170, 167, 150)], (148, 133, 114)),
    ],
)
def test_half_transparent_layers_are_mixed_and_rounded_to_the_nearest(
    layers: list[tuple[int, ...]], colour: tuple[int, int, int]
) -> None:
    tile = overlaid(*(plain(*layer) for layer in layers))
    assert tile.shape == (TILE, TILE, 3)
    assert (tile == colour).all()


def test_a_picture_has_each_tile_upright_in_its_cell() -> None:
    tiles = np.arange(3 * TILE * TILE * 3).reshape(3, TILE, TILE, 3).astype(np.uint8)
    codes = np.array([[0, 1, 2], [2, 2, 0]], np.uint16)
    shown = picture(tiles, codes)
    assert shown.shape == (2 * TILE, 3 * TILE, 3)
    for row in range(2):
        for column in range(3):
            cell = shown[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE]
            np.testing.assert_array_equal(cell, tiles[codes[row, column]])


@for_each(
    ("facing", "ahead", "right"),
    [(NORTH, (-1, 0), (0, 1)), (EAST, (0, 1), (1, 0)), (SOUTH, (1, 0), (0, -1)), (WEST, (0, -1), (-1, 0))],
)
def test_a_seat_looks_where_it_faces(facing: int, ahead: tuple[int, int], right: tuple[int, int]) -> None:
    view = View(left=1, right=2, forward=3, backward=1)
    gaze = paint(np.zeros((2, 4, 1, TILE, TILE, 3), np.uint8), np.zeros((2, 2), np.uint16), view).gaze[facing]
    assert tuple(gaze[:, view.forward, view.left]) == (0, 0)
    assert tuple(gaze[:, view.forward - 1, view.left]) == ahead
    assert tuple(gaze[:, view.forward, view.left + 1]) == right
    assert gaze.shape[1:] == view.shape
