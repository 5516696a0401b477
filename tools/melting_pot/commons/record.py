"""Records episodes of the real Coins, Commons Harvest and Clean Up, with scripted players.

    python -m tools.melting_pot.commons.record coins-v1 FILE --steps 6000

Runs in the engine's own Python: half of the steps on the official map, half where more happens.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

import numpy as np
from tools.melting_pot.commons.engine import CONFIGS, CommonsEngine
from tools.melting_pot.commons.engine_variants import VARIANTS
from tools.melting_pot.commons.recording import Recording, digest, save

NOTHING, WALL, FLOOR, GRASS, DRY, RIVER, APPLE, DRY_APPLE, DIRT, COIN = range(10)
COLOURS = ("red", "blue", "yellow", "green", "purple")
WAYS = ((0, -1), (1, 0), (0, 1), (-1, 0))
STEPPING = (1, 4, 2, 3)
"""The action that moves so many quarter turns clockwise from the own orientation."""
BEAMS = {"BeamZap": 1, "BeamClean": 2}
GROUNDS = {"Wall": WALL, "Sand": FLOOR, "Floor": FLOOR, "Grass": GRASS}


class Look:
    """What is seen of one step: all arrays of a :class:`Recording` but actions, one row each."""

    def __init__(self, engine: CommonsEngine, name: str) -> None:
        self.engine = engine
        names = engine.names_of_sprites()
        layers = engine.see("WORLD.LAYER")
        height, width = layers.shape[:2]
        self.things = np.zeros((height, width), np.uint8)
        self.beams = np.zeros((height, width), np.uint8)
        self.tide = np.zeros((height, width), np.uint8)
        self.beam_layers: dict[int, int] = {}
        present: set[tuple[int, int]] = set()
        lines = engine.drawing.split("\n")
        for y, x in np.ndindex(height, width):
            sprites = [
                (layer, names[number].rpartition(".")[0])
                for layer, number in enumerate(layers[y, x])
                if number
            ]
            for layer, sprite in sprites:
                if sprite.startswith("Avatar"):
                    present.add((x, y))
                elif sprite in BEAMS:
                    self.beams[y, x] |= BEAMS[sprite]
                    self.beam_layers[BEAMS[sprite]] = layer
                elif sprite.startswith("water"):
                    self.tide[y, x] = int(sprite[-1]) - 1
                    self.things[y, x] = RIVER
                elif sprite.startswith("coin_"):
                    self.things[y, x] = COIN + COLOURS.index(sprite[5:])
                elif sprite == "Dirt":
                    self.things[y, x] = DIRT
                elif sprite == "Apple":
                    self.things[y, x] = DRY_APPLE if self.things[y, x] == DRY else APPLE
                elif sprite in GROUNDS:
                    self.things[y, x] = GROUNDS[sprite]
                    if sprite == "Floor" and lines[y][x : x + 1] == "A":
                        self.things[y, x] = DRY
                elif not sprite.startswith(("Shadow", "GrassEdge", "AppleWait")):
                    raise ValueError(f"an unknown sprite {sprite}")
        self.poses = engine.poses()
        self.alive = np.array([(int(x), int(y)) in present for x, y, _ in self.poses], np.uint8)
        windows = engine.see_all("RGB")
        self.alive &= windows.reshape(engine.players, -1).any(axis=1)
        self.poses[self.alive == 0] = 0
        self.rewards = engine.see_all("REWARD").astype(np.int8)
        beside = {
            "coins": ("MISMATCHED_COIN_COLLECTED_BY_PARTNER",),
            "clean": ("READY_TO_SHOOT", "NUM_OTHERS_WHO_CLEANED_THIS_STEP"),
        }.get(name.split("-", maxsplit=1)[0], ("READY_TO_SHOOT",))
        self.vectors = np.stack([engine.see_all(key) for key in beside], axis=1).astype(np.float32)
        self.pictures = np.uint32(digest(engine.see("WORLD.RGB"), windows))


def act(look: Look, i: int, luck: random.Random, actions: int, noise: float, anger: float) -> int:
    """Goes to the nearest thing worth taking or cleaning, with noise; fires now and then, more often at others near."""
    if not look.alive[i] or luck.random() < noise:
        return luck.randrange(actions)
    x, y, facing = (int(part) for part in look.poses[i])
    if actions > 7 and luck.random() < anger:
        return 7
    ahead = look.things[y + WAYS[facing][1], x + WAYS[facing][0]]
    if actions > 8 and (ahead == DIRT or luck.random() < 0.05):
        return 8
    wanted = look.things >= APPLE if i % 2 or actions < 9 else look.things == DIRT
    goals = np.argwhere(wanted)
    if not len(goals):
        return luck.randrange(actions)
    order = np.abs(goals - (y, x)).sum(axis=1) + np.array([luck.random() for _ in goals])
    gy, gx = (int(part) for part in goals[order.argmin()])
    if abs(gx - x) > abs(gy - y) or (gx != x and luck.random() < 0.3):
        way = 1 if gx > x else 3
    else:
        way = 2 if gy > y else 0
    turn = (way - facing) % 4
    return STEPPING[turn] if luck.random() < 0.7 else (1, 6, 6, 5)[turn]


def record(name: str, steps: int, seed: int) -> list[Recording]:
    """Episodes of at least ``steps`` steps of each variant."""
    recordings: list[Recording] = []
    for number, variant in enumerate(VARIANTS[name]):
        engine = CommonsEngine(name, 1000 * seed + 100 * number, variant)
        done = 0
        while done < steps:
            recordings.append(record_episode(name, engine, number, steps - done, seed + len(recordings)))
            done += recordings[-1].steps
    return recordings


def record_episode(name: str, engine: CommonsEngine, variant: int, most: int, seed: int) -> Recording:
    """One episode, to its end or ``most`` steps."""
    luck = random.Random(seed)
    engine.reset()
    noises = [luck.choice((0.05, 0.2, 0.5)) for _ in range(engine.players)]
    angers = [luck.choice((0.0, 0.05, 0.3)) for _ in range(engine.players)]
    looks = [Look(engine, name)]
    actions: list[list[int]] = []
    going = True
    while going and len(actions) < most:
        chosen = [
            act(looks[-1], i, luck, len(engine.actions), noises[i], angers[i]) for i in range(engine.players)
        ]
        actions.append(chosen)
        going = engine.step(chosen)
        looks.append(Look(engine, name))
    height, width = looks[0].things.shape
    rows: dict[str, Any] = {
        key: np.stack([getattr(look, key) for look in looks])
        for key in ("poses", "alive", "rewards", "vectors", "things", "beams", "pictures")
    }
    for key in ("things", "beams"):
        rows[key] = rows[key].reshape(len(looks), height * width)
    layers = {kind: layer for look in looks for kind, layer in look.beam_layers.items()}
    lines = [line.ljust(width).encode() for line in engine.drawing.split("\n")]
    return Recording(
        variant=variant,
        drawing=np.array([list(line) for line in lines], np.uint8),
        actions=np.array(actions, np.uint8),
        tide=looks[0].tide.ravel(),
        colours=np.array(find_colours(engine), np.uint8),
        washing_above=layers.get(2, 0) > layers.get(1, 99),
        over=not going and len(actions) < engine.settings.maxEpisodeLengthFrames,
        **rows,
    )


def find_colours(engine: CommonsEngine) -> list[int]:
    """The colours of the players' coins, none where there are no coins."""
    parts = [part for thing in engine.settings.simulation.gameObjects for part in thing["components"]]
    kinds = [part["kwargs"]["coinType"] for part in parts if part["component"] == "PlayerCoinType"]
    return [COLOURS.index(kind.removeprefix("coin_")) for kind in kinds]


def main() -> None:
    """Writes one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(CONFIGS))
    parser.add_argument("file", type=Path)
    parser.add_argument("--steps", type=int, default=3000, help="of each variant")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    recordings = record(given.name, given.steps, given.seed)
    save(recordings, given.file)
    steps = sum(recording.steps for recording in recordings)
    print(f"{given.file.name}: {len(recordings)} episodes, {steps} steps, {given.file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
