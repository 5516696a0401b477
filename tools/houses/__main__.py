"""``python -m tools.houses DATA OUT``: makes every house of the catalogue and writes its scene.

DATA is the folder with the two data files (see ``data.py``), OUT the folder for ``NAME.json.gz`` and
``SOURCES.md``.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path

import msgspec
from tools.houses.catalogue import houses

from otherminds.core.errors import TaskError
from otherminds.household.scenes.load import SUFFIX
from otherminds.household.scenes.scene import Scene

_SOURCES = """# Sources of the scenes

`python -m tools.houses DATA OUT` creates these files from two data files. `tools/houses/compact.py`
creates the data files from two archives of the Python Package Index. The field `source` of each scene names its sources.

| | `stitched_*` | `inventory_*`, and the objects in the hallways of `stitched_*` |
|---|---|---|
| from | AI2-THOR's rooms (iTHOR) | BEHAVIOR |
| archive | the wheel `procthor` 0.0.1.dev2 | the sdist `bddl` 3.6.0 |
| files | `procthor/databases/ai2thor-object-metadata.json` | `bddl/generated_data/combined_room_object_list.json`, `bddl/generated_data/object_inventory.json` |
| what is used | types, boxes and places of furniture and objects, room by room | names of rooms, counts of furniture, sizes of models |
| licence | Apache License, Version 2.0, by the file `LICENSE` in the wheel (its metadata field says UNKNOWN) | MIT License, by the file `LICENSE` in the sdist |
| copyright notice there | Copyright 2022 Allen Institute for AI | Copyright (c) 2021 Stanford Vision and Learning Lab |

## AI2-THOR's rooms: Apache-2.0

Copyright 2022 Allen Institute for AI. Licensed under the Apache License, Version 2.0
(<https://www.apache.org/licenses/LICENSE-2.0>). The parts derived from these rooms remain under that licence. Section 4 of the licence
requires that anyone who redistributes such files includes the licence, keeps the notices, and states that the files were changed. The
wheel contains no file `NOTICE`.

Changed: lengths are rounded; rooms are rotated and joined along a hallway; types are renamed and grouped; countertops are
solid; furniture that agents cannot reach and some objects are removed; some objects are moved.

## BEHAVIOR's inventories: MIT

Changed: the inventories contain neither positions nor floor plans. Both are generated here. A room that would be too full has fewer
pieces, and closets that are empty in the inventory have cupboards. The parts derived from the inventories are under this notice:

> MIT License
>
> Copyright (c) 2021 Stanford Vision and Learning Lab
>
> Permission is hereby granted, free of charge, to any person obtaining a copy
> of this software and associated documentation files (the "Software"), to deal
> in the Software without restriction, including without limitation the rights
> to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
> copies of the Software, and to permit persons to whom the Software is
> furnished to do so, subject to the following conditions:
>
> The above copyright notice and this permission notice shall be included in all
> copies or substantial portions of the Software.
>
> THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
> IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
> FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
> AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
> LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
> OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
> SOFTWARE.

## The scenes

| scene | rooms | furniture | opens | objects |
|---|---|---|---|---|
"""


def main() -> None:
    """Writes all scenes and their sources; ends with the fault in one line if the data cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m tools.houses", description="Makes the houses.")
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
