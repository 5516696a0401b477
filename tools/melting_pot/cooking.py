"""Records traces of cooking on the real engine, with scripted cooks, and looks at its pictures.

    PYTHONPATH=src python -m tools.melting_pot.cooking cooking-ring-v1 tests/data/melting_pot/cooking-ring-v1.xz

Run in the engine's own Python (see README.md). While it records it checks every picture of every step, of each
player and of the whole map: ours of what is recorded must have the same pixels. It also checks that our symbolic
windows show what the engine's pictures show: a cell of a picture follows from the code of that cell (and the own
orientation, which pictures turn with), and the code from the picture.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.gridworlds.cooking.plain import observe, window
from tools.melting_pot.engine import CONFIGS, Engine
from tools.melting_pot.frames import DX, DY, TILE, Cells, act, kitchen_row, reveal, towards
from tools.melting_pot.kitchen.pictures import checksum, stage
from tools.melting_pot.kitchen.trace import Trace, save

from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, SUBSTRATES, Rules
from otherminds.gridworlds.cooking.views import LAYERS
from otherminds.gridworlds.cooking.views import world as whole
from otherminds.gridworlds.grid.rules import FORWARD, INTERACT

KITCHEN = """
#OTCD##
#P  P #
C  #  C
#P  P #
##DTO##
"""
"""A small room for four, with a counter in its middle that all can reach."""
HATCHES = """
TCTTTTT
TP P PT
T#O#D#T
TP P PT
TTTTTCT
"""
"""Two rooms for four between which all counters and dispensers lie, so that several use one at once."""
LANE = """
####O#####
D PPPPPP T
###C#C####
"""
"""A corridor in which five get in each other's way."""


@dataclass(frozen=True)
class Plan:
    """Episodes to record: how many, under which rules."""

    episodes: int
    rules: Rules


SMALL = (
    Plan(12, replace(COOKING_ASYMMETRIC, drawing=KITCHEN, players=4)),
    Plan(12, replace(COOKING_ASYMMETRIC, drawing=HATCHES, players=4)),
    Plan(3, replace(COOKING_ASYMMETRIC, drawing=LANE, players=5)),
)
"""Recorded beside the official map of ``cooking-asymmetric-v1``: the rules of all kitchens where much happens at once."""
MIXES = (("cook",), ("clinger",), ("cook", "idler"), ("idler", "random"), ("cook", "tidy"), ("random",))
"""Manners, dealt to the players in turn."""


