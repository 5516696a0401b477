"""Behaviours as inventories: written and parsed, the own one in a duel, and what a reward reveals.

Cross et al. 2025, appendices D.3 and G: the other inventory of a duel is never observed;
it is inferred from the own inventory and the reward.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from otherminds.core.data import Behaviour, Encounter, Game, Invalid, Moment
from otherminds.core.errors import InternalError
from otherminds.gridworlds.grid.words import number
from otherminds.gridworlds.in_the_matrix.duels import leading
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.sight import Sight
from otherminds.gridworlds.in_the_matrix.words.naming import pays
from otherminds.replies.asking import unread

STRONG = 5  # Boxes of the kind that is played in an inventory that commits to it strongly (appendix G)
DIGITS = re.compile(r"[0-9]{1,3}")
WORKED = ((0, 3, 1, 5), (1, 5, 0, 4), (2, 4, 2, 6))
"""Imagined duels: the place of the own kind in the order listed, boxes of it, and both of the other player."""

Inventory = dict[Behaviour, int]


def holding(rules: Rules, kind: int, count: int) -> Inventory:
    """``count`` boxes of class number ``kind`` and one of each other."""
    return {name: count if k == kind else 1 for k, name in enumerate(rules.classes)}


def read_inventory(rules: Rules, value: Any) -> Behaviour | Invalid:
    """The class of which an inventory has most; also a class by its bare name.

    Classes that an inventory leaves out count as none. A count may be written as a string of digits.
    """
    if isinstance(value, str) and value.strip() in rules.classes:
        return value.strip()
    form = f"an inventory, such as {holding(rules, 0, STRONG)}"
    if not isinstance(value, dict) or not value:
        return unread(f"it is not {form}", value)
    strange = [name for name in value if name not in rules.classes]
    if strange:
        return unread(f"{strange[0]!r} is none of {', '.join(rules.classes)}; give {form}", value)
    counts = [*order_counts(rules, value).values()]
    if not all(_counts(count) for count in counts):
        return unread(f"what is held must be finite numbers from 0 on; give {form}", value)
    most = leading(counts)
    if len(most) != 1:
        tied = " and ".join(rules.classes[k] for k in most)
        return unread(f"there is as much of {tied}, so that it plays no single one", value)
    return rules.classes[most[0]]


def order_counts(rules: Rules, value: Mapping[str, Any]) -> dict[Behaviour, Any]:
    """An inventory in the order of the classes, counts as numbers where they are written as digits."""
    return {name: _count(value.get(name, 0)) for name in rules.classes}


def fought_with(rules: Rules, encounter: Encounter, since: Sequence[Moment]) -> tuple[int, ...]:
    """The own inventory in the duel that was paid in ``encounter``.

    A duel is paid ``freeze`` + 1 steps after the beam. A zapper who does not lose has its inventory reset at
    once, so that it shows only before; it has not moved in that step. Anybody else keeps it until it is paid.
    It may have walked onto a box in that very step: that one counts if it lay there before, and not if it
    grew back after the beam.

    Raises:
        InternalError: ``since`` lacks the moments around the beam.
    """
    shot = encounter.step - rules.freeze - 1
    around = {moment.step: moment for moment in since if moment.step in (shot, shot + 1)}
    if len(around) < 2:
        paid_at = encounter.step
        raise InternalError(f"the moments {shot} and {shot + 1} of the duel heard at {paid_at} are missing")
    sight = Sight(rules)
    sight.see(around[shot].observation, shot)
    before = sight.inventory
    after = tuple(int(count) for count in around[shot + 1].observation["INVENTORY"])
    if max(after) == 1 or after == before:
        return before
    cell = tuple(int(v) for v in around[shot + 1].observation["POSITION"])
    entered = next(n for n, place in enumerate(rules.places) if place == cell)
    return after if sight.there[entered] and sight.seen[entered] == shot else before


def clues(rules: Rules, order: Sequence[int]) -> str:
    """How to work out what the other held, with three duels worked out from the payoffs."""
    lines = [
        "Your inventory decides what each kind of the other player's boxes brings you: the mean of what the pairs with "
        "your boxes bring. Your reward is the mean of that over all boxes that the other player holds. Players mostly "
        "raise one kind and hold one box of each other kind: try each kind, with more or fewer boxes of it, until the "
        "mean is your reward. Nobody duels with one box of each kind, since that is what one has before one "
        "collects."
    ]
    kinds = len(rules.classes)
    for n, (own, count, other, others) in enumerate(WORKED, 1):
        mine = holding(rules, order[own % kinds], count)
        theirs = holding(rules, order[other % kinds], others)
        lines.append(f"Example {n}: {_work_out_duel(rules.game, mine, theirs)}")
    return "\n".join(lines)


def _work_out_duel(game: Game, mine: Inventory, theirs: Inventory) -> str:
    """A duel as it would be told, what each kind brings, the sum, and the answer in the form asked for."""
    names = game.behaviours[0]
    reward = pays(game, [*mine.values()], [*theirs.values()])[0]
    brings = {
        name: pays(game, [*mine.values()], [int(k == j) for k in range(len(names))])[0]
        for j, name in enumerate(names)
    }
    each = ", ".join(f"each {name} {number(pay, signed=True)}" for name, pay in brings.items())
    terms = " + ".join(f"{theirs[name]} * ({number(pay, signed=True)})" for name, pay in brings.items())
    reward_text = number(reward, signed=True)
    return (
        f"you played {mine}, your reward {reward_text}. Against that, boxes of the other player bring you: {each}. "
        f"({terms}) / {sum(theirs.values())} = {reward_text}, so this fits:\n"
        f"{{'they_played': {theirs}}}"
    )


def _count(count: Any) -> Any:
    return int(count) if isinstance(count, str) and DIGITS.fullmatch(count) else count


def _counts(count: Any) -> bool:
    if isinstance(count, bool) or not isinstance(count, int | float):
        return False
    return count >= 0 and (isinstance(count, int) or isfinite(count))
