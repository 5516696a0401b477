"""What to do next in a kitchen under a division of labour: the legs of the scripted cooks."""

from __future__ import annotations

from typing import Literal, TypeAlias

from otherminds.gridworlds.cooking.kitchen import Kitchen
from otherminds.gridworlds.cooking.rules import DISH, EMPTY, SOUP, TOMATO
from otherminds.gridworlds.grid.actions import NOOP
from otherminds.gridworlds.grid.paths import Cell

Role: TypeAlias = Literal["alone", "supply", "serve", "share"]
"""A division of labour.

``alone`` does everything, as if the partner did nothing. ``supply`` brings tomatoes and ``serve`` soups, and
nothing else. ``share`` does everything too, but from a room that is not for serving it leaves that to its
partner, as long as it is seen done.
"""
ROLES: tuple[Role, ...] = ("alone", "supply", "serve", "share")

OVERDUE = 12
"""Steps that soup may wait in a pot before the partner is no longer trusted to serve; a round takes it 9."""


class Work:
    """Decides and walks with what ``kitchen`` knows; :meth:`hear` follows each of its steps.

    ``trusted`` says whether the partner is left to serve: at first, until a soup is
    overdue, and again once it has served one.
    """

    def __init__(self, kitchen: Kitchen) -> None:
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
