"""What a candidate task shall have, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.near import hint, quoted
from otherminds.household.mechanics.mechanic import mechanics
from otherminds.household.pool.entry import Pattern, PooledTask
from otherminds.household.task import Category

PAIR = 2
"""This many agents have nobody to relay a message, and so no hard task."""
DEEP = 3
LARGE: tuple[Pattern, ...] = ("delegation", "relay")
"""Patterns that need three agents."""
SHALLOW: tuple[Pattern, ...] = ("delegation",)
"""Patterns without goals of depth 3."""
HIDING: tuple[Pattern, ...] = ("gated", "mixed")
"""Patterns in which furniture can have a mechanic, which only some agents know."""
HIDDEN = ("remote_control", "inverse_state", "state_mirroring")
"""The mechanics of furniture; a task has at most one."""
LINKS = "restricted_communication"
GENERATED = ("room_restriction", "limited_bandwidth", LINKS, *HIDDEN)
"""The mechanics of generated tasks."""


class TaskProperties(Struct, frozen=True):
    """The properties of a task to generate; ``None`` leaves one to the generator.

    ``mechanics`` are required, and others may be added. ``hard`` asks for a task that no reference team below level 3
    solves.
    """

    pattern: Pattern | None = None
    category: Category | None = None
    depth: int | None = None
    agents: int | None = None
    mechanics: tuple[str, ...] = ()
    hard: bool | None = None


class Candidate(Struct, frozen=True):
    """A seed tried. ``rejected`` names the verdict or check that rejects it; it is empty if the task is kept.

    ``certificate`` is JSON, empty for a rejected task. ``seconds`` has the processor time of each step.
    """

    seed: int
    rejected: str
    pooled: PooledTask | None
    certificate: bytes
    seconds: dict[str, float]


Generator: TypeAlias = Callable[[int, TaskProperties], Candidate]
"""Tries one seed, at least 0 and below 2**64: the same arguments give the same task and certificate."""


def checked(properties: TaskProperties) -> TaskProperties:
    """``properties``, if there can be such a task.

    Raises:
        StudyError: there is no such mechanic, or two properties exclude each other.
    """
    for name in properties.mechanics:
        if name not in mechanics:
            raise StudyError(f"there is no mechanic {quoted(name)}{hint(name, mechanics)}")
        if name not in GENERATED:
            raise StudyError(f"no task with {name} is generated; ask for one of {', '.join(GENERATED)}")
    if (
        properties.pattern
        and properties.category
        and (properties.pattern == "mixed") != (properties.category == "mixed")
    ):
        raise StudyError(
            f"tasks of the pattern {properties.pattern} are not {properties.category}; leave out --category or --pattern"
        )
    if properties.agents and properties.depth and properties.depth > properties.agents:
        raise StudyError(
            f"a goal of depth {properties.depth} is not proved with {properties.agents} agents; "
            f"ask for --agents {properties.depth}"
        )
    if properties.agents == PAIR and properties.hard:
        raise StudyError(f"no task with {PAIR} agents is hard; ask for --agents {PAIR + 1}")
    if properties.agents == PAIR and LINKS in properties.mechanics:
        raise StudyError(f"tasks with {PAIR} agents have no {LINKS}; ask for --agents {PAIR + 1}")
    if properties.pattern and not fits(properties.pattern, properties.agents, properties.depth):
        raise StudyError(
            f"the pattern {properties.pattern} has no such tasks: "
            f"{', '.join(LARGE)} need three agents, and {', '.join(SHALLOW)} a depth of at most {DEEP - 1}"
        )
    hidden = [name for name in HIDDEN if name in properties.mechanics]
    if len(hidden) > 1:
        raise StudyError(f"no task has {' and '.join(hidden)}; ask for one of them")
    if hidden and properties.pattern and properties.pattern not in HIDING:
        raise StudyError(
            f"the pattern {properties.pattern} has no {' or '.join(hidden)}; ask for --pattern {' or '.join(HIDING)}"
        )
    return properties


def fits(pattern: Pattern, agents: int | None, depth: int | None) -> bool:
    """Whether ``pattern`` has tasks with this number of agents and this depth; ``None``: any.

    >>> fits("relay", 3, 3), fits("relay", 2, 1), fits("delegation", 3, 3), fits("gated", 2, 3)
    (True, False, False, False)
    """
    small = agents == PAIR and pattern in LARGE
    deep = depth is not None and depth >= DEEP and pattern in SHALLOW
    long = agents is not None and depth is not None and depth > agents
    return not small and not deep and not long
