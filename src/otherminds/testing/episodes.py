"""Whole episodes for the kit, played through the one loop."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import msgspec

from otherminds.core.encoding import encode
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario
from otherminds.core.seeds import stream
from otherminds.core.setup import Setup
from otherminds.play.loop import play, play_now


def played(setup: Setup) -> Record:
    """The record of one episode; in an event loop only where a mind suspends."""
    if any(who.mind.suspends for who in setup.participants.values()):
        return asyncio.run(play(setup))[0]
    return play_now(setup)[0]


def drawn(scenario: Scenario, seed: int) -> dict[str, Any]:
    """What chance draws in the episode of ``scenario`` under ``seed``, as play draws it."""
    return scenario.draw(stream(seed, "draw"))


def body(record: Record) -> list[str]:
    """A record as lines to compare, without its spec."""
    return re.split(r"(?<=,)", encode(msgspec.structs.replace(record, spec=None)).decode())


def deeds(record: Record) -> list[bytes]:
    """What was done and what it brought, step by step."""
    return [*map(encode, zip(record.actions, record.rewards, strict=True)), *map(encode, record.choices)]
