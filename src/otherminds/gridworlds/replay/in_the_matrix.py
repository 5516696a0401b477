"""How the *in the matrix* substrates are shown: resources, avatars, duels."""

from __future__ import annotations

import numpy as np

from otherminds.gridworlds.grid.pixels import overlaid, sprites
from otherminds.gridworlds.in_the_matrix import pixels as matrix_pixels
from otherminds.gridworlds.in_the_matrix import state as matrix
from otherminds.gridworlds.in_the_matrix.duels import Duel
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.gridworlds.replay import scenes
from otherminds.gridworlds.replay.scenes import Frame, HeldThing, Stage, hue
from otherminds.reports.replay.replays import Happening

FREE, DUEL, REMOVED = range(3)
STATES = ("", "frozen in a duel", "removed")


class InTheMatrixScenery:
    """The map with its margin cut off; duels are what one jumps between."""

    world = InTheMatrixWorld

    def stage(self, world: InTheMatrixWorld) -> Stage:
        rules, paint = world.rules, matrix_pixels.mix_paint(world.rules)
        kinds = paint.tiles[-1, 0, matrix_pixels.RESOURCE : matrix_pixels.RESOURCE + len(rules.classes)]
        holdings = (HeldThing(name, hue(tile)) for name, tile in zip(rules.classes, kinds, strict=True))
        # Each seat has the colour of its avatar; in pairs, as the first seat sees itself and the other.
        looks, first = (sprites()["crowd"], 1) if rules.distinct else (sprites()["pair"], 0)
        colours = (hue(overlaid(looks[first + i, 0])) for i in range(rules.players))
        return scenes.grid_stage(rules, paint, colours, holdings, 6, STATES, "duel")

    def frame(self, world: InTheMatrixWorld) -> Frame:
        rules, state = world.rules, world.engine.state
        avatars = state.avatars[0]
        alive = avatars[:, matrix.ALIVE] > 0
        stands = np.where(alive[:, None], avatars[:, : matrix.FACING + 1], (-1, -1, 0))
        duelling = np.where(avatars[:, matrix.PENDING] >= 0, DUEL, FREE)
        return Frame(
            codes=scenes.inside(matrix_pixels.mix_paint(rules), matrix_pixels.encode_map(rules, state, 0)),
            stands=stands.astype(np.int16),
            counts=avatars[:, matrix.COUNTS :].astype(np.int16),
            states=np.where(alive, duelling, REMOVED).astype(np.uint8),
            beams=scenes.measure_charge(avatars[:, matrix.COOLDOWN], rules.cooldown),
        )

    def happened(self, world: InTheMatrixWorld, before: Frame, after: Frame, step: int) -> list[Happening]:
        """Duels as they are resolved, and who comes back; a removal is the end of a duel."""
        seats = world.possible_agents
        returning = np.flatnonzero((before.states == REMOVED) & (after.states != REMOVED)).tolist()
        happenings = [Happening(step, "back", (i,), f"{seats[i]} is back") for i in returning]
        new = [duel for duel in reversed(world.duels) if duel.step == step - 1]
        return happenings + [_describe_duel(duel, world) for duel in new]


scenes.sceneries.add("in_the_matrix", InTheMatrixScenery())


def _describe_duel(duel: Duel, world: InTheMatrixWorld) -> Happening:
    rules, seats = world.rules, world.possible_agents
    played = [duel.played(seat, rules.classes) for seat in duel.seats]
    parts = [
        f"{seat} {'/'.join(did)} ({' '.join(map(str, counts))}) {reward:+.2f}"
        for seat, did, counts, reward in zip(duel.seats, played, duel.inventories, duel.rewards, strict=True)
    ]
    whom = tuple(map(seats.index, duel.seats))
    did = tuple(did[0] if len(did) == 1 else "" for did in played)
    text, steps = " zapped ".join(parts), rules.freeze + 1
    return Happening(duel.step + 1, "duel", whom, text, did, duel.rewards, steps, stop=True)
