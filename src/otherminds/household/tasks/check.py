"""The faults of a task: all at once, each with its place and a remedy.

Those of secrets are in :mod:`.check_told`; here are those of goals, and of the start: spawns, initial states, and the
bindings of mechanics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import structs

from otherminds.core.errors import StudyError, TaskError
from otherminds.core.text import near, quote_name
from otherminds.household.commands import TOOLS
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic import formula
from otherminds.household.epistemic.formula import Atom, Formula, FormulaError, atom, claims, physical
from otherminds.household.epistemic.parse import OWNERS, goal_of, read_owners
from otherminds.household.epistemic.predicates import OPPOSITES, PREDICATES, RESTS, TURNS, check_goal
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.mechanics.mechanic import STATES as VALUES
from otherminds.household.mechanics.mechanic import Bound, Mechanic, barred, mechanic, reached, settled, sound
from otherminds.household.scenes.plane import inside
from otherminds.household.task import Binding, Calibration, Task
from otherminds.household.tasks.check_told import ToldCheck
from otherminds.household.tasks.diagnostics import (
    ABLE,
    BY,
    NEEDED,
    PLACES,
    STATES,
    Diagnostics,
    Faults,
    Things,
)


class HouseCheck:
    """The check of a task's spawns, initial states and bindings; ``bound`` are the valid bindings."""

    def __init__(self, task: Task, bound: Bound, faults: Faults) -> None:
        self._task, self._bound, self._faults = task, bound, faults
        self._things = faults.things

    def run(self) -> None:
        """Adds all faults; for bindings first those of each alone, then those of their combination."""
        self._spawns()
        self._states()
        for k, binding in enumerate(self._task.mechanic_bindings):
            self._binding(f"mechanic_bindings[{k}]", binding)
        self._check_listed()
        self._together()
        self._targets()

    def _spawns(self) -> None:
        """Spawns must be of agents of the task, in rooms that they may enter, at a position inside the room."""
        faults, scene = self._faults, self._things.scene if self._things else None
        for agent, spawn in self._task.agent_spawns.items():
            place = f"agent_spawns.{agent}"
            faults.check_name(place, "agent", agent)
            if faults.check_name(f"{place}.room", "room", spawn.room) and scene:
                x, _, z = spawn.position
                if not inside((x, z), scene.geometry.rooms[spawn.room].polygon):
                    text = f"[{x}, {z}] in (x, z) is not in {spawn.room}; move it there"
                    faults.add(f"{place}.position", text)
            if spawn.room in barred(self._bound, agent):
                faults.note(
                    f"{place}.room", f"{agent} starts in {spawn.room}, which it may leave and not enter again"
                )
        if scene is None:
            return
        for agent in self._task.agents:
            own = scene.agent_spawns.get(agent)
            if agent in self._task.agent_spawns:
                continue
            if own is None:
                text = f"and scene {scene.scene_id} has none either; give it one"
                faults.add("agent_spawns", f"none for {agent}, {text}")
            elif own.room in barred(self._bound, agent):
                text = f"whom the scene puts into {own.room}, which it may leave and not enter again"
                faults.note("agent_spawns", f"none for {agent}, {text}")

    def _states(self) -> None:
        """Initial states must be possible states of things of the scene, and not contradict each other."""
        faults, contents = self._faults, self._things
        for entity, states in self._task.initial_states.items():
            place = f"initial_states.{entity}"
            if contents and entity not in contents.objects and entity not in contents.furniture:
                names = (*contents.objects, *contents.furniture)
                hint = near(entity, names) or "; name furniture or an object"
                faults.add(place, f"nothing is called {quote_name(entity)} in {contents.called}{hint}")
                continue
            for predicate, value in states.items():
                self._state(f"{place}.{predicate}", entity, predicate, value)
            resting = [predicate for predicate, value in states.items() if isinstance(value, str)]
            if len(resting) > 1:
                faults.add(place, f"{entity} cannot be in {len(resting)} places; keep one")
            for both in ((state, OPPOSITES[state]) for state in STATES):
                if all(state in states for state in both) and states[both[0]] == states[both[1]]:
                    state_value = str(states[both[0]]).lower()
                    faults.add(place, f"{' and '.join(both)} cannot both be {state_value}; keep one")

    def _state(self, place: str, entity: str, predicate: str, value: bool | str) -> None:
        faults = self._faults
        if predicate in PLACES:
            if not isinstance(value, str):
                faults.add(place, "it wants the name of furniture; write where the object is")
            elif text := faults.unknown("object", entity) or faults.unknown("furniture", value):
                faults.add(place, text)
            elif self._things and (text := self._things.rest(predicate, value)):
                faults.add(place, f"{text}; choose other furniture or another predicate")
        elif predicate in NEEDED:
            if isinstance(value, str):
                faults.add(
                    place, f"it is true or false of a thing, not {quote_name(value)}; write true or false"
                )
            if faults.cannot(entity, NEEDED[predicate]):
                faults.add(place, f"{entity} {ABLE[NEEDED[predicate]]}; take it out")
        else:
            state_names = (*PLACES, *NEEDED)
            hint = near(predicate, state_names) or f"; write one of {', '.join(state_names)}"
            faults.add(place, f"no initial state is called {quote_name(predicate)}{hint}")

    def _binding(self, place: str, binding: Binding) -> None:
        """One binding alone; its effects are checked if its fields and names are valid."""
        faults, before = self._faults, len(self._faults.found)
        try:
            bound_mechanic = mechanic(binding.mechanic_type)
        except StudyError as error:
            faults.add(f"{place}.mechanic_type", str(error))
            return
        self._fields(place, bound_mechanic, binding)
        self._names(place, binding)
        for text in bound_mechanic.faults(binding):
            faults.add(place, text)
        if len(faults.found) == before:
            self._abilities(place, bound_mechanic, binding)
        if len(faults.found) == before and _sets_each_other(bound_mechanic, binding):
            self._alike(place, binding)

    def _fields(self, place: str, bound_mechanic: Mechanic, binding: Binding) -> None:
        """Fields that are missing, or that the mechanic does not have."""
        takes = (*bound_mechanic.fields, *bound_mechanic.optional)
        kind = binding.mechanic_type
        for name, value in structs.asdict(binding).items():
            if name in bound_mechanic.fields and not value:
                self._faults.add(f"{place}.{name}", f"missing; {kind} needs it")
            if name not in ("mechanic_type", *takes) and value:
                text = f"{kind} has no such field; it takes {', '.join(takes)}"
                self._faults.add(f"{place}.{name}", text)

    def _names(self, place: str, binding: Binding) -> None:
        check = self._faults.check_name
        for k, room in enumerate(binding.restricted_rooms):
            check(f"{place}.restricted_rooms[{k}]", "room", room)
        for k, agent in enumerate(binding.for_agents):
            check(f"{place}.for_agents[{k}]", "agent", agent)
        for agent in binding.message_limits:
            check(f"{place}.message_limits.{agent}", "agent", agent)
        for agent, targets in binding.allowed_targets.items():
            check(f"{place}.allowed_targets.{agent}", "agent", agent)
            for k, target in enumerate(targets):
                check(f"{place}.allowed_targets.{agent}[{k}]", "agent", target)
        for name in ("trigger_object", "target_object"):
            if getattr(binding, name):
                check(f"{place}.{name}", "furniture", getattr(binding, name))

    def _abilities(self, place: str, bound_mechanic: Mechanic, binding: Binding) -> None:
        """Furniture bound by a mechanic must be able to take the values that the mechanic sets."""
        faults = self._faults
        for name in ("trigger_object", "target_object"):
            entity = getattr(binding, name)
            fixed = entity and all(faults.cannot(entity, flag) for flag in TURNS)
            # Any furniture can set another, even without a state of its own.
            if fixed and entity not in bound_mechanic.triggers(binding):
                text = f"{entity} can neither be opened nor switched; bind other furniture"
                faults.add(f"{place}.{name}", text)
                return
        trigger, target = binding.trigger_object, binding.target_object
        if "target_state" in bound_mechanic.fields:
            flag = NEEDED[VALUES[binding.target_state]]
            if faults.cannot(target, flag):
                faults.add(f"{place}.target_state", f"{target} {ABLE[flag]}; write a state that it can take")
        elif target and all(faults.cannot(trigger, flag) or faults.cannot(target, flag) for flag in TURNS):
            faults.add(place, f"{trigger} and {target} have no state in common; bind two alike")

    def _alike(self, place: str, binding: Binding) -> None:
        """Mirrored things must start with equal states."""
        pair = (binding.trigger_object, binding.target_object)
        for flag, (state, _) in TURNS.items():
            if binding.target_state and VALUES[binding.target_state] not in TURNS[flag]:
                continue
            if any(self._faults.cannot(entity, flag) for entity in pair):
                continue
            shut, up = sorted(pair, key=lambda entity: self._task.starts(entity, state))
            if self._task.starts(shut, state) != self._task.starts(up, state):
                text = f"{up} starts with {state} and {shut} without; mend initial_states so that they start alike"
                self._faults.add(place, text)

    def _check_listed(self) -> None:
        """``active_mechanics`` must list the bound mechanics."""
        types = dict.fromkeys(binding.mechanic_type for binding in self._task.mechanic_bindings)
        for k, name in enumerate(self._task.active_mechanics):
            if name not in types:
                text = f"{name} is bound by nothing; bind it or take it out"
                self._faults.add(f"active_mechanics[{k}]", text, BY)
        for name in types:
            if name not in self._task.active_mechanics:
                text = f"{name} is bound, but not listed here; add it"
                self._faults.add("active_mechanics", text, BY)

    def _together(self) -> None:
        """Adds the first conflict between bindings that would give a thing two values; further ones usually have the same cause."""
        bound_names = (name for _, b in self._bound for name in (b.trigger_object, b.target_object) if name)
        for entity in dict.fromkeys(bound_names):
            for flag, values in TURNS.items():
                for value in () if self._faults.cannot(entity, flag) else values:
                    try:
                        settled(self._bound, entity, value)
                    except TaskError as error:
                        place, _, text = str(error).partition(": ")
                        self._faults.add(place, text)
                        return

    def _targets(self) -> None:
        """``message_targets`` must agree with the bindings."""
        for agent, targets in self._task.message_targets.items():
            place = f"message_targets.{agent}"
            bound = reached(self._bound, self._task.agents, agent)
            if self._faults.check_name(place, "agent", agent) and set(bound) != set(targets):
                mine, theirs = (", ".join(names) or "nobody" for names in (targets, bound))
                text = f"{agent} may write to {mine} here, but by the bindings to {theirs}; make them agree"
                self._faults.add(place, text, BY)


