"""Pictures of the household a second, on one core, without a graphics card.

In shipped scenes with all agents at their spawns: what an agent sees, the house from above,
and which pixel is what, at 640 x 480 and 320 x 240, in MuJoCo. For every picture doors, objects and
agents are set anew. The sizes take turns within each batch, so that both meet the same
noise; ratios are medians of batch ratios. Beside them the map as SVG.

Needs the extra ``3d``, and EGL or OSMesa.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import cycle
from statistics import median
from time import perf_counter

from common import arguments, finish, show

from otherminds.household.household_3d import Size, Studio
from otherminds.household.reports.map import map_svg
from otherminds.household.reports.state import MapState, at_start
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Scene

SIZES: tuple[Size, ...] = ((640, 480), (320, 240))
BATCHES, PICTURES, MAPS = 7, 40, 5
KINDS = ("an agent's view", "from above", "an agent's view, segmented")


def rate(made: Callable[[], object], times: int) -> float:
    """How often a second something is made."""
    begun = perf_counter()
    for _ in range(times):
        made()
    return times / (perf_counter() - begun)


def maker(studio: Studio, kind: str, state: MapState) -> Callable[[], object]:
    """Makes one picture of a kind, of each agent in turn."""
    agents = cycle(state.agents)

    def picture() -> object:
        studio.show(state)
        if kind == "from above":
            return studio.picture()
        return studio.picture(next(agents)) if "segmented" not in kind else studio.segmentation(next(agents))

    return picture


def rates(scene: Scene) -> dict[tuple[str, Size], list[float]]:
    """Pictures a second of each kind and size, a figure for each batch."""
    state = at_start(scene, agents=True)
    found: dict[tuple[str, Size], list[float]] = {(kind, size): [] for kind in KINDS for size in SIZES}
    for kind in KINDS:
        # One studio at a time: each has a drawing context of its own.
        for _ in range(BATCHES):
            for size in SIZES:
                with Studio(scene, tuple(state.agents), size) as studio:
                    picture = maker(studio, kind, state)
                    picture()
                    found[kind, size].append(rate(picture, PICTURES))
    return found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--scenes", type=int, default=3, help="how many scenes, spread over all (default 3)")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    names = shipped_scenes()
    chosen = [load_scene(name) for name in names[:: len(names) // options.scenes][: options.scenes]]
    measured = [rates(scene) for scene in chosen]
    large, small = SIZES
    rows: list[list[object]] = []
    figures: dict[str, dict[str, object]] = {}
    for kind in KINDS:
        by_size = {size: [x for found in measured for x in found[kind, size]] for size in SIZES}
        ratio = median(a / b for a, b in zip(by_size[small], by_size[large], strict=True))
        shown = [f"{median(by_size[size]):.0f}" for size in SIZES]
        rows.append([kind, *shown, f"{ratio:.2f}"])
        for size, text in zip(SIZES, shown, strict=True):
            figures[f"{kind}, {size[0]}x{size[1]}"] = {"value": float(text), "unit": "pictures/s"}
        figures[f"{kind}, ratio"] = {"value": ratio, "unit": "times"}
    heads = [f"{wide} x {high}" for wide, high in SIZES]
    title = f"Pictures a second, {len(chosen)} scenes, MUJOCO_GL={os.environ.get('MUJOCO_GL')}"
    show(title, ["picture", *heads, "median ratio"], rows)
    maps = [
        rate(lambda scene=scene: map_svg(scene, at_start(scene, agents=True)), MAPS)
        for scene in chosen
        for _ in range(BATCHES)
    ]
    print(f"map as SVG: {median(maps):.0f} a second")
    figures["map as SVG"] = {"value": median(maps), "unit": "maps/s"}
    finish(options, figures, ["mujoco"])


if __name__ == "__main__":
    main()
