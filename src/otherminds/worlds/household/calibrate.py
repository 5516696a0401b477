"""The structural calibrator: a task is fit to be played if a team to which all secrets are shared solves it.

A task that such a team fails tests something else than what agents know of one
another (Juneja et al. 2026, section 4.3): it is rejected as embodied trouble. What the team
took is the base of an episode's turns, which an evaluation doubles (section 5).

The paper doubles the messages too. The reference team plans alike in every seat and
writes none, and twice none would forbid all talk; so messages are as many as turns
allow, wherever no ``limited_bandwidth`` binds, and a bound budget stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from weakref import WeakKeyDictionary

from msgspec import Struct

from otherminds.core.contracts import Mind
from otherminds.core.data import Partner, Seat
from otherminds.core.errors import InternalError, StudyError
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Population, Scenario
from otherminds.core.setup import Setup
from otherminds.play.loop import play_now
from otherminds.worlds.household.house import House
from otherminds.worlds.household.reference.roster import ROSTER
from otherminds.worlds.household.task import Calibration
from otherminds.worlds.household.tasks.account import Fault
from otherminds.worlds.household.world import HouseholdWorld

TEAM = "informed"
"""The reference team to which all secrets are shared."""
LONGEST = 100
"""Turns of a calibrating episode."""
UNSOLVED = 40
"""Turns of an episode in a task that the reference team fails."""


class Calibrated(Struct, frozen=True):
    """What a reference team made of a task: the turns until all were done, and the messages sent by all."""

    solved: bool
    turns: int
    messages: int


_KNOWN: WeakKeyDictionary[House, dict[tuple[str, int], Calibrated]] = WeakKeyDictionary()


def calibrated(house: House, mind: str = TEAM, turns: int = LONGEST) -> Calibrated:
    """One episode of at most ``turns`` turns with the reference mind called ``mind`` in every seat.

    Played once for each house: the reference teams that this is asked of leave nothing to chance.

    Raises:
        StudyError: there is no reference mind of that name.
    """
    if mind not in ROSTER:
        raise StudyError(f"no reference mind is called {mind!r}; they are {', '.join(ROSTER)}")
    known = _KNOWN.setdefault(house, {})
    if (mind, turns) not in known:
        known[mind, turns] = _calibrated(house, mind, turns)
    return known[mind, turns]


def turns_of(house: House) -> int:
    """The turns of an episode: twice those of the reference team, which the task says or which are measured now."""
    given = house.task.calibration
    if given is not None:
        return 2 * given.turns
    measured = calibrated(house)
    return 2 * measured.turns if measured.solved else UNSOLVED


def trouble(house: House) -> list[Fault]:
    """What the calibrator holds against a task: that the team fails, or that the file's calibration is another."""
    measured = calibrated(house)
    if not measured.solved:
        text = f"embodied trouble: a team that shares all secrets does not reach it in {LONGEST} turns; mend the task"
        return [Fault("problem_pddl", text)]
    given = house.task.calibration
    if given is not None and given != Calibration(measured.turns, measured.messages):
        now = f"{measured.turns} turns and {measured.messages} messages"
        return [Fault("calibration", f"the reference team takes {now} now; write that, or leave it out")]
    return []


def others_secrets(house: House, seat: Seat) -> tuple[str, ...]:
    """What the others in ``house`` were told, each secret with its owner: the grant ``secrets`` of ``seat``."""
    return tuple(
        f"{other} was told: {secret}"
        for other in house.agents
        if other != seat
        for secret in house.task.agent_secrets.get(other, ())
    )


def played(house: House, minds: Mapping[Seat, Mind], turns: int, seed: int = 0) -> Record:
    """The record of one episode of at most ``turns`` turns with a mind in every seat, without probes.

    Each mind has the grants that it needs.
    """
    scenario = Scenario(
        id="calibration",
        world=partial(HouseholdWorld, house, turns),
        population=Population(((Fraction(1), ()),)),
        partner=nobody,
        focal=house.agents,
        grants={"secrets": partial(others_secrets, house)},
    )
    return play_now(Setup(scenario, minds, seed))[0]


def _calibrated(house: House, mind: str, turns: int) -> Calibrated:
    record = played(house, {seat: ROSTER[mind](house) for seat in house.agents}, turns)
    if record.outcome.status != "scored":
        raise InternalError(f"calibrating task {house.task.task_id!r}: {record.outcome.reason}")
    sent = sum(1 for message in record.facts["messages"] if message["delivered"])
    return Calibrated(bool(record.facts["solved"]), len(record.actions), sent)


def nobody(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
    """No population has a member here.

    Raises:
        InternalError: always.
    """
    raise InternalError(f"seat {seat!r} is no partner's: in the household all seats are under test")
