"""A task in its scene, compiled: facts as bits, what is visible from each spot, and the rules with mechanics.

Built once per task and shared by its episodes.
"""

from __future__ import annotations

from otherminds.household.commands import Command
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.house_plan import MANY, HousePlan
from otherminds.household.layout import HouseLayout
from otherminds.household.mechanics.folding import folded
from otherminds.household.rules.actions import RULES
from otherminds.household.rules.grounding import BoundedCache, GroundRules, Meaning
from otherminds.household.rules.rule import Fact, Facts, Rule
from otherminds.household.scenes.scene import Scene
from otherminds.household.sight_tables import SightTables
from otherminds.household.task import Task


class House:
    """A task in its scene with the tables that an episode needs: the :class:`~.house_plan.HousePlan`, and what follows from it.

    The values of the ``plan`` that agents, planners and proofs ask for are attributes of the house, too. ``sight_tables``
    have what is seen from where. ``rests[o]`` is the mask of all places where ``o`` can be, including hands; ``states`` are
    all facts about states; ``about[o]`` are all places and states of ``o``. ``budgets[agent]`` has the mask of each number
    of messages that a limited agent can have left, from 0. ``meanings`` are those of calls that last, by call, agent, spot,
    and where the agent believes the object of the call to be. Episodes modify nothing but caches of values that depend on
    the task alone, so that a house can serve several at once.

    Raises:
        TaskError: the goal cannot be read, an agent has no start, or mechanics contradict each other.
    """

    def __init__(self, task: Task, scene: Scene) -> None:
        self.plan = plan = HousePlan(task, scene)
        self.task, self.scene, self.goal, self.private = task, scene, plan.goal, plan.private
        self.agents, self.rooms, self.objects = plan.agents, plan.rooms, plan.objects
        self.furniture, self.room_of, self.doors = plan.furniture, plan.room_of, plan.doors
        self.spots, self.spot_index, self.spot_room = plan.spots, plan.spot_index, plan.spot_room
        self.reaches, self.meets, self.start_spot = plan.reaches, plan.meets, plan.start_spot
        self.bound, self.barred = plan.bound, plan.barred
        self.talk, self.limits, self.statements = plan.talk, plan.limits, plan.statements
        self.facts = Facts()
        self.places: list[tuple[str, str]] = []
        self.owner: list[str] = []
        self.carried: dict[str, int] = {}
        self._place_objects()
        each = sum(1 << at for at in range(0, len(self.places), len(self.objects) or 1))
        self.rests: dict[str, int] = {o: each << k for k, o in enumerate(self.objects)}
        self.turned: dict[str, int] = {}
        self.start = self.facts.mask(self._start())
        self.rooms_mask = {
            agent: self.facts.mask(("agent_in_room", agent, room) for room in self.rooms)
            for agent in self.agents
        }
        self.locations = (1 << len(self.places)) - 1
        self.sight_tables = SightTables(plan, self.facts, self.places, self.owner)
        self.anyone = sum(self.rooms_mask.values())
        self.states = 0
        for mask in self.turned.values():
            self.states |= mask
        self.about = {o: places | self.turned.get(o, 0) for o, places in self.rests.items()}
        self.meanings: BoundedCache[tuple[Command, int, int, int], Meaning] = BoundedCache()
        self.static = plan.static_facts()
        self.rules: tuple[Rule, ...] = folded(plan.bound, plan.turnable(), self.static)
        own = self.rules[len(RULES) :]
        self.own = {(rule.tool, rule.name.partition("__")[2]): rule.name for rule in own}
        self.budgets: dict[str, tuple[int, ...]] = {}
        self._count()
        self.ground = GroundRules(self.rules, self.facts, self.static)
        self.layout = self._layout()

    def place_of(self, o: str, state: int) -> tuple[str, str]:
        """The place of an object in ``state``: a predicate and the furniture or agent."""
        return self.places[(state & self.rests[o]).bit_length() - 1]

    def _place_objects(self) -> None:
        pieces = self.scene.geometry.furniture
        tops = [f for f in self.furniture if f in pieces and pieces[f].top]
        interiors = [f for f in self.furniture if f in pieces and pieces[f].interior]
        floors = [f for f in self.furniture if f not in pieces]
        for predicate, several in (("is_on_top", tops), ("is_inside", interiors), ("lies_on", floors)):
            for f in several:
                self._rest(predicate, f)
        self.carried |= {agent: self._rest("is_held_by", agent) for agent in self.agents}

    def _rest(self, predicate: str, where: str) -> int:
        """Numbers the facts that each object is at a place, which come before all other facts; returns their mask."""
        first = len(self.places)
        self.facts.add([(predicate, o, where) for o in self.objects])
        self.places += [(predicate, where)] * len(self.objects)
        self.owner += self.objects
        return ((1 << len(self.objects)) - 1) << first

    def _start(self) -> list[Fact]:
        """The facts that hold at the start: those of the scene, unless the task's initial states replace them."""
        facts: list[Fact] = []
        for o in self.objects:
            item = self.scene.geometry.objects[o]
            predicate, f = self.plan.first_place(o)
            facts.append((predicate, o, f))
            states = {"is_clean": item.dirtyable, "is_filled": item.fillable, "is_powered_on": item.switch}
            facts += self._start_states(o, {s for s, able in states.items() if able}, {"is_clean"})
        for f, piece in self.scene.geometry.furniture.items():
            states = {"is_open": piece.articulated or piece.interior, "is_powered_on": piece.switch}
            by_default: set[str] = set() if piece.articulated else {"is_open"}
            facts += self._start_states(f, {s for s, able in states.items() if able}, by_default)
        for agent in self.agents:
            spot = self.start_spot[agent]
            limit = self.limits[agent]
            facts += [("at", agent, self.spots[spot]), ("agent_in_room", agent, self.spot_room[spot])]
            facts += [("hand_empty", agent), ("left", agent, MANY if limit is None else str(limit))]
        return facts

    def _layout(self) -> HouseLayout:
        """The boxes at the start; the task's initial states put some objects elsewhere than the scene."""
        initial = self.task.initial_states
        moved = {
            o for o, states in initial.items() if any(isinstance(value, str) for value in states.values())
        }
        return HouseLayout(self.scene, {o: self.place_of(o, self.start) for o in self.objects}, moved)

    def _start_states(self, entity: str, states: set[str], by_default: set[str]) -> list[Fact]:
        """The states of a thing at the start; also registers the mask of all its possible states."""
        facts: list[Fact] = []
        for state in sorted(states):
            value = self.task.starts(entity, state, state in by_default)
            facts.append((state if value else OPPOSITES[state], entity))
            pair = self.facts.bit((state, entity)) | self.facts.bit((OPPOSITES[state], entity))
            self.turned[entity] = self.turned.get(entity, 0) | pair
        return facts

    def _count(self) -> None:
        """Numbers the facts that rules can add, so that episodes need no others."""
        for agent in self.agents:
            limit = self.limits[agent]
            self.facts.add([("at", agent, spot) for spot in self.spots])
            budget_facts = () if limit is None else [("left", agent, str(k)) for k in range(limit + 1)]
            self.budgets[agent] = tuple(self.facts.bit(fact) for fact in budget_facts)
