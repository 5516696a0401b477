"""Faults of the formal task: its goals, its team, and its mechanics.

Goals are out of reach, done already, or less deep than they look, and private goals pull against nothing. Agents are not needed,
or knowledge is not divided. Mechanics are decoration, nobody knows of them, or limits are too tight or too wide."""

from __future__ import annotations

from functools import reduce
from itertools import zip_longest

from msgspec import structs

from otherminds.household.authoring.planted import (
    HIDDEN,
    LIMITS,
    LINKS,
    NOWHERE,
    add_formulas,
    bar_rooms,
    bars_of,
    facts_of,
    find_told,
    format_opposite,
    free_furniture,
    goal_parts,
    needed_rooms,
    other,
    planted,
    replace_bindings,
    retell_secrets,
    teller,
    with_goal,
)
from otherminds.household.epistemic.formula import Atom, atom, chains, depth, show
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.house import HousePlan
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding, Task

GOAL = "problem_pddl"
STATED = ("(is_on", "(is_inside", "(is_open", "(is_closed", "(is_in_room", "(K ")
"""Statements about the start, which would be wrong at another start."""


@planted("pddl_solvability", "solvable")
def unreachable_goal(task: Task) -> Task | None:
    """The goal needs an act in a room that all agents are barred from."""
    rooms = load_scene(task.scene_id).furniture_in_rooms
    rooms_in_use = needed_rooms(task) | {spawn.room for spawn in task.agent_spawns.values()}
    for piece in free_furniture(task):
        room = next(room for room, inside in rooms.items() if piece in inside)
        if room not in rooms_in_use:
            goal = f"(is_open {piece})"
            briefed = add_formulas(task, "agent_0", f"(goal {goal})")
            bars = {agent: (*several, room) for agent, several in bars_of(task).items()}
            return bar_rooms(with_goal(briefed, [goal, *goal_parts(task)]), bars)
    return None


@planted("pddl_solvability", GOAL)
def contradictory_goal(task: Task) -> Task | None:
    """The goal asks for a fact and its opposite."""
    for fact in facts_of(task):
        agent = teller(task, f"(goal {show(fact)})")
        if agent and atom(fact).predicate in ("is_open", "is_closed"):
            opposite = format_opposite(fact)
            briefed = add_formulas(task, agent, f"(goal {opposite})")
            return with_goal(briefed, [*goal_parts(task), opposite])
    return None


@planted("pddl_solvability", GOAL)
def unknown_thing_in_goal(task: Task) -> Task | None:
    """The goal is about a thing that is not in the scene."""
    return with_goal(task, [*goal_parts(task), "(is_open cabinet_9999)"])


@planted("pddl_solvability", GOAL)
def done_at_start(task: Task) -> Task | None:
    """The goal holds at the start."""
    if find_told(task, *STATED):
        return None
    start = {entity: dict(states) for entity, states in task.initial_states.items()}
    for fact in map(atom, facts_of(task)):
        entity, *place = fact.args
        start[entity] = {fact.predicate: place[0] if place else True}
    return structs.replace(task, initial_states=start)


@planted("pddl_solvability", "fair")
def untold_goal(task: Task) -> Task | None:
    """A part of the goal is told to nobody, and no other secret is about its thing."""
    for fact in map(atom, facts_of(task)):
        form = f"(goal {show(fact)})"
        about = [text for text in find_told(task, "(") if f" {fact.args[0]})" in text]
        if fact.predicate == "is_open" and about == [form]:
            agent = teller(task, form) or ""
            return retell_secrets(task, {agent: [text for text in task.agent_knows[agent] if text != form]})
    return None


@planted("pddl_solvability", "needs depth ")
def inflated_depth(task: Task) -> Task | None:
    """The agents of the deepest K may enter every room, so that they see what they are to be told."""
    deepest = max(chains(goal_of(task.problem_pddl)), key=lambda chain: len(chain.agents), default=None)
    if deepest is None:
        return None
    return bar_rooms(
        task, {agent: () if agent in deepest.agents else bars for agent, bars in bars_of(task).items()}
    )


@planted("pddl_solvability", "needs depth ")
def trivial_knowledge(task: Task) -> Task | None:
    """A K is about a fact that its agent is told to bring about itself."""
    if not chains(goal_of(task.problem_pddl)):
        return None
    rooms, bars = load_scene(task.scene_id).furniture_in_rooms, bars_of(task)
    for fact in map(atom, facts_of(task)):
        room = next((room for room, inside in rooms.items() if fact.args[0] in inside), "")
        agent = next((seat for seat in task.agents if room not in bars[seat]), None)
        if fact.predicate == "is_open" and agent:
            briefed = add_formulas(task, agent, f"(goal {show(fact)})")
            return _ask_for_knowledge(briefed, f"(K {agent} {show(fact)})", agent)
    return None


@planted("goal_relevance")
def irrelevant_conjunct(task: Task) -> Task | None:
    """A part of the goal holds from the start, and nobody has a reason to change it."""
    free = [piece for piece in free_furniture(task) if not task.starts(piece, "is_open")]
    if not free:
        return None
    goal = f"(is_closed {free[0]})"
    return with_goal(add_formulas(task, "agent_0", f"(goal {goal})"), [goal, *goal_parts(task)])


