"""The readable bots in seats of a batch, to compare compiled ones with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Moment
from otherminds.core.seat_context import Now, SeatContext
from otherminds.play.loop import finish
from otherminds.worlds.grid.actions import seat_of
from otherminds.worlds.in_the_matrix import state as columns
from otherminds.worlds.in_the_matrix.batch import Batch
from otherminds.worlds.in_the_matrix.bots.casts import Draw
from otherminds.worlds.in_the_matrix.bots.roster import Bot, bot


@dataclass
class Readable:
    """What :class:`BatchedBots` does, with one :class:`Bot` a seat."""

    batch: Batch
    draw: Draw
    noise: float = 0.0
    minds: dict[tuple[int, int], Bot] = field(default_factory=dict)

    def begin(self, b: int, seed: int) -> None:
        self.minds = {at: mind for at, mind in self.minds.items() if at[0] != b}
        seats = self.draw(b, seed)
        for i, name in seats.items() if isinstance(seats, dict) else enumerate(seats):
            if name is not None:
                mind = self.minds[b, i] = bot(self.batch.rules, name, self.noise)
                mind.begin(None, SeatContext(seat_of(i), seed, Now()))

    def act(self) -> NDArray[np.int64]:
        seen, state = self.batch.observations(), self.batch.state
        actions = np.zeros((self.batch.worlds, self.batch.players), np.int64)
        for (b, i), mind in self.minds.items():
            observation = {
                "WINDOW": seen.window[b, i],
                "INVENTORY": seen.inventory[b, i],
                "READY_TO_SHOOT": seen.ready_to_shoot[b, i],
                "POSITION": seen.position[b, i],
                "ORIENTATION": seen.orientation[b, i],
                "INTERACTION_INVENTORIES": state.met[b, i],
            }
            finish(mind.perceive(Moment(int(state.clock[b, columns.STEP]), observation)))
            actions[b, i] = finish(mind.act())
        return actions


def happened(batch: Batch, before: NDArray[np.int32]) -> Counter[str]:
    """What of interest the last step brought; ``before`` are the avatars before it."""
    after, met = batch.state.avatars, batch.state.met
    alive, was = after[..., columns.ALIVE], before[..., columns.ALIVE]
    return Counter(
        duels=int((met[:, :, 0, 0] > 0).sum()) // 2,
        held=int(((after[..., columns.PENDING] >= 0) & (alive > 0)).sum()),
        removed=int((alive < was).sum()),
        returned=int((alive > was).sum()),
        empty=int((alive.sum(axis=1) == 0).sum()),
    )
