"""Task files written: in our form, or in that of the public release, which :mod:`.convert` reads.

Fields that only the release has come from ``release``; fields that only we have (``agent_knows``) are written as
additional fields. A plan becomes an entry of ``calibration``, in the form of the runs listed there. Private goals are
written into the problem, and rooms of agents into its ``(:init ...)``.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from typing import Literal as OneOf

import msgspec
from msgspec import Meta, Struct

from otherminds.household.epistemic import parse
from otherminds.household.epistemic.formula import Atom, Formula, Literal, Not, atom, claims
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.predicates import AGENT, PREDICATES
from otherminds.household.task import Calibration, Task

Data = dict[str, Any]

ORDER = """
task_id title category task scene_id episode_id agent_spawns initial_states active_mechanics mechanic_bindings
agent_secrets agent_knows agent_actions message_targets pddl_domain problem_pddl num_agents teams team_secrets
tom_level golden_trajectory calibration
"""
"""The fields in the order of the release."""
ALWAYS: Data = {"title": "", "initial_states": {}, "message_targets": {}}
"""Fields that the release writes even if they are empty."""
CONSTANTS: Data = {"pddl_domain": "emtom", "teams": {}, "team_secrets": {}}
"""Fields that are equal in all files of the release: removed by conversion, and written on export."""
STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
KINDS = ("agent", "room", "object", "furniture")


class RunAction(Struct):
    """The act of an agent in a turn."""

    action: str


class RunTurn(Struct):
    """A turn of a run, from 1."""

    turn: int
    agents: dict[Annotated[str, Meta(pattern=r"^agent_\d+$")], RunAction]


class PlannerRun(Struct):
    """An entry of ``calibration`` in the release's form with our plan."""

    run_mode: OneOf["planner"]
    steps: int
    least: int
    trajectory: list[RunTurn]
    found: str = ""


def ours(task: Task) -> Data:
    """The data of a file in our form, without empty fields."""
    data: Data = msgspec.to_builtins(task)
    bindings = [_drop_empty(binding) for binding in data.get("mechanic_bindings", ())]
    return _drop_empty(data | {"mechanic_bindings": bindings})


def _drop_empty(data: Data) -> Data:
    return {name: value for name, value in data.items() if value not in ({}, [], (), "")}


def published(task: Task) -> Data:
    """The data of a file in the release's form.

    Raises:
        FormulaError: a goal of the task cannot be parsed.
    """
    fields = ours(task)
    release: Data = fields.pop("release", {})
    fields.pop("private_goals", None)
    fields["agent_spawns"] = {
        agent: {"position": spawn["position"]} for agent, spawn in fields.get("agent_spawns", {}).items()
    }
    fields["problem_pddl"] = _problem(task)
    own = [_run(task.calibration)] if task.calibration else []
    fields["calibration"] = [*own, *release.pop("calibration", [])]
    if not fields["calibration"]:
        del fields["calibration"]
    data: Data = {**ALWAYS, "category": task.category, **CONSTANTS, **fields}
    for place, value in release.items():
        _put(data, place, value)
    return {name: data[name] for name in (*ORDER.split(), *data) if name in data}


def _problem(task: Task) -> str:
    text = task.problem_pddl
    if not parse.is_whole_problem(text):
        goal = goal_of(text)
        facts = list(list_start(task))
        text = parse.write_problem(task.task_id, CONSTANTS["pddl_domain"], _objects(task, facts), facts, goal)
    goals = {agent: goal_of(private) for agent, private in task.private_goals.items()}
    return parse.write_owners(text, goals) if goals else text


def list_start(task: Task) -> Iterator[Literal]:
    """The facts of the start that the fields of a task give: rooms of agents, and places and states of things."""
    for agent, spawn in task.agent_spawns.items():
        yield Atom("agent_in_room", (agent, spawn.room))
    for entity, states in task.initial_states.items():
        for predicate, value in states.items():
            name = "is_on_top" if predicate == "lies_on" else predicate
            if name in PREDICATES:
                fact = Atom(name, (entity, value) if isinstance(value, str) else (entity,))
                yield Not(fact) if value is False else fact


def _objects(task: Task, facts: list[Literal]) -> dict[str, list[str]]:
    formulas: list[Formula] = [goal_of(text) for text in (task.problem_pddl, *task.private_goals.values())]
    kinds_by_name: dict[str, str] = dict.fromkeys(task.agents, "agent")
    for fact in (*facts, *(claim.fact for formula in formulas for claim in claims(formula))):
        inside = atom(fact)
        kinds = PREDICATES[inside.predicate].kinds
        # Furniture can be switched too, although the vocabulary has objects only.
        loose = inside.predicate.startswith("is_powered")
        for kind, name in zip(kinds, inside.args, strict=True):
            if not (loose and name in kinds_by_name):
                kinds_by_name[name] = kind
    for binding in task.mechanic_bindings:
        pieces = [name for name in (binding.trigger_object, binding.target_object) if name]
        kinds_by_name |= dict.fromkeys(pieces, "furniture") | dict.fromkeys(binding.restricted_rooms, "room")
    kinds_by_name = {name: "agent" if AGENT.fullmatch(name) else kind for name, kind in kinds_by_name.items()}
    by_kind = {
        kind: [name for name, name_kind in kinds_by_name.items() if name_kind == kind] for kind in KINDS
    }
    return {kind: names for kind, names in by_kind.items() if names}


