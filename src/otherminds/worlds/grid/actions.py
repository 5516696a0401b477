"""The actions and orientations of Melting Pot's gridworlds, by their names and numbers there."""

from __future__ import annotations

ACTIONS = (
    "NOOP",
    "FORWARD",
    "BACKWARD",
    "STEP_LEFT",
    "STEP_RIGHT",
    "TURN_LEFT",
    "TURN_RIGHT",
    "INTERACT",
)
NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, INTERACT = range(8)

NORTH, EAST, SOUTH, WEST = range(4)
COMPASS = ("N", "E", "S", "W")
DX = (0, 1, 0, -1)
DY = (-1, 0, 1, 0)
"""One step in each orientation: x grows to the east, y to the south."""

HEADING = (-1, 0, 2, 3, 1, -1, -1, -1)
"""Quarter turns clockwise from the own orientation to where an action moves; -1: it does not move."""
TURN = (0, 0, 0, 0, 0, 3, 1, 0)
"""Quarter turns clockwise that an action makes."""
