"""What a scripted cook knows and does, in plain Python, from dictionaries of cells: slow and readable.

The compiled cooks have to be equal to it, action by action and memory by memory. The ways over the map are those of
:class:`~otherminds.gridworlds.cooking.routes.KitchenLayout`, from which the compiled ones' arrays are made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.gridworlds.cooking.cooks import CookPolicy
from otherminds.gridworlds.cooking.form import Role
from otherminds.gridworlds.cooking.routes import FULL_BAR, OVERDUE, layout
from otherminds.gridworlds.cooking.rules import COUNTER, DISH, EMPTY, POT, SOUP, TOMATO, Rules
from otherminds.gridworlds.cooking.views import AVATAR, BAR, BEAM, ITEM, OTHER, THING
from otherminds.gridworlds.grid.paths import Cell, Pose
from otherminds.gridworlds.grid.rules import DX, DY, FORWARD, INTERACT, NOOP, UNREACHED, player_of


class PotSeen(NamedTuple):
    """A pot as it was last seen, in step ``seen``.

    ``ready`` is the first step in which a beam should get soup from it, where it is full.
    """

    tomatoes: int = 0
    ready: int = 0
    seen: int = 0


class PlainKitchen:
    """The knowledge of player number ``player`` in one episode; :meth:`see` takes its observations in.

    ``pose`` is its own, ``held`` in its hands. ``charged`` says that its beam can be fired as far as is seen,
    ``sure`` that it certainly can. ``pots`` and ``items`` (what lies on counters) are as last seen;
    ``others`` says where others are in sight, and what they hold.
    """

    def __init__(self, rules: Rules, player: int) -> None:
        self.rules = rules
        self.layout = layout(rules)
        self.player = player
        self.step = 0
        self.pose: Pose = (0, 0, 0)
        self.held = EMPTY
        self.charged = True
        self.sure = True
        self.pots = dict.fromkeys(rules.pots, PotSeen())
        self.items = dict.fromkeys(self.layout.counters, EMPTY)
        self.others: dict[Cell, int] = {}

    def see(self, observation: Mapping[str, Any], step: int) -> None:
        """Takes in what the seat observes in ``step``."""
        x, y = observation["POSITION"].tolist()
        self.step = step
        self.pose = pose = (x, y, int(observation["ORIENTATION"]))
        window = observation["WINDOW"].tolist()
        view, tiles = self.rules.view, self.layout.things
        self.held = window[view.forward][view.left][ITEM]
        # After the own beam, seen in the cell ahead, a step must pass. That of a later player may hide it.
        beam = window[view.forward - 1][view.left][BEAM]
        self.charged = beam != 1 + self.player
        self.sure = beam <= self.player
        self.others = {}
        for cell, row, column in self.layout.shown[pose]:
            tile, entry = tiles[cell], window[row][column]
            if tile == POT:
                self.pots[cell] = self._update_pot(self.pots[cell], entry[THING] - POT, entry[BAR])
            elif tile == COUNTER:
                self.items[cell] = entry[ITEM]
            elif entry[AVATAR] >= OTHER:
                self.others[cell] = entry[ITEM]

    def ahead(self) -> Cell:
        """The cell that the own beam would reach."""
        x, y, facing = self.pose
        return x + DX[facing], y + DY[facing]

    def steps_to(self, cell: Cell) -> int:
        """The actions until one faces ``cell``; ``UNREACHED`` if there is no way."""
        way = self.layout.way(self.pose, cell)
        return UNREACHED if way is None else len(way)

    def use(self, cell: Cell) -> int:
        """The next action to face ``cell`` and fire at it; ``NOOP`` while the beam is not ready."""
        way = self.layout.way(self.pose, cell)
        if way:
            return way[0]
        return INTERACT if way is not None and self.charged and self.ahead() == cell else NOOP

    def done(self, pot: Cell) -> bool:
        """Whether a beam fired now should get soup from ``pot``."""
        sighting = self.pots[pot]
        return sighting.tomatoes == self.rules.capacity and sighting.ready <= self.step

    def giving(self, item: int) -> Cell | None:
        """The nearest place from which ``item`` can be taken: its dispenser, or a counter with one on it."""
        lying = [cell for cell, there in self.items.items() if there == item]
        return self.layout.nearest(self.pose, (*self.layout.sources.get(item, ()), *lying))

    def free_counter(self) -> Cell | None:
        """The nearest counter with nothing on it, as far as is known."""
        return self.layout.nearest(self.pose, [cell for cell, there in self.items.items() if there == EMPTY])

    def pot_to_fill(self) -> Cell | None:
        """The pot with room that has most tomatoes, the nearest of several; ``None`` if there is none."""
        capacity = self.rules.capacity
        most = max((pot.tomatoes for pot in self.pots.values() if pot.tomatoes < capacity), default=-1)
        return self.layout.nearest(self.pose, [c for c, pot in self.pots.items() if pot.tomatoes == most])

    def pot_to_serve(self) -> Cell | None:
        """The full pot from which soup can be had first, the nearest of several; ``None`` if none is full."""
        full = [cell for cell, pot in self.pots.items() if pot.tomatoes == self.rules.capacity]
        return min(full, key=self.first_soup, default=None)

    def first_soup(self, pot: Cell) -> tuple[int, int]:
        """The first step in which one could take soup from a full ``pot``, and the actions to get there."""
        far = self.steps_to(pot)
        return max(self.pots[pot].ready, self.step + far), far

    def _update_pot(self, before: PotSeen, tomatoes: int, bar: int) -> PotSeen:
        """A pot in sight. Its bar gives its time to within two steps; memory may be more exact.

        A bar of b (of 10) shows that at least 2b and at most 2b + 2 of 20 steps have passed.
        """
        if tomatoes < self.rules.capacity:
            return PotSeen(tomatoes, 0, self.step)
        latest = self.step + self.rules.cooking * (FULL_BAR - bar) // FULL_BAR
        earliest = latest - self.rules.cooking // FULL_BAR if bar < FULL_BAR else 0
        was_full = before.tomatoes == tomatoes
        ready = before.ready if was_full else latest
        return PotSeen(tomatoes, min(max(ready, earliest), latest), self.step)


class Work:
    """Decides and walks with what ``kitchen`` knows; :meth:`hear` follows each of its steps.

    ``trusted`` says whether the partner is left to serve: at first, until a soup is
    overdue, and again once it has served one.
    """

    def __init__(self, kitchen: PlainKitchen) -> None:
        self.kitchen = kitchen
        self.trusted = True
        self._held = EMPTY

    def hear(self, reward: float) -> None:
        """Takes in what the last step paid: a soup that was not the own one is the partner's."""
        kitchen = self.kitchen
        own = self._held == SOUP and kitchen.held == EMPTY and kitchen.ahead() in kitchen.layout.hatches
        if reward > own * kitchen.rules.pay:
            self.trusted = True
        elif self._overdue():
            self.trusted = False
        self._held = kitchen.held

    def act(self, role: Role) -> int:
        """The next action in ``role``."""
        kitchen, role = self.kitchen, self.meant(role)
        if kitchen.held == SOUP:
            return self._use(kitchen.layout.nearest(kitchen.pose, kitchen.layout.hatches))
        if kitchen.held == TOMATO:
            return self._fill(role)
        if kitchen.held == DISH:
            return self._serve(role)
        return self._use(kitchen.giving(DISH if self.turns_to_serving(role) else TOMATO))

    def meant(self, role: Role) -> Role:
        """The role that is played now: ``share`` means ``supply`` or ``alone``."""
        if role != "share":
            return role
        return "supply" if self.trusted and not self.kitchen.layout.serves(self.kitchen.pose) else "alone"

    def turns_to_serving(self, role: Role) -> bool:
        """Whether empty hands go for a dish: the soup will be done by then, or no pot has room."""
        if role != "alone":
            return role == "serve"
        kitchen = self.kitchen
        pot = kitchen.pot_to_serve()
        if pot is None or kitchen.pot_to_fill() is None:
            return pot is not None
        steps, _ = kitchen.layout.tour(kitchen.pose, kitchen.layout.sources[DISH], [pot])
        return kitchen.pots[pot].ready < kitchen.step + steps

    def _fill(self, role: Role) -> int:
        """With a tomato: to a pot with room. Where there is none, who only supplies waits for one."""
        kitchen = self.kitchen
        pot = kitchen.pot_to_fill()
        if pot is not None:
            return kitchen.use(pot)
        return self._watch(kitchen.pot_to_serve()) if role == "supply" else self._use(kitchen.free_counter())

    def _serve(self, role: Role) -> int:
        """With a dish: to the soup that is done first. Where none cooks, who only serves waits for one."""
        kitchen = self.kitchen
        pot = kitchen.pot_to_serve()
        if role == "supply" or (pot is None and role == "alone"):
            return self._use(kitchen.free_counter())
        if pot is None:
            return self._watch(kitchen.pot_to_fill())
        return kitchen.use(pot) if kitchen.done(pot) else self._watch(pot)

    def _use(self, cell: Cell | None) -> int:
        return NOOP if cell is None else self.kitchen.use(cell)

    def _watch(self, cell: Cell | None) -> int:
        return NOOP if cell is None or self.kitchen.ahead() == cell else self.kitchen.use(cell)

    def _overdue(self) -> bool:
        kitchen = self.kitchen
        pot = kitchen.pot_to_serve()
        return pot is not None and kitchen.pots[pot].ready + OVERDUE < kitchen.step


class PlainCook(Mind):
    """Follows ``policy`` with primitive actions, in every step.

    In a share of ``idle`` steps it stands still. With probability ``noise`` a step
    is a random movement, as of the bots of the other substrates.
    """

    def __init__(self, rules: Rules, policy: CookPolicy, noise: float = 0.0) -> None:
        self.rules = rules
        self.policy = policy
        self.noise = noise

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        self._kitchen = PlainKitchen(self.rules, player_of(brief.seat))
        self._work = Work(self._kitchen)

    async def perceive(self, moment: Moment) -> None:
        self._kitchen.see(moment.observation, moment.step)
        self._work.hear(moment.reward)

    async def act(self) -> Action | SkillChoice | Invalid:
        policy, kitchen = self.policy, self._kitchen
        if self.noise and self._rng.random() < self.noise:
            return self._rng.randrange(FORWARD, INTERACT)
        if policy.idle and self._rng.random() < policy.idle:
            return NOOP
        serves = kitchen.layout.serves(kitchen.pose)
        return self._work.act(policy.serving if serves else policy.supplying)

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a scripted cook is not asked")
