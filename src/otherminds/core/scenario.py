"""A scenario: a world with its verbalizer, its probes and its population of partners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from otherminds.core.contracts import Mind, Probe, Skill, Verbalizer
from otherminds.core.data import Game, Partner, Seat, WeightedPolicy
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, SeatSpec
from otherminds.core.registry import Origin, call, stamp_origin
from otherminds.core.seeds import stream
from otherminds.core.world import World


class Meeting(NamedTuple):
    """Which of the meetings with a partner an episode is: see :attr:`Scenario.arrange`.

    The population's schedule has been passed ``cycle`` times before. One pass of it has ``times`` episodes with
    this partner, ``before`` of them earlier ones.
    """

    cycle: int
    before: int
    times: int


@dataclass(frozen=True)
class Population:
    """A distribution over partners for the seats that are not under test.

    ``members`` pair a weight with the partners in the other seats, in order.

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

        Episode k has entry k modulo its length, so that episodes are balanced over partners if their
        number is a multiple of it. Within it, partners alternate as evenly as possible.
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

    def meet(self, episodes: int) -> tuple[tuple[SeatSpec, ...], ...]:
        """The partners in each of the first ``episodes`` episodes."""
        return tuple(self.met(k) for k in range(episodes))

    def met(self, episode: int) -> tuple[SeatSpec, ...]:
        """The partners in one episode, counted from 0."""
        return self._order[episode % len(self._order)]

    def meeting(self, seed: int) -> Meeting:
        """The place of the episode of ``seed`` among the meetings with its partner."""
        cycle, place = divmod(seed, len(self._order))
        return Meeting(cycle, *self._places[place])

    @cached_property
    def _order(self) -> tuple[tuple[SeatSpec, ...], ...]:
        return self.schedule()

    @cached_property
    def _places(self) -> tuple[tuple[int, int], ...]:
        """By place in the schedule: earlier episodes with the same partner, and all of them."""
        keys = [encode(partners) for partners in self._order]
        times, met = Counter(keys), Counter[bytes]()
        places: list[tuple[int, int]] = []
        for key in keys:
            places.append((met[key], times[key]))
            met[key] += 1
        return tuple(places)


