"""The exact share of a family of tasks that one silent agent solves, by every policy with every observation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from msgspec import structs

from otherminds.household.commands import Command
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import physical
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.task import Binding, Task
from tests.household.small_house import restore, saved, scene


def family(task: Task, things: Sequence[str], moved: Sequence[str]) -> list[House]:
    """The task with ``moved``, targets and triggers, replaced by each arrangement of ``things``."""
    return [
        House(_renamed(task, dict(zip(moved, chosen, strict=True))), scene())
        for chosen in permutations(things, len(moved))
    ]


def _renamed(task: Task, names: dict[str, str]) -> Task:
    goal = " ".join(
        names.get(word, word) for word in task.problem_pddl.replace("(", " ( ").replace(")", " ) ").split()
    )
    bindings = tuple(_moved(binding, names) for binding in task.mechanic_bindings)
    return structs.replace(task, problem_pddl=goal, mechanic_bindings=bindings)


def _moved(binding: Binding, names: dict[str, str]) -> Binding:
    if binding.mechanic_type == "inverse_state":
        return binding
    trigger, target = (names.get(f, f) for f in (binding.trigger_object, binding.target_object))
    return structs.replace(binding, trigger_object=trigger, target_object=target)


class Silent:
    """Agent ``seat`` acts alone in all tasks of a family, with these calls, and tells tasks apart by what it sees."""

    def __init__(self, houses: Sequence[House], seat: int, calls: Sequence[Command]) -> None:
        self._engines = [HouseEngine(house) for house in houses]
        for engine in self._engines:
            engine.reset()
        self._seat, self._calls = seat, calls
        self._known: dict[object, int] = {}

    def share(self, turns: int) -> Fraction:
        """The largest share of the family that a policy solves within ``turns``."""
        start = tuple((k, saved(engine)) for k, engine in enumerate(self._engines))
        return Fraction(self._best(start, turns), len(self._engines))

    def _best(self, worlds: tuple[tuple[int, dict[str, object]], ...], turns: int) -> int:
        key = (turns, tuple((k, state["current.facts"], tuple(state["current.spot"])) for k, state in worlds))  # pyright: ignore[reportArgumentType]
        if key not in self._known:
            now = sum(self._solved(k, state) for k, state in worlds)
            later = [self._after(worlds, call, turns) for call in self._calls if turns]
            self._known[key] = max(now, *later, 0)
        return self._known[key]

    def _after(self, worlds: tuple[tuple[int, dict[str, object]], ...], call: Command, turns: int) -> int:
        seen: dict[object, list[tuple[int, dict[str, object]]]] = {}
        for k, state in worlds:
            engine = self._engines[k]
            restore(engine, state)
            commands = [Command("Wait")] * len(engine.agents)
            commands[self._seat] = call
            result = engine.step(commands)[self._seat]
            facts = tuple(sorted(engine.house.facts.shown(engine.sight.believed[self._seat])))
            seen.setdefault((result, facts, engine.spot[self._seat]), []).append((k, saved(engine)))
        return sum(self._best(tuple(some), turns - 1) for some in seen.values())

    def _solved(self, k: int, state: dict[str, object]) -> bool:
        engine = self._engines[k]
        restore(engine, state)
        return all(holds(engine, literal) for literal in physical(engine.house.goal))