def _sets_each_other(bound_mechanic: Mechanic, binding: Binding) -> bool:
    """Whether of two things each sets the other."""
    drives = [pair for statement in bound_mechanic.secrets(binding) for pair in statement.drives]
    return any(pair[::-1] in drives for pair in drives)


ANY_GOAL = "(is_open any_1)"
DEEPEST = 8
"""The largest number of agents in a chain of ``K``: nested knowledge is computed for all chains up to the longest."""


def check_task(task: Task, contents: Things | None) -> Diagnostics:
    """All faults of a task that could be decoded, and what could not be checked without its scene.

    Causes come before consequences: the goal before the secrets that describe it. Statements of secrets about the start
    are checked if the start itself has no fault. Whether the goal holds at the start already is checked if there is no
    other fault.
    """
    faults = Faults(task.agents, contents)
    bound = sound(task.mechanic_bindings)
    for name, text in (("task_id", task.task_id), ("task", task.task), ("scene_id", task.scene_id)):
        if not text.strip():
            faults.add(name, "it is empty; write it")
    if task.calibration:
        _calibration(task.calibration, faults)
    before = len(faults.found)
    HouseCheck(task, bound, faults).run()
    fit = len(faults.found) == before
    goals = _Goals(faults, bound)
    goal = goals.read("problem_pddl", task.problem_pddl)
    private = {agent: goals.private(agent, text) for agent, text in task.private_goals.items()}
    if private and task.category == "cooperative":
        faults.add("category", "a cooperative task has no private goals; write mixed, or take them out")
    told_check = ToldCheck(task, bound, faults, goal, private)
    told_check.run()
    _tools(task.agent_actions, faults)
    if fit and contents and contents.scene:
        faultless = not faults.found
        try:
            # The goal may have faults, and does not affect the start.
            house = House(structs.replace(task, problem_pddl=ANY_GOAL, private_goals={}), contents.scene)
        except TaskError as error:
            faults.add("task", str(error))
        else:
            engine = HouseEngine(house)
            told_check.start(engine)
            if (
                faultless
                and not faults.found
                and goal
                and all(holds(engine, fact) for fact in physical(goal))
            ):
                text = "all that it asks for holds at the start; ask for something to be done"
                faults.add("problem_pddl", text)
    lacks = _missing(task.scene_id, contents, private=bool(private) or task.category != "mixed")
    return Diagnostics(tuple(faults.found), tuple(lacks), tuple(faults.notes))


