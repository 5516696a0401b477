"""A task in the form of the public release: what :mod:`.convert` reads, written; and our plan among its runs.

What the release has and we do not comes from ``release``; what we have and the release does not
(``agent_knows``) is written as a field of its own. A plan is an entry of ``calibration``, in the form of the
runs that stand there. Private goals stand in the problem, rooms of agents in its start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any
from typing import Literal as OneOf

import msgspec
from msgspec import Meta, Struct

from otherminds.epistemic import problem
from otherminds.epistemic.formula import Atom, Formula, Literal, Not, atom, claims
from otherminds.epistemic.parse import goal_of
from otherminds.epistemic.predicates import AGENT, PREDICATES
from otherminds.worlds.household.task import Calibration, Task

Data = dict[str, Any]

ORDER = (
    *("task_id", "title", "category", "task", "scene_id", "episode_id", "agent_spawns", "initial_states"),
    *(
        "active_mechanics",
        "mechanic_bindings",
        "agent_secrets",
        "agent_knows",
        "agent_actions",
        "message_targets",
    ),
    *("pddl_domain", "problem_pddl", "num_agents", "teams", "team_secrets", "tom_level"),
    *("golden_trajectory", "calibration"),
)
"""The fields in the order in which the release writes them."""
ALWAYS: Data = {"title": "", "initial_states": {}, "message_targets": {}}
"""Fields that the release writes where they are empty too."""
CONSTANTS: Data = {"pddl_domain": "emtom", "teams": {}, "team_secrets": {}}
"""Fields that say the same in every file: left out here, and written again on the way out."""
STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
KINDS = ("agent", "room", "object", "furniture")


class RunAction(Struct):
    """What an agent does in a turn."""

    action: str


class RunTurn(Struct):
    """A turn of a run, from 1."""

    turn: int
    agents: dict[Annotated[str, Meta(pattern=r"^agent_\d+$")], RunAction]


class PlannerRun(Struct):
    """An entry of ``calibration`` in the release's form that holds our plan."""

    run_mode: OneOf["planner"]
    steps: int
    least: int
    trajectory: list[RunTurn]
    found: str = ""


def ours(task: Task) -> Data:
    """The data of a file in our form, without what is empty."""
    data: Data = msgspec.to_builtins(task)
    bindings = [_filled(binding) for binding in data.get("mechanic_bindings", ())]
    return _filled(data | {"mechanic_bindings": bindings})


def _filled(data: Data) -> Data:
    return {name: value for name, value in data.items() if value not in ({}, [], (), "")}


def published(task: Task) -> Data:
    """The data of a file in the release's form.

    Raises:
        FormulaError: a goal of the task cannot be read.
    """
    made = ours(task)
    release: Data = made.pop("release", {})
    made.pop("private_goals", None)
    made["agent_spawns"] = {
        agent: {"position": spawn["position"]} for agent, spawn in made.get("agent_spawns", {}).items()
    }
    made["problem_pddl"] = _problem(task)
    made["calibration"] = [
        *([_run(task.calibration)] if task.calibration else []),
        *release.pop("calibration", []),
    ]
    if not made["calibration"]:
        del made["calibration"]
    data: Data = {**ALWAYS, "category": task.category, **CONSTANTS, **made}
    for place, value in release.items():
        _put(data, place, value)
    return {name: data[name] for name in (*ORDER, *data) if name in data}


def _problem(task: Task) -> str:
    """The whole problem, with the private goals in it."""
    text = task.problem_pddl
    if not problem.whole(text):
        goal = goal_of(text)
        facts = list(_start(task))
        text = problem.written(task.task_id, CONSTANTS["pddl_domain"], _objects(task, facts), facts, goal)
    goals = {agent: goal_of(private) for agent, private in task.private_goals.items()}
    return problem.with_owners(text, goals) if goals else text


def _start(task: Task) -> Iterator[Literal]:
    """What the task itself says of the start; the rest is as the scene has it."""
    for agent, spawn in task.agent_spawns.items():
        yield Atom("agent_in_room", (agent, spawn.room))
    for thing, states in task.initial_states.items():
        for predicate, value in states.items():
            if isinstance(value, str):
                yield Atom("is_on_top" if predicate == "lies_on" else predicate, (thing, value))
            else:
                yield Atom(predicate, (thing,)) if value else Not(Atom(predicate, (thing,)))


def _objects(task: Task, facts: list[Literal]) -> dict[str, list[str]]:
    """The names that the task speaks of, by type."""
    formulas: list[Formula] = [goal_of(text) for text in (task.problem_pddl, *task.private_goals.values())]
    found: dict[str, str] = dict.fromkeys(task.agents, "agent")
    for fact in (*facts, *(claim.fact for formula in formulas for claim in claims(formula))):
        inside = atom(fact)
        kinds = PREDICATES[inside.predicate].kinds
        # Furniture can be switched too, though the vocabulary speaks of objects alone.
        loose = inside.predicate.startswith("is_powered")
        for kind, name in zip(kinds, inside.args, strict=True):
            if not (loose and name in found):
                found[name] = kind
    for binding in task.mechanic_bindings:
        pieces = [name for name in (binding.trigger_object, binding.target_object) if name]
        found |= dict.fromkeys(pieces, "furniture") | dict.fromkeys(binding.restricted_rooms, "room")
    found = {name: "agent" if AGENT.fullmatch(name) else kind for name, kind in found.items()}
    by_kind = {kind: [name for name, one in found.items() if one == kind] for kind in KINDS}
    return {kind: names for kind, names in by_kind.items() if names}


def _run(given: Calibration) -> Data:
    """Our plan as one of the runs that the release lists."""
    trajectory = [
        {"turn": k, "agents": {f"agent_{i}": {"action": call} for i, call in enumerate(calls)}}
        for k, calls in enumerate(given.plan, 1)
    ]
    head: Data = {"run_mode": "planner", "steps": given.turns, "least": given.least, "found": given.found}
    return head | {"trajectory": trajectory}


def plan_of(run: object) -> Data | None:
    """Our calibration from an entry of ``calibration`` that :func:`published` wrote; ``None`` of any other."""
    try:
        made = msgspec.convert(run, PlannerRun)
    except msgspec.ValidationError:
        return None
    plan = [
        [
            turn.agents[agent].action
            for agent in sorted(turn.agents, key=lambda agent: int(agent.rpartition("_")[2]))
        ]
        for turn in made.trajectory
    ]
    return {"turns": made.steps, "least": made.least, "plan": plan, "found": made.found}


def _put(data: Data, place: str, value: object) -> None:
    """Puts a value back to its place; where what it belonged to is gone, under its whole place."""
    steps = [name or int(number) for name, number in STEP.findall(place)]
    inner: Any = data
    for step in steps[:-1]:
        try:
            inner = inner[step]
        except (KeyError, IndexError, TypeError):
            data[place] = value
            return
    inner[steps[-1]] = value
