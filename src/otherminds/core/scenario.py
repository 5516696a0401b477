"""Worlds and scenarios: their interfaces and registries, balanced arrangements, and the setup of an episode.

A world is a PettingZoo ``ParallelEnv`` with four more methods. What a seat receives in addition to its observation is in
``infos[seat]``: ``encounters`` (a tuple of :class:`~otherminds.core.data.Encounter`) and ``told`` (a tuple of
:class:`~otherminds.core.data.ReceivedMessage`). A seat that has finished keeps its place until the episode ends, so that it
loses no reward.

A scenario is a world with its verbalizer, its probes and its population of partners. Language models prefer some labels
and some places in a list. Such a preference must not look like a reaction to a partner, so every partner meets every
arrangement equally often (:attr:`Scenario.arrange`). The designs are the Latin squares of Williams (1949), "Experimental
designs balanced for the estimation of residual effects of treatments", Australian Journal of Scientific Research A 2,
149-168.

A setup is the value that determines an episode; the spec in the record of the episode is derived from it."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from math import lcm
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET
from pettingzoo import ParallelEnv  # pyright: ignore[reportMissingTypeStubs]

from otherminds.core.contracts import Mind, Probe, Skill, Verbalizer
from otherminds.core.data import Action, Answer, Brief, Game, Partner, Question, Seat, WeightedPolicy
from otherminds.core.encoding import encode, stream
from otherminds.core.errors import StudyError
from otherminds.core.model import Model
from otherminds.core.record import BY_HAND, Bounds, EpisodeSpec, SeatSpec
from otherminds.core.registry import Origin, Registry, call, parameters, stamp_origin


class World(ParallelEnv[str, Any, Any]):
    """The interface of a world, which knows nothing of minds or models.

    ``reset(seed, options)`` takes ``options["grants"]``: for each seat a mapping from the name of a grant to
    its value (see :meth:`brief`), and may take options of its own. ``step`` raises
    :class:`~otherminds.core.errors.WorldError` for an action outside the seat's action space; a well-formed
    action that the rules refuse is played and costs what the rules say.
    """

    possible_agents: list[Seat]
    agents: list[Seat]
    render_mode: str | None = None
    talks: bool = False
    """Whether each seat may send one text before the first step. All seats receive it with their first moment."""

    @abstractmethod
    def brief(self, seat: Seat) -> Brief:
        """The brief of ``seat``, read once after :meth:`reset`, grants included."""

    @abstractmethod
    def fallback(self, seat: Seat) -> Action | None:
        """The action played for an invalid reply; ``None`` ends the episode."""

    @abstractmethod
    def truth(self, question: Question, step: int) -> Answer | None:
        """The true answer to ``question`` put at ``step``; read once, at the end.

        ``None`` where there is none.
        """

    def belief(self, seat: Seat) -> str | None:
        """What ``seat`` believes now, as a sentence that its partner may be told; ``None`` where there is nothing to tell.

        A world in which seats have no beliefs of their own does not override this.
        """
        return None

    @property
    def midway(self) -> int:
        """The step at which half of the shortest possible episode is over; read after :meth:`reset`."""
        return self.brief(self.possible_agents[0]).horizon // 2

    def facts(self) -> dict[str, Any]:
        """Facts for the record only, as JSON; they may include hidden state."""
        return {}


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
    order of options (:mod:`otherminds.core.scenario`). Both together are ``drawn``, and
    ``verbalizer(drawn, seat)`` makes the text interface for it. ``partner(spec, seat)`` makes the mind of a
    population's member and its entry in the record. ``probes`` are the questions, or ``probes(drawn)`` where
    they depend on what chance drew. ``priors`` are the distributions over partners that a seat may be
    granted: ``family`` (this population) and others that the scenario names. ``grants`` are this world's
    other privileges (``secrets``, a map) with their value for a seat; the world honours them
    (:meth:`~otherminds.core.scenario.World.brief`). ``minds`` are this world's own, made from named parameters,
    which may sit in a seat under test like those of :mod:`otherminds.minds`: its bots, and what is generic
    but needs knowledge of this world; ``ignorant`` names those that know nothing about others. ``caution`` is a warning to be shown with every score in this scenario.
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
    ignorant: tuple[str, ...] = ()
    bounds: Callable[[Mapping[Seat, SeatSpec]], Bounds] | None = None
    description: str = ""
    caution: str = ""
    origin: Origin | None = field(init=False, default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("skills", "priors", "grants", "minds"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __deepcopy__(self, memo: dict[int, Any]) -> Scenario:
        return self  # It does not change

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickled as the name and the options that it was made from; without a registered name as its parts, if these can be."""
        if self.origin is not None and self.origin.registered("scenario"):
            return scenario, (self.origin.name, self.origin.params)
        return super().__reduce_ex__(protocol)

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