def _ask_for_knowledge(task: Task, chain: str, agent: str) -> Task:
    """The task with ``chain`` as its only knowledge, told to the agent after ``agent``."""
    parts = [part for part in goal_parts(task) if not part.startswith("(K ")]
    knows = {
        seat: [text for text in texts if not text.startswith("(goal (K ")]
        for seat, texts in task.agent_knows.items()
    }
    knows[other(task, agent)].append(f"(goal {chain})")
    return with_goal(retell_secrets(task, knows), [*parts, chain])


PRIVATE = "(private_goal "


@planted("subgoal_tension")
def private_equals_shared(task: Task) -> Task | None:
    """A private goal is a part of the shared goal."""
    facts = [show(fact) for fact in facts_of(task) if atom(fact).predicate == "is_open"]
    owner = next(iter(task.private_goals), None)
    return _wishing(task, owner, [facts[0]]) if owner and facts else None


@planted("subgoal_tension", "private_goals")
def impossible_private_goal(task: Task) -> Task | None:
    """A private goal contradicts itself."""
    owner = next(iter(task.private_goals), None)
    if owner is None:
        return None
    wish = goal_of(task.private_goals[owner])
    if not isinstance(wish, Atom) or wish.predicate not in ("is_open", "is_closed"):
        return None
    return _wishing(task, owner, [show(wish), format_opposite(wish)])


@planted("subgoal_tension")
def private_goal_of_all(task: Task) -> Task | None:
    """Another agent has the same private goal, so that it divides nobody."""
    owner = next(iter(task.private_goals), None)
    if owner is None or len(task.private_goals) == task.num_agents:
        return None
    new = next(agent for agent in task.agents if agent not in task.private_goals)
    wish = task.private_goals[owner]
    shared = structs.replace(task, private_goals={**task.private_goals, new: wish})
    return add_formulas(shared, new, f"{PRIVATE}{wish})")


def _wishing(task: Task, owner: str, wish: list[str]) -> Task:
    """The task whose agent ``owner`` has the conjunction of ``wish`` as its private goal."""
    knows = [
        *(text for text in task.agent_knows[owner] if not text.startswith(PRIVATE)),
        *(f"{PRIVATE}{part})" for part in wish),
    ]
    goal = wish[0] if len(wish) == 1 else f"(and {' '.join(wish)})"
    return retell_secrets(
        structs.replace(task, private_goals={**task.private_goals, owner: goal}), {owner: knows}
    )


@planted("agent_necessity", "needs agent_")
def redundant_agent(task: Task) -> Task | None:
    """One more agent, which is told nothing and can do nothing that others cannot."""
    new = f"agent_{task.num_agents}"
    spawns = {**task.agent_spawns, new: task.agent_spawns["agent_0"]}
    several = structs.replace(task, num_agents=task.num_agents + 1, agent_spawns=spawns)
    several = retell_secrets(
        several, {agent: _add_barred_links(texts, new) for agent, texts in task.agent_knows.items()}
    )
    return bar_rooms(several, {**bars_of(task), new: bars_of(task)["agent_0"]})


@planted("agent_necessity", "needs messages")
def soloist(task: Task) -> Task | None:
    """One agent is told all parts of the goal and may go everywhere."""
    briefed = add_formulas(task, "agent_0", *find_told(task, "(goal (is_", *HIDDEN))
    return bar_rooms(briefed, {**bars_of(task), "agent_0": ()})


@planted("task_naturalness", "needs messages")
def everybody_told(task: Task) -> Task | None:
    """All agents are told all parts of the goal, so that there is nothing to say."""
    formulas = find_told(task, "(goal ", *HIDDEN)
    return reduce(lambda briefed, agent: add_formulas(briefed, agent, *formulas), task.agent_knows, task)


@planted("task_interdependence", "needs messages")
def side_by_side(task: Task) -> Task | None:
    """Agents may go everywhere and are told all parts of the goal: each can do what is left."""
    shared = everybody_told(task)
    return bar_rooms(shared, {}) if shared and task.category == "cooperative" else None


@planted("pddl_solvability", "solvable")
def silenced_agents(task: Task) -> Task | None:
    """No agent can send a message."""
    other_bindings = [
        binding for binding in task.mechanic_bindings if binding.mechanic_type not in (LINKS, LIMITS)
    ]
    limits = [binding for binding in task.mechanic_bindings if binding.mechanic_type == LIMITS][:1]
    if not limits:
        return None
    none = structs.replace(limits[0], message_limits=dict.fromkeys(task.agents, 0))
    links = [binding for binding in task.mechanic_bindings if binding.mechanic_type == LINKS]
    knows = {
        agent: [
            *(text for text in texts if not text.startswith("(message_limit ")),
            f"(message_limit {agent} 0)",
        ]
        for agent, texts in task.agent_knows.items()
    }
    return retell_secrets(replace_bindings(task, [*other_bindings, *links, none]), knows)


