"""How long an episode of a task is, and what it is measured against.

A task is *calibrated* by a plan that reaches its goal with all secrets public
(:mod:`.planning`). Its joint turns are T*, an episode has 2 T* (Juneja et al. 2026, section 5, double the
turns of a run with all secrets shared), and F = 1 is that plan's value. A task without such a
plan is *not calibrated*: that says nothing of the task, which may still be played, but F has no 1 there.

The paper doubles messages too. The plan needs none, and twice none would forbid all talk; so messages are as
many as turns allow, wherever no ``limited_bandwidth`` binds, and a bound budget stays as it is.

F = 0 is what the team ``no_message`` gets: every agent acts on what it sees and on its own secrets, and
writes nothing. It is the practical blind, not the best of all silent plans, which nobody has worked out.
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
from otherminds.core.record import Bounds, Record, SeatSpec
from otherminds.core.scenario import Population, Scenario
from otherminds.core.setup import Setup
from otherminds.play.loop import play_now
from otherminds.worlds.household.house import House
from otherminds.worlds.household.planning.planned import failure
from otherminds.worlds.household.reference.roster import ROSTER
from otherminds.worlds.household.task import Calibration, Task
from otherminds.worlds.household.tasks.diagnostics import Fault
from otherminds.worlds.household.world import HouseholdWorld

BLIND = "no_message"
"""The reference team that F counts from."""
UNCALIBRATED = 40
"""Turns of an episode in a task that is not calibrated."""
NOT_CALIBRATED = (
    f"not calibrated: no plan with all secrets public is in the task file; {UNCALIBRATED} turns an episode, and no F "
    "(otherminds tasks calibrate --write)"
)
REFERENCE = (
    "a planner's plan with all secrets public (1), and the reference team no_message (0: a silent team, not the "
    "best of all silent plans)"
)


class TeamRun(Struct, frozen=True):
    """What a reference team made of a task: the turns until all were done, and the messages sent by all."""

    solved: bool
    turns: int
    messages: int


_KNOWN: WeakKeyDictionary[House, dict[tuple[str, int], TeamRun]] = WeakKeyDictionary()


def team_run(house: House, mind: str, turns: int) -> TeamRun:
    """One episode of at most ``turns`` turns with the reference mind called ``mind`` in every seat.

    Played once for each house: the reference teams that this is asked of leave nothing to chance.

    Raises:
        StudyError: there is no reference mind of that name.
    """
    if mind not in ROSTER:
        raise StudyError(f"no reference mind is called {mind!r}; they are {', '.join(ROSTER)}")
    known = _KNOWN.setdefault(house, {})
    if (mind, turns) not in known:
        known[mind, turns] = _team_run(house, mind, turns)
    return known[mind, turns]


def turns_of(house: House) -> int:
    """The turns of an episode: twice those of the plan that the task is calibrated by."""
    given = house.task.calibration
    return UNCALIBRATED if given is None else 2 * given.turns


def references(house: House, turns: int) -> Bounds:
    """What an episode of ``turns`` turns is worth to the planner, and to the team that says nothing.

    Both are values of one episode, 0 or 1. Without a calibration, or with fewer turns than its plan takes, there is
    no reference, and the reason says so.
    """
    given = house.task.calibration
    if given is None:
        return Bounds(None, None, None, reason=NOT_CALIBRATED)
    why = failure(house, given.plan)
    if why:
        return Bounds(None, None, None, reason=f"not calibrated: the plan in the task file is none: {why}")
    if turns < given.turns:
        return Bounds(
            None,
            None,
            None,
            reason=f"an episode has {turns} turns, and the shortest known plan {given.turns}",
        )
    return Bounds(1.0, 1.0, float(team_run(house, BLIND, turns).solved), REFERENCE)


def calibration_faults(house: House) -> list[Fault]:
    """What is wrong with a task's calibration: its plan is replayed in the simulator."""
    given = house.task.calibration
    if given is None:
        return []
    why = failure(house, given.plan)
    return [Fault("calibration.plan", f"{why}; calibrate the task again")] if why else []


def said(task: Task) -> str:
    """The calibration of a task in words, or that it has none."""
    return NOT_CALIBRATED if task.calibration is None else in_words(task.calibration)


def in_words(given: Calibration) -> str:
    """A calibration in words: T*, whether it is proved, and the turns of an episode.

    >>> in_words(Calibration(6, 5, ()))
    'calibrated: T* <= 6 (an upper bound; no plan takes fewer than 5), 12 turns an episode'
    """
    proof = "= {} (proved)" if given.proved else "<= {} (an upper bound; no plan takes fewer than {})"
    return f"calibrated: T* {proof.format(given.turns, given.least)}, {2 * given.turns} turns an episode"


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


def _team_run(house: House, mind: str, turns: int) -> TeamRun:
    record = played(house, {seat: ROSTER[mind](house) for seat in house.agents}, turns)
    if record.outcome.status != "scored":
        raise InternalError(f"team {mind!r} in task {house.task.task_id!r}: {record.outcome.reason}")
    sent = sum(1 for message in record.facts["messages"] if message["delivered"])
    return TeamRun(bool(record.facts["solved"]), len(record.actions), sent)


def nobody(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
    """No population has a member here.

    Raises:
        InternalError: always.
    """
    raise InternalError(f"seat {seat!r} is no partner's: in the household all seats are under test")
