"""Worked plans of the kitchen: three situations, each with thoughts and the calls that follow."""

from __future__ import annotations

from typing import NamedTuple

from otherminds.worlds.cooking.kitchen import layout
from otherminds.worlds.cooking.rules import COUNTER, DISHES, HATCH, POT, TOMATOES, Rules
from otherminds.worlds.cooking.sightings import Side, side
from otherminds.worlds.grid.paths import Cell

KINDS = (TOMATOES, DISHES, HATCH, POT, COUNTER)


class SidePlaces(NamedTuple):
    """One place of each kind on a side; ``far`` and ``near`` (its pot) are places to stand."""

    tomatoes: Cell
    dishes: Cell
    hatch: Cell
    pot: Cell
    counter: Cell
    far: Cell
    near: Cell


def plans(rules: Rules) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Thoughts and calls, on one side and another in turn: chance decides which is the own one.

    None where no side has everything.
    """
    sides = dict.fromkeys(side(rules, cell).floor for cell in rules.spawns)
    whole = [own for floor in sides if all((own := side(rules, floor[0])).things[kind] for kind in KINDS)]
    if not whole:
        return ()
    here, there = _places(rules, whole[0]), _places(rules, whole[-1])
    return (
        (
            f"Suppose I stand at {here.far} with empty hands, and the pot at {here.pot} has 2 tomatoes. My teammate "
            "seems to serve. One tomato more and it cooks: I fetch one and put it in.",
            (f"interact({here.tomatoes})", f"interact({here.pot})"),
        ),
        (
            f"Suppose I stand at {there.near} with empty hands, the pot at {there.pot} cooks, and nobody else serves. "
            "I fetch a dish meanwhile, wait for the soup, take it and deliver it.",
            (
                f"interact({there.dishes})",
                f"wait({there.pot})",
                f"interact({there.pot})",
                f"interact({there.hatch})",
            ),
        ),
        (
            f"Suppose I stand at {here.far} with a tomato, and all pots that I know of were full. I lay it on the "
            f"counter at {here.counter} to free my hands, and go beside the pot at {here.pot} to see how it stands.",
            (f"interact({here.counter})", f"move_to({here.far}, {here.near})"),
        ),
    )


def _places(rules: Rules, own: Side) -> SidePlaces:
    pot = own.things[POT][0]
    ground = layout(rules).ground
    near = min(own.floor, key=lambda cell: abs(cell[0] - pot[0]) + abs(cell[1] - pot[1]))
    far = max(own.floor, key=lambda cell: ground.distance(cell, near))
    tomatoes, dishes, hatch, _, counter = (own.things[kind][0] for kind in KINDS)
    return SidePlaces(tomatoes, dishes, hatch, pot, counter, far, near)
