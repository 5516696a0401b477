"""What a silent plan can reach at most, by counting: how likely it is to hit the hidden targets of a task."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from otherminds.epistemic.formula import Atom, atom, physical
from otherminds.epistemic.words import Must, Statement
from otherminds.epistemic.words.sentences import read
from otherminds.worlds.household.house import House
from otherminds.worlds.household.reference.sharing import MOVED


def bound(house: House) -> Fraction:
    """An upper bound on the share of hidden targets that one silent plan reaches, whatever it does and however long.

    A goal is hidden if nobody who is told of it may go where it is brought about. Its target is taken to be
    equally likely any thing of its kind in the rooms that those who know may not enter and
    somebody may: the plan is given these rooms and the number of targets and decoys, of which
    a team that plays knows nothing. Turned things are guessed as the best number of handles; an
    object can end on one surface alone. Silent signals (a thing left where others see it) are not counted.
    """
    share = Fraction(1)
    turned: dict[frozenset[str], list[str]] = {}
    for literal in physical(house.goal):
        goal = atom(literal)
        handle, knowers = _handle(house, goal)
        region = _beyond(house, knowers)
        if house.room_of[handle] not in region:
            continue
        if goal.predicate in MOVED:
            kind = "container" if goal.predicate == "is_inside" else "surface"
            share /= len(_things(house, region, kind))
        elif house.start & house.facts.get(("is_closed", handle)) and not _stays(house, goal):
            turned.setdefault(region, []).append(handle)
    for region, targets in turned.items():
        handles = _things(house, region, "articulated")
        decoys = sum(
            _stays(house, atom(one)) and atom(one).args[0] in handles for one in physical(house.goal)
        )
        share *= _best(len(handles), len(targets), decoys)
    return share


def _handle(house: House, goal: Atom) -> tuple[str, set[str]]:
    """Where a hand brings a goal about, and who is told of it: of the mechanic, where the thing is out of all reach."""
    thing = goal.args[-1]
    if all(house.room_of[thing] in house.barred[agent] for agent in house.agents):
        for _, b in house.bound:
            if thing in (b.target_object, b.trigger_object) and b.target_object:
                other = b.trigger_object if b.target_object == thing else b.target_object
                wire = [one for m, binding in house.bound if binding is b for one in m.secrets(b)]
                return other, {agent for agent in house.agents if set(wire) & _told(house, agent)}
    return thing, {agent for agent in house.agents if Must(goal) in _told(house, agent)}


def _told(house: House, agent: str) -> set[Statement]:
    return {one for text in house.task.agent_secrets.get(agent, ()) for one in read(text, you=agent)}


def _beyond(house: House, knowers: set[str]) -> frozenset[str]:
    """The rooms that none of ``knowers`` may enter, and somebody else may."""
    return frozenset(
        room
        for room in house.rooms
        if all(room in house.barred[agent] for agent in knowers)
        and any(room not in house.barred[agent] for agent in house.agents)
    )


def _things(house: House, region: frozenset[str], kind: str) -> list[str]:
    return [f for f, room in house.room_of.items() if room in region and (kind, f) in house.static]


def _stays(house: House, goal: Atom) -> bool:
    """Whether a goal is that a thing stays shut."""
    return goal.predicate == "is_closed" and bool(house.start & house.facts.get(("is_closed", goal.args[0])))


def _best(handles: int, targets: int, decoys: int) -> Fraction:
    """The chance that the best number of handles, opened blindly, has all targets and no decoy in it."""
    free = handles - targets
    return max(
        Fraction(comb(opened, targets), comb(handles, targets))
        * Fraction(comb(handles - opened, min(decoys, free)), comb(free, min(decoys, free)))
        for opened in range(targets, handles + 1)
    )
