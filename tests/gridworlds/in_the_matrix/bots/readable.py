"""The plain bots in seats of a batch, to compare compiled ones with; and the policy of a compiled one alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Moment
from otherminds.gridworlds.grid.partners import Draw
from otherminds.gridworlds.grid.rules import seat_of
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.charts import CLASS, Aim, Puppeteer, policies
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.sight import Sight
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext
from tests.gridworlds.grid.one_shard import OneShard
from tests.gridworlds.in_the_matrix.bots.plain import PlainBot


class Readable:
    """What :class:`BatchedBots` does, with one :class:`PlainBot` a seat."""

    def __init__(self, batch: OneShard, draw: Draw, noise: float = 0.0) -> None:
        self.batch, self.draw, self.noise = batch, draw, noise
        self.minds: dict[tuple[int, int], PlainBot] = {}
        world = InTheMatrixWorld(batch.rules)
        world.reset(0)
        self.briefs = [world.brief(seat) for seat in world.possible_agents]

    def begin(self, b: int, seed: int) -> None:
        self.minds = {at: mind for at, mind in self.minds.items() if at[0] != b}
        seats = self.draw(b, seed)
        for i, name in seats.items() if isinstance(seats, Mapping) else enumerate(seats):
            if name is not None:
                mind = self.minds[b, i] = PlainBot(self.batch.rules, name, self.noise)
                mind.begin(self.briefs[i], SeatContext(seat_of(i), seed, Now()))

    def act(self) -> NDArray[np.int64]:
        state = self.batch.state
        actions = np.zeros((self.batch.worlds, self.batch.players), np.int64)
        for (b, i), mind in self.minds.items():
            seen = observation(self.batch, b, i)
            finish(mind.perceive(Moment(int(state.clock[b, columns.STEP]), seen)))
            actions[b, i] = finish(mind.act())
        return actions


class Follower:
    """A compiled bot that is told of its duels alone; ``rng`` is its stream."""

    def __init__(self, rules: Rules, followed: Puppeteer, rng: Random) -> None:
        self.followed = followed
        self.sight = Sight(rules, policies((followed,), len(rules.classes)), rng)

    @property
    def aim(self) -> Aim:
        """What it raises now."""
        kind = int(self.sight.mind.own[CLASS])
        return Aim(kind, self.followed.margins[kind])

    def hear(self, partner: Sequence[int]) -> None:
        """A step: what the partner had in a duel resolved in it, or negative numbers, or zeros at the reset."""
        seen = {
            "POSITION": (-1, -1),
            "INVENTORY": [1] * len(partner),
            "READY_TO_SHOOT": 1.0,
            "INTERACTION_INVENTORIES": [[1] * len(partner), partner],
        }
        self.sight.see(seen, self.sight.step + 1)


def observation(batch: OneShard, b: int, i: int) -> dict[str, Any]:
    """What the PettingZoo world shows to a bot in seat ``i``, for world ``b``."""
    avatar = batch.state.avatars[b, i]
    alive = bool(avatar[columns.ALIVE])
    return {
        "WINDOW": batch.windows[b, i],
        "INVENTORY": avatar[columns.COUNTS :].astype(float),
        "READY_TO_SHOOT": 1.0 - avatar[columns.COOLDOWN] / batch.rules.cooldown,
        "POSITION": avatar[: columns.FACING] if alive else np.full(2, -1),
        "ORIENTATION": avatar[columns.FACING] if alive else 0,
        "INTERACTION_INVENTORIES": batch.state.met[b, i],
    }


def happened(batch: OneShard, before: NDArray[np.int32]) -> dict[str, NDArray[np.int64]]:
    """What the last step brought to each world, int64[B] by kind; ``before`` are the avatars before it."""
    after, met = batch.state.avatars, batch.state.met
    alive, was = after[..., columns.ALIVE], before[..., columns.ALIVE]
    return {
        "duels": (met[:, :, 0, 0] > 0).sum(axis=1) // 2,
        "held": ((after[..., columns.PENDING] >= 0) & (alive > 0)).sum(axis=1),
        "removed": (alive < was).sum(axis=1),
        "returned": (alive > was).sum(axis=1),
        "all removed": np.asarray(alive.sum(axis=1) == 0, np.int64),
        "begun anew": np.asarray(batch.state.clock[:, columns.STEP] == 0, np.int64),
    }


def tally(counts: dict[str, NDArray[np.int64]], happening: dict[str, NDArray[np.int64]]) -> None:
    """Adds what happened to ``counts``."""
    for kind, number in happening.items():
        counts[kind] = counts.get(kind, 0) + number
