"""Records what the real substrates show: every picture, and beside it what stands in each cell.

    python -m tools.melting_pot.frames rws-repeated-v1 tests/data/melting_pot/frames_rws-repeated-v1.npz

Runs in the engine's own Python (see README.md). Players are driven by a simple greedy
policy with noise, so that all there is to see is seen: duels with every result, beams,
respawns, pots at every stage. The engine does not repeat itself exactly under a seed, so
now and then something rare is missing, which the tests of the pictures tell.

Pictures are kept whole: a table of the different 8 x 8 tiles that occur, and for each
picture the number of the tile in each cell.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections import deque
from pathlib import Path

import numpy as np
from tools.melting_pot.engine import CONFIGS, Engine

TILE = 8
DX, DY = (0, 1, 0, -1), (-1, 0, 1, 0)
MARKS = ("Ready", *(f"ResultIndicatorColor{n}" for n in range(1, 6)))
ITEMS = ("empty", "tomato", "dish", "soup")
AFTER = "  observations[#observations + 1] = spec\n"
LAYERS = """
  local wholeMap = worldLayerView:observationSpec('WORLD.LAYER')
  wholeMap.func = function(grid) return worldLayerView:observation{grid = grid} end
  observations[#observations + 1] = wholeMap
  observations[#observations + 1] = {
      name = 'WORLD.SPRITES', type = 'String', shape = {0},
      func = function() return table.concat(world:spriteNames(), ' ') end
  }
"""
"""Two observations that the engine does not offer: the sprites of the whole map, and their names."""


def reveal(engine: Engine, folder: Path) -> None:
    """Lets ``engine`` observe WORLD.LAYER and WORLD.SPRITES, by a copy of its rules in ``folder``."""
    root = Path(engine.plain["levelDirectory"])
    shutil.copytree(root / "meltingpot" / "lua", folder / "meltingpot" / "lua")
    script = folder / "meltingpot" / "lua" / "modules" / "base_simulation.lua"
    before, found, rest = script.read_text().partition(AFTER)
    if not found:
        raise ValueError(f"{script.name} is not that of Melting Pot 2.4.1")
    script.write_text(before + found + LAYERS + rest)
    engine.plain["levelDirectory"] = str(folder)


class Tiles:
    """The different tiles met so far."""

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {}

    def cut(self, picture: np.ndarray) -> np.ndarray:
        """The numbers of the tiles of ``picture``, uint16[rows, columns]."""
        rows, columns = picture.shape[0] // TILE, picture.shape[1] // TILE
        cut = picture.reshape(rows, TILE, columns, TILE, 3).swapaxes(1, 2).reshape(rows * columns, -1)
        numbers = [self.numbers.setdefault(tile.tobytes(), len(self.numbers)) for tile in cut]
        return np.array(numbers, np.uint16).reshape(rows, columns)

    def table(self) -> np.ndarray:
        """uint8[number, 8, 8, 3]."""
        flat = np.frombuffer(b"".join(self.numbers), np.uint8)
        return flat.reshape(-1, TILE, TILE, 3)


class Cells:
    """What stands in each cell of the whole map, by the names of the engine's sprites."""

    def __init__(self, engine: Engine) -> None:
        self.names = bytes(engine.lab.observation("WORLD.SPRITES")).decode().split(" ")
        self.layers = engine.see("WORLD.LAYER")
        self.width, self.height = engine.size

    def at(self, x: int, y: int) -> list[tuple[str, int]]:
        """The sprites in a cell from the lowest layer up, each with its orientation."""
        found = [self.names[number].rpartition(".") for number in self.layers[y, x] if number]
        return [(name, "NESW".index(way)) for name, _, way in found]

    def walk(self) -> list[tuple[int, int, list[tuple[str, int]]]]:
        """All cells, row by row."""
        return [(x, y, self.at(x, y)) for y in range(self.height) for x in range(self.width)]


def matrix_row(cells: Cells, engine: Engine) -> dict[str, np.ndarray]:
    """avatars int8[P, 5]: x, y, facing, alive, mark; shown int8[H, W]: 1 + class; beam uint8[H, W]."""
    avatars = np.zeros((engine.players, 5), np.int8)
    shown = np.zeros((cells.height, cells.width), np.int8)
    beam = np.zeros((cells.height, cells.width), np.uint8)
    # Who is removed sees nothing, not even itself; its position goes on moving.
    alive = [i for i in range(engine.players) if engine.see("RGB", i).any()]
    places = {tuple(engine.see("POSITION", i)): i for i in alive}
    for x, y, sprites in cells.walk():
        player = None
        for name, way in sprites:
            if name.startswith("resource_class"):
                shown[y, x] = int(name[14])
            elif name.startswith(("Avatar", "Other")):
                # All others look alike where a sprite map says so: the place tells who it is.
                player = int(name[6:]) - 1 if name.startswith("Avatar") else places[x, y]
                avatars[player] = (x, y, way, 1, 0)
            elif name == "BeamInteraction":
                beam[y, x] = 1
            elif name in MARKS:
                if player is None:
                    raise ValueError("a mark above nobody")
                avatars[player, 4] = 1 + MARKS.index(name)
            elif name != "Wall":
                raise ValueError(f"an unknown sprite {name}")
    return {"avatars": avatars, "shown": shown, "beam": beam}


def kitchen_row(cells: Cells, engine: Engine) -> dict[str, np.ndarray]:
    """avatars int8[P, 4]: x, y, facing, held; on, pot, bar int8[H, W]; beam uint16[H, W], a bit a player.

    ``on``: the item on a counter or dispenser; ``pot``: 1 + tomatoes, 5 cooked.
    """
    avatars = np.zeros((engine.players, 4), np.int8)
    shape = (cells.height, cells.width)
    on, pot, bar = (np.zeros(shape, np.int8) for _ in range(3))
    beam = np.zeros(shape, np.uint16)
    for x, y, sprites in cells.walk():
        player = None
        for name, way in sprites:
            if name.startswith("Avatar"):
                player = int(name[6:]) - 1
                avatars[player] = (x, y, way, 0)
            elif name.startswith("interact_"):
                beam[y, x] |= 1 << (int(name[-1]) - 1)
            elif name.startswith("loading_bar_") and way == 0:
                bar[y, x] = int(name[12:])
            elif name == "CookingPot_cooked":
                pot[y, x] = 5
            elif name.startswith("CookingPot"):
                pot[y, x] = 1 + name.count("tomato")
            elif name.removesuffix("_offset") in ITEMS:
                item = ITEMS.index(name.removesuffix("_offset"))
                if name.endswith("_offset") and player is not None:
                    avatars[player, 3] = item
                    if way != avatars[player, 2]:
                        raise ValueError("what is held is turned otherwise than who holds it")
                elif player is None and way == 0:
                    on[y, x] = item
                elif item:
                    raise ValueError("an item where none is expected")
            elif way or name not in ("counter", "delivery_location", "tomato_dispenser", "dish_dispenser"):
                raise ValueError(f"an unknown sprite {name}")
    return {"avatars": avatars, "on": on, "pot": pot, "bar": bar, "beam": beam}


def towards(free: np.ndarray, start: tuple[int, int], goals: set[tuple[int, int]]) -> int | None:
    """The orientation of the first step of a shortest way that ends in or before a goal; -1: at one already."""
    seen = {start}
    queue = deque([(start, -1)])
    while queue:
        (x, y), first = queue.popleft()
        if (x, y) in goals:
            return first
        for way in range(4):
            cell = (x + DX[way], y + DY[way])
            inside = 0 <= cell[1] < free.shape[0] and 0 <= cell[0] < free.shape[1]
            if inside and cell not in seen and (free[cell[1], cell[0]] or cell in goals):
                seen.add(cell)
                queue.append((cell, way if first < 0 else first))
    return None


def act(facing: int, way: int | None, fire: bool) -> int:
    """Turn to ``way``; once facing it, go there or fire."""
    if way is None or way < 0:
        return 0
    turn = (way - facing) % 4
    return (7 if fire else 1) if turn == 0 else (5 if turn == 3 else 6)


def matrix_policy(engine: Engine, row: dict[str, np.ndarray], rng: np.random.Generator) -> list[int]:
    """Collect mostly one class, then chase the nearest other and fire; one action in five at random."""
    free = np.array([[char != "W" for char in line] for line in engine.drawing.split("\n")])
    actions = []
    for i, (x, y, facing, alive, _) in enumerate(row["avatars"].tolist()):
        others = {(a[0], a[1]) for j, a in enumerate(row["avatars"].tolist()) if j != i and a[3]}
        owned = engine.see("INVENTORY", i)
        enough = owned.sum() >= (12 if engine.players == 2 else 5 + 2 * i)
        # The class of which it has most, so that inventories are pure enough for the extreme results.
        class_ = 1 + int(owned.argmax()) if owned.max() > 1 else int(rng.integers(owned.size)) + 1
        things = {(int(c), int(r)) for r, c in np.argwhere(row["shown"] == class_)}
        near = bool(others) and min(abs(x - a) + abs(y - b) for a, b in others) <= 3
        if not alive or rng.random() < 0.2:
            actions.append(int(rng.integers(8)))
        else:
            clear = free & ((row["shown"] == 0) | (row["shown"] == class_))
            way = towards(free, (x, y), others) if enough else towards(clear, (x, y), things)
            actions.append(act(facing, way, near and enough))
    return actions


def kitchen_policy(engine: Engine, row: dict[str, np.ndarray], rng: np.random.Generator) -> list[int]:
    """Fill a pot, fetch a dish, take the soup and deliver it; now and then put what is held on a counter."""
    lines = engine.drawing.split("\n")
    free = np.array([[char in " P" for char in line] for line in lines])

    def where(chars: str) -> set[tuple[int, int]]:
        return {(x, y) for y, line in enumerate(lines) for x, char in enumerate(line) if char in chars}

    pots = {(int(x), int(y)): int(row["pot"][y, x]) for y, x in np.argwhere(row["pot"])}
    open_pots = {cell for cell, look in pots.items() if look < 4}
    ready = {cell for cell, look in pots.items() if look == 5}
    actions = []
    for x, y, facing, held in row["avatars"].tolist():
        if rng.random() < 0.3:
            actions.append(int(rng.integers(8)))
            continue
        goals = {
            0: where("O") if open_pots else where("D"),
            1: open_pots or where("#"),
            2: ready or set(pots),
            3: where("T"),
        }[held]
        if held and rng.random() < 0.1:
            goals = where("#")
        if not held and rng.random() < 0.1:
            goals = {(int(c), int(r)) for r, c in np.argwhere(row["on"])}
        way = towards(free, (x, y), goals)
        ahead = (x + DX[facing], y + DY[facing])
        actions.append(act(facing, way, way is not None and way == facing and ahead in goals))
    return actions


def record(name: str, frames: int, seed: int) -> dict[str, np.ndarray]:
    """The arrays of ``frames`` consecutive pictures, over as many episodes as that takes."""
    kitchen = name.startswith("cooking")
    read = kitchen_row if kitchen else matrix_row
    policy = kitchen_policy if kitchen else matrix_policy
    rng = np.random.default_rng(seed)
    tiles = Tiles()
    kept: dict[str, list[np.ndarray]] = {}
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(name, seed)
        reveal(engine, Path(folder))
        going = False
        row: dict[str, np.ndarray] = {}
        for _ in range(frames):
            if going:
                going = engine.step(policy(engine, row, rng))
            else:
                engine.reset()
                going = True
            row = read(Cells(engine), engine)
            row["world"] = tiles.cut(engine.see("WORLD.RGB"))
            row["windows"] = np.stack([tiles.cut(picture) for picture in engine.see_all("RGB")])
            for key, array in row.items():
                kept.setdefault(key, []).append(array)
    arrays = {key: np.stack(rows) for key, rows in kept.items()}
    return {**arrays, "tiles": tiles.table()}


def main() -> None:
    """Writes one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(CONFIGS))
    parser.add_argument("file", type=Path)
    parser.add_argument("--frames", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    np.savez_compressed(given.file, **record(given.name, given.frames, given.seed))


if __name__ == "__main__":
    main()
