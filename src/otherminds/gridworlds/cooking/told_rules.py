"""The rules of the kitchen in words, a paragraph each, by the facts of Cross et al. 2025, appendix G.4."""

from __future__ import annotations

from otherminds.core.data import Behaviour
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking.kitchen import FULL_BAR
from otherminds.gridworlds.cooking.rules import COUNTER, DISHES, HATCH, POT, TOMATOES, Rules
from otherminds.gridworlds.cooking.sightings import side
from otherminds.gridworlds.grid.words import MAP, number, window

LABELS: dict[Behaviour, str] = {
    acts.TOOK_TOMATO: "pick up a tomato",
    acts.FILLED_POT: "put a tomato into a pot",
    acts.TOOK_DISH: "pick up a dish",
    acts.PUT_DISH: "put down a dish",
    acts.TOOK_SOUP: "pick up soup",
    acts.DELIVERED: "deliver soup",
    acts.STOOD: "stand around",
}
"""The behaviours as something to do: what options are called."""
THINGS = {
    TOMATOES: "tomato dispenser",
    DISHES: "dish dispenser",
    HATCH: "place of delivery",
    POT: "pots",
    COUNTER: "counters",
}


def paragraphs(rules: Rules) -> list[str]:
    """Who cooks, where and for how long; places and sides; what a soup takes and pays; hands; what a seat "
    "sees."""
    width, height = rules.size
    who = called(rules, 1) if rules.players == 2 else f"{rules.players - 1} teammates"
    sides = {side(rules, cell).floor for cell in rules.spawns}
    apart = (
        f" It has {len(sides)} sides, and nobody gets from one to the other; at the start you are told which "
        "is yours. What stands between two sides can be used from both."
    )
    return [
        f"You and {who} cook tomato soup in a kitchen of {width} by {height} cells, for {rules.maximum} steps. "
        "You cannot talk to each other.",
        MAP + apart * (len(sides) > 1),
        f"For a soup, {rules.capacity} tomatoes go into a pot, one after the other; then it cooks for "
        f"{rules.cooking} steps. Who holds a dish takes the soup out of the pot with it, and brings it to a place of "
        f"delivery. Each soup delivered pays {number(rules.pay)} to each of you.",
        "One can hold one thing at a time. With empty hands one takes a tomato or a dish from its dispenser, which "
        "never runs out, or what lies on a counter; onto an empty counter one puts what one holds. What is in a "
        "pot comes out only as soup.",
        f"{window(rules.view)} It shows what lies on counters, how many tomatoes are in a pot, and players, with "
        f"what they hold. Above a pot that cooks a bar grows from 0 to {FULL_BAR}; when it is full, the soup is ready "
        "within a step. What you saw earlier may have changed since.",
    ]


def called(rules: Rules, player: int) -> str:
    """What another player is called."""
    return "your teammate" if rules.players == 2 else f"player {player}"
