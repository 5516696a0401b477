"""An episode as one HTML page, played on its map.

The frames travel as differences from step to step, packed; the browser unpacks them,
looks windows up in the map as :meth:`.scenes.Stage.window` does, and draws.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rich.table import Table

from otherminds.core.record import Record
from otherminds.core.scenario import World
from otherminds.gridworlds.replay.scenes import (
    SPEED,
    TILE_ROW,
    GridReplay,
    Stage,
    again,
    find_scenery,
    sheet,
    skills,
)
from otherminds.reports.markup import PageKind, standalone
from otherminds.reports.replay.general import GENERAL
from otherminds.reports.replay.replays import Playback, ended, minds, replays, story

SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200)
"""The choices of steps a second."""
PACKAGE = "otherminds.gridworlds.replay"
REPLAY = PageKind(f"{PACKAGE}:replay.html", (f"{PACKAGE}:replay.js", "timeline.js", "stops.js"))


def as_page(replay: GridReplay, speed: float = SPEED) -> str:
    """The page, which starts at ``speed`` steps a second."""
    return standalone(
        REPLAY,
        replay.record,
        _about(replay),
        {
            "fault": replay.fault,
            "unit": "step",
            "stop": replay.stage.stop,
            "speeds": sorted({*SPEEDS, speed}),
            "speed": speed,
        },
        {
            "story": _story(replay, speed),
            "frames": b"".join(map(changes, _arrays(replay).values())),
        },
    )


def changes(frames: NDArray[np.integer]) -> bytes:
    """Integers [frames, ...] as little-endian bytes, each frame but the first as what differs from the one before."""
    changed = frames.copy()
    changed[1:] ^= frames[:-1]
    return changed.astype(frames.dtype.newbyteorder("<")).tobytes()


def _about(replay: GridReplay) -> str:
    record = replay.record
    how = "departs from the record" if replay.fault else "replayed, with the recorded rewards"
    ids = f"episode {record.spec.hash}, body {record.hash[:16]}"
    return f"{len(record.actions)} steps, {ended(record)}; {ids}; {how}"


def _arrays(replay: GridReplay) -> dict[str, NDArray[np.integer]]:
    actions = np.array(replay.record.actions, np.uint8).reshape(-1, len(replay.record.seats))
    return {**replay.frames.arrays(), "actions": actions[replay.first : replay.last]}


def _story(replay: GridReplay, speed: float) -> dict[str, Any]:
    """Everything but the frames, as JSON."""
    record, stage = replay.record, replay.stage
    totals = replay.totals
    paid = np.flatnonzero(np.diff(totals, axis=0).any(axis=1))
    return {
        "first": replay.first,
        "last": replay.last,
        "speed": speed,
        "seats": [
            {
                "name": seat,
                "mind": record.spec.seats[seat].title,
                "colour": colour,
                "grants": list(record.spec.grants.get(seat, ())),
            }
            for seat, colour in zip(record.seats, stage.colours, strict=True)
        ],
        "arrays": [
            {"name": name, "type": str(array.dtype), "shape": array.shape}
            for name, array in _arrays(replay).items()
        ],
        "stage": _stage(stage),
        "totals": [[0, totals[0].tolist()], *([int(i) + 1, totals[i + 1].tolist()] for i in paid)],
        "happenings": [asdict(happening) for happening in replay.happenings],
        "skills": list(skills(replay)),
        "minds": minds(record),
        "log": story(replay),
    }


def _stage(stage: Stage) -> dict[str, Any]:
    view, png = stage.view, BytesIO()
    Image.fromarray(sheet(stage.tiles)).save(png, "PNG", optimize=True)
    return {
        "size": stage.size,
        "view": [view.left, view.right, view.forward, view.backward],
        "tiles": "data:image/png;base64," + b64encode(png.getvalue()).decode(),
        "across": TILE_ROW,
        "looks": stage.looks,
        "things": [asdict(kind) for kind in stage.things],
        "most": stage.most,
        "states": stage.states,
        "actions": [name.lower().replace("_", " ") for name in stage.actions],
    }


class MapReplay:
    """Worlds with a map, whose sceneries are registered."""

    def shows(self, record: Record, world: World | None) -> bool:
        return world is not None and find_scenery(world) is not None

    def text(self, record: Record) -> Iterator[str | Table]:
        return GENERAL.text(record)

    def play(self, record: Record) -> Playback:
        return _playback(again(record))


def _playback(grid_replay: GridReplay) -> Playback:
    """What is written of ``grid_replay``; films are drawn only on request."""

    def page(speed: float | None) -> str:
        return as_page(grid_replay, speed or SPEED)

    def film(path: Path, speed: float | None) -> None:
        from otherminds.gridworlds.replay.film import write_film

        write_film(grid_replay, path, speed or SPEED)

    def cut(first: int | None, last: int | None) -> Playback:
        first = grid_replay.first if first is None else first
        return _playback(grid_replay.cut(first, grid_replay.last if last is None else last))

    return Playback(page, grid_replay.fault, film, cut)


replays.add("gridworlds", MapReplay())
