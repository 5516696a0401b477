"""A draft of a task: a house, who may enter which rooms, goals, links, messages, and what each agent is told.

The goal comes first: each part of it (:mod:`.parts`) has an *actor*, the only agent that can achieve it, and a *knower*,
another agent, which is told of it. Secrets state limits, goals, places and mechanics, and never how to cooperate (Juneja et al.
2026, section 4.2). The house of a draft is drawn first: who has which room to itself, and where agents start."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, TypeAlias

from otherminds.household.epistemic.forms import forms, private_forms
from otherminds.household.epistemic.formula import And, Atom, Formula, KnowledgeChain, show
from otherminds.household.epistemic.words import Must, Statement
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Scene, Spawn, kind_of
from otherminds.household.task import Binding, Task

PRIVATE = "Privately, you would like {} when the day is over; nobody else knows."


@dataclass
class Draft:
    """A task in the making.

    ``own`` are the rooms that no other agent enters, by agent, and ``locked`` is one that nobody enters. ``links`` has the
    possible addressees of each agent, and ``budgets`` its number of messages. ``changes`` has the parts of the goal that
    each actor must bring about, and ``stops``, by agent, the furniture that it acts on for each part, in order; ``brings``
    has such stops of agents that bring a thing to an actor. ``kept`` are the parts of an actor's room that hold at the start,
    and ``own_goals`` those that it must bring about and is told of itself. ``told`` has what each agent is told besides its own
    limits and its private goal. ``news`` has the knower and the actor of each secret that an actor needs, and ``used`` the
    things that something is said about.
    """

    draw: random.Random
    scene: Scene
    agents: tuple[str, ...]
    own: dict[str, str]
    locked: str = ""
    homes: dict[str, str] = field(default_factory=dict[str, str])
    links: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    budgets: dict[str, int] = field(default_factory=dict[str, int])
    mechanics: list[Binding] = field(default_factory=list[Binding])
    states: dict[str, dict[str, bool | str]] = field(default_factory=dict[str, dict[str, bool | str]])
    goals: list[Formula] = field(default_factory=list[Formula])
    told: dict[str, list[Statement]] = field(default_factory=dict[str, list[Statement]])
    private_goals: dict[str, Atom] = field(default_factory=dict[str, Atom])
    news: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    changes: dict[str, list[Atom]] = field(default_factory=dict[str, list[Atom]])
    stops: dict[str, list[tuple[str, ...]]] = field(default_factory=dict[str, list[tuple[str, ...]]])
    brings: list[tuple[str, tuple[str, ...]]] = field(default_factory=list[tuple[str, tuple[str, ...]]])
    kept: dict[str, list[Atom]] = field(default_factory=dict[str, list[Atom]])
    own_goals: dict[str, list[Atom]] = field(default_factory=dict[str, list[Atom]])
    used: set[str] = field(default_factory=set[str])

    def others(self, *agents: str) -> tuple[str, ...]:
        """All agents but these."""
        return tuple(agent for agent in self.agents if agent not in agents)

    def bars(self, agent: str) -> tuple[str, ...]:
        """The rooms that an agent may not enter."""
        closed = {room for other, room in self.own.items() if other != agent} | {self.locked}
        return tuple(room for room in self.scene.rooms if room in closed)

    def rooms(self, agent: str) -> tuple[str, ...]:
        """The rooms that an agent may enter."""
        return tuple(room for room in self.scene.rooms if room not in self.bars(agent))

    @property
    def common(self) -> tuple[str, ...]:
        """The rooms that all agents may enter."""
        return tuple(room for room in self.scene.rooms if room not in {*self.own.values(), self.locked})

    def want(self, goal: Atom, actor: str, knower: str, *stops: str) -> None:
        """Adds a part of the goal that its actor must bring about by acts on ``stops``, and tells its knower."""
        self.goals.append(goal)
        self.changes.setdefault(actor, []).append(goal)
        self.stops.setdefault(actor, []).append(stops)
        self.tell(knower, Must(goal))
        self.news.append((knower, actor))

    def want_known(self, goal: Atom, actor: str, *stops: str) -> None:
        """Adds a part of the goal that its actor must bring about by acts on ``stops`` and is told of itself."""
        self.goals.append(goal)
        self.own_goals.setdefault(actor, []).append(goal)
        self.stops.setdefault(actor, []).append(stops)
        self.tell(actor, Must(goal))

    def keep(self, goal: Atom, actor: str, knower: str) -> None:
        """Adds a part of the goal that holds at the start in an actor's room, and tells its knower."""
        self.goals.append(goal)
        self.kept.setdefault(actor, []).append(goal)
        self.tell(knower, Must(goal))

    def inform(self, insider: str, actor: str, statement: Statement) -> None:
        """Tells an agent what an actor needs to know."""
        self.tell(insider, statement)
        self.news.append((insider, actor))

    def tell(self, agent: str, *statements: Statement) -> None:
        """Adds to what an agent is told."""
        agent_statements = self.told.setdefault(agent, [])
        agent_statements += [statement for statement in statements if statement not in agent_statements]

    def know(self, agents: Sequence[str], goal: Atom, informed: str) -> None:
        """Adds the chain ``K a1 K a2 ... goal``, and tells one agent."""
        formula = KnowledgeChain(tuple(agents), goal).formula
        self.goals.append(formula)
        self.tell(informed, Must(formula))

    def task(self, task_id: str, title: str, text: str) -> Task:
        """The task, with each secret as formulas and in the controlled language."""
        limits = {agent: self._limits(agent) for agent in self.agents}
        statements_by_agent = {agent: [*limits[agent], *self.told.get(agent, ())] for agent in self.agents}
        bindings = [*self._restrictions(), *self.mechanics]
        return Task(
            task_id=task_id,
            title=title,
            category="mixed" if self.private_goals else "cooperative",
            task=text,
            scene_id=self.scene.scene_id,
            num_agents=len(self.agents),
            agent_spawns={agent: self._spawn(agent) for agent in self.agents},
            initial_states=self.states,
            active_mechanics=tuple(dict.fromkeys(binding.mechanic_type for binding in bindings)),
            mechanic_bindings=tuple(bindings),
            agent_secrets={
                agent: (
                    *(tell(statement, you=agent) for statement in statements_by_agent[agent]),
                    *self._private(agent),
                )
                for agent in self.agents
            },
            agent_knows={
                agent: (
                    *dict.fromkeys(
                        form
                        for statement in statements_by_agent[agent]
                        for form in forms(statement, self.agents)
                    ),
                    *(private_forms(self.private_goals[agent]) if agent in self.private_goals else ()),
                )
                for agent in self.agents
            },
            message_targets=dict(self.links),
            problem_pddl=show(And(tuple(self.goals))),
            private_goals={agent: show(goal) for agent, goal in self.private_goals.items()},
        )

    def _limits(self, agent: str) -> list[Statement]:
        limits: list[Statement] = [Barred(agent, self.bars(agent))] if self.bars(agent) else []
        if agent in self.links:
            limits.append(Reaches(agent, self.links[agent]))
        return [*limits, MessageBudget(agent, self.budgets[agent])]

    def _restrictions(self) -> Iterable[Binding]:
        for room in dict.fromkeys((*self.own.values(), self.locked)):
            out = tuple(agent for agent in self.agents if room in self.bars(agent))
            if out:
                yield Binding("room_restriction", restricted_rooms=(room,), for_agents=out)
        if self.links:
            yield Binding("restricted_communication", allowed_targets=dict(self.links))
        yield Binding("limited_bandwidth", message_limits=dict(self.budgets), statements=1)

    def _spawn(self, agent: str) -> Spawn:
        x, z = self.scene.tables.spots[f"centre:{self.homes[agent]}"]
        return Spawn((x, 0.0, z), self.homes[agent])

    def _private(self, agent: str) -> tuple[str, ...]:
        goal = self.private_goals.get(agent)
        if goal is None:
            return ()
        sentence = tell(Must(goal), you=agent).removesuffix(".")
        return (PRIVATE.format(sentence.replace(" must end ", " to be ", 1)),)


