"""The household's speed against an older source tree, side by side in one run, and that both play equal episodes.

Three agents with all six mechanics in a shipped scene, with calls drawn as in `household.py`. Every episode begins with
a new engine or world, as in a study; the house is compiled once. Rates are agent actions a second of processor time:

- ``engine``: the simulator alone;
- ``world``: texts read, observations, what the log entitles agents to know, and the log of the record;
- ``record``: the same, and the facts that the record contains, which evaluate the log of knowledge.

Both trees run in processes of their own and take turns, so that they meet the same noise; each batch has new calls,
the same for both; ratios are medians of the ratios of batches. Then both play random walks with all mechanics in every
shipped scene and the reference minds in every shipped task: observations, messages, rewards, facts (of a walk without
those that describe its task), the true answers to the probes after every turn, and the bodies of records must agree byte
for byte. A task that differs between the trees gives different episodes.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

ROOT = Path(__file__).parents[1]
RATES = ("engine", "world", "record")
MILLISECONDS = "compile"
SEEDS, WALKS, TALK = 3, 6, 0.2
MINDS: dict[str, tuple[str, dict[str, int]]] = {
    **{name: (name, {}) for name in ("random", "no_message", "broadcast", "informed", "egocentric")},
    **{f"level {k}": ("level_k", {"k": k}) for k in (1, 2, 3)},
}


class Worker:
    """A process that imports one source tree and answers one line for each line it reads."""

    def __init__(self, source: Path) -> None:
        found = os.environ | {"PYTHONPATH": os.pathsep.join((str(source), str(ROOT)))}
        command = [sys.executable, __file__, "--worker"]
        self._process = subprocess.Popen(
            command, env=found, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, what: str) -> Any:
        """The answer to ``what``.

        Raises:
            EOFError: the process has ended.
        """
        pipes = self._process.stdin, self._process.stdout
        assert pipes[0] is not None
        assert pipes[1] is not None
        pipes[0].write(f"{what}\n")
        pipes[0].flush()
        line = pipes[1].readline()
        if not line:
            raise EOFError(f"the process that was asked for {what!r} ended; see its message above")
        return json.loads(line)

    def end(self) -> None:
        self._process.communicate()


def work() -> None:
    """Answers the lines of standard input: a rate, milliseconds or digests."""
    from household import AGENTS, EPISODES, SEATS, TURNS, all_six, drawn
    from otherminds.household.commands import Command
    from otherminds.household.engine import HouseEngine
    from otherminds.household.house import House
    from otherminds.household.scenes.load import load_scene, shipped_scenes
    from otherminds.household.world import HouseholdWorld

    house = all_six(load_scene(shipped_scenes()[0]))
    episodes: list[list[list[Command]]] = []
    spoken: list[list[dict[str, str]]] = []

    def draw(batch: int) -> None:
        episodes[:] = drawn(house, batch * EPISODES)
        spoken[:] = [[dict(zip(SEATS, map(str, turn), strict=True)) for turn in turns] for turns in episodes]

    def engine() -> None:
        for turns in episodes:
            playing = HouseEngine(house)
            for turn in turns:
                playing.step(turn)

    def world(facts: bool) -> None:
        for turns in spoken:
            playing = HouseholdWorld(house, TURNS)
            playing.reset()
            for turn in turns:
                playing.step(turn)
            if facts:
                playing.facts()

    actions = EPISODES * TURNS * AGENTS
    kinds: dict[str, Callable[[], object]] = {
        "engine": engine,
        "world": lambda: world(facts=False),
        "record": lambda: world(facts=True),
        MILLISECONDS: lambda: House(house.task, house.scene),
    }
    for line in sys.stdin:
        what, _, batch = line.strip().partition(" ")
        answer: object = None
        if what == "digests":
            answer = dict(digests())
        elif what == "draw":
            draw(int(batch))
        else:
            gc.collect()
            started = process_time()
            kinds[what]()
            spent = process_time() - started
            answer = 1000 * spent if what == MILLISECONDS else actions / spent
        print(json.dumps(answer), flush=True)


def digests() -> Iterator[tuple[str, str]]:
    """The digest of everything that each of some episodes shows, by the episode's name."""
    from household_teams import run
    from tests.household import drawn_tasks

    from otherminds.core.encoding import encode
    from otherminds.core.record import SeatSpec
    from otherminds.core.scenario import scenario
    from otherminds.household.house import House
    from otherminds.household.scenarios import named
    from otherminds.household.scenes.load import load_scene, shipped_scenes
    from otherminds.household.tasks.load import load_task, shipped_tasks

    for name in shipped_scenes():
        for seed in range(WALKS):
            yield f"{name} {seed}", walked(drawn_tasks.house(load_scene(name), seed), seed)
    for task in shipped_tasks():
        built = scenario(named(task), {})
        given = load_task(task)
        for seed in range(WALKS):
            yield f"{task} {seed}", walked(House(given, load_scene(given.scene_id)), seed)
        for mind, spec in MINDS.items():
            for seed in range(SEEDS if mind == "random" else 1):
                record = run(built, SeatSpec(*spec), seed)
                yield f"{task} {mind} {seed}", sha256(encode(record)).hexdigest()


