"""Records traces of the matrix substrates on the real engine, with scripted players.

Run in the engine's own Python: ``python -m tools.melting_pot.record --out FOLDER``.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tools.melting_pot.engine import MATRIX, Engine
from tools.melting_pot.in_the_matrix.trace import Trace, save
from tools.melting_pot.policies import Paths, Scene, troop

LOWER, OVERLAY, BEAM = 3, 5, 7
"""Layers of LAYER: resources, markers, beams."""

TINY = """
WWWWWWWWWWW
Wn  1a2  nW
W  aW3Wa  W
Wn 12a31 nW
W  aWaWa  W
Wn  3a1  nW
WWWWWWWWWWW
"""
CROWDED = """
WWWWWWWWWW
Wn1 a n2nW
W a3nW1a W
Wn W aa nW
W 2an 3a W
Wn1 n an W
WWWWWWWWWW
"""
OPEN = """
WWWWWWWWWWWWWW
Wnn aaaa   nnW
Wn  a12a    nW
W   a31a  W  W
Wn  aaaa    nW
Wnn        nnW
WWWWWWWWWWWWWW
"""
BRAWL = """
WWWWWWWWWW
WnnaaaannW
W1a a2 a3W
Wa3aa1a aW
W2 a3a a1W
WnnaaaannW
WWWWWWWWWW
"""


@dataclass(frozen=True)
class Plan:
    """Episodes to record: so many steps at least, on which map, by how many players, how long at most."""

    steps: int
    drawing: str | None = None
    players: int | None = None
    longest: int | None = None


LONG = {
    "rws-repeated-v1": (
        Plan(10000),
        Plan(4000, TINY),
        Plan(4000, CROWDED, 7),
        Plan(4000, BRAWL, 8),
        Plan(2500, OPEN, 4, 1250),
    ),
    "rws-arena-v1": (
        Plan(10000),
        Plan(4000, CROWDED, 8),
        Plan(4000, BRAWL, 8),
        Plan(2500, OPEN, 6, 1250),
    ),
    "pd-repeated-v1": (
        Plan(10000),
        Plan(4000, TINY),
        Plan(4000, CROWDED, 7),
        Plan(4000, BRAWL, 8),
        Plan(2500, OPEN, 4, 1250),
    ),
}
SHORT = (
    Plan(2000, longest=1100),
    Plan(900, TINY, 2, 1100),
    Plan(900, CROWDED, 7, 1100),
    Plan(900, BRAWL, 8, 1100),
    Plan(900, OPEN, 4, 1100),
)
"""For substrates that share all but numbers with those of ``LONG``."""
PLANS = {name: LONG.get(name, SHORT) for name in MATRIX}


def characters(substrate: str) -> str:
    """How the maps above are drawn with a substrate's characters."""
    resources = "123" if substrate.startswith(("rws", "pure", "rationalizable")) else "121"
    if resources == "123" and "arena" not in substrate:
        resources = "rps"
    return f"123n:{resources}{'P' if 'arena' in substrate else 'n'}"


MIXES = (
    ("hunter",),
    ("hunter", "random"),
    ("hunter", "vandal"),
    ("vandal",),
    ("hunter", "crowd"),
    ("crowd", "vandal", "hunter", "random"),
)