def _calibration(calibration: Calibration, faults: Faults) -> None:
    if not (len(calibration.plan) == calibration.turns and 1 <= calibration.least <= calibration.turns):
        text = f"a plan of {len(calibration.plan)} turns that is said to have {calibration.turns}, and {calibration.least} at least"
        mend = "a plan has at least 1 turn, and not fewer than the bound; calibrate again"
        faults.add("calibration", f"{text}; {mend}")


def _tools(actions: dict[str, tuple[str, ...]], faults: Faults) -> None:
    for agent, tools in actions.items():
        place = f"agent_actions.{agent}"
        faults.check_name(place, "agent", agent)
        for k, tool in enumerate(tools):
            if tool not in TOOLS:
                hint = near(tool, TOOLS) or f"; they are {', '.join(TOOLS)}"
                faults.add(f"{place}[{k}]", f"no tool is called {quote_name(tool)}{hint}")


def _missing(scene_id: str, contents: Things | None, *, private: bool) -> Iterator[str]:
    if contents is None:
        yield (
            f"scene {quote_name(scene_id)} is missing, neither shipped nor beside the task: names of rooms, "
            "furniture and objects, spawns, what can be done with things, the start and what secrets say of it, "
            "and whether its plan reaches the goal"
        )
    elif contents.scene is None:
        yield (
            f"{contents.called} has names and no geometry: spawns, what furniture and objects can hold or be, "
            "the start and what secrets say of it, and whether its plan reaches the goal"
        )
    if not private:
        yield "private_goals: none, though the task is mixed; nothing private can be scored"


