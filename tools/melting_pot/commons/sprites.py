"""Takes the sprites of Coins, Commons Harvest and Clean Up out of the real engine's configuration.

    python -m tools.melting_pot.commons.sprites src/otherminds/gridworlds/commons/sprites.npz

Runs in the engine's own Python. An array is uint8[kinds, 4, 8, 8, 4]: orientations N, E, S, W; red, green, blue, opacity.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from tools.melting_pot.commons.engine import CommonsEngine
from tools.melting_pot.commons.engine_variants import Variant
from tools.melting_pot.sprites import drawn, sprites, turned

COLOURS = ("red", "blue", "yellow", "green", "purple")
ZAP, CLEAN = (252, 252, 106, 255), (99, 223, 242, 175)
"""The colours of the beams, which no configuration names."""
DIRT = (2, 245, 80, 50)


def plain(colour: tuple[int, ...]) -> np.ndarray:
    """A sprite of one colour, uint8[4, 8, 8, 4]."""
    return np.broadcast_to(np.array(colour, np.uint8), (4, 8, 8, 4))


def gathered() -> dict[str, np.ndarray]:
    """The arrays of the file."""
    coins = CommonsEngine("coins-v1", 1, Variant())
    harvest = sprites(CommonsEngine("harvest-open-v1", 1, Variant()))
    orchard = sprites(CommonsEngine("clean-up-v1", 1, Variant()))
    shapes = coins._module.shapes
    palettes = [coins._module.COIN_PALETTES[f"coin_{colour}"] for colour in COLOURS]
    people = ["Avatar" + str(n) for n in range(1, 8)]
    if (harvest["Wall"] != orchard["Wall"]).any():
        raise ValueError("walls differ between substrates")
    pictures = {
        "coins": [turned(drawn(shapes.COIN, palette)) for palette in palettes],
        "coloured": [np.stack([drawn(way, palette) for way in shapes.CUTE_AVATAR]) for palette in palettes],
        "harvesters": [harvest[name] for name in (*people, "Self")],
        "cleaners": [orchard[name] for name in (*people, "Self")],
        "beams": [plain(ZAP), plain(CLEAN)],
        "upright_wall": [sprites(coins)["Wall"]],
        "wall": [harvest["Wall"]],
        "floor": [harvest["Floor"]],
        "grass": [harvest["Grass"]],
        "apple": [harvest["Apple"]],
        "sand": [orchard["Sand"]],
        "lawn": [orchard["Grass"]],
        "edge": [orchard["GrassEdge"]],
        "shadow_w": [orchard["ShadowW"]],
        "shadow_e": [orchard["ShadowE"]],
        "shadow_n": [orchard["ShadowN"]],
        "fruit": [orchard["Apple"]],
        "dirt": [plain(DIRT)],
        "water": [turned(orchard[f"water_{n}"][0]) for n in range(1, 5)],
    }
    return {name: np.stack(kinds) for name, kinds in pictures.items()}


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    np.savez_compressed(parser.parse_args().file, **gathered())  # pyright: ignore[reportArgumentType]


if __name__ == "__main__":
    main()