def walked(house: Any, seed: int) -> str:
    """The digest of all that the seats and the record receive in a random walk with messages about the goal."""
    from random import Random

    import msgspec
    from tests.household.choosing import Chooser

    from household import TURNS
    from otherminds.household.epistemic.formula import claims
    from otherminds.household.epistemic.words import Fact
    from otherminds.household.epistemic.words.sentences import say
    from otherminds.household.probes import probes_of
    from otherminds.household.world import HouseholdWorld

    world, draw = HouseholdWorld(house, TURNS), Random(seed)
    chooser, found = Chooser(world.engine, seed), sha256()
    sentences = [say(Fact(part)) for claim in claims(house.goal) for part in (claim.fact, claim.formula)]
    found.update(msgspec.json.encode(world.reset()))
    while world.agents:
        calls = {seat: str(chooser.choose(i)) for i, seat in enumerate(house.agents)}
        if draw.random() < TALK:
            calls[draw.choice(house.agents)] = f'Communicate[all, "{draw.choice(sentences)}"]'
        found.update(msgspec.json.encode(world.step(calls)))
    facts = world.facts()
    del facts["task"]  # it describes the task, and newer trees say more about it
    found.update(msgspec.json.encode((facts, world.render())))
    for probe in probes_of(house).probes():
        truths = [world.truth(probe.question, step) for step in range(world.turn + 1)]
        found.update(msgspec.json.encode(truths))
    return found.hexdigest()


def main() -> None:
    from common import arguments, finish, show

    parser = arguments(__doc__)
    parser.add_argument("--before", type=Path, required=True, help="the src folder of an older tree")
    parser.add_argument("--batches", type=int, default=9, help="timed batches (default 9)")
    options = parser.parse_args()
    trees = {"before": Worker(options.before.resolve()), "now": Worker(ROOT / "src")}
    kinds = (*RATES, MILLISECONDS)
    found: dict[str, dict[str, list[float]]] = {kind: {tree: [] for tree in trees} for kind in kinds}
    for batch in range(options.batches + 1):
        for worker in trees.values():
            worker.ask(f"draw {batch}")
        for kind in kinds:
            for tree, worker in trees.items() if batch % 2 else reversed(trees.items()):
                figure = worker.ask(kind)
                if batch:  # the first one fills caches
                    found[kind][tree].append(figure)
    rows: list[tuple[object, ...]] = []
    figures: dict[str, object] = {}
    for kind, both in found.items():
        ratio = median(now / before for before, now in zip(both["before"], both["now"], strict=True))
        unit = "ms" if kind == MILLISECONDS else "actions a CPU second"
        shown = [f"{median(both[tree]):,.{1 if unit == 'ms' else 0}f}" for tree in trees]
        rows.append(
            (f"{kind}, {unit}", *shown, f"{ratio:.2f}", f"{min(both['now']):,.1f} to {max(both['now']):,.1f}")
        )
        figures[kind] = {"before": median(both["before"]), "now": median(both["now"]), "ratio": ratio}
    show(
        f"a new engine or world each episode; {options.batches} batches in turns",
        ("what", "before", "now", "ratio", "range now"),
        rows,
    )
    one, other = (worker.ask("digests") for worker in trees.values())
    differ = [name for name in one if one[name] != other.get(name)]
    print(f"{len(one)} episodes: {len(one) - len(differ)} equal byte for byte")
    for worker in trees.values():
        worker.end()
    finish(options, figures | {"episodes": len(one), "differ": differ})
    sys.exit(bool(differ) or len(one) != len(other))


if __name__ == "__main__":
    if "--worker" in sys.argv:
        work()
    else:
        main()
