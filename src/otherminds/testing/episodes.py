"""Whole episodes for the kit: a spec for each seed, played through the one loop."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping

import msgspec

from otherminds.core.contracts import Mind, Model
from otherminds.core.data import Seat
from otherminds.core.record import EpisodeSpec, Record, SeatSpec, encode
from otherminds.core.scenario import Scenario
from otherminds.play.loop import play, play_now

UNDER_TEST = SeatSpec("under_test")


def others(scenario: Scenario) -> tuple[Seat, ...]:
    """The seats that the population fills, in order."""
    return tuple(seat for seat in scenario.world().possible_agents if seat not in scenario.focal)


def spec_of(
    scenario: Scenario,
    seed: int,
    grants: Iterable[str] = (),
    ask: bool = True,
    members: tuple[SeatSpec, ...] | None = None,
) -> EpisodeSpec:
    """The episode of ``seed``: it meets whose turn it is, or ``members``."""
    if members is None:
        members = scenario.population.meet(seed + 1)[seed]
    met = dict(zip(others(scenario), members, strict=True))
    needs = {seat: scenario.needs(member, seat) for seat, member in met.items()}
    return EpisodeSpec(
        scenario=scenario.id,
        seats={**dict.fromkeys(scenario.focal, UNDER_TEST), **met},
        seed=seed,
        grants={
            **dict.fromkeys(scenario.focal, tuple(sorted(grants))),
            **{seat: names for seat, names in needs.items() if names},
        },
        ask=ask,
    )


def played(
    spec: EpisodeSpec,
    scenario: Scenario,
    minds: Mapping[Seat, Mind],
    models: Mapping[Seat, Model] | None = None,
) -> Record:
    """The record of one episode; in an event loop only where a mind suspends."""
    if any(mind.suspends for mind in minds.values()):
        return asyncio.run(play(spec, scenario, minds, models))[0]
    return play_now(spec, scenario, minds, models)[0]


def body(record: Record) -> list[str]:
    """A record as lines to compare, without its spec."""
    return re.split(r"(?<=,)", encode(msgspec.structs.replace(record, spec=None)).decode())


def deeds(record: Record) -> list[bytes]:
    """What was done and what it brought, step by step."""
    return [*map(encode, zip(record.actions, record.rewards, strict=True)), *map(encode, record.choices)]