@dataclass
class Cook:
    """One scripted player, who sees everything.

    ``cook`` does what is due, ``idler`` also but stays and fires at pots where they
    are, ``tidy`` often puts things on counters and takes them back, ``clinger`` fires
    at the nearest counter or dispenser, ``random`` does anything. A share of ``noise``
    of all actions is random.
    """

    manner: str
    noise: float
    rng: np.random.Generator
    whim: int = 0
    """For how many steps it goes for counters instead of what is due."""
    dodge: int = 0
    """For how many steps it moves at random, because somebody stood in its way."""
    last: tuple[int, int, int] = (-1, -1, 0)
    """Where it was when it acted last, and what it did."""

    def act(self, rules: Rules, row: dict[str, NDArray[np.int8]], i: int) -> int:
        """Its action as player ``i``."""
        x, y, facing, held = row["avatars"][i].tolist()
        if self.last == (x, y, FORWARD) and self.rng.random() < 0.5:
            self.dodge = int(self.rng.integers(1, 6))
        self.dodge = max(self.dodge - 1, 0)
        if self.dodge:
            action = int(self.rng.integers(FORWARD, INTERACT))
        elif self.manner == "random" or self.rng.random() < self.noise:
            action = int(self.rng.integers(8))
        else:
            action = self._choose(rules, row, (x, y, facing, held))
        self.last = (x, y, action)
        return action

    def _choose(self, rules: Rules, row: dict[str, NDArray[np.int8]], now: tuple[int, int, int, int]) -> int:
        x, y, facing, held = now
        if self.whim == 0 and self.rng.random() < (0.08 if self.manner == "tidy" else 0.005):
            self.whim = 12
        self.whim = max(self.whim - 1, 0)
        ahead = (x + DX[facing], y + DY[facing])
        goals = self._goals(rules, row, held)
        if self.manner == "idler" and rules.drawn[ahead[1]][ahead[0]] == "C" and held in (1, 2):
            goals = {ahead}
        free = np.array([[char in " P" for char in line] for line in rules.drawn])
        way = towards(free, (x, y), goals)
        if way is None:  # Counters that both rooms reach are the only way on
            goals = self._hand_over(rules, row, held)
            way = towards(free, (x, y), goals)
        return act(facing, way, way == facing and ahead in goals)

    def _hand_over(self, rules: Rules, row: dict[str, NDArray[np.int8]], held: int) -> set[tuple[int, int]]:
        """Counters to free the hands at, or to take something from."""
        lines = enumerate(rules.drawn)
        counters = {(x, y) for y, line in lines for x, char in enumerate(line) if char == "#"}
        return {cell for cell in counters if bool(row["on"][cell[1], cell[0]]) != bool(held)}

    def _goals(self, rules: Rules, row: dict[str, NDArray[np.int8]], held: int) -> set[tuple[int, int]]:
        def where(chars: str) -> set[tuple[int, int]]:
            lines = enumerate(rules.drawn)
            return {(x, y) for y, line in lines for x, char in enumerate(line) if char in chars}

        def having(layer: str, *values: int) -> set[tuple[int, int]]:
            return {(int(x), int(y)) for y, x in np.argwhere(np.isin(row[layer], values))}

        if self.manner == "clinger":
            return where("#OD")
        if self.whim:
            return self._hand_over(rules, row, held)
        if held == 0:
            return where("O") if having("pot", 1, 2, 3) and self.rng.random() < 0.9 else where("D")
        if held == 1:
            return having("pot", 1, 2, 3) or where("C")
        if held == 2:
            return having("pot", 4, 5) or where("C")
        return where("T")


@dataclass
class Looks:
    """Which cell of a picture goes with which code of a symbolic window, over all that was seen."""

    pictures: dict[tuple[int, tuple[int, ...]], set[bytes]] = field(default_factory=dict)
    codes: dict[bytes, set[tuple[int, ...]]] = field(default_factory=dict)
    cells: int = 0
    images: int = 0
    """Pictures that were compared."""
    wrong: int = 0
    """Those of them that were not the same, pixel for pixel."""

    def see(self, ours: NDArray[np.uint8], theirs: NDArray[np.uint8]) -> None:
        """Compares two pictures."""
        self.images += 1
        self.wrong += not np.array_equal(ours, theirs)

    def compare(self, facing: int, seen: NDArray[np.uint8], picture: NDArray[np.uint8]) -> None:
        """Takes in one window and the picture of it."""
        for r, line in enumerate(seen):
            for c, cell in enumerate(line):
                code = tuple(map(int, cell))
                tile = picture[TILE * r : TILE * (r + 1), TILE * c : TILE * (c + 1)].tobytes()
                self.pictures.setdefault((facing, code), set()).add(tile)
                self.codes.setdefault(tile, set()).add(code)
                self.cells += 1

    def faults(self) -> Iterator[str]:
        """Pictures that differ, codes with several pictures, pictures with several codes."""
        if self.wrong:
            yield f"{self.wrong} pictures differ"
        for (facing, code), tiles in self.pictures.items():
            if len(tiles) > 1:
                yield f"code {code} facing {facing} has {len(tiles)} pictures"
        for codes in self.codes.values():
            if len(codes) > 1:
                yield f"one picture has the codes {sorted(codes)}"