def _add_barred_links(texts: tuple[str, ...], new: str) -> list[str]:
    """``texts`` in which every agent whose addressees are told cannot message ``new`` either."""
    extended: list[str] = []
    for text, after in zip_longest(texts, texts[1:], fillvalue=""):
        extended.append(text)
        sender = _sender(text)
        if sender and sender != _sender(after):
            extended.append(f"(not (can_communicate {sender} {new}))")
    return extended


def _sender(text: str) -> str:
    """The agent whose addressees a form is about; empty for other forms."""
    return text.partition("(can_communicate ")[2].partition(" ")[0]


WIDE, TIGHT = 40, 1
"""More messages than any task needs, and fewer than most do."""


@planted("mechanic_utilization", "needs its barred rooms")
def decorative_bars(task: Task) -> Task | None:
    """The only barred room has nothing that anybody needs."""
    room = _unused_room(task)
    return bar_rooms(task, {"agent_0": (room,)}) if room else None


@planted("mechanic_utilization")
def another_bar(task: Task) -> Task | None:
    """One more room is barred in which there is nothing to do."""
    room = _unused_room(task)
    if room is None:
        return None
    return bar_rooms(
        task, {agent: dict.fromkeys((*several, room)) for agent, several in bars_of(task).items()}
    )


@planted("mechanic_utilization")
def idle_mechanism(task: Task) -> Task | None:
    """A thing that nobody uses works in reverse."""
    free = free_furniture(task)
    if not free:
        return None
    inverse = Binding("inverse_state", trigger_object=free[0])
    briefed = add_formulas(task, "agent_0", f"(is_inverse {free[0]})")
    return replace_bindings(briefed, [*task.mechanic_bindings, inverse])


@planted("mechanic_utilization")
def untold_mechanism(task: Task) -> Task | None:
    """A hidden mechanism that the goal needs is told to nobody."""
    knows = {
        agent: [text for text in texts if not text.startswith(HIDDEN)]
        for agent, texts in task.agent_knows.items()
    }
    changed = {agent: texts for agent, texts in knows.items() if len(texts) < len(task.agent_knows[agent])}
    return retell_secrets(task, changed) if changed else None


@planted("mechanic_utilization")
def wide_limit(task: Task) -> Task | None:
    """The number of messages is limited to more than anybody needs."""
    return _limit_messages(task, WIDE)


@planted("pddl_solvability", "solvable")
def tight_limit(task: Task) -> Task | None:
    """The number of messages is too small for the task."""
    deep = depth(goal_of(task.problem_pddl)) > 1
    return _limit_messages(task, TIGHT) if deep else None


@planted("mechanic_utilization")
def idle_links(task: Task) -> Task | None:
    """Links are given that forbid nothing: each agent can message all others."""
    if any(binding.mechanic_type == LINKS for binding in task.mechanic_bindings):
        return None
    targets = {agent: tuple(other for other in task.agents if other != agent) for agent in task.agents}
    links = Binding(LINKS, allowed_targets=targets)
    knows = {
        agent: (
            *(f"(can_communicate {agent} {other})" for other in targets[agent]),
            *task.agent_knows.get(agent, ()),
        )
        for agent in task.agents
    }
    return retell_secrets(replace_bindings(task, [*task.mechanic_bindings, links]), knows)


@planted("mechanic_utilization", "mechanic_bindings")
def unknown_mechanic(task: Task) -> Task | None:
    """A mechanic is bound to a thing that is not in the scene."""
    inverse = Binding("inverse_state", trigger_object=NOWHERE)
    return replace_bindings(task, [*task.mechanic_bindings, inverse])


def _limit_messages(task: Task, messages: int) -> Task | None:
    """The task with this number of messages for each agent that has a limit."""
    if not any(binding.mechanic_type == LIMITS for binding in task.mechanic_bindings):
        return None
    bindings = [
        structs.replace(binding, message_limits=dict.fromkeys(binding.message_limits, messages))
        for binding in task.mechanic_bindings
    ]
    limited = {agent for binding in task.mechanic_bindings for agent in binding.message_limits}
    knows = {
        agent: [
            f"(message_limit {text.split()[1]} {messages})"
            if text.startswith("(message_limit ") and text.split()[1] in limited
            else text
            for text in texts
        ]
        for agent, texts in task.agent_knows.items()
    }
    return retell_secrets(replace_bindings(task, bindings), knows)


def _unused_room(task: Task) -> str | None:
    """A room without anything that the task names, where nobody starts and through which nobody must go."""
    plan, bars = HousePlan(task, load_scene(task.scene_id)), bars_of(task)
    rooms_in_use = needed_rooms(task) | {spawn.room for spawn in task.agent_spawns.values()}
    rooms_in_use |= {room for several in bars.values() for room in several}
    walks = [("agent_0", ()), *bars.items()]
    for room in plan.rooms:
        ends = (
            plan.walkable(agent, (*shut, room)) == plan.walkable(agent, shut) - {room}
            for agent, shut in walks
        )
        if room not in rooms_in_use and all(ends):
            return room
    return None
