"""How the *in the matrix* substrates are shown: resources, avatars, duels."""

from __future__ import annotations

import numpy as np

from otherminds.reports.replay.scenes import (
    Frame,
    Happening,
    HeldThing,
    Stage,
    charged,
    grid_stage,
    hue,
    inside,
    sceneries,
)
from otherminds.worlds.grid.pixels import overlaid, sprites
from otherminds.worlds.in_the_matrix import state as columns
from otherminds.worlds.in_the_matrix.duels import Duel
from otherminds.worlds.in_the_matrix.pixels import RESOURCE, painted, shown
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.world import InTheMatrixWorld

FREE, DUEL, REMOVED = range(3)
STATES = ("", "frozen in a duel", "removed")


class InTheMatrixScenery:
    """The map with its margin cut off; duels are what one jumps between."""

    world = InTheMatrixWorld

    def stage(self, world: InTheMatrixWorld) -> Stage:
        rules, paint = world.rules, painted(world.rules)
        kinds = paint.tiles[-1, 0, RESOURCE : RESOURCE + len(rules.classes)]
        things = (HeldThing(name, hue(tile)) for name, tile in zip(rules.classes, kinds, strict=True))
        return grid_stage(rules, paint, seat_colours(rules), things, 6, STATES, "duel")

    def frame(self, world: InTheMatrixWorld) -> Frame:
        rules, state = world.rules, world.engine.state
        avatars = state.avatars[0]
        alive = avatars[:, columns.ALIVE] > 0
        stands = np.where(alive[:, None], avatars[:, : columns.FACING + 1], (-1, -1, 0))
        held = np.where(avatars[:, columns.PENDING] >= 0, DUEL, FREE)
        return Frame(
            codes=inside(painted(rules), shown(rules, state, 0)),
            stands=stands.astype(np.int16),
            counts=avatars[:, columns.COUNTS :].astype(np.int16),
            states=np.where(alive, held, REMOVED).astype(np.uint8),
            beams=charged(avatars[:, columns.COOLDOWN], rules.cooldown),
        )

    def happened(self, world: InTheMatrixWorld, before: Frame, after: Frame, step: int) -> list[Happening]:
        """Duels as they are resolved, and who comes back; a removal is the end of a duel."""
        seats = world.possible_agents
        came = np.flatnonzero((before.states == REMOVED) & (after.states != REMOVED)).tolist()
        found = [Happening(step, "back", (i,), f"{seats[i]} is back") for i in came]
        new = [duel for duel in reversed(world.duels) if duel.step == step - 1]
        return found + [_told(duel, world) for duel in new]


sceneries.add("in_the_matrix", InTheMatrixScenery())


def seat_colours(rules: Rules) -> tuple[str, ...]:
    """A colour for each seat: its avatar's; in pairs, as the first seat sees itself and the other."""
    looks = sprites()["crowd" if rules.distinct else "pair"]
    first = 1 if rules.distinct else 0
    return tuple(hue(overlaid(looks[first + i, 0])) for i in range(rules.players))


def _told(duel: Duel, world: InTheMatrixWorld) -> Happening:
    rules, seats = world.rules, world.possible_agents
    played = [duel.played(seat, rules.classes) for seat in duel.seats]
    parts = [
        f"{seat} {'/'.join(did)} ({' '.join(map(str, counts))}) {reward:+.2f}"
        for seat, did, counts, reward in zip(duel.seats, played, duel.inventories, duel.rewards, strict=True)
    ]
    return Happening(
        step=duel.step + 1,
        kind="duel",
        seats=tuple(seats.index(seat) for seat in duel.seats),
        text=" zapped ".join(parts),
        did=tuple(did[0] if len(did) == 1 else "" for did in played),
        rewards=duel.rewards,
        steps=rules.freeze + 1,
        stop=True,
    )