SCENARIO = ("id", "world", "focal", "population", "minds")
"""Attributes of every scenario that is used while a study is planned."""

worlds: Registry[type[World]] = Registry("world")
scenarios: Registry[Callable[..., Scenario]] = Registry("scenario", attributes=SCENARIO)
"""Each entry makes its scenario from named options (``rounds``, ``names``, ...)."""
environments: Registry[Callable[..., Any]] = Registry("environment")
"""Each entry makes a learning environment with every seat open, from the arguments of ``otherminds.make`` that it takes
(``partners``, ``num_envs``, ``render_mode``) and from named options."""


def scenario(name: str, options: dict[str, Any]) -> Scenario:
    """The scenario ``name`` under ``options``.

    Raises:
        StudyError: no such scenario, an option it does not take, or a bad value.
    """
    return scenarios.make(name, options)


@cache
def design(size: int) -> tuple[tuple[int, ...], ...]:
    """Balanced permutations of 0 to ``size`` - 1: ``size`` of them, or twice that number if it is odd and not 1.

    Each item has each place equally often, and comes before each other item, and directly before it, equally
    often. The first ``size`` permutations have each item in each place once. With up to three items, these are
    all permutations.

    >>> design(3)
    ((0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (0, 2, 1), (1, 0, 2))
    >>> [len(design(size)) for size in (1, 2, 3, 4, 5, 8)]
    [1, 2, 6, 4, 10, 8]
    """
    zigzag = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(size)]
    square = tuple(tuple((item + shift) % size for item in zigzag) for shift in range(size))
    mirrored = tuple(row[::-1] for row in square) if size % 2 and size > 1 else ()
    return square + mirrored


def order(size: int, meeting: Meeting, fewer: int = 0) -> list[int]:
    """The order in which ``size`` options are listed in an episode.

    At each place of a population's schedule, any ``len(design(size))`` consecutive cycles have the orders of the
    design. The episodes with one partner in the same cycle have different ones, as far as there are.

    Where the other seat has ``fewer`` options and lists them in the same order, without those that it lacks, the
    first ``fewer`` options also rotate by one step every ``len(design(size)) ** 2`` cycles. This balances the
    shorter list too, over :func:`period` cycles.
    """
    rows = design(size)
    steps, rotating = meeting.cycle // len(rows) ** 2, _rotating(size, fewer)
    return [
        (option + steps) % rotating if option < rotating else option
        for option in rows[_turn(meeting, len(rows))]
    ]


