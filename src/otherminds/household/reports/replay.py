"""Replay of an episode of the household: states, beliefs, acts and messages of each turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from otherminds.core.data import Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario
from otherminds.household.epistemic.formula import Literal, physical
from otherminds.household.epistemic.household_facts import Act, HouseholdFacts
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.reports.state import MapState, taken
from otherminds.household.world import HouseholdWorld
from otherminds.reports.replay.again import Again
from otherminds.reports.replay.replays import Happening


@dataclass(frozen=True)
class HouseFrame:
    """The house after a number of turns.

    ``did`` are the acts of the last turn, by seat (empty at the start; without seats that are done); ``holding`` says for
    the goal's physical literals and then for each seat's private ones whether they hold; ``known`` says for each probe
    whether its chain is known by the log.
    """

    state: MapState
    did: Mapping[Seat, Act]
    holding: tuple[bool, ...]
    known: Mapping[str, bool]


@dataclass(frozen=True)
class HouseReplay:
    """An episode of T turns as T + 1 frames. ``fault`` describes the first difference to the record."""

    record: Record
    house: House
    turns: tuple[HouseFrame, ...]
    facts: HouseholdFacts
    fault: str = ""
    first: int = 0

    @property
    def last(self) -> int:
        """The number of the last frame."""
        return len(self.turns) - 1

    @property
    def happenings(self) -> tuple[Happening, ...]:
        """All calls with their results, and all messages, for the log."""
        seats = self.record.seats
        happenings: list[Happening] = []
        for step, turn in enumerate(self.turns):
            for seat, did in turn.did.items():
                kind = "call" if did.ok else "failed call"
                text = f"{did.call} → {did.text}"
                happenings.append(Happening(step, kind, (seats.index(seat),), text, stop=True))
        for sent in self.facts.messages:
            whom = (seats.index(sent.sender), *map(seats.index, sent.delivered))
            why = "" if sent.delivered else f" ({sent.why})"
            kind = "message" if sent.delivered else "blocked message"
            happenings.append(
                Happening(sent.turn + 1, kind, whom, f"to {sent.to}: {sent.text}{why}", stop=True)
            )
        return tuple(happenings)


def wishes(house: House) -> tuple[tuple[Seat, Literal], ...]:
    """The physical literals of the goal, with an empty seat, and then those of private goals."""
    private = ((seat, literal) for seat, goal in house.private.items() for literal in physical(goal))
    return (*(("", literal) for literal in physical(house.goal)), *private)


def household_again(record: Record, scenario: Scenario | None = None) -> HouseReplay:
    """Replays ``record`` in ``scenario``, or else in the scenario that it names.

    Rewards are compared at each step and, if the record has its log, the messages to agents.

    Raises:
        StudyError: its world is not the household, or there is no such scenario.
    """
    played = Again(record, scenario)
    world = played.world
    if not isinstance(world, HouseholdWorld):
        raise StudyError(f"{record.spec.scenario!r} is not in the household; see `otherminds replay --help`")
    goals = wishes(world.house)
    turns = [house_frame(world, goals, 0)]
    turns += [house_frame(world, goals, step) for step in played.steps()]
    recorded = record.facts.get("log")
    if recorded is not None:
        for act, logged in zip(world.log, msgspec.convert(recorded, tuple[Act, ...]), strict=False):
            if act != logged:
                played.found(
                    f"in turn {logged.turn + 1} the replay is not what was recorded: {logged.seat} was told "
                    f"{logged.text!r} after {logged.call!r}, but receives {act.text!r} in the replay"
                )
    return HouseReplay(record, world.house, tuple(turns), world.happened(), played.fault)


def house_frame(world: HouseholdWorld, goals: tuple[tuple[Seat, Literal], ...], step: int) -> HouseFrame:
    """The house after ``step`` turns; ``goals`` are its :func:`wishes`."""
    engine = world.engine
    did = {act.seat: act for act in world.log if act.turn == step - 1}
    knowledge = {name: since is not None for name, since in world.entitled.facts().items()}
    return HouseFrame(taken(engine), did, tuple(holds(engine, literal) for _, literal in goals), knowledge)
