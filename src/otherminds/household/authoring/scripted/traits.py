"""What a scripted author imitates of a task: traits of its form, which it can see without knowing who solves the task."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct

from otherminds.household.authoring.results import Assignment
from otherminds.household.generating.wanted import HIDDEN, HIDING, LINKS, PAIR, TaskProperties, fits
from otherminds.household.pool.entry import PATTERNS, Pattern
from otherminds.household.task import Task

T = TypeVar("T")
MUTATION = 0.15
"""The probability that a trait is drawn at random and not taken from a task that was shown."""
AGENTS = (PAIR, PAIR + 1)


class Traits(Struct, frozen=True):
    """The form of a task.

    ``bottleneck``: an agent that is told no goal of the team, and has one message, is between two agents of which the
    first cannot message the second.
    """

    pattern: Pattern
    agents: int
    links: bool
    hidden: str
    bottleneck: bool


def traits_of(task: Task) -> Traits | None:
    """The traits of a task; ``None`` if it does not say which pattern it has."""
    if task.pattern not in PATTERNS:
        return None
    pattern = PATTERNS[PATTERNS.index(task.pattern)]
    links = LINKS in task.active_mechanics
    hidden = next((one for one in HIDDEN if one in task.active_mechanics), "")
    return Traits(pattern, task.num_agents, links, hidden, _bottleneck(task))


def _bottleneck(task: Task) -> bool:
    limits = {agent: limit for one in task.mechanic_bindings for agent, limit in one.message_limits.items()}
    links = {agent: to for one in task.mechanic_bindings for agent, to in one.allowed_targets.items()}
    aware = [text for told in task.agent_knows.values() for text in told if text.startswith("(K ")]
    for between, (receiver, *more) in links.items():
        goals = [text for text in task.agent_knows.get(between, ()) if text.startswith("(goal (is_")]
        # A goal whose actor is said to know it takes no message.
        idle = all(any(one.endswith(f" {goal})") for one in aware) for goal in goals)
        senders = [one for one, to in links.items() if between in to and receiver not in (one, *to)]
        if limits.get(between) == 1 and idle and senders and not more:
            return True
    return False


def recombined(draw: random.Random, shown: Sequence[Traits], assignment: Assignment) -> TaskProperties:
    """What to write: each trait is that of one of the tasks ``shown``, or with :data:`MUTATION` drawn at random.

    Without tasks to imitate, what is not assigned is left to the generator.
    """
    mixed = assignment.category == "mixed"
    patterns: list[Pattern] = ["mixed"] if mixed else [one for one in PATTERNS if one != "mixed"]
    wanted = TaskProperties(
        pattern="mixed" if mixed else None, category=assignment.category, depth=assignment.depth
    )
    if not shown:
        return wanted
    imitated: list[Pattern] = [one.pattern for one in shown if one.pattern in patterns]
    pattern: Pattern = _one(draw, imitated, patterns)
    agents = max(_one(draw, [one.agents for one in shown], list(AGENTS)), assignment.depth)
    if not fits(pattern, agents, assignment.depth):
        agents = PAIR + 1
    if not fits(pattern, agents, assignment.depth):
        pattern = draw.choice([one for one in patterns if fits(one, agents, assignment.depth)])
    several = agents > PAIR
    bottleneck = several and _one(draw, [one.bottleneck for one in shown], [False, True])
    links = several and (bottleneck or _one(draw, [one.links for one in shown], [False, True]))
    hidden = _one(draw, [one.hidden for one in shown], ["", *HIDDEN]) if pattern in HIDING else ""
    mechanics = tuple(sorted({hidden, LINKS if links else ""} - {""}))
    return TaskProperties(
        pattern, assignment.category, assignment.depth, agents, mechanics, bottleneck or None
    )


def _one(draw: random.Random, shown: Sequence[T], free: Sequence[T]) -> T:
    return draw.choice(free if not shown or draw.random() < MUTATION else shown)