def _run(calibration: Calibration) -> Data:
    trajectory = [
        {"turn": k, "agents": {f"agent_{i}": {"action": call} for i, call in enumerate(calls)}}
        for k, calls in enumerate(calibration.plan, 1)
    ]
    head: Data = {
        "run_mode": "planner",
        "steps": calibration.turns,
        "least": calibration.least,
        "found": calibration.found,
    }
    return head | {"trajectory": trajectory}


def plan_of(run: object) -> Data | None:
    """The calibration in an entry of ``calibration`` that :func:`published` wrote; ``None`` for any other entry."""
    try:
        planner_run = msgspec.convert(run, PlannerRun)
    except msgspec.ValidationError:
        return None
    seats = [
        sorted(turn.agents, key=lambda agent: int(agent.rpartition("_")[2]))
        for turn in planner_run.trajectory
    ]
    turns = zip(planner_run.trajectory, seats, strict=True)
    plan = [[turn.agents[agent].action for agent in agents] for turn, agents in turns]
    return {"turns": planner_run.steps, "least": planner_run.least, "plan": plan, "found": planner_run.found}


def _put(data: Data, place: str, value: object) -> None:
    """Writes a value to its place; if its container does not exist, under its whole place as a key."""
    steps = [name or int(number) for name, number in STEP.findall(place)]
    inner: Any = data
    for step in steps[:-1]:
        try:
            inner = inner[step]
        except (KeyError, IndexError, TypeError):
            data[place] = value
            return
    inner[steps[-1]] = value


WIDTH = 110
SPACE = re.compile(r"[ \t\r\n]*")


def written(value: Any, depth: int = 0) -> str:
    """JSON indented by two spaces; flat lists and mappings that fit on a line are written on one line.

    >>> print(written({"agents": ["agent_0", "agent_1"], "turns": 4}))
    {
      "agents": ["agent_0", "agent_1"],
      "turns": 4
    }
    >>> print(written([[{"agents": [], "turns": 4}]]))
    [
      [
        {"agents": [], "turns": 4}
      ]
    ]
    """
    line = json.dumps(value, ensure_ascii=False)
    value = list(value) if isinstance(value, tuple) else value
    if not isinstance(value, dict | list) or not value:
        return line
    if depth and len(line) + 2 * depth <= WIDTH and _leaf(value):
        return line
    lead = "  " * (depth + 1)
    if isinstance(value, list):
        parts = [f"{lead}{written(inner, depth + 1)}" for inner in value]
        return "[\n" + ",\n".join(parts) + f"\n{'  ' * depth}]"
    parts = [
        f"{lead}{json.dumps(key, ensure_ascii=False)}: {written(inner, depth + 1)}"
        for key, inner in value.items()
    ]
    return "{\n" + ",\n".join(parts) + f"\n{'  ' * depth}}}"


def _leaf(value: Any) -> bool:
    """Whether ``value`` is nested at most once, and is not a list with nested values."""
    inner = list(value.values() if isinstance(value, dict) else value)
    nested = [inner_value for inner_value in inner if isinstance(inner_value, dict | list | tuple)]
    if isinstance(value, list) and nested:
        return False
    deeper = (
        deep
        for inner_value in nested
        for deep in (inner_value.values() if isinstance(inner_value, dict) else inner_value)
    )
    return not any(isinstance(deep, dict | list | tuple) for deep in deeper)


def with_field(text: str, name: str, value: Any) -> str:
    """The text of a JSON object with a new value of the field ``name``, otherwise unchanged; a new field comes last.

    >>> with_field('{"a": 1,  "b": [2]}', "b", 3)
    '{"a": 1,  "b": 3}'
    """
    read = json.JSONDecoder()
    at = SPACE.match(text, text.index("{") + 1).end()  # pyright: ignore[reportOptionalMemberAccess]
    end = at
    while text[at] != "}":
        key, at = read.raw_decode(text, at)
        begin = text.index(":", at) + 1
        begin += len(SPACE.match(text, begin)[0])  # pyright: ignore[reportOptionalSubscript]
        _, end = read.raw_decode(text, begin)
        if key == name:
            return text[:begin] + written(value, 1) + text[end:]
        at = SPACE.match(text, end).end()  # pyright: ignore[reportOptionalMemberAccess]
        if text[at] == ",":
            at = SPACE.match(text, at + 1).end()  # pyright: ignore[reportOptionalMemberAccess]
    comma = "," if end > text.index("{") + 1 else ""
    return f"{text[:end]}{comma}\n  {json.dumps(name)}: {written(value, 1)}{text[end:]}"


def replace(path: Path, text: str) -> None:
    """Writes a file atomically.

    Raises:
        OSError: it cannot be written; a previous file is not changed.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
