"""The properties of a task to generate, and those of each task of a split (Juneja et al. 2026, table 3).

The properties of a split's tasks are counts derived from the shares of the table by the method of largest remainders, and
spread evenly over the split: a split of n tasks has each share within one task, and so, roughly, has its beginning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.errors import StudyError
from otherminds.core.text import hint, quote_name
from otherminds.household.mechanics.mechanic import mechanics
from otherminds.household.pool.store import PATTERNS, Pattern, PooledTask
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
            raise StudyError(f"there is no mechanic {quote_name(name)}{hint(name, mechanics)}")
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


K = TypeVar("K")
AGENTS: Mapping[int, int] = {2: 26, 3: 73, 4: 1}
"""Tasks by number of agents, in %."""
HARD_AGENTS: Mapping[int, int] = {2: 0, 3: 99, 4: 1}
"""The same of hard tasks: level 3 differs from level 2 by relaying, which takes three agents."""
DEPTHS: Mapping[int, int] = {1: 37, 2: 26, 3: 36}
"""Tasks by depth of the goal, in %."""
MECHANICS: Mapping[str, float] = {
    "room_restriction": 100,
    "limited_bandwidth": 100,
    "restricted_communication": 57,
    "remote_control": 16,
    "inverse_state": 3,
    "state_mirroring": 1.7,
}
"""The least share of tasks with each mechanic, in %."""
ALL = tuple(name for name, share in MECHANICS.items() if share == 100)
COOPERATIVE: tuple[Pattern, ...] = tuple(pattern for pattern in PATTERNS if pattern != "mixed")


class Split(Struct, frozen=True):
    """A split with its number of tasks; ``hard`` as in :class:`~.wanted.TaskProperties`."""

    name: str
    tasks: int
    hard: bool | None = None


SPLITS = {spec.name: spec for spec in (Split("standard", 150), Split("hard", 150, True), Split("dev", 60))}


def split(name: str) -> Split:
    """The split called ``name``.

    Raises:
        StudyError: there is none.
    """
    if name not in SPLITS:
        raise StudyError(f"there is no split {quote_name(name)}{hint(name, SPLITS)}")
    return SPLITS[name]


def composition(tasks: int, hard: bool | None = None) -> tuple[TaskProperties, ...]:
    """What is wanted of each task of a split of ``tasks`` tasks.

    >>> composition(150)[0].mechanics[:2]
    ('room_restriction', 'limited_bandwidth')
    """
    agents, depths = divide_count(tasks, HARD_AGENTS if hard else AGENTS), divide_count(tasks, DEPTHS)
    deep = max(depths)
    # The tasks with two agents are those of the smaller depths, in proportion.
    pairs = divide_count(agents[PAIR], {depth: count for depth, count in depths.items() if depth != deep})
    teams: Counter[tuple[int, int]] = Counter()
    for depth, count in depths.items():
        teams[PAIR, depth] = pairs.get(depth, 0)
        teams[PAIR + 1, depth] = count - pairs.get(depth, 0)
    for depth, count in divide_count(agents[4], depths).items():
        teams[PAIR + 1, depth] -= count
        teams[4, depth] += count
    specs = [TaskProperties(agents=team, depth=depth, hard=hard) for team, depth in spread(teams)]
    return _with_mechanics(_with_patterns(specs))


def divide_count(count: int, shares: Mapping[K, float]) -> dict[K, int]:
    """``count`` divided in proportion to ``shares`` by largest remainders; ties go to the first.

    >>> divide_count(150, AGENTS), divide_count(150, DEPTHS)
    ({2: 39, 3: 110, 4: 1}, {1: 56, 2: 39, 3: 55})
    """
    total = sum(shares.values())
    exact = (
        {name: count * share / total for name, share in shares.items()}
        if total
        else dict.fromkeys(shares, 0.0)
    )
    counts = {name: int(part) for name, part in exact.items()}
    unassigned = count - sum(counts.values()) if total else 0
    for name in sorted(exact, key=lambda name: counts[name] - exact[name])[:unassigned]:
        counts[name] += 1
    return counts


def spread(counts: Mapping[K, int]) -> list[K]:
    """Each name as often as it counts, as evenly as possible.

    >>> "".join(spread({"a": 4, "b": 2, "c": 1}))
    'abacaba'
    """
    total = sum(counts.values())
    placed = dict.fromkeys(counts, 0)
    order: list[K] = []
    for k in range(total):
        late = max(counts, key=lambda name: counts[name] * (2 * k + 1) / (2 * total) - placed[name])
        placed[late] += 1
        order.append(late)
    return order


def _with_patterns(tasks: Sequence[TaskProperties]) -> list[TaskProperties]:
    """Half of the tasks of each kind mixed, the others evenly of the four cooperative patterns."""
    alike = sorted(range(len(tasks)), key=lambda k: (tasks[k].agents, tasks[k].depth))
    category: dict[int, Category] = {
        k: "mixed" if place % 2 else "cooperative" for place, k in enumerate(alike)
    }
    with_category = [replace(properties, category=category[k]) for k, properties in enumerate(tasks)]
    patterns: dict[int, Pattern] = dict.fromkeys(range(len(tasks)), "mixed")
    free = [k for k in alike if category[k] == "cooperative"]
    fitting = {
        pattern: [k for k in free if fits(pattern, tasks[k].agents, tasks[k].depth)]
        for pattern in COOPERATIVE
    }
    counts = divide_count(len(free), dict.fromkeys(COOPERATIVE, 1))
    # Those with the fewest places first; the last one fits everywhere.
    *choosy, last = sorted(COOPERATIVE, key=lambda pattern: len(fitting[pattern]))
    for pattern in choosy:
        places = _evenly([k for k in fitting[pattern] if k in free], counts[pattern])
        patterns |= dict.fromkeys(places, pattern)
        free = [k for k in free if k not in places]
    patterns |= dict.fromkeys(free, last)
    return [replace(task, pattern=patterns[k]) for k, task in enumerate(with_category)]


def _with_mechanics(tasks: Sequence[TaskProperties]) -> tuple[TaskProperties, ...]:
    """The least number of tasks with each mechanic; those of furniture in different tasks of patterns that have them."""
    needed = {name: ceil(len(tasks) * share / 100) for name, share in MECHANICS.items()}
    # Where two agents may not write to each other there is nobody else to write to.
    large = [k for k, task in enumerate(tasks) if (task.agents or 0) > PAIR]
    talk = _evenly(large, needed["restricted_communication"])
    places_by_mechanic: dict[str, set[int]] = {}
    free = [k for k, task in enumerate(tasks) if task.pattern in HIDING]
    for name in HIDDEN:
        places_by_mechanic[name] = _evenly(free, needed[name])
        free = [k for k in free if k not in places_by_mechanic[name]]
    with_mechanics: list[TaskProperties] = []
    for k, task in enumerate(tasks):
        further = [
            name
            for name, where in {"restricted_communication": talk, **places_by_mechanic}.items()
            if k in where
        ]
        with_mechanics.append(replace(task, mechanics=(*ALL, *further)))
    return tuple(with_mechanics)


def _evenly(places: Sequence[int], count: int) -> set[int]:
    """``count`` of ``places`` at equal distances; all if they are fewer."""
    count = min(count, len(places))
    return {places[(2 * k + 1) * len(places) // (2 * count)] for k in range(count)}