def walkable(scene: Scene, start: str, allowed: Iterable[str]) -> set[str]:
    """The rooms that can be reached from ``start`` through ``allowed`` rooms."""
    allowed = {*allowed}
    doors = [door.rooms for door in scene.geometry.doors if not door.closed]
    reached, waiting = {start}, [start]
    while waiting:
        room = waiting.pop()
        near = {other for pair in doors if room in pair for other in pair} & allowed
        waiting += near - reached
        reached |= near
    return reached


def placed_in(scene: Scene) -> Mapping[str, tuple[str, str]]:
    """The furniture and the room of each object that is on or in furniture at the start."""
    room_of = {f: room for room, inside in scene.furniture_in_rooms.items() for f in inside}
    return {
        o: (f, room_of[f])
        for f, objects in scene.objects_on_furniture.items()
        for o in objects
        if f in room_of
    }


Use: TypeAlias = Literal["articulated", "top", "interior"]
USES: tuple[Use, ...] = ("articulated", "top", "interior")
TRIES = 20
"""Divisions of a house into rooms that are tried."""


@cache
def usable(scene_id: str, room: str, use: Use) -> tuple[str, ...]:
    """The furniture of a room with a use (a flag of :class:`~.scene.Piece`)."""
    scene = load_scene(scene_id)
    return tuple(
        f for f in scene.furniture_in_rooms.get(room, ()) if getattr(scene.geometry.furniture[f], use)
    )


