"""Takes the sprites of the substrates out of the real engine's configuration.

    python -m tools.melting_pot.sprites src/otherminds/gridworlds/grid/sprites.npz

Runs in the engine's own Python (see README.md). Sprites are drawn there as text with a
palette; larger ones are made 8 x 8 as the engine does, by the mean of each 2 x 2 pixels
in each channel, opacity too, rounded down.
An array is uint8[..., 8, 8, 4]: red, green, blue, opacity. Where a sprite turns with
what it shows, four orientations (N, E, S, W) stand in the axis before.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tools.melting_pot.engine import CONFIGS, MATRIX, Engine

SIZE = 8
RESULTS = 5
COOKS = 9
BAR = 11
BEAM = (252, 252, 106, 255)
"""The default colour of the beam of the matrix games: no configuration names it."""


def drawn(text: str, palette: Mapping[str, Any]) -> np.ndarray:
    """One sprite from its drawing."""
    rows = text.strip("\n").split("\n")
    picture = np.array([[palette[char] for char in row if char != " "] for row in rows], np.uint8)
    step = len(rows) // SIZE
    blocks = picture.reshape(SIZE, step, SIZE, step, 4).astype(np.int64)
    return (blocks.sum((1, 3)) // step**2).astype(np.uint8)


def turned(picture: np.ndarray) -> np.ndarray:
    """The four orientations of a sprite, a quarter turn clockwise each."""
    return np.stack([np.rot90(picture, -quarter) for quarter in range(4)])


def drawings(kwargs: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, np.ndarray]]:
    """The named sprites of one component, uint8[4, 8, 8, 4]."""

    def field(name: str) -> Any:
        return kwargs[prefix + name[0].upper() + name[1:] if prefix else name]

    if kwargs.get("renderMode") != "ascii_shape":
        return
    turns = list(kwargs.get("customNoRotates" if prefix else "noRotates", ()))
    for i, name in enumerate(field("spriteNames")):
        shape, palette = field("spriteShapes")[i], field("palettes")[i]
        if not isinstance(shape, str):
            yield name, np.stack([drawn(text, palette) for text in shape])
        # A flag that is not given reads as an empty table in the engine, which counts as "does not turn".
        elif i < len(turns) and not turns[i]:
            yield name, turned(drawn(shape, palette))
        else:
            yield name, np.stack([drawn(shape, palette)] * 4)


def sprites(engine: Engine) -> dict[str, np.ndarray]:
    """All sprites of a substrate by their names there."""
    simulation = engine.settings.simulation
    found: dict[str, np.ndarray] = {}
    for thing in [*simulation.gameObjects, *simulation.prefabs.values()]:
        for part in thing["components"]:
            kwargs = part.get("kwargs", {})
            if part["component"] == "Appearance":
                found.update(drawings(kwargs, ""))
            elif part["component"] == "AdditionalSprites":
                found.update(drawings(kwargs, "custom"))
            elif part["component"] == "InteractBeam":
                touch = drawn(kwargs["shapes"][0], kwargs["palettes"][0])
                found[f"touch{sum(name.startswith('touch') for name in found) + 1}"] = np.stack([touch] * 4)
    return found


def still(sprite: np.ndarray) -> np.ndarray:
    """A sprite that looks the same in every orientation, uint8[8, 8, 4]."""
    if not (sprite == sprite[0]).all():
        raise ValueError("this sprite turns")
    return sprite[0]


def gathered() -> dict[str, np.ndarray]:
    """The arrays of the file."""
    found = {name: sprites(Engine(name, 1)) for name in CONFIGS}
    repeated, arena, dilemma, crowd, kitchen = (
        found[f"{name}-v1"]
        # Of the kitchens the one with most cooks.
        for name in ("rws-repeated", "rws-arena", "pd-repeated", "pd-arena", "cooking-crowded")
    )
    coordination, music = found["pure-coordination-repeated-v1"], found["bach-or-stravinsky-repeated-v1"]
    if any((found[name]["Wall"] != repeated["Wall"]).any() for name in MATRIX):
        raise ValueError("walls differ between substrates")
    nothing = np.zeros((SIZE, SIZE, 4), np.uint8)
    resources = [(repeated, 1), (repeated, 2), (repeated, 3), (dilemma, 1), (dilemma, 2)]
    resources += [(coordination, 1), (coordination, 2), (coordination, 3), (music, 1), (music, 2)]
    marks = ["Ready", *(f"ResultIndicatorColor{n}" for n in range(1, RESULTS + 1))]
    items = ("empty", "tomato", "dish", "soup")
    pots = ["CookingPot_" + "_".join(["tomato"] * n + ["empty"] * (3 - n)) for n in range(4)]
    return {
        "wall": repeated["Wall"],
        "beam": np.broadcast_to(np.array(BEAM, np.uint8), (SIZE, SIZE, 4)),
        "resources": np.stack([still(of[f"resource_class{n}_sprite"]) for of, n in resources]),
        "marks": np.stack([nothing, *(still(repeated[name]) for name in marks)]),
        "pair": np.stack([repeated["Self"], repeated["Other"]]),
        "crowd": np.stack([arena["Self"], *(arena[f"Avatar{n}"] for n in range(1, 9))]),
        "palette": np.stack([crowd["Self"], *(crowd[f"Avatar{n}"] for n in range(1, 9))]),
        "cooks": np.stack([kitchen["Self"], *(kitchen[f"Avatar{n}"] for n in range(1, COOKS + 1))]),
        "touches": np.stack([still(kitchen[f"touch{n}"]) for n in range(1, COOKS + 1)]),
        "counter": still(kitchen["counter"]),
        "delivery": still(kitchen["delivery_location"]),
        "dispensers": np.stack([still(kitchen[f"{item}_dispenser"]) for item in ("tomato", "dish")]),
        "pots": np.stack([still(kitchen[name]) for name in (*pots, "CookingPot_cooked")]),
        "bars": np.stack([still(kitchen[f"loading_bar_{n}"]) for n in range(BAR)]),
        "items": np.stack([still(kitchen[item]) for item in items]),
        "held": np.stack([still(kitchen[item + "_offset"]) for item in items]),
    }


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    np.savez_compressed(parser.parse_args().file, **gathered())


if __name__ == "__main__":
    main()
