"""An episode as one HTML page: played on its map, or its rounds beside what minds thought where there is no map.

The frames travel as differences from step to step, packed; the browser unpacks them,
looks windows up in the map as :meth:`.scenes.Stage.window` does, and draws.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import asdict
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from otherminds.core.data import Encounter, Seat
from otherminds.core.record import Asked, Record
from otherminds.measures.hypothesis_tracks import HypothesisNote
from otherminds.measures.seats import ego
from otherminds.reports.replay.again import GridReplay
from otherminds.reports.replay.minds import ended, minds, skills, story, trains, used_thought, words
from otherminds.reports.replay.scenes import TILE_ROW, Stage, sheet
from otherminds.reports.replay.standalone import PageKind, standalone

SPEED = 10.0
"""Steps a second."""
SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200)
"""The choices of steps a second."""
REPLAY = PageKind("replay/replay.html", ("replay.js", "timeline.js", "stops.js"))
ROUNDS_SPEED = 1.4
"""Rounds a second."""
ROUNDS = PageKind("replay/rounds.html", ("rounds.js",))


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
        "things": [asdict(thing) for thing in stage.things],
        "most": stage.most,
        "states": stage.states,
        "actions": [name.lower().replace("_", " ") for name in stage.actions],
    }


def as_rounds_page(record: Record) -> str:
    """The page of an episode without a map: its rounds, and what minds thought and were asked."""
    spec = record.spec
    who = ", ".join(f"{seat}: {sitter.title}" for seat, sitter in spec.seats.items())
    about = f"{who}; {len(record.actions)} rounds, {ended(record)}; episode {spec.hash}"
    return standalone(ROUNDS, record, about, {}, {"story": _rounds_story(record)})


def _rounds_story(record: Record) -> dict[str, Any]:
    """The rounds as the mind under test knows them, what it predicted, and what minds thought, as JSON.

    The predictions are those of noted hypotheses; without notes, the answers to questions about others.
    """
    mine, streams = ego(record), trains(record)
    answers: dict[tuple[Seat, Seat], dict[int, Asked]] = {}
    for asked in () if streams else record.asked:
        question = record.questions[asked.question]
        answers.setdefault((question.seat, question.about), {})[asked.step] = asked
    rounds: list[dict[str, Any]] = []
    total = 0.0
    for encounter in record.met.get(mine) or _steps(record, mine):
        total += encounter.reward
        told = [_said(stream, partner, encounter) for (_, partner), stream in streams.items()]
        told += [_answered(found.get(encounter.step)) for found in answers.values()]
        rounds.append(
            {
                "step": encounter.step,
                "did": [" or ".join(encounter.did.get(seat, ())) for seat in record.seats],
                "reward": encounter.reward,
                "total": total,
                "said": told,
            }
        )
    return {
        "first": 0,
        "last": len(record.actions),
        "speed": ROUNDS_SPEED,
        "unit": "round",
        "seats": list(record.seats),
        "predicted": [f"{seat} predicted" for seat, _ in streams]
        + [f"{seat} said of {about}" if about else f"{seat} said" for seat, about in answers],
        "rounds": rounds,
        "minds": minds(record),
    }


def _steps(record: Record, mine: Seat) -> list[Encounter]:
    """The steps of a world without encounters, with the actions of every seat."""
    seat = record.seats.index(mine)
    return [
        Encounter(
            step, {name: (str(done),) for name, done in zip(record.seats, row, strict=True)}, paid[seat]
        )
        for step, (row, paid) in enumerate(zip(record.actions, record.rewards, strict=False))
    ]


def _answered(asked: Asked | None) -> tuple[str | None, bool | None, bool]:
    """The answer to a question of a round, and whether it was right."""
    if asked is None:
        return None, None, False
    if asked.invalid is not None:
        return f"invalid: {asked.invalid.reason}", False, False
    return words(asked.answer), None if asked.truth is None else asked.answer == asked.truth, False


def _said(
    stream: list[HypothesisNote], partner: Seat, encounter: Encounter
) -> tuple[str | None, bool | None, bool]:
    """The prediction of the hypothesis in use for an encounter, whether it was right, whether it was validated."""
    thought = used_thought(stream, encounter.step)
    if thought is None:
        return None, None, False
    thinking, used = thought
    did = encounter.did.get(partner, ())
    right = used.predicts == did[0] if len(did) == 1 else None
    return words(used.predicts), right, thinking.validated == thinking.used
