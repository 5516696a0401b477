"""A scenario: a world, its words and its probes, and who is met there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from random import Random
from typing import Any

from otherminds.core.contracts import Mind, Probe, Skill, Telling
from otherminds.core.data import Game, Likely, Partner, Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, SeatSpec
from otherminds.core.world import World


@dataclass(frozen=True)
class Population:
    """A distribution over partners for the seats that are not under test.

    ``members`` pair a weight with who then fills the other seats, in order.

    Raises:
        StudyError: weights that are negative or do not sum to 1.
    """

    members: tuple[tuple[Fraction, tuple[SeatSpec, ...]], ...]

    def __post_init__(self) -> None:
        weights = [weight for weight, _ in self.members]
        if not weights or min(weights) <= 0 or sum(weights) != 1:
            raise StudyError(f"the weights of a population must be positive and sum to 1, not {weights}")

    def schedule(self) -> tuple[tuple[SeatSpec, ...], ...]:
        """The shortest sequence of partners in which each has exactly its weight.

        Episode k meets entry k modulo its length, so that seeds are balanced
        over partners whenever their number is a multiple of it; partners
        alternate as evenly as they can inside it.
        """
        length = lcm(*(weight.denominator for weight, _ in self.members))
        counts = [0] * len(self.members)
        order: list[tuple[SeatSpec, ...]] = []
        for k in range(length):
            behind = [
                weight * (k + 1) - count for (weight, _), count in zip(self.members, counts, strict=True)
            ]
            i = behind.index(max(behind))
            counts[i] += 1
            order.append(self.members[i][1])
        return tuple(order)


@dataclass(frozen=True)
class Scenario:
    """Everything about an episode but who is under test and its seed.

    ``world()`` makes a fresh world. ``draw(rng)`` says what chance fixes at the
    start (JSON); ``telling(drawn, seat)`` is the telling under it. ``partner(spec,
    seat)`` makes the mind of a population's member and how it is recorded.
    ``priors`` are the distributions over partners that a seat may be granted:
    ``family`` (this population) and whatever else the scenario names. ``grants``
    are this world's other privileges (``secrets``, a map) with the value that a
    seat is given; the world honours them (:meth:`~otherminds.core.world.World.brief`).
    ``bounds(met)`` are the exact references of F, where they are known, for the
    population's members that were met; seats under test are not in ``met``.
    """

    id: str
    world: Callable[[], World]
    population: Population
    partner: Callable[[SeatSpec, Seat], tuple[Mind, Partner]]
    focal: tuple[Seat, ...] = ("ego",)
    probes: tuple[Probe, ...] = ()
    skills: Mapping[str, Skill] = field(default_factory=dict[str, Skill])
    draw: Callable[[Random], dict[str, Any]] = lambda rng: {}
    telling: Callable[[dict[str, Any], Seat], Telling] | None = None
    game: Game | None = None
    priors: Mapping[str, Callable[[], tuple[Likely, ...]]] = field(
        default_factory=dict[str, Callable[[], tuple[Likely, ...]]]
    )
    grants: Mapping[str, Callable[[Seat], Any]] = field(default_factory=dict[str, Callable[[Seat], Any]])
    bounds: Callable[[Mapping[Seat, SeatSpec]], Bounds] | None = None
    description: str = ""
