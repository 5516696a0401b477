"""Processor times of proofs, as Markdown: plans, all verdicts of a task, and the steps that these consist of.

Each time is the median of ``--repeats`` runs, in ms, of this process and of the planner, which it starts; the shortest is
in brackets, since others slow down the processor too. Between runs, nothing is kept of a task but its house. Plans are
also found by PDDL and Fast Downward's translator, for the same parts of the goal in the same run. The verdicts are timed
without and with the episodes of the reference teams, which show that a task is fair. If unified_planning is installed, it
reads the same PDDL and calls the same planner (once, with the planner's default search). The large task has 6 agents, a chain of 4 agents and 20 objects; no such task is included.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Any
from unittest.mock import patch

from common import arguments, finish
from msgspec import structs
from tables import table
from tests.household.epistemic.translating import steps_by_pddl

from otherminds.household.epistemic.certificate import Claim
from otherminds.household.epistemic.compiling import Compiled
from otherminds.household.epistemic.fast_downward import solve
from otherminds.household.epistemic.formula import depth
from otherminds.household.epistemic.pddl import Written
from otherminds.household.house import House
from otherminds.household.proofs import verdicts
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.searching import ANY, Plans, reduce_problem
from otherminds.household.scenes.load import load_scene
from otherminds.household.scenes.scene import Spawn
from otherminds.household.task import Binding
from otherminds.household.tasks.load import load_task, shipped_tasks

SECONDS = 10.0
OBJECTS = 20
ROOMS = {
    "agent_0": "hallway_1",
    "agent_1": "kitchen_1",
    "agent_2": "bedroom_1",
    "agent_3": "bathroom_2",
    "agent_4": "bedroom_2",
    "agent_5": "living_room_1",
}
"""In the large task, nobody else enters an agent's room; all enter the hallway and the other bathroom."""
STEPS = {
    "export": ("exported",),
    "rules of the checker": ("ProblemRules",),
    "reachability": (
        "Reachability.__init__",
        "Reachability.explore",
        "Reachability.never",
        "Reachability.holds",
    ),
    "plans": ("Plans.__init__", "Plans.find"),
    "few messages": ("cannot_be_told",),
    "replay": ("together", "replayed"),
    "check": ("refuted",),
    "guesses": ("guessed", "check_guess"),
    "episodes of teams": ("team_episodes",),
}


