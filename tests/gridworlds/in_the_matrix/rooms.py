"""Small rooms, with avatars put where a test wants them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from otherminds.core.data import Ended, Moment
from otherminds.gridworlds.grid.rules import NOOP
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld

Controls = Mapping[str, Callable[[Moment], Any]]


def room(rules: Rules, drawing: str, **changes: Any) -> InTheMatrixWorld:
    """A world on another map, reset."""
    world = InTheMatrixWorld(replace(rules, drawing=drawing, **changes))
    world.reset(0)
    return world


def put(
    world: InTheMatrixWorld,
    player: int,
    cell: tuple[int, int],
    facing: int,
    inventory: Iterable[int] | None = None,
) -> None:
    """Moves an avatar, and gives it an inventory with which it is ready."""
    state, (width, _) = world.engine.state, world.rules.size
    avatar, here = state.avatars[0, player], state.here[0]
    left = avatar[columns.Y] * width + avatar[columns.X]
    if here[left] == player + 1:
        here[left] = 0
    avatar[: columns.ALIVE] = (*cell, facing)
    here[cell[1] * width + cell[0]] = player + 1
    if inventory is not None:
        avatar[columns.COUNTS :] = list(inventory)
        avatar[[columns.READY, columns.INDICATOR, columns.MARK]] = 1


def inventory(world: InTheMatrixWorld, player: int) -> list[int]:
    """What an avatar holds of each class."""
    return world.engine.state.avatars[0, player, columns.COUNTS :].tolist()


def cell(world: InTheMatrixWorld, player: int) -> tuple[int, int]:
    """Where an avatar is."""
    x, y = world.engine.state.avatars[0, player, : columns.FACING].tolist()
    return x, y


def observed(world: InTheMatrixWorld, seat: str) -> dict[str, Any]:
    """What ``seat`` observes now."""
    return world._heard(dict.fromkeys(world.possible_agents, ()))[0][seat]


def run(
    world: InTheMatrixWorld, controls: Controls, steps: int, start: int = 0
) -> tuple[list[dict[str, int]], dict[str, tuple[int, Ended]]]:
    """Lets controllers act until all have ended, at most so many steps; seats without one wait.

    Gives back the actions of each step, and for each seat when and how its controller ended.
    """
    observations, infos = world._heard(dict.fromkeys(world.possible_agents, ()))
    made: list[dict[str, int]] = []
    ended: dict[str, tuple[int, Ended]] = {}
    for step in range(start, start + steps):
        actions = dict.fromkeys(world.possible_agents, NOOP)
        for seat, control in controls.items():
            if seat not in ended:
                moment = Moment(step, observations[seat], 0.0, infos[seat].get("encounters", ()))
                out = control(moment)
                if isinstance(out, Ended):
                    ended[seat] = (step, out)
                else:
                    actions[seat] = out
        if controls and len(ended) == len(controls):
            break
        observations, _, _, _, infos = world.step(actions)
        made.append(actions)
        if not world.agents:
            break
    return made, ended
