"""Both routes to the planner, SAS+ and PDDL, on the same problems: whether they agree, and how long they take.

The problems are the parts of the goals of all shipped tasks (unless ``--no-shipped``), of ``--small`` tasks in the small
house of the tests and of ``--drawn`` tasks drawn in shipped scenes, and ``--random`` small problems. Every plan is checked
by :mod:`otherminds.household.epistemic.check`, those of tasks are replayed in the simulator, and the plans for the first
``--validate`` problems of each kind are given to the validator of unified_planning, if it is installed. Run it in the root of the
repository with ``PYTHONPATH=.``.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from statistics import median

from msgspec import Struct, structs
from tests.household import drawn_tasks, small_house
from tests.household.epistemic.drawn_problems import drawn
from tests.household.epistemic.planned_twice import Outcome, by_pddl, by_sas, valid

from otherminds.household.epistemic.certificate import EpistemicProblem, Known
from otherminds.household.house import House
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.replayed import replay_plan
from otherminds.household.proofs.searching import ANY, reduce_problem
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.tasks.load import load_task, shipped_tasks

SECONDS = 10.0
CHAINS = (
    "(K agent_0 {0})",
    "(K agent_1 (K agent_0 {0}))",
    "(K agent_2 (K agent_1 (K agent_0 {0})))",
)


class Instance(Struct, frozen=True):
    """``parts`` of the goal of ``problem``, whose plans are plans of the ``whole`` problem, that of ``house`` if any."""

    kind: str
    name: str
    problem: EpistemicProblem
    parts: tuple[Known, ...]
    whole: EpistemicProblem
    house: House | None = None


def of_house(kind: str, house: House) -> Iterator[Instance]:
    """The physical goal, the whole goal, and the physical goal with each chain."""
    whole = exported(house)
    problem = reduce_problem(house, whole)
    physical = tuple(part for part in whole.goal if not part[0])
    several = [physical, whole.goal, *((*physical, part) for part in whole.goal if part[0])]
    for parts in dict.fromkeys(several):
        yield Instance(kind, house.task.task_id, problem, parts, whole, house)


def with_chains(house: House) -> House:
    """The task with knowledge of its physical goal in its goal."""
    goal = house.task.problem_pddl
    deeper = " ".join([goal, *(chain.format(goal) for chain in CHAINS)])
    return House(structs.replace(house.task, problem_pddl=f"(and {deeper})"), house.scene)


def small() -> Iterator[House]:
    """Tasks in the small house: each mechanic alone, and all."""
    goals = (
        "(is_open cabinet_2)",
        "(is_open fridge_3)",
        "(is_on_top bowl_0 table_5)",
        "(is_closed cabinet_12)",
    )
    for goal in goals:
        for bindings in ((), *((one,) for one in small_house.ALL_SIX), small_house.ALL_SIX):
            yield with_chains(small_house.house(*bindings, goal=goal))


def instances(random: int, tasks: int, smalls: int, shipped: bool) -> Iterator[Instance]:
    for name in shipped_tasks() if shipped else ():
        task = load_task(name)
        yield from of_house("shipped", House(task, load_scene(task.scene_id)))
    for house in islice(small(), smalls):
        yield from of_house("small house", house)
    scenes = shipped_scenes()
    for seed in range(tasks):
        yield from of_house(
            "drawn", with_chains(drawn_tasks.house(load_scene(scenes[seed % len(scenes)]), seed))
        )
    for seed in range(random):
        problem = drawn(seed)
        yield Instance("random", str(seed), problem, problem.goal, problem)


def fails(instance: Instance, found: Outcome) -> str:
    """Why a plan is no plan."""
    if found.verdict != "plan" or found.refusal or instance.house is None:
        return found.refusal
    replay = replay_plan(instance.house, found.steps, instance.parts)
    return "" if replay.reached else f"replay: {replay.refused or replay.missing}"


def row(kind: str, verdicts: Counter[tuple[str, str]], times: Sequence[tuple[float, float]]) -> str:
    pairs = ", ".join(f"{sas}/{pddl} {count}" for (sas, pddl), count in sorted(verdicts.items()))
    sas, pddl = (1000 * median(column) for column in zip(*times, strict=True))
    return f"{kind}: {len(times)} problems; SAS+/PDDL: {pairs}; median {sas:.0f} ms and {pddl:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--random", type=int, default=150)
    parser.add_argument("--drawn", type=int, default=18)
    parser.add_argument("--small", type=int, default=32)
    parser.add_argument("--no-shipped", action="store_true")
    parser.add_argument("--validate", type=int, default=10)
    given = parser.parse_args()
    verdicts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    wrong: list[str] = []
    plans = validated = 0
    validates = find_spec("unified_planning") is not None
    for one in instances(given.random, given.drawn, given.small, not given.no_shipped):
        sas, pddl = (route(one.problem, one.parts, ANY, SECONDS, one.whole) for route in (by_sas, by_pddl))
        verdicts[one.kind][sas.verdict, pddl.verdict] += 1
        times[one.kind].append((sas.seconds, pddl.seconds))
        for route, found in (("SAS+", sas), ("PDDL", pddl)):
            plans += found.verdict == "plan"
            if why := fails(one, found):
                wrong.append(f"{one.kind} {one.name}: {route}: {why}")
            if validates and found.verdict == "plan" and len(times[one.kind]) <= given.validate:
                validated += 1
                if not valid(found):
                    wrong.append(f"{one.kind} {one.name}: {route}: unified_planning rejects the plan")
        if {sas.verdict, pddl.verdict} == {"plan", "unsolvable"}:
            wrong.append(f"{one.kind} {one.name}: SAS+ {sas.verdict}, PDDL {pddl.verdict}: {one.parts}")
    for kind, counted in verdicts.items():
        print(row(kind, counted, times[kind]))
    print(f"{plans} plans checked, {validated} of them by unified_planning; {len(wrong)} faults")
    print(*wrong, sep="\n")


if __name__ == "__main__":
    main()
