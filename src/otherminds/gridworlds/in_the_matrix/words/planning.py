"""Plans of skills in the *in the matrix* substrates: how skills are called, examples, and a strict reader.

Cross et al. 2025, appendices D.4 and D.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from otherminds.core.data import Invalid, SkillChoice
from otherminds.core.scaffold import Place
from otherminds.gridworlds.grid.words import plan as calls_of_plan
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.skills import LOOKOUT
from otherminds.gridworlds.in_the_matrix.words.inventories import STRONG, Inventory, holding
from otherminds.gridworlds.in_the_matrix.words.naming import SeatVocabulary

PLACES = {"move_to": (1, 2), "fire_at": (1,)}
"""The skills of plans, and with how many places each may be called: where one starts from may be left out."""
FORMS = "move_to((x, y), (x2, y2)) and fire_at((x, y))"
STRETCH = 5  # Places side by side that an example needs


def skills(words: SeatVocabulary) -> str:
    """The two functions, as a plan calls them, and how a duel is brought about with them."""
    kinds = f"{STRONG} or more boxes of one kind and no others"
    return (
        "You do not steer single steps: you make plans of calls of these functions, which are carried out in turn.\n"
        "- move_to((x, y), (x2, y2)): you walk from the first place, where you are by then, to the second. You collect a "
        "box by moving to its place; on the way you go round boxes of other kinds than the one there, where you can.\n"
        f"- fire_at((x, y)): you stay around that place and turn until you see {words.another}, then you get it into "
        "your beam and fire, which begins a duel if both of you are ready. It ends at once if you have collected "
        f"nothing, and gives up when you have looked round for {LOOKOUT} steps and have seen nobody to duel with.\n"
        f"To play a kind strongly, collect {kinds}, then seek a duel: duels bring rewards and give you one box of each "
        "kind again."
    )


def plan(rules: Rules, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
    """The skills that ``calls`` mean, in order. ``move_to`` starts where one is, whatever its first place says."""
    choices = calls_of_plan(calls, PLACES)
    if isinstance(choices, Invalid):
        return Invalid(f"{choices.reason}; use {FORMS}", choices.raw)
    width, height = rules.size
    for do in choices:
        x, y = do.args
        if x >= width or y >= height:
            return Invalid(f"({x}, {y}) is not on the map of {width} by {height}", f"{do.name}({do.args})")
        if do.args in rules.walls:
            return Invalid(f"({x}, {y}) is a wall; choose one of the valid places", f"{do.name}({do.args})")
    return choices


def plans(words: SeatVocabulary, order: Sequence[int]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Collecting boxes in view, going to boxes remembered, and a duel once enough is held.

    Where boxes lie in them is imagined: at places of this map where none grows.
    """
    rules = words.substrate
    first, second, third = (rules.classes[order[n % len(order)]] for n in range(3))
    here, there, yonder = _stretches(rules)
    goal, who = _strong(rules, first), words.another
    collecting = (
        f"I am at {here[0]} and hold {_strong(rules, first, 2)}. My next behaviour is {goal}, so I need "
        f"{STRONG - 2} more boxes of {first}. Boxes of {first} are in view at {here[1]}, {here[2]} and {here[3]}. I "
        "collect them one after the other, and then look for a duel where I am.",
        (*(f"move_to({here[n]}, {here[n + 1]})" for n in range(STRONG - 2)), f"fire_at({here[3]})"),
    )
    remembered = (
        f"I am at {there[0]} and hold {_strong(rules, second, 3)}. My next behaviour is {_strong(rules, second)}, so I "
        f"need 2 more boxes of {second}. None is in view. I remember two at {yonder[0]} and {yonder[1]}; they may be "
        f"gone, but nothing nearer is known. I go there, and seek a duel afterwards.",
        (f"move_to({there[0]}, {yonder[0]})", f"move_to({yonder[0]}, {yonder[1]})", f"fire_at({yonder[1]})"),
    )
    enough = (
        f"I am at {yonder[4]} and hold {_strong(rules, third, STRONG + 1)}, which plays {third} strongly, as my next "
        f"behaviour {_strong(rules, third)} asks. More boxes would take time and change little. "
        f"{who[0].upper() + who[1:]} was seen last at {there[2]}: I go there and seek a duel.",
        (f"move_to({yonder[4]}, {there[2]})", f"fire_at({there[2]})"),
    )
    return collecting, remembered, enough


def _stretches(rules: Rules) -> tuple[list[Place], list[Place], list[Place]]:
    """Three rows of places side by side where no box grows: in the north, in the middle and in the south."""
    growing = {*rules.places}
    runs: list[list[Place]] = []
    free = enumerate(place for place in rules.open if place not in growing)
    for _, run in groupby(free, key=lambda item: (item[1][1], item[1][0] - item[0])):
        places = [place for _, place in run]
        if len(places) >= STRETCH:
            runs.append(places)
    return runs[0], runs[len(runs) // 2], runs[-1]


def _strong(rules: Rules, name: str, count: int = STRONG) -> Inventory:
    return holding(rules, rules.classes.index(name), count)
