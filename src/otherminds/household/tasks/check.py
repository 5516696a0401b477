"""The faults of a task: all at once, each with its place and a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.core.near import near, quoted
from otherminds.household.commands import TOOLS
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic import formula
from otherminds.household.epistemic.formula import Atom, Formula, FormulaError, atom, claims, physical
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.predicates import PREDICATES, RESTS, check_goal
from otherminds.household.epistemic.problem import OWNERS, owners
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.mechanics.mechanic import Bound, barred, sound
from otherminds.household.task import Calibration, Task
from otherminds.household.tasks.check_house import HouseCheck
from otherminds.household.tasks.check_told import ToldCheck
from otherminds.household.tasks.diagnostics import Diagnostics, Faults
from otherminds.household.tasks.things import ABLE, NEEDED, PLACES, Things

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
                faults.add(f"{place}[{k}]", f"no tool is called {quoted(tool)}{hint}")


def _missing(scene_id: str, contents: Things | None, *, private: bool) -> Iterator[str]:
    if contents is None:
        yield (
            f"scene {quoted(scene_id)} is missing, neither shipped nor beside the task: names of rooms, "
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
            conflicting_owners = owners(text)
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