class Recorder:
    """Records one episode after another on one map."""

    def __init__(self, plan: Plan, seed: int, folder: Path, looks: Looks) -> None:
        self.rules = plan.rules
        self.engine = Engine(self.rules.name, seed, self.rules.drawing, self.rules.players)
        reveal(self.engine, folder)
        self.rng = np.random.default_rng(seed)
        self.looks = looks

    def episode(self, manners: tuple[str, ...]) -> Trace:
        """One whole episode; the windows of every seventh step are compared with their pictures."""
        engine, players = self.engine, self.rules.players
        noises = self.rng.choice([0.02, 0.1, 0.3], players)
        cooks = [Cook(manners[i % len(manners)], float(noises[i]), self.rng) for i in range(players)]
        engine.reset()
        kept: list[dict[str, NDArray[Any]]] = []
        shown: list[list[NDArray[np.uint8]]] = []
        actions: list[list[int]] = []
        running = True
        while True:
            row = kitchen_row(Cells(engine), engine)
            shown.append([engine.see("WORLD.RGB"), *engine.see_all("RGB")])
            kept.append(self._kept(row) | {"pictures": np.array(checksum(shown[-1]), np.uint32)})
            if not running:
                break
            actions.append([cook.act(self.rules, row, i) for i, cook in enumerate(cooks)])
            running = engine.step(actions[-1])
        trace = Trace(
            substrate=self.rules.name,
            drawing="\n".join(self.rules.drawn),
            over=True,
            actions=np.array(actions, np.uint8),
            **{name: np.stack([one[name] for one in kept]) for name in kept[0]},
        )
        for t, pictures in enumerate(shown):
            self._look(trace, t, pictures)
        return trace

    def _kept(self, row: dict[str, NDArray[np.int8]]) -> dict[str, NDArray[Any]]:
        pots = [(row["pot"][y, x], row["bar"][y, x]) for x, y in self.rules.pots]
        return {
            "avatars": row["avatars"].astype(np.uint8),
            "items": np.array([row["on"][y, x] for x, y in self.rules.containers], np.uint8),
            "pots": np.array([(min(pot - 1, 3), pot == 5, bar) for pot, bar in pots], np.uint8),
            "beams": row["beam"].ravel().astype(np.uint8 if self.rules.players <= 8 else np.uint16),
            "rewards": self.engine.see_all("REWARD").astype(np.uint8),
        }

    def _look(self, trace: Trace, t: int, pictures: list[NDArray[np.uint8]]) -> None:
        state = stage(self.rules, trace, t)
        self.looks.see(whole(self.rules, state, 0), pictures[0])
        for i, picture in enumerate(pictures[1:]):
            self.looks.see(observe(self.rules, state, 0, i), picture)
            if t % 7 == 0:
                self.looks.compare(int(trace.avatars[t, i, 2]), window(self.rules, state, 0, i), picture)


def main() -> None:
    """Records a kitchen into one file. Exit code 1 if windows or pictures disagree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(name for name in CONFIGS if name.startswith("cooking-")))
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--episodes", type=int, default=6, help="on the official map")
    given = parser.parse_args()
    official = Plan(given.episodes, SUBSTRATES[given.name])
    traces: list[Trace] = []
    looks: list[Looks] = []
    for n, plan in enumerate((official, *(SMALL if official.rules == COOKING_ASYMMETRIC else ()))):
        looks.append(Looks())
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder(plan, 1000 * given.seed + 100 * n, Path(folder), looks[-1])
            traces += [recorder.episode(MIXES[episode % len(MIXES)]) for episode in range(plan.episodes)]
    save(traces, given.file)
    steps = sum(trace.steps for trace in traces)
    print(f"{given.file.name}: {len(traces)} episodes, {steps} steps, {given.file.stat().st_size} bytes")
    for one in looks:
        print(
            f"{one.images} pictures, {one.wrong} of them unequal; {one.cells} cells of windows, "
            f"{len(one.codes)} different pictures, {LAYERS} layers"
        )
        print(*one.faults(), sep="\n")
    raise SystemExit(any(True for one in looks for _ in one.faults()))


if __name__ == "__main__":
    main()
