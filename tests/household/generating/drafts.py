"""Drafts written by hand in a shipped house, and drawn ones of every family."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import msgspec

from otherminds.household.epistemic.formula import Atom, Formula, Know
from otherminds.household.epistemic.words import Must
from otherminds.household.generating.candidate import FAMILIES
from otherminds.household.generating.draft import Draft
from otherminds.household.generating.families import DraftRequest
from otherminds.household.pool.store import Pattern
from otherminds.household.scenes.load import load_scene
from otherminds.household.tasks.load import examined

SCENE = "stitched_00"
OWN = {"agent_0": "kitchen_1", "agent_1": "living_room_1", "agent_2": "bathroom_1"}
"""The kitchen has seven cabinets, the living room two stands, and the bathroom four cabinets; all can walk the hallway."""


def drafted(agents: int = 3, locked: str = "", seed: int = 0) -> Draft:
    """A draft without goals, in which every agent starts in the hallway and can send two messages."""
    seats = tuple(OWN)[:agents]
    own = {agent: OWN[agent] for agent in seats}
    made = Draft(random.Random(seed), load_scene(SCENE), seats, own, locked)
    made.homes = dict.fromkeys(seats, "hallway_1")
    made.budgets = dict.fromkeys(seats, 2)
    return made


def row(made: Draft) -> Draft:
    """The draft with messages between neighbours only: agent 0, agent 1, agent 2."""
    made.links = {"agent_0": ("agent_1",), "agent_1": ("agent_0", "agent_2"), "agent_2": ("agent_1",)}
    return made


def faults(made: Draft) -> list[str]:
    """The faults that the check of tasks finds in the task of a draft."""
    task = made.task("a_task", "A title", "A day in this house.")
    return list(map(str, examined(msgspec.to_builtins(task)).account.faults))


def literal(goal: Formula) -> Formula:
    """A goal without the agents that must know it."""
    while isinstance(goal, Know):
        goal = goal.inside
    return goal


def named(made: Draft, agent: str) -> set[Formula]:
    """The literals of the goals that an agent is told of."""
    return {literal(one.formula) for one in made.told.get(agent, ()) if isinstance(one, Must)}


def knowers(made: Draft, goal: Atom) -> set[str]:
    """The agents that are told to bring about a part of the goal, or that somebody must know it."""
    return {agent for agent in made.agents if goal in named(made, agent)}


def parts(made: Draft) -> Iterator[tuple[str, Atom]]:
    """Each part of the goal that must be brought about, with its actor."""
    for actor, goals in made.changes.items():
        for goal in goals:
            yield actor, goal


@cache
def drawn(pattern: Pattern, request: DraftRequest, count: int) -> tuple[Draft, ...]:
    """The first ``count`` drafts of a family, of at most 40 seeds for each."""
    found: list[Draft] = []
    for seed in range(40 * count):
        made = FAMILIES[pattern](random.Random(f"{pattern} {request} {seed}"), request)
        if made is not None:
            found.append(made)
        if len(found) == count:
            break
    return tuple(found)
