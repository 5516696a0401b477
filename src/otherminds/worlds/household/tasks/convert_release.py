"""What only files of the public release write, turned into our form: private goals and a start inside the problem,
runs of models as a calibration, and constants that every file repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert

from otherminds.epistemic.errors import FormulaError
from otherminds.epistemic.formula import Literal as Fact
from otherminds.epistemic.formula import Not, atom
from otherminds.epistemic.parse import goal_of
from otherminds.epistemic.problem import OWNERS, owners, start, without
from otherminds.epistemic.show import show
from otherminds.worlds.household.tasks.states import NEEDED, PLACES

Data = dict[str, Any]
Note = Callable[[str], None]


class Act(Struct):
    """What an agent does in a turn."""

    action: str


class Turn(Struct):
    """A turn of a run, from 1."""

    turn: int
    agents: dict[Annotated[str, Meta(pattern=r"^agent_\d+$")], Act]


class PlannerRun(Struct):
    """An entry of ``calibration`` in the release's form that holds our plan."""

    run_mode: Literal["planner"]
    steps: int
    least: int
    trajectory: list[Turn]
    found: str = ""


CONSTANTS: Data = {"pddl_domain": "emtom", "teams": {}, "team_secrets": {}}
"""Fields that say the same in every file: left out here, and written again on the way out."""
KEPT = "kept in release"


def constants(task: Data, note: Note) -> None:
    """Takes out what every file of the release repeats."""
    found = [name for name, value in CONSTANTS.items() if name in task and task[name] == value]
    for name in found:
        del task[name]
    if found:
        note(f"{', '.join(found)}: as in every file of the release; left out")


def private_goals(task: Data, note: Note) -> None:
    """Moves ``(:goal-owners ...)`` of the problem into ``private_goals``; where both differ it is left for the check."""
    text, given = task.get("problem_pddl"), task.get("private_goals", {})
    if not isinstance(text, str) or not isinstance(given, dict):
        return
    try:
        found = owners(text)
        if not found or any(
            agent in given and not _same(given[agent], goal) for agent, goal in found.items()
        ):
            return
        task["problem_pddl"] = without(text, OWNERS)
    except FormulaError:
        return
    task["private_goals"] = {agent: show(goal) for agent, goal in found.items()} | given
    note(f"problem_pddl: ({OWNERS} ...), now private_goals of {', '.join(found)}")


def starts(task: Data, note: Note) -> None:
    """Takes what ``(:init ...)`` says of the start: rooms of agents, where things are, how they are turned."""
    text = task.get("problem_pddl")
    try:
        facts = start(text) if isinstance(text, str) else ()
    except FormulaError:
        return
    states, spawns = task.get("initial_states", {}), task.get("agent_spawns", {})
    if not isinstance(states, dict) or not isinstance(spawns, dict):
        return
    for fact in facts:
        if not isinstance(fact, Not) and fact.predicate == "agent_in_room":
            agent, room = fact.args
            spawn = spawns.get(agent)
            if isinstance(spawn, dict) and "position" in spawn and spawn.get("room") is None:
                spawns[agent] = spawn | {"room": room}
                note(f"agent_spawns.{agent}: without a room; {room}, as (:init ...) says")
    added = _states(facts, states)
    if added:
        task["initial_states"] = states | added
        note(f"initial_states: of {', '.join(added)} as (:init ...) of problem_pddl says")


def calibration(task: Data, note: Note) -> None:
    """Reads the list of runs that the release has: our plan is ours again, runs of models are kept."""
    given = task.get("calibration")
    if isinstance(given, dict) and "messages" in given:
        del task["calibration"]
        keep(task, "calibration", given)
        note(
            f"calibration: a team's turns and messages, of an earlier form; {KEPT}, and the task is not calibrated"
        )
    if not isinstance(given, list):
        return
    del task["calibration"]
    plans = [plan for run in given if (plan := _plan(run))]
    others = [run for run in given if not _plan(run)]
    if plans:
        task["calibration"] = plans[-1]
        note("calibration: the planner's run in the list, now a plan")
    if others:
        keep(task, "calibration", others)
        note(f"calibration: {len(others)} run(s) of models; {KEPT}, and the task is not calibrated by them")


def keep(task: Data, place: str, value: object) -> None:
    """Puts what we have no field for into ``release``, under its place."""
    release = task.setdefault("release", {})
    if isinstance(release, dict):
        release[place] = value


def _same(text: object, goal: object) -> bool:
    return isinstance(text, str) and goal_of(text) == goal


def _states(facts: tuple[Fact, ...], given: Data) -> Data:
    """The facts as initial states, without those of things that the file itself speaks of."""
    added: Data = {}
    for fact in facts:
        inside, holds = atom(fact), not isinstance(fact, Not)
        thing, *where = inside.args
        if thing in given:
            continue
        if inside.predicate in PLACES and holds:
            added.setdefault(thing, {})[inside.predicate] = where[0]
        elif inside.predicate in NEEDED:
            added.setdefault(thing, {})[inside.predicate] = holds
    return added


def _plan(run: object) -> Data | None:
    """Our calibration from the entry that :mod:`.publish` wrote; ``None`` of any other."""
    try:
        made = convert(run, PlannerRun)
    except ValidationError:
        return None
    plan = [
        [turn.agents[agent].action for agent in sorted(turn.agents, key=_number)] for turn in made.trajectory
    ]
    return {"turns": made.steps, "least": made.least, "plan": plan, "found": made.found}


def _number(agent: str) -> int:
    return int(agent.rpartition("_")[2])
