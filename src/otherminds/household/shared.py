"""What all episodes of a task share: its compiled house, its spaces, its probes, the literals of its goals, and its part of
the record; and what an observation shows of the house and of the acts of others."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import msgspec
from gymnasium.spaces import Space

from otherminds.core.data import Seat
from otherminds.household.commands import EVERYBODY, LONGEST, TOOLS, Command, Malformed, parse
from otherminds.household.engine import Act, HouseEngine
from otherminds.household.epistemic.formula import Formula, claims, physical, show
from otherminds.household.epistemic.household_facts import TaskFacts, add_told
from otherminds.household.goal_check import CompiledLiteral, watch
from otherminds.household.house import House
from otherminds.household.probes import probes_of
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Task

HALVES = re.compile("[\ud800-\udfff]")
"""Lone surrogates, which a record cannot store."""
WALKS = ("Navigate", "Explore")
"""The tools that an observed walk may belong to."""
ALONE = {tool: (tool,) for tool in TOOLS}


class Commands(Space[str]):
    """Texts of at most ``LONGEST`` characters that UTF-8 can encode; a malformed call is rejected and costs the turn.

    :meth:`sample` draws a well-formed call with names from ``names``. These are the names that all agents know, since a
    space is part of the brief.
    """

    def __init__(self, names: Sequence[str], agents: Sequence[str], seed: int | None = None) -> None:
        super().__init__((), None, seed)
        self.names, self.agents = tuple(names), tuple(agents)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        tool = list(TOOLS.values())[int(self.np_random.integers(len(TOOLS)))]
        args = [self.names[int(self.np_random.integers(len(self.names)))] for _ in range(tool.arguments[0])]
        if tool.name == "Place":
            args[1] = ("on", "within")[int(self.np_random.integers(2))]
        if tool.name == "Communicate":
            args[0] = (EVERYBODY, *self.agents)[int(self.np_random.integers(len(self.agents) + 1))]
        return f"{tool.name}[{', '.join(args)}]"

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and read_action(x) is not None

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"Commands({len(self.names)} names, {', '.join(self.agents)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Commands) and (other.names, other.agents) == (self.names, self.agents)

    def __hash__(self) -> int:
        return hash((self.names, self.agents))


@lru_cache(maxsize=4096)
def read_action(text: str) -> Command | Malformed | None:
    """The call in a text; ``None`` if the text is no action (:class:`Commands`)."""
    return parse(text) if len(text) <= LONGEST and HALVES.search(text) is None else None


class ObservedAct(NamedTuple):
    """An act of another agent as an agent saw it: who acted, the act in words, and the tools that it may have been."""

    agent: int
    text: str
    tools: tuple[str, ...]


def observe_acts(house: House, acts: Iterable[Act], i: int) -> list[ObservedAct]:
    """The acts of others that agent ``i`` saw.

    The acting agent was visible before or after the act, and the act is observable. A walk is reduced to its visible part.
    """
    observed: list[ObservedAct] = []
    for j, command, before, after, spots in acts:
        if j == i:
            continue
        meets = house.meets[spots[i]]
        began = meets >> before & 1
        if before == after:
            if began and command.tool != "Navigate":
                observed.append(ObservedAct(j, str(command), ALONE[command.tool]))
        elif meets >> after & 1:
            text = f"went to {house.spots[after].partition(':')[2]}" if began else "came in"
            observed.append(ObservedAct(j, text, WALKS))
        elif began:
            observed.append(ObservedAct(j, "left", WALKS))
    return observed


def plan_of(house: House) -> dict[str, Any]:
    """What all agents know about the house from the start; ``statements`` is there if messages are limited to so many."""
    kinds = ("articulated", "surface", "container", "switch", "faucet", "floor")
    furniture = {
        f: {"room": room, "is": [kind for kind in kinds if (kind, f) in house.static]}
        for f, room in house.room_of.items()
    }
    rooms = {room: [*beyond] for room, beyond in house.doors.items()}
    limit = {} if house.statements is None else {"statements": house.statements}
    return {"rooms": rooms, "furniture": furniture} | limit


HOUSES = 64
"""Compiled houses that are kept; one takes about a megabyte."""


class EpisodeParts:
    """``goal`` and ``private`` are the physical literals of the goals, ``literals`` all literals of goals by their text,
    and ``task`` what a record says about the task, without its number of turns. ``plan`` is ``house`` of an observation;
    ``unseen`` has, by seat and its own tool, what all may have done if it saw nobody act. Nothing here is modified."""

    def __init__(self, house: House) -> None:
        task = house.task
        self.probed = probes_of(house)
        self.goal = _physical(house, house.goal)
        self.private = {seat: _physical(house, goal) for seat, goal in house.private.items()}
        goals = (house.goal, *house.private.values())
        facts = [claim.fact for goal in goals for claim in claims(goal)]
        self.literals: dict[str, CompiledLiteral] = {show(fact): watch(house, fact) for fact in facts}
        self._spatial = any(literal.pair for literal in self.literals.values())
        self._mask = 0
        for literal in self.literals.values():
            self._mask |= literal.mask
        self.plan = plan_of(house)
        unseen = dict.fromkeys(house.agents, tuple(TOOLS))
        self.unseen = {(seat, tool): unseen | {seat: ALONE[tool]} for seat in house.agents for tool in TOOLS}
        knows = {seat: task.agent_knows.get(seat, ()) for seat in house.agents} if task.verified else None
        facts = TaskFacts(
            id=task.task_id,
            title=task.title,
            category=task.category,
            pattern=task.pattern,
            depth=self.probed.depth,
            scene=house.scene.scene_id,
            goal=task.problem_pddl,
            secrets={seat: task.agent_secrets.get(seat, ()) for seat in house.agents},
            private_goals=task.private_goals,
            mechanics=tuple(sorted({b.mechanic_type for b in task.mechanic_bindings})),
            barred={seat: tuple(sorted(rooms)) for seat, rooms in house.barred.items()},
            talk=house.talk,
            limits=house.limits,
            statements=house.statements,
            told=knows,
            rooms=house.room_of,
        )
        self.task = add_told(facts)

    def relevant(self, engine: HouseEngine) -> int:
        """The part of the state that decides the literals: they hold as before if it equals an earlier one.

        -1, which equals no state, if a literal depends on positions.
        """
        return -1 if self._spatial else engine.state & self._mask

    def private_holds(self, engine: HouseEngine) -> dict[Seat, bool]:
        """For each seat with a private goal, whether its physical literals hold."""
        return {seat: all(literal.holds(engine) for literal in goal) for seat, goal in self.private.items()}


_HOUSES: OrderedDict[tuple[bytes, int], House] = OrderedDict()


def house_of(task: Task, scene: Scene) -> House:
    """The house of a task in a scene, compiled once and kept until ``HOUSES`` others were used since.

    Tasks are equal if their content is; a scene is compared by identity, since a shipped one is loaded once a process.
    """
    key = (msgspec.json.encode(task), id(scene))
    # A house keeps its scene, whose id therefore belongs to no other scene for as long as the entry exists.
    house = _HOUSES.pop(key, None) or House(task, scene)
    _HOUSES[key] = house
    while len(_HOUSES) > HOUSES:
        _HOUSES.popitem(last=False)
    return house


_KNOWN: WeakKeyDictionary[House, EpisodeParts] = WeakKeyDictionary()


def shared_of(house: House) -> EpisodeParts:
    """What the episodes of a task share, cached."""
    parts = _KNOWN.get(house)
    if parts is None:
        parts = _KNOWN[house] = EpisodeParts(house)
    return parts


def _physical(house: House, goal: Formula) -> tuple[CompiledLiteral, ...]:
    return tuple(watch(house, literal) for literal in physical(goal))
