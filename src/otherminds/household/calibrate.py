"""The length of an episode of a task, and the reference scores of F.

A task is *calibrated* by a plan that reaches its goal with all secrets public (:mod:`.planning`). T* is the number of
its joint turns. An episode has 2 T* turns (Juneja et al. 2026, section 5: double the turns of a run with all secrets
shared), and F = 1 is the value of that plan. A task without such a plan is *not calibrated*: it can be played, but F has
no upper reference.

The paper also doubles messages. The plan needs none, and twice none would forbid all messages; hence an agent without
``limited_bandwidth`` can send a message each turn, and a budget set by a binding is used unchanged.

F = 0 is the result of the team ``no_message``: each agent acts on its observations and its own secrets, and sends
nothing. It is a practical lower reference and not the best of all silent plans, which is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from weakref import WeakKeyDictionary

from otherminds.core.contracts import Mind
from otherminds.core.data import Partner, Seat
from otherminds.core.errors import InternalError
from otherminds.core.record import Bounds, Record, SeatSpec
from otherminds.core.scenario import Population, Scenario, Setup
from otherminds.household.house import House
from otherminds.household.planning.planned import failure
from otherminds.household.reference.roster import ROSTER
from otherminds.household.task import Calibration, Task
from otherminds.household.tasks.diagnostics import Fault
from otherminds.household.world import HouseholdWorld
from otherminds.play.loop import play_now

BLIND = "no_message"
"""The reference team with F = 0."""
UNCALIBRATED = 40
"""Turns of an episode of a task that is not calibrated."""
NOT_CALIBRATED = (
    f"not calibrated: no plan with all secrets public is in the task file; {UNCALIBRATED} turns an episode, and no F "
    "(otherminds tasks calibrate --write)"
)
REFERENCE = (
    "a planner's plan with all secrets public (1), and the reference team no_message (0: a silent team, not the "
    "best of all silent plans)"
)


_KNOWN: WeakKeyDictionary[House, dict[int, bool]] = WeakKeyDictionary()


def silent_solves(house: House, turns: int) -> bool:
    """Whether the team ``no_message`` solves the task in ``turns`` turns; cached, since it is deterministic."""
    outcomes = _KNOWN.setdefault(house, {})
    if turns not in outcomes:
        record = played(house, {seat: ROSTER[BLIND](house) for seat in house.agents}, turns)
        if record.outcome.status != "scored":
            raise InternalError(f"team {BLIND!r} in task {house.task.task_id!r}: {record.outcome.reason}")
        outcomes[turns] = bool(record.facts["solved"])
    return outcomes[turns]


def turns_of(house: House) -> int:
    """The number of turns of an episode: twice that of the plan that calibrates the task."""
    calibration = house.task.calibration
    return UNCALIBRATED if calibration is None else 2 * calibration.turns


def references(house: House, turns: int) -> Bounds:
    """The values of an episode of ``turns`` turns for the planner and for the silent team, each 0 or 1.

    Without a calibration, or with fewer turns than its plan, there are no references; ``reason`` says why.
    """
    calibration = house.task.calibration
    if calibration is None:
        return Bounds(None, None, None, reason=NOT_CALIBRATED)
    if why := failure(house, calibration.plan):
        return Bounds(None, None, None, reason=f"not calibrated: the plan in the task file is none: {why}")
    if turns < calibration.turns:
        why = f"an episode has {turns} turns, and the shortest known plan {calibration.turns}"
        return Bounds(None, None, None, reason=why)
    return Bounds(1.0, 1.0, float(silent_solves(house, turns)), REFERENCE)


def calibration_faults(house: House) -> list[Fault]:
    """The faults of a task's calibration, found by replaying its plan in the simulator."""
    calibration = house.task.calibration
    why = failure(house, calibration.plan) if calibration else ""
    return [Fault("calibration.plan", f"{why}; calibrate the task again")] if why else []


def describe_calibration(task: Task) -> str:
    """The calibration of a task in words."""
    return NOT_CALIBRATED if task.calibration is None else in_words(task.calibration)


def in_words(calibration: Calibration) -> str:
    """A calibration in words: T*, whether it is proved, and the length of an episode.

    >>> in_words(Calibration(6, 5, ()))
    'calibrated: T* <= 6 (an upper bound; no plan takes fewer than 5), 12 turns an episode'
    """
    proof = "= {} (proved)" if calibration.proved else "<= {} (an upper bound; no plan takes fewer than {})"
    return f"calibrated: T* {proof.format(calibration.turns, calibration.least)}, {2 * calibration.turns} turns an episode"


def others_secrets(house: House, seat: Seat) -> tuple[str, ...]:
    """The secrets of the other agents, each with its owner: the grant ``secrets`` of ``seat``."""
    secrets = {other: house.task.agent_secrets.get(other, ()) for other in house.agents if other != seat}
    return tuple(f"{other} was told: {secret}" for other, texts in secrets.items() for secret in texts)


def played(house: House, minds: Mapping[Seat, Mind], turns: int, seed: int = 0) -> Record:
    """The record of one episode of at most ``turns`` turns without probes; each mind has the grants that it needs."""
    return play_now(Setup(make_unprobed("calibration", house, turns), minds, seed))[0]


def make_unprobed(name: str, house: House, turns: int, split: str = "") -> Scenario:
    """The scenario called ``name`` of a task in ``house`` without probes, with all seats under test.

    ``split`` is the shipped split of the task, if any.
    """
    return Scenario(
        id=name,
        world=partial(HouseholdWorld, house, turns, split=split),
        population=Population(((Fraction(1), ()),)),
        partner=nobody,
        focal=house.agents,
        grants={"secrets": partial(others_secrets, house)},
    )


def nobody(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
    """The household has no partners that a population could provide.

    Raises:
        InternalError: always.
    """
    raise InternalError(f"seat {seat!r} is no partner's: in the household all seats are under test")
