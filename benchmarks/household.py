"""Agent actions a second in the household on one core, loading and compiling, and its rules held against their PDDL.

Three agents with all six mechanics in a shipped scene. The calls are drawn beforehand (mostly
such as may well work; ``tests/household/choosing.py``), so that only the simulator
is timed: the engine alone, with everybody's knowledge, and the whole world with texts read,
observations, knowledge by the log and the record's log. Then the random walk of the tests, in
which every call and every fact is compared with an independent reading of the PDDL, and the
comparison of episodes that differ only out of an agent's sight.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import process_time

from common import arguments, finish, show

from otherminds.household.commands import Command
from otherminds.household.engine import HouseEngine
from otherminds.household.house import House
from otherminds.household.rules import RULES
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Binding, Task
from otherminds.household.tasks.load import load_task, shipped_tasks
from otherminds.household.world import HouseholdWorld

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the tests' own ways to play at random
AGENTS = 3
TURNS = 60
EPISODES = 20
SEATS = tuple(f"agent_{i}" for i in range(AGENTS))


def all_six(scene: Scene) -> House:
    """A task with one binding of each mechanic."""
    doors = scene.articulated_furniture
    starts = {scene.agent_spawns[seat].room for seat in SEATS}
    free = next(room for room in scene.rooms if room not in starts)
    bindings = (
        Binding("room_restriction", restricted_rooms=(free,), for_agents=SEATS[:1]),
        Binding("limited_bandwidth", message_limits=dict.fromkeys(SEATS, 3)),
        Binding("restricted_communication", allowed_targets={SEATS[0]: (SEATS[1],)}),
        Binding("inverse_state", trigger_object=doors[0]),
        Binding("remote_control", trigger_object=doors[1], target_object=doors[2], target_state="open"),
        Binding("state_mirroring", trigger_object=doors[3], target_object=doors[4]),
    )
    top = next(f for f, piece in scene.geometry.furniture.items() if piece.top)
    thing = scene.objects[0]
    return House(
        Task(
            task_id="all_six",
            task="Tidy up.",
            scene_id=scene.scene_id,
            num_agents=AGENTS,
            mechanic_bindings=bindings,
            problem_pddl=f"(and (is_on_top {thing} {top}) (K {SEATS[0]} (is_on_top {thing} {top})))",
        ),
        scene,
    )


def drawn(house: House, seed: int) -> list[list[list[Command]]]:
    """Calls for some episodes: by episode, turn and agent."""
    from tests.household.choosing import Chooser

    episodes: list[list[list[Command]]] = []
    for k in range(EPISODES):
        engine = HouseEngine(house)
        chooser = Chooser(engine, seed + k)
        turns: list[list[Command]] = []
        for _ in range(TURNS):
            turns.append([chooser.choose(i) for i in range(AGENTS)])
            engine.step(turns[-1])
        episodes.append(turns)
    return episodes


def rates(play: Callable[[], object], actions: int, batches: int) -> list[float]:
    """Actions a second in each of some batches, after one that does not count. Seconds are those of the processor."""
    play()
    found: list[float] = []
    for _ in range(batches):
        gc.collect()
        start = process_time()
        play()
        found.append(actions / (process_time() - start))
    return found


def speed(scene: str, seed: int, batches: int) -> dict[str, list[float]]:
    """The engine's and the world's rates."""
    house = all_six(load_scene(scene))
    episodes = drawn(house, seed)
    spoken = [[dict(zip(SEATS, map(str, turn), strict=True)) for turn in turns] for turns in episodes]
    engine, world = HouseEngine(house), HouseholdWorld(house, TURNS)

    def engine_alone() -> None:
        for turns in episodes:
            engine.reset()
            for turn in turns:
                engine.step(turn)

    def whole_world() -> None:
        for turns in spoken:
            world.reset()
            for turn in turns:
                world.step(turn)

    actions = EPISODES * TURNS * AGENTS
    return {"engine": rates(engine_alone, actions, batches), "world": rates(whole_world, actions, batches)}


def milliseconds(make: Callable[[], object], times: int = 5) -> float:
    """The median processor time of some calls."""
    found: list[float] = []
    for _ in range(times):
        start = process_time()
        make()
        found.append(1000 * (process_time() - start))
    return median(found)


def loading() -> tuple[list[float], list[float]]:
    """Milliseconds to load each shipped scene, and to compile each shipped task in its scene."""
    scenes = [milliseconds(lambda name=name: load_scene(name)) for name in shipped_scenes()]
    tasks = [load_task(name) for name in shipped_tasks()]
    compiled = [
        milliseconds(lambda task=task, scene=scene: House(task, scene))
        for task, scene in [(task, load_scene(task.scene_id)) for task in tasks]
    ]
    return scenes, compiled


def agreement(actions: int, seed: int) -> tuple[int, Counter[str], list[str]]:
    """Random actions on which simulator and PDDL agreed, how often each rule fired, and the houses.

    Raises:
        AssertionError: they did not agree.
    """
    from tests.household import test_rules as tests
    from tests.household import walks

    fired: Counter[str] = Counter()
    tried = 0
    for k, made in enumerate(tests.HOUSES.values()):
        walk = walks.Walk(made(), seed + k).walk(actions // len(tests.HOUSES) + 1)
        tried += walk.actions
        fired += walk.fired
    return tried, fired, list(tests.HOUSES)


def unheard(seed: int) -> tuple[int, int]:
    """Moments compared between episodes that an agent cannot tell apart, and those in which something hidden differed.

    Raises:
        AssertionError: an agent heard what it could not see.
    """
    from tests.household import drawn_tasks as in_scene
    from tests.household import test_noninterference as tests

    count = tests.Count()
    houses = [House(task, load_scene(task.scene_id)) for task in map(load_task, shipped_tasks())]
    houses += [in_scene.house(load_scene(name), seed) for name in shipped_scenes()]
    for house in houses:
        tests.many_twins(house, 1, count)
    return count.same, count.hidden


def row(what: str, found: Sequence[float], target: str) -> tuple[str, str, str, str]:
    return what, f"{median(found):,.1f}", f"{min(found):,.1f} to {max(found):,.1f}", target


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--batches", type=int, default=9, help="timed batches (default 9)")
    parser.add_argument("--actions", type=int, default=200_000, help="actions of the random walks")
    options = parser.parse_args()
    scene = shipped_scenes()[0]
    rated = speed(scene, options.seed, options.batches)
    scenes, houses = loading()
    show(
        f"{AGENTS} agents, all six mechanics, {scene}; {options.batches} batches of {EPISODES} x {TURNS} turns",
        ("what", "median", "range", "target"),
        (
            row("engine: agent actions a CPU second", rated["engine"], "at least 100,000"),
            row("whole world: agent actions a CPU second", rated["world"], ""),
            row(f"loading a scene, ms ({len(scenes)} shipped)", scenes, "at most 50"),
            row(f"compiling a task, ms ({len(houses)} shipped)", houses, ""),
        ),
    )
    tried, fired, walked = agreement(options.actions, options.seed)
    print(
        f"{tried:,} random actions in {len(walked)} houses ({', '.join(walked)}): simulator and PDDL agree "
        f"on every one; {sum(fired.values()):,} changed something"
    )
    show(
        "how often each rule fired",
        ("rule", "fired"),
        [(rule.name, f"{fired[rule.name]:,}") for rule in RULES]
        + [("rules of bound things", f"{sum(n for name, n in fired.items() if '__' in name):,}")],
    )
    same, hidden = unheard(options.seed)
    print(f"{same:,} moments compared byte by byte, {hidden:,} while something hidden differed: all equal")
    figures = {
        "engine": median(rated["engine"]),
        "world": median(rated["world"]),
        "load_ms": median(scenes),
        "compile_ms": median(houses),
        "agreed": tried,
        "fired": dict(fired),
        "moments": same,
        "hidden": hidden,
    }
    finish(options, figures)


if __name__ == "__main__":
    main()
