"""The actions, orientations and players of Melting Pot's gridworlds, by their names and numbers there."""

from __future__ import annotations

from otherminds.core.data import Seat

ACTIONS = ("NOOP", "FORWARD", "BACKWARD", "STEP_LEFT", "STEP_RIGHT", "TURN_LEFT", "TURN_RIGHT", "INTERACT")
NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, INTERACT = range(8)

NORTH, EAST, SOUTH, WEST = range(4)
COMPASS = ("N", "E", "S", "W")
DX = (0, 1, 0, -1)
DY = (-1, 0, 1, 0)  # One step in each orientation: x grows to the east, y to the south

HEADING = (-1, 0, 2, 3, 1, -1, -1, -1)
"""Quarter turns clockwise from the own orientation to where an action moves; -1: it does not move."""
TURN = (0, 0, 0, 0, 0, 3, 1, 0)  # Quarter turns clockwise that an action makes
MOVES = tuple(range(FORWARD, TURN_RIGHT + 1))
"""The actions that change where an avatar stands, or which way it faces."""
UNREACHED = 1 << 20
"""More than any distance."""


def seat_of(player: int) -> Seat:
    """The seat of player number ``player``.

    >>> seat_of(0), seat_of(3)
    ('ego', 'partner_2')
    """
    return "ego" if player == 0 else f"partner_{player - 1}"


def player_of(seat: Seat) -> int:
    """The number of the player in ``seat``.

    >>> player_of("ego"), player_of("partner_0")
    (0, 1)
    """
    return 0 if seat == "ego" else int(seat.removeprefix("partner_")) + 1
