"""The structure of a task up to names, as a digest: two tasks have the same one exactly if a renaming makes them equal.

The structure contains

- the category and the number of agents;
- the conjuncts of the shared goal and of each private goal, with their chains of knowledge, and who is told which statement;
- for each agent, the rooms that it cannot enter, its addressees, its message budget, and its tools if they are restricted;
- the mechanics, with the states that they set;
- of each room that is barred, named, or has a named thing: who can get there from its start;
- of each named piece of furniture: its room, whether it opens, has a switch, a top or an interior, and its state at the start;
- of each named object: the room where it is at the start, whether it lies on the floor, on something, or in something that
  is open or shut, on which named piece, and its states at the start.

An agent's start counts only where the goal says in which room the agent must be. Left out are the scene, coordinates, all
wording, the kinds of furniture and objects in their names, everything that no goal, statement or mechanic names, and the
calibration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TypeAlias

import msgspec

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.forms import canonical, forms
from otherminds.household.epistemic.formula import Formula, claims, show
from otherminds.household.epistemic.parse import TOKEN, goal_of
from otherminds.household.epistemic.predicates import AGENT, AXES, positive_chain
from otherminds.household.house import HousePlan
from otherminds.household.mechanics.mechanic import STATES
from otherminds.household.scenes.load import load_scene
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Binding, Task

SYMMETRIC = ("mirrors", "is_next_to")
"""Predicates whose two arguments can be exchanged."""
CHANGED = ("is_dirty", "is_filled", "is_powered_on")
"""The states in which an object starts only if the task says so."""


def structure(task: Task, scene: Scene | None = None) -> str:
    """The digest of a task's structure, in hexadecimal; ``scene`` is the task's own, by default the shipped one.

    Raises:
        TaskError: the scene is not shipped, a formula cannot be read, or it names something that the scene does not have.
    """
    plan = HousePlan(task, scene or load_scene(task.scene_id))
    relations = [*_relate_agents(plan), *_mechanics(plan)]
    unique_names = dict.fromkeys(name for _, names in relations for name in names)
    relations += _starts(plan, tuple(unique_names))
    kinds = dict.fromkeys(plan.agents, "agent") | {
        name: _kind(plan, name) for _, names in relations for name in names
    }
    head = f"{task.category} task of {task.num_agents} agents"
    return canonical_digest(kinds, [(head, ()), *relations])


def goal_structure(task: Task) -> str:
    """The digest of the shared goal alone: its predicates, its chains, and which conjuncts share a thing, room or agent.

    Raises:
        FormulaError: the goal cannot be read.
    """
    relations = [*_conjuncts("goal", goal_of(task.problem_pddl))]
    kinds = {name: "agent" if AGENT.fullmatch(name) else "thing" for _, names in relations for name in names}
    return canonical_digest(kinds, relations)


def _relate_agents(plan: HousePlan) -> Iterator[Relation]:
    """The goals, what each agent is told, and what it cannot do."""
    task = plan.task
    yield from _conjuncts("goal", plan.goal)
    for agent, formula in plan.private.items():
        yield from _conjuncts("private goal", formula, agent)
    for agent in plan.agents:
        told_forms = (
            [form for text in task.agent_knows.get(agent, ()) for form in canonical(text)]
            if task.verified
            else [form for statement in task.told_to(agent) for form in forms(statement, plan.agents)]
        )
        for form in told_forms:
            yield from _relate_form("told", form, agent)
        yield from (("barred", (agent, room)) for room in plan.barred[agent])
        yield from (("can message", (agent, other)) for other in plan.talk[agent])
        if (limit := plan.limits[agent]) is not None:
            yield f"has {limit} messages", (agent,)
        if tools := task.agent_actions.get(agent):
            yield f"has {' '.join(sorted(tools))}", (agent,)


def _conjuncts(head: str, formula: Formula, *owner: str) -> Iterator[Relation]:
    for chain in map(positive_chain, claims(formula)):
        yield from _relate_form(head, show(chain.formula), *owner)


def _relate_form(head: str, form: str, *owner: str) -> Iterator[Relation]:
    """A form as a relation between the names in it; its label is the form without them."""
    names: list[str] = []
    pattern: list[str] = []
    last = ""
    for token in TOKEN.findall(form):
        if token in "()" or last == "(" or token.isdecimal():
            pattern.append(token)
        else:
            pattern.append("_")
            names.append(token)
        last = token
    label = f"{head} {' '.join(pattern)}"
    yield label, (*owner, *names)
    if not {*pattern}.isdisjoint(SYMMETRIC):
        *others, first, other = names
        yield label, (*owner, *others, other, first)


def _mechanics(plan: HousePlan) -> Iterator[Relation]:
    """The mechanics that bind things; those about agents are in what agents cannot do."""
    for _, binding in plan.bound:
        entities = tuple(filter(None, (binding.trigger_object, binding.target_object)))
        if not entities:
            continue
        yield (label := _label_binding(binding)), entities
        if binding.mechanic_type == "state_mirroring":
            yield label, entities[::-1]


def _label_binding(binding: Binding) -> str:
    state = STATES.get(binding.target_state, binding.target_state)
    return f"{binding.mechanic_type} {AXES.get(state, state) if binding.mechanic_type == 'state_mirroring' else state}"


def _starts(plan: HousePlan, entity_names: tuple[str, ...]) -> Iterator[Relation]:
    """Where named things are, what they are at the start, and who can get there."""
    rooms = dict.fromkeys(name for name in entity_names if name in plan.rooms)
    for name in entity_names:
        if name in plan.room_of:
            rooms[plan.room_of[name]] = None
            yield "in", (name, plan.room_of[name])
            yield _furniture(plan, name), (name,)
        elif name in plan.objects:
            predicate, f = plan.first_place(name)
            rooms[plan.room_of[f]] = None
            shut = predicate == "is_inside" and not _open(plan, f)
            yield f"{predicate}{' what is shut' if shut else ''}", (name, plan.room_of[f])
            yield from ((predicate, (name, other)) for other in entity_names if other == f)
            yield from ((state, (name,)) for state in CHANGED if plan.task.starts(name, state))
    first = {agent: plan.spot_room[spot] for agent, spot in plan.start_spot.items()}
    for agent in plan.agents:
        near = plan.walkable(agent, plan.barred[agent])
        yield from (("can enter", (agent, room)) for room in rooms if room in near)
    for formula in (plan.goal, *plan.private.values()):
        for chain in map(positive_chain, claims(formula)):
            for label, names in _relate_form("", show(chain.fact)):
                if "agent_in_room" in label and first.get(names[0]) == names[1]:
                    yield "starts in", names


def _furniture(plan: HousePlan, f: str) -> str:
    """What can be done with a piece of furniture, and its state at the start."""
    piece = plan.scene.geometry.furniture.get(f)
    if piece is None:
        return "floor"
    flags = {"opens": piece.articulated, "switch": piece.switch, "top": piece.top, "interior": piece.interior}
    states = {
        "open": piece.articulated and _open(plan, f),
        "on": piece.switch and plan.task.starts(f, "is_powered_on"),
    }
    return " ".join(["furniture", *(word for word, so in (flags | states).items() if so)])


def _open(plan: HousePlan, f: str) -> bool:
    """Whether furniture is open at the start; what cannot be opened always is."""
    return plan.task.starts(f, "is_open", default=not plan.scene.geometry.furniture[f].articulated)


def _kind(plan: HousePlan, name: str) -> str:
    for kind, names in (("agent", plan.agents), ("room", plan.rooms), ("object", plan.objects)):
        if name in names:
            return kind
    if name in plan.room_of:
        return "furniture"
    raise TaskError(
        f"task {plan.task.task_id!r}: {name!r} is not in scene {plan.scene.scene_id!r}; "
        "`otherminds tasks check` finds all such faults"
    )


Relation: TypeAlias = tuple[str, tuple[str, ...]]
"""A label, and the names of the nodes that it connects, in order."""
Row: TypeAlias = tuple[int, tuple[int, ...]]
"""A relation with numbers for its label and its nodes."""


def canonical_digest(kinds: Mapping[str, str], relations: Iterable[Relation]) -> str:
    """A hex digest of the relations up to the names of nodes: equal exactly if a renaming maps one onto the other.

    The nodes are the agents, rooms, furniture and objects that the relations connect.

    Colour refinement tells nodes apart by their relations. Where it leaves several nodes with one colour, each of them
    in turn gets a colour of its own, and the least result counts. Nodes that can be swapped without any change count as
    one.

    ``kinds`` has the kind of each node, which renaming keeps; names in relations that it lacks are a ``KeyError``.

    >>> digest = canonical_digest({"a": "", "b": ""}, [("above", ("a", "b"))])
    >>> digest == canonical_digest({"x": "", "a": ""}, [("above", ("x", "a"))])
    True
    """
    return _Relations(kinds, relations).digest()


class _Relations:
    """Nodes and relations by number; ``at`` has, for each node, its relations with its position in each."""

    def __init__(self, kinds: Mapping[str, str], relations: Iterable[Relation]) -> None:
        number = {name: k for k, name in enumerate(kinds)}
        distinct = set(relations)
        self.labels = sorted({label for label, _ in distinct})
        order = {label: k for k, label in enumerate(self.labels)}
        self.rows: set[Row] = {
            (order[label], tuple([number[name] for name in names])) for label, names in distinct
        }
        self.at: list[list[tuple[int, Row]]] = [[] for _ in kinds]
        for row in self.rows:
            for position, node in enumerate(row[1]):
                self.at[node].append((position, row))
        self.kinds = sorted(kinds.values())
        self.start = [self.kinds.index(kind) for kind in kinds.values()]

    def digest(self) -> str:
        """The digest of the least form."""
        return sha256(msgspec.json.encode([self.kinds, self.labels, self.least(self.start)])).hexdigest()

    def least(self, colours: Sequence[int]) -> list[Row]:
        """The least list of relations, with the colours of nodes in place of their numbers, over all ways to tell nodes apart."""
        colours = self.refine_colours(colours)
        classes: dict[int, list[int]] = {}
        for node, colour in enumerate(colours):
            classes.setdefault(colour, []).append(node)
        several = next((classes[colour] for colour in sorted(classes) if len(classes[colour]) > 1), None)
        if several is None:
            return sorted((label, tuple([colours[k] for k in nodes])) for label, nodes in self.rows)
        chosen: list[int] = []
        for node in several:
            if not any(self.alike(node, other) for other in chosen):
                chosen.append(node)
        doubled = [2 * colour + 1 for colour in colours]
        return min(self.least([colour - (k == node) for k, colour in enumerate(doubled)]) for node in chosen)

    def refine_colours(self, colours: Sequence[int]) -> Sequence[int]:
        """Colours that agree only for nodes whose relations agree in colours too."""
        count = len(set(colours))
        while True:
            signs = [
                (
                    colours[node],
                    tuple(
                        sorted([(p, label, tuple([colours[k] for k in nodes])) for p, (label, nodes) in rows])
                    ),
                )
                for node, rows in enumerate(self.at)
            ]
            rank = {sign: k for k, sign in enumerate(sorted(set(signs)))}
            colours = [rank[sign] for sign in signs]
            if len(rank) == count:
                return colours
            count = len(rank)

    def alike(self, node: int, other: int) -> bool:
        """Whether the relations stay the same if two nodes are swapped."""
        swap = {node: other, other: node}
        return all(
            (label, tuple([swap.get(k, k) for k in nodes])) in self.rows
            for member in (node, other)
            for _, (label, nodes) in self.at[member]
        )