class Recorder:
    """Records one episode after another from one engine."""

    def __init__(self, substrate: str, plan: Plan, seed: int) -> None:
        drawing = plan.drawing
        if drawing is not None:
            drawing = drawing.translate(str.maketrans(*characters(substrate).split(":")))
        self.substrate = substrate
        self.engine = Engine(substrate, seed, drawing, plan.players, wide=True, longest=plan.longest)
        self.maximum = int(self.engine.settings.maxEpisodeLengthFrames)
        self.luck = random.Random(seed)
        self.ready: int | None = None
        self.paths = Paths(self.engine.drawing)
        spawn = characters(substrate)[-1]
        self.places = [
            (x, y)
            for y, line in enumerate(self.engine.drawing.split("\n"))
            for x, char in enumerate(line)
            if char not in f"W {spawn}"
        ]

    def episode(self, manners: list[str]) -> Trace:
        """One whole episode."""
        engine = self.engine
        engine.reset()
        seen = [self._look(engine)]
        self.kinds = self._kinds(engine)
        players = troop(manners, int(self.kinds.max()) + 1, self.luck)
        actions: list[list[int]] = []
        running = True
        while running:
            scene = self._scene(seen[-1])
            actions.append([player.act(scene, self.paths) for player in players])
            running = engine.step(actions[-1])
            seen.append(self._look(engine))
        stacked: dict[str, Any] = {name: np.stack([row[name] for row in seen]) for name in seen[0]}
        return Trace(
            substrate=self.substrate,
            drawing=engine.drawing,
            maximum=self.maximum,
            over=True,
            kinds=self.kinds,
            actions=np.array(actions, np.uint8),
            **stacked,
        )

    def _layers(self, player: int) -> np.ndarray:
        """LAYER of the whole map, [y, x, layer], as ``player`` (who must be alive) gives it."""
        width, height = self.engine.size
        reach = max(width, height)
        x, y = self.engine.see("POSITION", player)
        return self.engine.see("LAYER", player)[reach - y : reach - y + height, reach - x : reach - x + width]

    def _look(self, engine: Engine) -> dict[str, np.ndarray]:
        width, height = engine.size
        count, classes = engine.players, engine.see("INVENTORY", 0).size
        # Whoever is removed sees the sprite for "out of bounds" everywhere, on every layer.
        reach = max(width, height)
        alive = np.array([not engine.see("LAYER", i)[reach, reach, 0] for i in range(count)], np.uint8)
        poses = np.zeros((count, 3), np.uint8)
        poses[:, :2] = engine.see_all("POSITION")
        poses[:, 2] = engine.see_all("ORIENTATION")
        poses[alive == 0] = 0
        marks = np.zeros(count, np.uint8)
        beams = np.zeros((height, width), np.uint8)
        if alive.any():
            layers = self._layers(int(alive.argmax()))
            shown = np.array([layers[y, x, LOWER] > 0 for x, y in self.places], np.uint8)
            beams[:] = layers[..., BEAM] > 0
            for i in np.flatnonzero(alive):
                marks[i] = self._mark(int(layers[poses[i, 1], poses[i, 0], OVERLAY]))
        else:
            # Nobody to look: the text shows resources where no avatar stands on them.
            text = bytes(engine.see("GLOBAL.TEXT").item()).decode().split("\n")
            shown = np.array([text[y][x] == "r" for x, y in self.places], np.uint8)
        collected = np.zeros((count, classes), np.uint8)
        destroyed = np.zeros((count, classes), np.uint8)
        for name, entries in engine.events():
            into = {"collected_resource": collected, "destroyed_resource": destroyed}.get(name)
            if into is not None:
                into[int(entries["player_index"]) - 1, int(entries["class"]) - 1] += 1
        ready = engine.see_all("READY_TO_SHOOT")
        return {
            "alive": alive,
            "poses": poses,
            "inventories": engine.see_all("INVENTORY").astype(np.uint16),
            "cooling": np.rint((1 - ready) * 2).astype(np.uint8),
            "rewards": engine.see_all("REWARD").astype(np.float64),
            "met": engine.see_all("INTERACTION_INVENTORIES").astype(np.int16),
            "marks": marks,
            "shown": shown,
            "beams": beams.ravel(),
            "collected": collected,
            "destroyed": destroyed,
        }

    def _mark(self, sprite: int) -> int:
        """The code of a marker: four sprites each, one an orientation; the first ever seen says "ready"."""
        if not sprite:
            return 0
        if self.ready is None:
            self.ready = (sprite - 1) // 4
        return (sprite - 1) // 4 - self.ready + 1

    def _kinds(self, engine: Engine) -> np.ndarray:
        """Classes of the resources: their sprites are numbered in their order, and every map has all of them."""
        layers = self._layers(0)
        sprites = [int(layers[y, x, LOWER]) for x, y in self.places]
        order = sorted(set(sprites))
        return np.array([order.index(sprite) for sprite in sprites], np.uint8)

    def _scene(self, seen: dict[str, np.ndarray]) -> Scene:
        alive = seen["alive"]
        collected = seen["inventories"].sum(axis=1) - seen["inventories"].shape[1]
        poses: list[tuple[int, int, int] | None] = []
        for (x, y, facing), on in zip(seen["poses"].tolist(), alive, strict=True):
            poses.append((x, y, facing) if on else None)
        return Scene(
            poses=poses,
            resources={
                cell: int(kind)
                for cell, kind, on in zip(self.places, self.kinds, seen["shown"], strict=True)
                if on
            },
            ready=[bool(count) for count in collected],
            collected=[int(count) for count in collected],
        )


def record(substrate: str, seed: int) -> list[Trace]:
    """All episodes of a substrate's plans."""
    traces: list[Trace] = []
    for n, plan in enumerate(PLANS[substrate]):
        recorder = Recorder(substrate, plan, 1000 * seed + 100 * n + 1)
        steps = episode = 0
        while steps < plan.steps:
            mix = MIXES[episode % len(MIXES)]
            manners = [mix[i % len(mix)] for i in range(recorder.engine.players)]
            traces.append(recorder.episode(manners))
            steps += traces[-1].steps
            episode += 1
    return traces


def main() -> None:
    """Records the substrates named, into one file each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("substrates", nargs="*", default=list(PLANS))
    chosen = parser.parse_args()
    for substrate in chosen.substrates:
        traces = record(substrate, chosen.seed)
        path = chosen.out / f"{substrate}.xz"
        save(traces, path)
        steps = sum(trace.steps for trace in traces)
        print(f"{path.name}: {len(traces)} episodes, {steps} steps, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
