"""Whether ours are the engine's pictures: every window and the whole map of recorded frames of the matrix substrates.

    python -m tools.melting_pot.pictures FOLDER/frames_*.npz --cut tests/data/melting_pot

Runs in the library's Python; exit code 1 if any pixel differs. With ``--cut``, the first frames with something new to see
are written there, for the tests.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from tests.gridworlds.in_the_matrix.staging import drawn, staged

from otherminds.gridworlds.grid.pixels import picture
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES, Rules
from otherminds.gridworlds.in_the_matrix.views import world

Film = Mapping[str, np.ndarray]


def differences(rules: Rules, film: Film) -> int:
    """The pictures in which any pixel is another."""
    wrong = 0
    for t in range(len(film["world"])):
        state = staged(rules, film, t)
        wrong += bool((world(rules, state, 0) != picture(film["tiles"], film["world"][t])).any())
        ours = drawn(rules, state)[0]
        wrong += sum(
            bool((ours[player] != picture(film["tiles"], film["windows"][t, player])).any())
            for player in range(rules.players)
        )
    return wrong


def cut(film: Film, most: int) -> dict[str, np.ndarray]:
    """The first frames in which some avatar faces and is marked, or some tile stands where it stood in none before."""
    kept: list[int] = []
    before: set[tuple[object, ...]] = set()
    for t in range(len(film["world"])):
        sights = {(i, *row[2:].tolist()) for i, row in enumerate(film["avatars"][t])}
        sights |= {
            (i, "tile", tile) for i, window in enumerate(film["windows"][t]) for tile in np.unique(window)
        }
        if sights - before and len(kept) < most:
            kept.append(t)
            before |= sights
    rows = {name: array[kept] for name, array in film.items() if name != "tiles"}
    numbers = np.unique(np.concatenate([rows["world"].ravel(), rows["windows"].ravel()]))
    for name in ("world", "windows"):
        rows[name] = np.searchsorted(numbers, rows[name]).astype(np.uint16)
    return {**rows, "tiles": film["tiles"][numbers]}


def main() -> None:
    """Compares all files named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--cut", type=Path)
    parser.add_argument("--most", type=int, default=150)
    options = parser.parse_args()
    total = 0
    for path in options.files:
        with np.load(path) as file:
            film = {key: file[key] for key in file.files}
        rules = SUBSTRATES[path.stem.removeprefix("frames_")]
        wrong = differences(rules, film)
        total += wrong
        print(
            f"| {rules.name} | {len(film['world'])} | {len(film['world']) * (rules.players + 1)} | {wrong} |"
        )
        if options.cut:
            np.savez_compressed(options.cut / path.name, **cut(film, options.most))
    sys.exit(bool(total))


if __name__ == "__main__":
    main()