@dataclass(frozen=True)
class Independent:
    """A population of several seats, each filled by an independent draw from a pool.

    Episode k draws from pool k modulo their number, with replacement: as Melting Pot fills its background
    seats (Agapiou et al. 2022). The joint distribution has too many members to be listed.

    Raises:
        StudyError: a pool is empty.
    """

    pools: tuple[tuple[SeatSpec, ...], ...]
    seats: int

    def __post_init__(self) -> None:
        if not self.pools or not all(self.pools):
            raise StudyError("an independent population needs at least one pool, and none may be empty")

    @property
    def members(self) -> tuple[tuple[Fraction, tuple[SeatSpec, ...]], ...]:
        """Each partner with its probability in one seat, listed as if it filled all seats."""
        shares: dict[bytes, tuple[Fraction, SeatSpec]] = {}
        for pool in self.pools:
            for spec in pool:
                part, _ = shares.get(encode(spec), (Fraction(0), spec))
                shares[encode(spec)] = (part + Fraction(1, len(self.pools) * len(pool)), spec)
        return tuple((share, (spec,) * self.seats) for share, spec in shares.values())

    def meet(self, episodes: int) -> tuple[tuple[SeatSpec, ...], ...]:
        """The partners in each of the first ``episodes`` episodes; they do not depend on ``episodes``."""
        return tuple(self.met(k) for k in range(episodes))

    def meeting(self, seed: int) -> Meeting:
        """The place of the episode of ``seed`` among those with the same pool."""
        return Meeting(seed // len(self.pools), 0, 1)

    def met(self, episode: int) -> tuple[SeatSpec, ...]:
        """The partners in one episode, counted from 0."""
        rng, pool = stream(episode, "population"), self.pools[episode % len(self.pools)]
        return tuple(rng.choice(pool) for _ in range(self.seats))


@dataclass(frozen=True)
class Scenario:
    """Everything about an episode except the minds under test and the seed.

    ``world()`` makes a fresh world. ``draw(rng)`` draws what chance fixes at the start (JSON), and
    ``arrange(meeting)`` gives what is balanced over the episodes with each partner instead (JSON), such as the
    order of options (:mod:`otherminds.core.balance`). Both together are ``drawn``, and
    ``verbalizer(drawn, seat)`` makes the text interface for it. ``partner(spec, seat)`` makes the mind of a
    population's member and its entry in the record. ``probes`` are the questions, or ``probes(drawn)`` where
    they depend on what chance drew. ``priors`` are the distributions over partners that a seat may be
    granted: ``family`` (this population) and others that the scenario names. ``grants`` are this world's
    other privileges (``secrets``, a map) with their value for a seat; the world honours them
    (:meth:`~otherminds.core.world.World.brief`). ``minds`` are this world's own, made from named parameters,
    which may sit in a seat under test like those of :mod:`otherminds.minds`: its bots, and what is generic
    but needs knowledge of this world. ``caution`` is a warning to be shown with every score in this scenario.
    ``bounds(met)`` are the exact references of F, where they are known, for the partners in ``met``, which
    has no seats under test. ``origin`` is the registered name and the options that it was made from; a
    scenario made by hand, or from another with :func:`dataclasses.replace`, has none.
    """

    id: str
    world: Callable[[], World]
    population: Population | Independent
    partner: Callable[[SeatSpec, Seat], tuple[Mind, Partner]]
    focal: tuple[Seat, ...] = ("ego",)
    probes: tuple[Probe, ...] | Callable[[dict[str, Any]], tuple[Probe, ...]] = ()
    skills: Mapping[str, Skill] = field(default_factory=dict[str, Skill])
    draw: Callable[[Random], dict[str, Any]] | None = None
    arrange: Callable[[Meeting], dict[str, Any]] = lambda meeting: {}
    verbalizer: Callable[[dict[str, Any], Seat], Verbalizer] | None = None
    game: Game | None = None
    priors: Mapping[str, Callable[[], tuple[WeightedPolicy, ...]]] = field(
        default_factory=dict[str, Callable[[], tuple[WeightedPolicy, ...]]]
    )
    grants: Mapping[str, Callable[[Seat], Any]] = field(default_factory=dict[str, Callable[[Seat], Any]])
    minds: Mapping[str, Callable[..., Mind]] = field(default_factory=dict[str, Callable[..., Mind]])
    bounds: Callable[[Mapping[Seat, SeatSpec]], Bounds] | None = None
    description: str = ""
    caution: str = ""
    origin: Origin | None = field(init=False, default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("skills", "priors", "grants", "minds"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """All seats of the world, in its order."""
        return tuple(self.world().possible_agents)

    @property
    def others(self) -> tuple[Seat, ...]:
        """The seats that the population fills, in order."""
        return tuple(seat for seat in self.seats if seat not in self.focal)

    def drawn(self, seed: int) -> dict[str, Any]:
        """What ``draw`` and ``arrange`` fix at the start of the episode of ``seed``."""
        draws = self.draw(stream(seed, "draw")) if self.draw else {}
        return draws | self.arrange(self.population.meeting(seed))

    def probes_for(self, draws: dict[str, Any]) -> tuple[Probe, ...]:
        """The probes of an episode that began with ``draws``."""
        return self.probes(draws) if callable(self.probes) else self.probes

    def make(self, name: str, params: Mapping[str, Any]) -> Mind:
        """One of this world's own minds (``minds``).

        Raises:
            StudyError: an unknown mind, or unknown or missing parameters.
        """
        if name not in self.minds:
            raise StudyError(
                f"{self.id} has no mind {name!r} of its own; it has {', '.join(self.minds) or 'none'}"
            )
        mind = call(f"mind {name!r} of {self.id!r}", self.minds[name], params)
        return stamp_origin(mind, self, name, params)

    def needs(self, spec: SeatSpec, seat: Seat) -> tuple[str, ...]:
        """The grants that a population's member needs in ``seat``."""
        return tuple(sorted(self.partner(spec, seat)[0].grants))
