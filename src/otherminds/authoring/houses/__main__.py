"""``python -m otherminds.authoring.houses DATA OUT``: makes every house of the catalogue and writes its scene.

DATA is the folder with the two data files (see ``data.py``), OUT the folder for ``NAME.json.gz`` and
``SOURCES.md``.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path

import msgspec

from otherminds.authoring.houses.catalogue import houses
from otherminds.core.errors import TaskError
from otherminds.worlds.household.scenes.load import SUFFIX
from otherminds.worlds.household.scenes.scene import Scene

_SOURCES = """# Where the scenes come from

`python -m otherminds.authoring.houses DATA OUT` makes these files from two data files; each scene names its own sources in
its field `source`.

| scenes | from | what is taken | licence as stated there |
|---|---|---|---|
| `stitched_*` | AI2-THOR's iTHOR rooms, as in the wheel `procthor` 0.0.1.dev2, file `procthor/databases/ai2thor-object-metadata.json` | types, boxes and places of furniture and objects, room by room | Apache-2.0 (the wheel's LICENSE file; its metadata field says UNKNOWN) |
| `inventory_*` (and the objects in the hallways of `stitched_*`) | BEHAVIOR, as in the sdist `bddl` 3.6.0 | names of rooms, counts of furniture, sizes of models | MIT |

Changed: AI2-THOR's rooms are turned and joined along a hallway, their types renamed and grouped, countertops made solid,
furniture that nobody can get to left out, some objects left out or moved. BEHAVIOR's inventories hold neither places nor floor
plans: both are generated here, with fewer pieces where a room would be too full and cupboards in closets that are empty there.

| scene | rooms | furniture | opens | objects |
|---|---|---|---|---|
"""


def main() -> None:
    """Writes all scenes and their sources; ends with the fault in one line if the data cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m otherminds.authoring.houses", description="Makes the houses."
    )
    parser.add_argument("data", type=Path, help="the folder with the two data files")
    parser.add_argument("out", type=Path, help="the folder to write to")
    asked = parser.parse_args()
    try:
        write(asked.data, asked.out)
    except TaskError as error:
        sys.exit(str(error))


def write(data: Path, out: Path) -> None:
    """Writes every house made from the folder ``data`` into the folder ``out``, and says so line by line."""
    out.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    for scene in houses(data):
        (out / f"{scene.scene_id}{SUFFIX}").write_bytes(encode(scene))
        lines.append(
            f"| `{scene.scene_id}` | {len(scene.rooms)} | {len(scene.furniture)} | "
            f"{len(scene.articulated_furniture)} | {len(scene.objects)} |\n"
        )
        print(lines[-1].strip())
    (out / "SOURCES.md").write_text(_SOURCES + "".join(lines), encoding="utf-8")


def encode(scene: Scene) -> bytes:
    """The bytes of a scene file, the same for the same scene."""
    return gzip.compress(msgspec.json.encode(scene), 9, mtime=0)


if __name__ == "__main__":
    main()
