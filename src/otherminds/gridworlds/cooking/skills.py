"""Skills: what a mind can choose instead of primitive actions; each behaviour is one.

``move_to``, ``interact`` and ``wait`` are those of Hypothetical Minds (Cross et al. 2025, appendix D); the
behaviours use the same knowledge of the kitchen as the scripted cooks. Each skill starts with the drawn
map and what it sees from then on. Arguments that make no sense end it at once, with the reason. Without
progress for ``PATIENCE`` steps it gives up.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from otherminds.core.contracts import Controller, Skill
from otherminds.core.data import Action, Brief, Ended, Moment
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking.kitchen import Kitchen
from otherminds.gridworlds.cooking.routes import layout
from otherminds.gridworlds.cooking.rules import DISH, EMPTY, FLOOR, ITEMS, SOUP, TOMATO, Rules
from otherminds.gridworlds.grid.paths import Cell
from otherminds.gridworlds.grid.rules import NOOP, UNREACHED, player_of
from otherminds.gridworlds.grid.words import format_arguments, place, refuse_skill

PATIENCE = 60
"""Steps without progress after which a skill gives up: twice as long as a pot takes to cook and be served."""
THINGS = ("floor", "a counter", "a tomato dispenser", "a dish dispenser", "the place of delivery", "a pot")
"""What a cell can be, in words, by the numbers of ``rules``."""

Due = Callable[[Kitchen], "Cell | Ended | None"]
"""What to use next, how the skill has ended, or ``None`` to wait."""


def skills(rules: Rules) -> dict[str, Skill]:
    """The skills of a kitchen by name.

    - ``move_to(x, y)`` walks to a cell of the own room.
    - ``interact(x, y)`` goes beside the thing there, faces it and uses it once.
    - ``wait(x, y)`` waits at a pot until its soup is done.
    - The behaviours: ``picked up a tomato``, ``put a tomato into a pot``, ``picked up
      a dish``, ``put down a dish``, ``picked up soup``, ``delivered soup``. Each
      fetches with empty hands what it needs first, and waits for a pot where it must.
    - ``stood around`` does nothing until that is what it has done.
    """
    hands = {
        acts.TOOK_TOMATO: (EMPTY, TOMATO),
        acts.FILLED_POT: (EMPTY, TOMATO, EMPTY),
        acts.TOOK_DISH: (EMPTY, DISH),
        acts.PUT_DISH: (EMPTY, DISH, EMPTY),
        acts.TOOK_SOUP: (EMPTY, DISH, SOUP),
        acts.DELIVERED: (EMPTY, DISH, SOUP, EMPTY),
    }
    return {
        "move_to": partial(_move_to, rules),
        "interact": partial(_interact, rules),
        "wait": partial(_wait, rules),
        **{name: partial(_behave, rules, stages) for name, stages in hands.items()},
        acts.STOOD: _stand,
    }


class _Running:
    """A running skill: asks ``due`` at every step for the cell to use, goes there and uses it.

    Without a change of pose or hands for ``PATIENCE`` steps it gives up, for the
    reason ``stalled``. No other avatar is in the own room, so nothing is random.
    """

    def __init__(self, rules: Rules, brief: Brief, next_cell: Due, stalled: str) -> None:
        self._kitchen = Kitchen(rules, player_of(brief.seat))
        self._due = next_cell
        self._stalled = stalled
        self._measured: Any = None
        self._idle = 0

    def __call__(self, moment: Moment) -> Action | Ended:
        kitchen = self._kitchen
        kitchen.see(moment.observation, moment.step)
        target = self._due(kitchen)
        if isinstance(target, Ended):
            return target
        measured = kitchen.pose, kitchen.held
        self._idle = self._idle + 1 if measured == self._measured else 0
        self._measured = measured
        if self._idle >= PATIENCE:
            return Ended(False, self._stalled)
        return NOOP if target is None else kitchen.use(target)


def _move_to(rules: Rules, brief: Brief, rng: Random, *args: Any) -> Controller:
    cell = place("move_to", args)
    if isinstance(cell, str):
        return refuse_skill(cell)
    if layout(rules).things.get(cell) != FLOOR:
        return refuse_skill(f"nobody can stand at {cell}")

    def due(kitchen: Kitchen) -> Cell | Ended:
        if kitchen.pose[:2] == cell:
            return Ended(True, f"at {cell}")
        return Ended(False, f"no way leads to {cell}") if kitchen.steps_to(cell) == UNREACHED else cell

    return _Running(rules, brief, due, f"the way to {cell} is blocked")


def _interact(rules: Rules, brief: Brief, rng: Random, *args: Any) -> Controller:
    cell = place("interact", args)
    if isinstance(cell, str):
        return refuse_skill(cell)
    tile = layout(rules).things.get(cell, FLOOR)
    if tile == FLOOR:
        return refuse_skill(f"there is nothing to use at {cell}")
    hand_before: list[int] = []  # What was in hand when the beam was fired

    def due(kitchen: Kitchen) -> Cell | Ended | None:
        hand = ITEMS[kitchen.held]
        if kitchen.steps_to(cell) == UNREACHED:
            return Ended(False, f"no way leads to {cell}")
        if hand_before and kitchen.held != hand_before[0]:
            return Ended(True, f"{ITEMS[hand_before[0]]} in hand before, {hand} now")
        if hand_before:
            return Ended(False, f"{THINGS[tile]} takes or gives nothing now: {hand} in hand")
        if kitchen.ahead() == cell:
            if not kitchen.sure:
                return None
            hand_before.append(kitchen.held)
        return cell

    return _Running(rules, brief, due, f"the way to {cell} is blocked")


def _wait(rules: Rules, brief: Brief, rng: Random, *args: Any) -> Controller:
    cell = place("wait", args)
    if isinstance(cell, str):
        return refuse_skill(cell)
    if cell not in rules.pots:
        return refuse_skill(f"there is no pot at {cell}")

    def due(kitchen: Kitchen) -> Cell | Ended | None:
        if kitchen.steps_to(cell) == UNREACHED:
            return Ended(False, f"no way leads to {cell}")
        if kitchen.ahead() != cell:
            return cell
        return Ended(True, f"the soup in the pot at {cell} is done") if kitchen.done(cell) else None

    return _Running(rules, brief, due, f"the pot at {cell} does not cook")


def _behave(rules: Rules, hands: tuple[int, ...], brief: Brief, rng: Random, *args: Any) -> Controller:
    """A behaviour as the sequence of items held, from empty hands to the result."""
    if args:
        return refuse_skill(f"this takes nothing, not {format_arguments(args)}")
    at: list[int] = []  # Where on the way it is: an index of ``hands``

    def due(kitchen: Kitchen) -> Cell | Ended | None:
        hand = kitchen.held
        if not at:
            if hand not in hands[:-1]:
                return Ended(False, f"{ITEMS[hand]} is in hand already")
            at.append(hands.index(hand))
        elif hand not in hands[at[0] :]:
            return Ended(False, f"{ITEMS[hand]} in hand instead")
        elif hand != hands[at[0]]:
            # Soup from a counter comes without a dish.
            at[0] = hands.index(hand, at[0])
        if at[0] == len(hands) - 1:
            return Ended(True, f"{ITEMS[hand]} in hand")
        if hand == EMPTY:
            return (kitchen.giving(SOUP) if SOUP in hands else None) or kitchen.giving(hands[1])
        return _place(kitchen, hands[at[0] + 1])

    return _Running(rules, brief, due, "there was nothing to do it with")


def _place(kitchen: Kitchen, then: int) -> Cell | None:
    """Where to use what is held in order to hold ``then``; ``None`` to wait."""
    if kitchen.held == SOUP:
        return kitchen.nearest(kitchen.routes.hatches)
    if kitchen.held == DISH and then == EMPTY:
        return kitchen.giving(EMPTY)
    pot = kitchen.pot_to_fill() if kitchen.held == TOMATO else kitchen.pot_to_serve()
    if pot is not None and (kitchen.held == TOMATO or kitchen.done(pot)):
        return pot
    # Nothing to do at any pot as yet: watch the one where there will be first.
    pot = pot or kitchen.pot_to_serve() or kitchen.nearest(kitchen.routes.pots)
    return None if kitchen.ahead() == pot else pot


def _stand(brief: Brief, rng: Random, *args: Any) -> Controller:
    if args:
        return refuse_skill(f"this takes nothing, not {format_arguments(args)}")
    begun: list[int] = []

    def controller(moment: Moment) -> Action | Ended:
        begun.append(moment.step)
        stood = moment.step - begun[0]
        return NOOP if stood < acts.PATIENCE else Ended(True, f"stood around for {stood} steps")

    return controller