@cache
def classes(scene_id: str, room: str, use: Use) -> tuple[tuple[str, ...], ...]:
    """The furniture that is :func:`usable`, by kind; kinds with one piece are left out."""
    pieces_by_kind: dict[str, list[str]] = defaultdict(list)
    for f in usable(scene_id, room, use):
        pieces_by_kind[kind_of(f)].append(f)
    return tuple(tuple(pieces) for pieces in pieces_by_kind.values() if len(pieces) > 1)


@cache
def useful(scene_id: str) -> tuple[str, ...]:
    """The rooms with furniture of one kind to open or to put things on."""
    scene = load_scene(scene_id)
    return tuple(room for room in scene.rooms if any(classes(scene_id, room, use) for use in USES))


def house(draw: random.Random, agents: int, locks: bool = False) -> Draft | None:
    """A house in which each agent has a useful room to itself, and which all can walk; ``None`` if none was found.

    With ``locks``, nobody may enter one room with furniture that opens.
    """
    scene = load_scene(draw.choice(shipped_scenes()))
    seats = tuple(f"agent_{k}" for k in range(agents))
    for _ in range(TRIES):
        rooms = draw.sample(useful(scene.scene_id), min(agents, len(useful(scene.scene_id))))
        if len(rooms) < agents:
            return None
        free_rooms = [
            room for room in scene.rooms if room not in rooms and usable(scene.scene_id, room, "articulated")
        ]
        if locks and not free_rooms:
            continue
        draft = Draft(draw, scene, seats, dict(zip(seats, rooms, strict=True)))
        draft.locked = draw.choice(free_rooms) if locks else ""
        if draft.common and _walks(draft):
            return draft
    return None


def _walks(draft: Draft) -> bool:
    """Gives each agent a start from which it can reach its own room and a common area that all reach."""
    start = draft.draw.choice(draft.common)
    area = walkable(draft.scene, start, draft.common)
    for agent in draft.agents:
        near = walkable(draft.scene, start, draft.rooms(agent))
        if draft.own[agent] not in near:
            return False
        at: Sequence[str] = sorted(area) if draft.draw.random() < 0.5 else (draft.own[agent],)
        draft.homes[agent] = draft.draw.choice(at)
    return True
