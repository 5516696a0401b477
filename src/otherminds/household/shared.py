"""What all episodes of a task share: its house, its probes, the literals of its goals, and its part of the record."""

from __future__ import annotations

from collections import OrderedDict
from weakref import WeakKeyDictionary

import msgspec

from otherminds.core.data import Seat
from otherminds.household.commands import TOOLS
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import Formula, claims, physical, show
from otherminds.household.epistemic.household_facts import TaskFacts, add_told
from otherminds.household.goal_check import CompiledLiteral, watch
from otherminds.household.house import House
from otherminds.household.probes import probes_of
from otherminds.household.scenes.scene import Scene
from otherminds.household.spaces import ALONE, plan_of
from otherminds.household.task import Task

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
