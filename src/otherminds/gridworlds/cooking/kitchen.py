"""A kitchen as its map shows it, and what one seat knows of the rest: what its window has shown, and when.

Items on counters, the contents of pots and what others hold are known from the window alone, and remembered
while out of sight. A :class:`Kitchen` is the memory of a compiled cook (:mod:`._cooks`), for those who play a seat
from Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.form import ROLES, Role
from otherminds.gridworlds.cooking.routes import Routes, find_in_sight, layout, routes
from otherminds.gridworlds.cooking.rules import EMPTY, PATIENCE, Rules, empty
from otherminds.gridworlds.cooking.views import AVATAR, BEAM, ITEM, LAYERS, OTHER
from otherminds.gridworlds.grid.paths import Cell, Pose
from otherminds.gridworlds.grid.rules import DX, DY


class Kitchen:
    """The knowledge of player number ``player`` in one episode, and what it does next with it.

    :meth:`see` takes its observations in, :meth:`hear` its rewards; :meth:`act` does what is due for a cook, who does
    everything alone until :meth:`follow` says otherwise.

    ``pose`` is its own, ``held`` in its hands; ``charged`` says that its beam can be fired as far as is seen. Views of
    its memory, by the order in ``rules.pots`` and ``rules.containers``: ``tomatoes`` int32[M], and ``ready`` int32[M],
    the first step in which a beam should get soup from a pot that is full; ``items`` int8[N], what lies on counters.
    """

    def __init__(self, rules: Rules, player: int) -> None:
        from otherminds.gridworlds.cooking import _cooks, _manners

        self._manners = _manners
        self.rules = rules
        self.layout = layout(rules)
        self.routes: Routes = routes(rules)
        self._in_sight = find_in_sight(rules)
        self.player = player
        self._compiled = _cooks
        state = empty(rules, 1)
        windows = np.zeros((1, rules.players, *rules.view.shape, LAYERS), np.uint8)
        self._window = windows[0, player]
        self._news = _cooks.News(state.avatars, state.clock, state.rewards, windows)
        self._actions = np.zeros((1, rules.players), np.int64)
        self._keep(_cooks.empty(self.routes, 1, rules.players))
        self.follow("alone", "alone")
        _cooks.begin(self.routes, self._memory, np.ones(1, np.bool_), np.zeros((1, rules.players), np.uint64))
        self.place((0, 0, 0), EMPTY, charged=True, step=0)

    def follow(
        self, serving: Role, supplying: Role, idle: float = 0.0, patience: int = PATIENCE, noise: float = 0.0
    ) -> None:
        """From now on plays ``serving`` in a room that is for serving, ``supplying`` in another.

        It stands still in a share of ``idle`` steps, waits ``patience`` steps for those in its way, and with probability
        ``noise`` makes a random movement.
        """
        memory, seat = self._memory, (0, self.player)
        memory.roles[seat] = ROLES.index(serving), ROLES.index(supplying)
        memory.idle[seat], memory.noise[seat] = idle, noise
        memory.manners[seat][self._manners.PATIENCE] = patience

    def set_stream(self, rng: Random) -> None:
        """Lets its draws go on from where ``rng`` is."""
        self._memory.draws[0, self.player] = rng.getstate()[1]

    def place(self, pose: Pose, held: int, charged: bool, step: int) -> None:
        """Says where it is in ``step``, and with what, in place of a window: for those who imagine the seat."""
        self.pose, self.held, self.charged, self.step = pose, held, charged, step
        self._now[:4] = self.layout.ground.number(pose), step, held, charged

    def see(self, observation: Mapping[str, Any], step: int, reward: float = 0.0) -> None:
        """Takes in what the seat observes in ``step``, and what the step before it paid: see :meth:`hear`."""
        news, now = self._news, self._now
        x, y = observation["POSITION"].tolist()
        facing = int(observation["ORIENTATION"])
        news.avatars[0, self.player, :3] = x, y, facing
        news.clock[0, columns.STEP] = step
        self._window[:] = observation["WINDOW"]
        news.rewards[0, self.player] = reward
        self._run(sees=True, hears=True)
        self.pose, self.step = (x, y, facing), step
        self.held, self.charged = int(now[self._compiled.HELD]), bool(now[self._compiled.CHARGED])

    def hear(self, reward: float) -> None:
        """Takes in what the last step paid, of a seat that is imagined: a soup that was not its own is the partner's."""
        self._news.rewards[0, self.player] = reward
        self._run(hears=True)

    def act(self) -> int:
        """The next action."""
        self._run(acts=True)
        return int(self._actions[0, self.player])

    def share(self, other: Kitchen) -> None:
        """Knows from now on of pots and counters what ``other`` sees of them now."""
        at, (pots, counters) = other._now[self._compiled.POSE], self._in_sight
        np.copyto(self.tomatoes, other.tomatoes, where=pots[at])
        np.copyto(self.ready, other.ready, where=pots[at])
        np.copyto(self.items, other.items, where=counters[at])

    def fork(self) -> Kitchen:
        """The same knowledge, which goes its own way from here."""
        fork = copy(self)
        fork._keep(self._memory._make(array.copy() for array in self._memory))
        return fork

    @property
    def trusted(self) -> bool:
        """Whether the partner is left to serve: at first, until a soup is overdue, and again once it has served one."""
        return bool(self._memory.trusted[0, self.player])

    @property
    def serves(self) -> bool:
        """Whether its room is one to serve from: see :meth:`KitchenLayout.serves`."""
        return bool(self.routes.serves[self._now[self._compiled.POSE]])

    @property
    def sure(self) -> bool:
        """Whether its beam can certainly be fired: that of a later player may hide it."""
        view = self.rules.view
        return int(self._window[view.forward - 1, view.left, BEAM]) <= self.player

    @property
    def hands(self) -> list[int]:
        """What the others in sight hold."""
        return self._window[self._window[..., AVATAR] >= OTHER][:, ITEM].tolist()

    def ahead(self) -> Cell:
        """The cell that the own beam would reach."""
        x, y, facing = self.pose
        return x + DX[facing], y + DY[facing]

    def steps_to(self, cell: Cell) -> int:
        """The actions until one faces ``cell``, or stands in it; ``UNREACHED`` if there is no way."""
        return int(self.routes.length[self._now[self._compiled.POSE], self._number(cell)])

    def use(self, cell: Cell) -> int:
        """The next action to face ``cell`` and fire at it; ``NOOP`` while the beam is not ready."""
        return int(self._compiled.use(self.routes, self._now, self._number(cell)))

    def done(self, pot: Cell) -> bool:
        """Whether a beam fired now should get soup from ``pot``."""
        n = self.rules.pots.index(pot)
        return bool(self.tomatoes[n] == self.rules.capacity and self.ready[n] <= self.step)

    def nearest(self, cells: NDArray[np.int32]) -> Cell | None:
        """The nearest of ``routes.pots`` or ``routes.hatches``; ``None`` if none can be reached."""
        return self._cell(self._compiled.nearest(self.routes, self._now, cells))

    def giving(self, item: int) -> Cell | None:
        """The nearest place from which ``item`` can be taken: its dispenser, or a counter with one on it.

        For ``EMPTY`` the nearest counter with nothing on it, as far as is known.
        """
        return self._cell(self._compiled.nearest_with(self.routes, self._now, self.items, item))

    def pot_to_fill(self) -> Cell | None:
        """The pot with room that has most tomatoes, the nearest of several; ``None`` if there is none."""
        n = self._compiled.pot_to_fill(self.routes, self._memory, self._now, 0, self.player)
        return None if n < 0 else self.rules.pots[n]

    def pot_to_serve(self) -> Cell | None:
        """The full pot from which soup can be had first, the nearest of several; ``None`` if none is full."""
        n = self._compiled.pot_to_serve(self.routes, self._memory, self._now, 0, self.player)
        return None if n < 0 else self.rules.pots[n]

    def _keep(self, memory: Any) -> None:
        from otherminds.gridworlds.grid._kernel import hold

        seat = 0, self.player
        self._memory, self._now = memory, memory.now[seat]
        self.tomatoes, self.ready, self.items = memory.tomatoes[seat], memory.ready[seat], memory.items[seat]
        self._held = hold((self.routes, memory, self._news))

    def _run(self, sees: bool = False, hears: bool = False, acts: bool = False) -> None:
        self._compiled.run(self._held, sees, hears, acts, self._actions)

    def _number(self, cell: Cell) -> int:
        return cell[1] * self.routes.width + cell[0]

    def _cell(self, number: int) -> Cell | None:
        return None if number < 0 else (int(number) % self.routes.width, int(number) // self.routes.width)