def labels(size: int, meeting: Meeting) -> tuple[int, ...]:
    """The number of the label that each of ``size`` options has in an episode.

    It is the permutation of the design with the number of the order, plus one for each ``len(design(size))``
    cycles, so that every label assignment meets every order.
    """
    rows = design(size)
    return rows[(_turn(meeting, len(rows)) + meeting.cycle // len(rows)) % len(rows)]


def period(size: int, fewer: int = 0) -> int:
    """The cycles after which labels, order, and each pair of both are exactly balanced.

    >>> period(2), period(3), period(4), period(4, fewer=3)
    (4, 36, 16, 48)
    """
    return len(design(size)) ** 2 * _rotating(size, fewer)


def _turn(meeting: Meeting, length: int) -> int:
    """The permutation for an episode, of ``length``: one further each cycle, evenly spread within one."""
    return (meeting.cycle + meeting.before * max(1, length // meeting.times)) % length


def _rotating(size: int, fewer: int) -> int:
    """How many options rotate. A shorter list of one or two options is balanced without."""
    return fewer if 2 < fewer < size else 1


SEATED = ("mind", "strategy")
"""The kinds of registries whose names a record may use for minds."""
PLAIN = (bool, int, float, str)


@dataclass(frozen=True)
class Participant:
    """The mind under test in one seat, its language model, and its label in reports.

    Raises:
        StudyError: a model is given to a mind that uses none.
    """

    mind: Mind
    model: Model | None = None
    label: str = ""

    def __post_init__(self) -> None:
        if self.model is not None and not self.mind.suspends:
            raise StudyError(
                f"mind {_by_class(self.mind)!r} uses no language model; leave out {self.model.spec!r}"
            )

    def spec(self, scenario: Scenario) -> SeatSpec:
        """Its entry in a record: under its registered name, or under its class if it was made by hand."""
        origin = _name_origin(self.mind, scenario)
        name, params = (
            (origin.name, deepcopy(origin.params))
            if origin
            else (_by_class(self.mind), _plain_parameters(self.mind))
        )
        return SeatSpec(name, params, self.model.spec if self.model else "", self.label)

    def sit(self, scenario: Scenario) -> Mind:
        """The mind that plays in ``scenario``: made again if it has a registered name, else itself."""
        origin = _name_origin(self.mind, scenario)
        return origin.again() if origin else self.mind


@dataclass(frozen=True)
class Setup:
    """Everything that determines an episode. Played twice, it gives equal records.

    ``minds`` fill the seats under test. ``partners`` are members of the population, by seat; by default those
    that the population assigns to episode ``seed``. ``grants`` are the privileges of seats that differ from
    what their minds need. ``ask`` switches the probes; ``label`` is the scenario's name in reports.
    ``intervention`` is the arm of an experiment (:mod:`otherminds.play.interventions`), empty outside of one.

    Raises:
        StudyError: a seat is empty, unknown or filled twice, or a partner has a model.
    """

    scenario: Scenario
    minds: Mapping[Seat, Mind | Participant]
    seed: int = 0
    partners: Mapping[Seat, SeatSpec] | None = None
    grants: Mapping[Seat, tuple[str, ...]] = field(default_factory=dict[Seat, tuple[str, ...]])
    ask: bool = True
    label: str = ""
    intervention: str = ""

    def __post_init__(self) -> None:
        scenario, seats = self.scenario, self.scenario.seats
        partners = dict(self._met() if self.partners is None else self.partners)
        for seat in (*self.minds, *partners, *self.grants):
            if seat not in seats:
                raise StudyError(f"scenario {scenario.id!r} has no seat {seat!r}; it has {', '.join(seats)}")
        for seat in seats:
            if (seat in self.minds) == (seat in partners):
                fault = "has two minds" if seat in partners else "has no mind"
                raise StudyError(f"seat {seat!r} of scenario {scenario.id!r} {fault}")
        for seat, member in partners.items():
            if member.model:
                raise StudyError(
                    f"partner {member.mind!r} in seat {seat!r} uses no model; leave out {member.model!r}"
                )
        object.__setattr__(self, "partners", MappingProxyType(partners))
        object.__setattr__(self, "minds", MappingProxyType(dict(self.minds)))
        object.__setattr__(self, "grants", MappingProxyType(dict(self.grants)))

    @cached_property
    def participants(self) -> Mapping[Seat, Participant]:
        """The participants under test, by seat."""
        minds = self.minds.items()
        return {seat: who if isinstance(who, Participant) else Participant(who) for seat, who in minds}

    @cached_property
    def spec(self) -> EpisodeSpec:
        """The spec of the episode, as it is recorded."""
        scenario, origin = self.scenario, self.scenario.origin
        is_registered = origin is not None and origin.registered("scenario")
        partners = self.partners or {}
        grants = {seat: tuple(sorted(who.mind.grants)) for seat, who in self.participants.items()}
        grants |= {
            seat: scenario.needs(member, seat) for seat, member in partners.items() if seat not in self.grants
        }
        grants |= self.grants
        return EpisodeSpec(
            scenario=origin.name if origin and is_registered else BY_HAND + scenario.id,
            seats={
                **{seat: who.spec(scenario) for seat, who in self.participants.items()},
                **{
                    seat: msgspec.convert(msgspec.to_builtins(member), SeatSpec)
                    for seat, member in partners.items()
                },
            },
            seed=self.seed,
            options=deepcopy(origin.params) if origin and is_registered else {},
            grants={seat: names for seat, names in grants.items() if names},
            ask=self.ask,
            label=self.label,
            intervention=self.intervention or UNSET,
        )

    def _met(self) -> Mapping[Seat, SeatSpec]:
        """The population's partners for this seed, in the seats without a mind under test."""
        empty = [seat for seat in self.scenario.others if seat not in self.minds]
        if not empty:
            return {}
        met = zip(self.scenario.others, self.scenario.population.met(self.seed), strict=True)
        return {seat: member for seat, member in met if seat in empty}


def _name_origin(mind: Mind, scenario: Scenario) -> Origin | None:
    """The origin of a mind that a record may name: registered, or one of its registered scenario's own."""
    origin = mind.origin
    if origin is None or origin.registered(*SEATED):
        return origin
    own = origin.maker is scenario and scenario.origin is not None and scenario.origin.registered("scenario")
    return origin if own else None


def _by_class(mind: Mind) -> str:
    """The name of a mind made by hand: its class, in the form of an entry point."""
    return f"{type(mind).__module__}:{type(mind).__qualname__}"


def _plain_parameters(mind: Mind) -> dict[str, Any]:
    """The plain parameters of its class that a mind made by hand has as attributes."""
    attributes = ((p.name, getattr(mind, p.name, None)) for p in parameters(type(mind)))
    return {name: value for name, value in attributes if isinstance(value, PLAIN)}
