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
    hidden = next((mechanic for mechanic in HIDDEN if mechanic in task.active_mechanics), "")
    return Traits(pattern, task.num_agents, links, hidden, _bottleneck(task))


def _bottleneck(task: Task) -> bool:
    limits = {
        agent: limit for binding in task.mechanic_bindings for agent, limit in binding.message_limits.items()
    }
    links = {agent: to for binding in task.mechanic_bindings for agent, to in binding.allowed_targets.items()}
    aware = [text for texts in task.agent_knows.values() for text in texts if text.startswith("(K ")]
    for between, (receiver, *further) in links.items():
        goals = [text for text in task.agent_knows.get(between, ()) if text.startswith("(goal (is_")]
        # A goal whose actor is said to know it takes no message.
        idle = all(any(text.endswith(f" {goal})") for text in aware) for goal in goals)
        senders = [sender for sender, to in links.items() if between in to and receiver not in (sender, *to)]
        if limits.get(between) == 1 and idle and senders and not further:
            return True
    return False


def recombine_traits(
    draw: random.Random, examples: Sequence[Traits], assignment: Assignment
) -> TaskProperties:
    """What to write: each trait is that of one of ``examples``, or with :data:`MUTATION` drawn at random.

    Without tasks to imitate, what is not assigned is left to the generator.
    """
    mixed = assignment.category == "mixed"
    patterns: list[Pattern] = (
        ["mixed"] if mixed else [pattern_name for pattern_name in PATTERNS if pattern_name != "mixed"]
    )
    properties = TaskProperties(
        pattern="mixed" if mixed else None, category=assignment.category, depth=assignment.depth
    )
    if not examples:
        return properties
    imitated: list[Pattern] = [traits.pattern for traits in examples if traits.pattern in patterns]
    pattern: Pattern = _one(draw, imitated, patterns)
    agents = max(_one(draw, [traits.agents for traits in examples], list(AGENTS)), assignment.depth)
    if not fits(pattern, agents, assignment.depth):
        agents = PAIR + 1
    if not fits(pattern, agents, assignment.depth):
        pattern = draw.choice(
            [pattern_name for pattern_name in patterns if fits(pattern_name, agents, assignment.depth)]
        )
    several = agents > PAIR
    bottleneck = several and _one(draw, [traits.bottleneck for traits in examples], [False, True])
    links = several and (bottleneck or _one(draw, [traits.links for traits in examples], [False, True]))
    hidden = _one(draw, [traits.hidden for traits in examples], ["", *HIDDEN]) if pattern in HIDING else ""
    mechanics = tuple(sorted({hidden, LINKS if links else ""} - {""}))
    return TaskProperties(
        pattern, assignment.category, assignment.depth, agents, mechanics, bottleneck or None
    )


def _one(draw: random.Random, examples: Sequence[T], free: Sequence[T]) -> T:
    return draw.choice(free if not examples or draw.random() < MUTATION else examples)