@dataclass(frozen=True)
class _Goals:
    """The check of the shared goal and of private goals, each under its place."""

    faults: Faults
    bound: Bound

    def private(self, agent: str, text: str) -> Formula | None:
        """The private goal of ``agent``; ``None`` if it cannot be parsed."""
        place = f"private_goals.{agent}"
        self.faults.check_name(place, "agent", agent)
        return self.read(place, text)

    def read(self, place: str, text: str) -> Formula | None:
        """The goal in ``text``; ``None`` if it cannot be parsed."""
        faults = self.faults
        try:
            goal = goal_of(text)
        except FormulaError as error:
            faults.add(place, str(error))
            return None
        try:
            conflicting_owners = read_owners(text)
        except FormulaError as error:
            faults.add(place, str(error))
            return goal
        if conflicting_owners:
            conflict = f"({OWNERS} ...) gives {', '.join(conflicting_owners)} other private goals than private_goals does; keep one of both"
            faults.add(place, conflict, ("private_goals",))
        general = check_goal(goal)
        for fault in general:
            faults.add(place, fault)
        if not physical(goal):
            faults.add(place, "it asks for knowledge alone; add what is to be so in the house")
        if formula.depth(goal) > DEEPEST:
            deep = f"it nests K {formula.depth(goal)} deep; {DEEPEST} is the most: ask for shorter chains of who knows of whom"
            faults.add(place, deep)
        for agent in formula.agents(goal):
            if unknown := faults.unknown("agent", agent):
                faults.add(place, f"(K {agent} ...): {unknown}")
        for fact in () if general else dict.fromkeys(atom(claim.fact) for claim in claims(goal)):
            if place != "problem_pddl" and self._about_furniture(fact):
                faults.note(
                    place, f"{formula.show(fact)}: {fact.args[0]} is furniture, which stays where it stands"
                )
                continue
            for objection in self._atom(fact):
                faults.add(place, f"{formula.show(fact)}: {objection}")
        return goal

    def _about_furniture(self, fact: Atom) -> bool:
        """Whether an atom gives furniture a place, of known names."""
        contents = self.faults.things
        placed = fact.predicate in RESTS and contents is not None and fact.args[0] in contents.furniture
        return placed and all(name in (*self.faults.names, *self.faults.agents) for name in fact.args)

    def _atom(self, fact: Atom) -> list[str]:
        faults, contents = self.faults, self.faults.things
        first, last = fact.args[0], fact.args[-1]
        reasons: list[str] = []
        for kind, name in zip(PREDICATES[fact.predicate].kinds, fact.args, strict=True):
            # Furniture can be switched on too, although the vocabulary has objects only.
            switched = fact.predicate.startswith("is_powered") and contents and name in contents.furniture
            if not switched and kind != "item" and (text := faults.unknown(kind, name)):
                reasons.append(text)
        if reasons:
            return reasons
        if contents and fact.predicate in PLACES and (text := contents.rest(fact.predicate, last)):
            reasons.append(f"{text}; name other furniture")
        if fact.predicate in NEEDED and faults.cannot(first, NEEDED[fact.predicate]):
            reasons.append(f"{first} {ABLE[NEEDED[fact.predicate]]}; name something that can")
        if fact.predicate == "agent_in_room" and last in barred(self.bound, first):
            reasons.append(f"{first} may not enter {last}; lift the bar, or name another room")
        return reasons
