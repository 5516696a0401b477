"""The stage games of an encounter: what ego can do, what its partner perceives of it, and what it is worth.

Ego decides in one or two steps; a *plan* has its choice in each. In ``tell`` and ``screen`` the first choice changes what the
partner knows, and so where it goes. In the first half of an episode it changes nothing and costs nothing.

All of them have the same attributes and methods. ``steps`` is the number of ego's choices in an encounter; ``aims``: places differ
in worth. ``zero_sum``: the partner receives the negative of ego's payoff, else the same. ``rules`` says in words, with fields
for the partner and the thing, what ego chooses and what it earns. ``least`` and ``most`` bound the payoff of an encounter.
``choices(step, size)`` is the number of ego's choices in a step (from 0) with ``size`` places, ``perceive`` what the partner has
seen and heard after ego's first choice, ``cost`` what that choice costs, ``payoff`` what ego earns once the partner is at its
place, and ``replies`` are the best plans if the partner goes to the predicted place unless ego changes what it knows."""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from otherminds.household.acted_beliefs.contexts import Context, PartnerView

Plan: TypeAlias = tuple[int, ...]
"""Ego's choice in each step of an encounter."""


class PlaceGame(Struct, frozen=True):
    """Ego goes to a place at the same time as the partner. ``same``, ``next_one`` and ``other`` are the payoffs at the partner's
    place, at the one after it in the list, and elsewhere; ``thing`` is added where the thing is, except at the partner's place.
    """

    name: str
    rules: str
    same: float
    next_one: float
    other: float
    thing: float = 0.0
    zero_sum: bool = False
    steps: int = 1
    aims: bool = False

    @property
    def least(self) -> float:
        """The least payoff."""
        return min(self.same, self.next_one, self.other)

    @property
    def most(self) -> float:
        """The largest payoff."""
        return max(self.same, self.next_one + self.thing, self.other + self.thing)

    def choices(self, step: int, size: int) -> int:
        return size

    def perceive(self, view: PartnerView, context: Context, plan: Plan) -> PartnerView:
        return view

    def cost(self, context: Context, plan: Plan) -> float:
        return 0.0

    def payoff(self, context: Context, plan: Plan, place: int) -> float:
        own = plan[-1]
        if own == place:
            return self.same
        apart = self.next_one if own == (place + 1) % context.size else self.other
        return apart + self.thing * (own == context.now)

    def replies(self, context: Context, predicted: int) -> tuple[Plan, ...]:
        payoffs = {plan: self.payoff(context, plan, predicted) for plan in list_plans(self, context.size)}
        return tuple(plan for plan, worth in payoffs.items() if worth == max(payoffs.values()))


SILENT, TELL = range(2)


class TellGame(Struct, frozen=True):
    """Ego tells the partner where the thing is, for ``price``, or says nothing; it earns 1 if the partner goes there."""

    name: str = "tell"
    rules: str = (
        "In the end {partner} goes to one place. You earn 1 if {thing} is there, and 0 if not. Before, you may tell "
        "{partner} where {thing} is, which costs you {price:g}, or say nothing."
    )
    price: float = 0.3
    zero_sum: bool = False
    steps: int = 2
    aims: bool = False
    least: float = -0.3
    most: float = 1.0

    def choices(self, step: int, size: int) -> int:
        return (2, 1)[step]

    def perceive(self, view: PartnerView, context: Context, plan: Plan) -> PartnerView:
        now = context.now
        if context.early or plan[0] == SILENT:
            return view
        return PartnerView(view.sighting, now, (now, now, now))

    def cost(self, context: Context, plan: Plan) -> float:
        return self.price if plan[0] == TELL and not context.early else 0.0

    def payoff(self, context: Context, plan: Plan, place: int) -> float:
        return float(place == context.now)

    def replies(self, context: Context, predicted: int) -> tuple[Plan, ...]:
        return ((SILENT if context.early or predicted == context.now else TELL, 0),)


class ScreenGame(Struct, frozen=True):
    """Ego shows the partner the thing at a place, or keeps the door closed, and then goes to a place to meet it.

    Opening the door costs ``price``. A meeting is worth 1 at the context's target, and ``less`` elsewhere. The choice after
    the last place is the closed door, or to meet nobody.
    """

    name: str = "screen"
    rules: str = (
        "In the end you and {partner} each go to one place. If it is the same place you earn 1 at the place that is "
        "named as the best one, and {less:g} at the others; otherwise you earn 0. Before, you may keep the door closed, or "
        "open it while {thing} is at a place of your choice, so that {partner} looks in and sees it there, with you; "
        "afterwards {thing} is brought back. Opening the door costs you {price:g}."
    )
    price: float = 0.4
    less: float = 0.2
    zero_sum: bool = False
    steps: int = 2
    aims: bool = True
    least: float = -0.4
    most: float = 1.0

    def choices(self, step: int, size: int) -> int:
        return size + 1

    def perceive(self, view: PartnerView, context: Context, plan: Plan) -> PartnerView:
        shown = plan[0]
        if context.early or shown >= context.size:
            return view
        return replace(view, sighting=shown, thinks=(shown, shown, shown))

    def cost(self, context: Context, plan: Plan) -> float:
        return self.price if plan[0] < context.size and not context.early else 0.0

    def payoff(self, context: Context, plan: Plan, place: int) -> float:
        if plan[1] != place:
            return 0.0
        return 1.0 if place == context.target else self.less

    def replies(self, context: Context, predicted: int) -> tuple[Plan, ...]:
        target = context.target
        if context.early or predicted == target:
            return ((context.size, predicted),)
        return ((target, target),)


MEET = PlaceGame(
    "meet",
    "You and {partner} each go to one place. You earn 1 if it is the same place, and 0 if not.",
    *(1.0, 0.0, 0.0),
)
LEAVE = PlaceGame(
    "leave",
    "{partner} needs a tool and looks for it where it looks for {thing}. You leave the tool at one place while {partner} goes to "
    "one place. You earn 1 if you leave it there, 0.5 if you leave it at the place after that in the list, where {partner} "
    "looks next (after the last place comes the first), and 0 elsewhere.",
    *(1.0, 0.5, 0.0),
)
AVOID = PlaceGame(
    "avoid",
    "{partner} takes what lies at one place, and you take what lies at one place. At the same place you earn 0. Elsewhere "
    "you earn 1 where {thing} is, and 0.5 at the other places.",
    *(0.0, 0.5, 0.5, 0.5),
)
HIDE = PlaceGame(
    "hide",
    "You hide a coin at one place, and {partner}, who wants it, goes to one place. If it finds the coin you lose 1. If not, you "
    "earn 1 where {thing} is, and 0.5 at the other places. {partner} earns what you lose, and loses what you earn.",
    *(-1.0, 0.5, 0.5, 0.5),
    zero_sum=True,
)
StageGame: TypeAlias = PlaceGame | TellGame | ScreenGame


def list_plans(game: StageGame, size: int) -> tuple[Plan, ...]:
    """Every plan for ``size`` places, in the order of their choices.

    >>> list_plans(MEET, 3)
    ((0,), (1,), (2,))
    """
    return tuple(product(*(range(game.choices(step, size)) for step in range(game.steps))))


GAMES: dict[str, StageGame] = {
    game.name: game for game in (MEET, LEAVE, AVOID, HIDE, TellGame(), ScreenGame())
}
"""The six stage games, by name."""
