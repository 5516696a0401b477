"""Faults of the formal goal: out of reach, done already, or less deep than it looks."""

from __future__ import annotations

from msgspec import structs

from otherminds.household.authoring.planted.edits import (
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
    retell_secrets,
    teller,
    with_goal,
)
from otherminds.household.authoring.planted.registry import planted
from otherminds.household.epistemic.formula import atom, chains, show
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Task

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
