"""The behaviours of encounters: what an avatar can do that concerns others."""

from __future__ import annotations

from otherminds.core.data import Behaviour
from otherminds.gridworlds.commons import rules as columns
from otherminds.gridworlds.commons.rules import Rules

OWN, OTHERS = "took a coin of its own colour", "took a coin of the other's colour"
NONE = "took no coin"
ATE, CLEANED, ZAPPED = "ate an apple", "cleaned the river", "hit a player with its beam"
BEHAVIOURS = {"chance": (OWN, OTHERS, NONE), "density": (ATE, ZAPPED), "cleanness": (ATE, CLEANED, ZAPPED)}
"""By law of growth, what an avatar can do that concerns others."""
CODES = {ATE: columns.ATE, CLEANED: columns.CLEANED, ZAPPED: columns.ZAPPED}


def name_acts(rules: Rules, did: int) -> tuple[Behaviour, ...]:
    """The behaviours in a sum of codes of ``DID``.

    >>> from otherminds.gridworlds.commons.rules import CLEAN_UP
    >>> name_acts(CLEAN_UP, columns.ATE + columns.CLEANED)
    ('ate an apple', 'cleaned the river')
    """
    if rules.law == "chance":
        return (OTHERS if did & columns.HARMED else OWN,) if did else ()
    return tuple(name for name in BEHAVIOURS[rules.law] if did & CODES[name])
