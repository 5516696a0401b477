"""An episode in a world with a map as one HTML page.

The frames travel as differences from step to step, packed; the browser unpacks them,
looks windows up in the map as :meth:`.scenes.Stage.window` does, and draws.
"""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import asdict
from html import escape
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from otherminds.reports.replay.again import Reel
from otherminds.reports.replay.minds import minds
from otherminds.reports.replay.scenes import TILE_ROW, Stage, sheet
from otherminds.reports.replay.standalone import Kind, controls, ended, standalone
from otherminds.reports.replay.story import log, skills

SPEED = 10.0
"""Steps a second."""
SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200)
"""Steps a second that one may choose."""
REPLAY = Kind(
    "replay",
    (
        "replay_data.js",
        "replay_map.js",
        "heads.js",
        "replay_seats.js",
        "replay_time.js",
        "line.js",
        "steering.js",
        "log.js",
    ),
)


def as_page(reel: Reel, speed: float = SPEED) -> str:
    """The page, which starts at ``speed`` steps a second."""
    stop = reel.stage.stop
    return standalone(
        REPLAY,
        reel.record,
        _about(reel),
        {
            "fault": escape(reel.fault),
            "controls": controls("step", stop, SPEEDS, speed),
            "stop": escape(stop),
        },
        {
            "story": json.dumps(_story(reel, speed), default=_plain).encode(),
            "frames": b"".join(map(changes, _arrays(reel).values())),
        },
    )


def changes(frames: NDArray[np.integer]) -> bytes:
    """Integers [frames, ...] as little-endian bytes, each frame but the first as what differs from the one before."""
    changed = frames.copy()
    changed[1:] ^= frames[:-1]
    return changed.astype(frames.dtype.newbyteorder("<")).tobytes()


def _about(reel: Reel) -> str:
    record = reel.record
    return (
        f"{len(record.actions)} steps, {ended(record)}; episode {record.spec.hash}, body {record.hash[:16]}; "
        + ("departs from the record" if reel.fault else "replayed, with the recorded rewards")
    )


def _arrays(reel: Reel) -> dict[str, NDArray[np.integer]]:
    actions = np.array(reel.record.actions, np.uint8).reshape(-1, len(reel.record.seats))
    return {
        "codes": reel.codes,
        "stands": reel.stands,
        "counts": reel.counts,
        "states": reel.states,
        "beams": reel.beams,
        "actions": actions[reel.first : reel.last],
    }


def _story(reel: Reel, speed: float) -> dict[str, Any]:
    """Everything but the frames, as JSON."""
    record, stage = reel.record, reel.stage
    totals = reel.totals
    paid = np.flatnonzero(np.diff(totals, axis=0).any(axis=1))
    return {
        "first": reel.first,
        "last": reel.last,
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
            for name, array in _arrays(reel).items()
        ],
        "stage": _stage(stage),
        "totals": [[0, totals[0].tolist()], *([int(i) + 1, totals[i + 1].tolist()] for i in paid)],
        "happenings": [asdict(happening) for happening in reel.happenings],
        "skills": list(skills(reel)),
        "minds": minds(record),
        "log": log(reel),
    }


def _stage(stage: Stage) -> dict[str, Any]:
    view = stage.view
    return {
        "size": stage.size,
        "view": [view.left, view.right, view.forward, view.backward],
        "tiles": "data:image/png;base64," + b64encode(_png(stage)).decode(),
        "across": TILE_ROW,
        "looks": stage.looks,
        "things": [asdict(thing) for thing in stage.things],
        "most": stage.most,
        "states": stage.states,
        "actions": [name.lower().replace("_", " ") for name in stage.actions],
    }


def _png(stage: Stage) -> bytes:
    out = BytesIO()
    Image.fromarray(sheet(stage.tiles)).save(out, "PNG", optimize=True)
    return out.getvalue()


def _plain(value: NDArray[np.integer]) -> Any:
    return value.tolist()