def spent() -> float:
    """Processor seconds of this process and of its ended children until now."""
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(does: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """The median time and the shortest time in ms."""
    found: list[float] = []
    for _ in range(repeats):
        began = spent()
        does()
        found.append(1000 * (spent() - began))
    return median(found), min(found)


def told(took: tuple[float, float]) -> str:
    """The median time, and the shortest in brackets."""
    return f"{took[0]:.0f} ({took[1]:.0f})"


def large() -> House:
    """The task ``silent_inspection`` with two more agents, a room of its own for each, and fewer objects."""
    task = load_task("silent_inspection")
    scene = load_scene(task.scene_id)
    agents, rooms = list(ROOMS), list(ROOMS.values())
    spots = scene.tables.spots
    goals = {
        "agent_3": "(is_open chest_of_drawers_56)",
        "agent_4": "(is_on_top book_0 table_22)",
        "agent_5": "(is_closed stand_67)",
    }
    bars = [
        Binding("room_restriction", restricted_rooms=(room,), for_agents=tuple(a for a in agents if a != own))
        for own, room in ROOMS.items()
        if room != rooms[0]
    ]
    line = {
        agent: tuple(agents[near] for near in (k - 1, k + 1) if 0 <= near < len(agents))
        for k, agent in enumerate(agents)
    }
    talk = [
        Binding("restricted_communication", allowed_targets=line),
        Binding("limited_bandwidth", message_limits=dict.fromkeys(agents, 4)),
    ]
    knows = {agent: tuple(f for f in forms if "goal" in f) for agent, forms in task.agent_knows.items()}
    knows |= {agent: (*knows.get(agent, ()), f"(goal {goal})") for agent, goal in goals.items()}
    kept = {"box_0", "candle_1", "book_0"}
    kept |= set([o for o in scene.objects if o not in kept][: OBJECTS - len(kept)])
    fewer = structs.replace(
        scene,
        objects=tuple(o for o in scene.objects if o in kept),
        objects_on_furniture={
            f: tuple(o for o in on if o in kept) for f, on in scene.objects_on_furniture.items()
        },
        geometry=structs.replace(
            scene.geometry, objects={o: item for o, item in scene.geometry.objects.items() if o in kept}
        ),
    )
    several = " ".join(goals.values())
    made = structs.replace(
        task,
        task_id="large",
        num_agents=len(agents),
        agent_spawns={
            agent: Spawn((spots[f"centre:{room}"][0], 0.0, spots[f"centre:{room}"][1]), room)
            for agent, room in ROOMS.items()
        },
        initial_states={**task.initial_states, "stand_67": {"is_open": True}},
        mechanic_bindings=(*bars, *talk),
        message_targets=line,
        agent_knows=knows,
        calibration=None,
        problem_pddl=task.problem_pddl.replace("(and ", f"(and {several} ", 1),
    )
    return House(made, fewer)


def solved(house: House) -> None:
    """Finds a plan for the goal, physical and epistemic, from the task.

    Raises:
        AssertionError: there is none.
    """
    problem = exported(house)
    found = Plans(house, problem, SECONDS).find(problem.goal)
    assert isinstance(found, Claim), f"{house.task.task_id}: {found}"


def by_sas(house: House) -> None:
    """As :func:`solved`, in the problem with handovers, without the smaller one."""
    problem = reduce_problem(house, whole := exported(house))
    assert solve(Compiled(problem, whole.goal).task, ANY, SECONDS).verdict == "plan"


def by_pddl(house: House) -> None:
    """As :func:`by_sas`, through PDDL and the translator."""
    problem = reduce_problem(house, whole := exported(house))
    assert steps_by_pddl(problem, whole.goal, ANY, SECONDS)[0].verdict == "plan"


def by_unified_planning(house: House) -> None:
    """As :func:`by_pddl`, through the reader and the planner of unified_planning."""
    from unified_planning.io import PDDLReader
    from unified_planning.shortcuts import get_environment
    from up_fast_downward import FastDownwardPDDLPlanner

    problem = reduce_problem(house, whole := exported(house))
    written = Written(problem, whole.goal)
    get_environment().credits_stream = None
    with FastDownwardPDDLPlanner() as planner:
        found = planner.solve(PDDLReader().parse_problem_string(written.domain, written.problem))
    assert found.plan is not None, f"{house.task.task_id}: {found.status}"


@contextmanager
def watched(times: dict[str, float]) -> Iterator[None]:
    """Adds the time of each step of all verdicts to ``times``, in ms."""
    inside = False

    def watching(step: str, does: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **options: Any) -> Any:
            nonlocal inside
            if inside:
                return does(*given, **options)
            inside, began = True, spent()
            try:
                return does(*given, **options)
            finally:
                inside = False
                times[step] += 1000 * (spent() - began)

        return call

    patches: list[Any] = []
    for step, names in STEPS.items():
        for name in names:
            owner, _, attribute = name.rpartition(".")
            place = getattr(verdicts, owner) if owner else verdicts
            patches.append(patch.object(place, attribute, watching(step, getattr(place, attribute))))
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--repeats", type=int, default=7, help="runs for each time (default 7)")
    options = parser.parse_args()
    houses = {name: House(load_task(name), load_scene(load_task(name).scene_id)) for name in shipped_tasks()}
    deep = [house for house in houses.values() if len(house.agents) == 3 and depth(house.goal) == 3]
    houses["large"] = large()
    others = find_spec("unified_planning") is not None
    figures: dict[str, Any] = {}
    rows: list[list[str]] = []
    for house in (*deep, houses["large"]):
        took = [timed(lambda run=run, h=house: run(h), options.repeats) for run in (solved, by_sas, by_pddl)]
        ours, sas, pddl = (one for one, _ in took)
        name = house.task.task_id
        figures[f"plan {name}"] = {"prover": took[0], "SAS+": took[1], "PDDL": took[2]}
        row = [name, *map(told, took), f"{sas / ours:.1f}", f"{pddl / ours:.1f}"]
        if others:
            there, _ = figures[f"unified_planning {name}"] = timed(lambda h=house: by_unified_planning(h), 1)
            row += [f"{there:.0f}", f"{there / ours:.0f}"]
        rows.append(row)
    heads = ["task", "plan, ms", "SAS+, ms", "PDDL, ms", "SAS+ / plan", "PDDL / plan"]
    print(table([*heads, *(["unified_planning, ms", "unified_planning / plan"] if others else [])], rows))
    steps: dict[str, float] = defaultdict(float)
    rows = []
    for name, house in houses.items():
        every = timed(lambda h=house: verdicts.verified(h, SECONDS), options.repeats)
        with patch.object(verdicts, "team_episodes", lambda _: ()):
            proofs = timed(lambda h=house: verdicts.verified(h, SECONDS), options.repeats)
        made = timed(lambda h=house: House(h.task, h.scene), options.repeats)
        figures[f"verdicts {name}"] = {"proofs": proofs, "with episodes": every}
        sizes = [str(len(house.agents)), str(depth(house.goal))]
        rows.append([name, *sizes, told(proofs), told(every), told(made)])
    print(table(["task", "agents", "depth", "proofs, ms", "with episodes, ms", "house, ms"], rows))
    with watched(steps):
        began = spent()
        for house in houses.values():
            verdicts.verified(house, SECONDS)
        whole = 1000 * (spent() - began)
    steps["other"] = whole - sum(steps.values())
    print(table(["step", "share"], [[step, f"{took / whole:.0%}"] for step, took in steps.items()]))
    finish(options, figures)


if __name__ == "__main__":
    main()
