"""Minds of known nature for encounters: exact reasoners, reasoners of limited depth or use, and ignorant ones.

Each is a policy over contexts. :func:`play_encounters` plays it at the level of decisions, :class:`PolicyMind` in the world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import md5
from random import Random
from typing import Protocol, TypeAlias

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import (
    Action,
    Answer,
    Behaviour,
    Brief,
    Invalid,
    Moment,
    Notice,
    Question,
)
from otherminds.core.encoding import stream
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Population
from otherminds.household.acted_beliefs.contexts import PARTNER, Context
from otherminds.household.acted_beliefs.evidence import Decision, measure_encounters
from otherminds.household.acted_beliefs.exact import EncounterTables, PartnerModels
from otherminds.household.acted_beliefs.partner_types import PartnerType
from otherminds.household.acted_beliefs.rules import EncounterRules
from otherminds.household.acted_beliefs.stage_games import Plan
from otherminds.household.acted_beliefs.world import read_observation
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.registry import Unknown
from otherminds.minds.known_nature import INFORMED, KnownPartner, find_granted, find_policy


class EncounterPolicy(Protocol):
    """Predicts where the partner goes, chooses a plan, and learns from where it went."""

    def predict(self, context: Context) -> int:
        """The place where the partner goes unless ego changes what it knows."""
        ...

    def choose(self, context: Context) -> Plan:
        """The plan for this encounter."""
        ...

    def learn(self, context: Context, plan: Plan, place: int) -> None:
        """Takes a finished encounter into account."""
        ...


NEGLIGIBLE = 1e-9
"""Types with a smaller weight change no choice."""


class TypeTracker:
    """Infers the partner's type by Bayes and acts on the posterior.

    ``prior`` gives types that it does not conceive of the weight 0. With probability 1 − ``use`` it acts at random. A
    ``myopic`` one chooses the first step of a plan by what that step costs.
    """

    def __init__(
        self,
        tables: EncounterTables,
        rng: Random,
        prior: Sequence[float],
        use: float = 1.0,
        *,
        myopic: bool = False,
    ) -> None:
        self._tables, self._rng, self._use, self._myopic = tables, rng, use, myopic
        self._models = PartnerModels(tables, prior)

    def predict(self, context: Context) -> int:
        chances = [0.0] * self._tables.size
        for weight, place in zip(self._models.weights, self._tables.read(context).words, strict=True):
            chances[place] += weight
        return chances.index(max(chances))

    def choose(self, context: Context) -> Plan:
        tables = self._tables
        if self._use < 1 and self._rng.random() >= self._use:
            return self._rng.choice(tables.plans)
        worths = [0.0] * len(tables.plans)
        for weight, row in zip(self._models.weights, tables.read(context).worths, strict=True):
            if weight > NEGLIGIBLE:
                worths = [total + weight * worth for total, worth in zip(worths, row, strict=True)]
        numbers = range(len(worths))
        if self._myopic:
            costs = [tables.game.cost(context, plan) for plan in tables.plans]
            numbers = [number for number in numbers if costs[number] == min(costs)]
        return tables.plans[max(numbers, key=worths.__getitem__)]

    def learn(self, context: Context, plan: Plan, place: int) -> None:
        self._models.learn(context, plan, place)


class Guesser:
    """Predicts by ``guess`` and plays the best plan for its guess, or one at random with ``rng``."""

    def __init__(
        self, tables: EncounterTables, guess: Callable[[Context, int], int], rng: Random | None = None
    ) -> None:
        self._tables, self._guess, self._rng = tables, guess, rng
        self._encounters = 0

    def predict(self, context: Context) -> int:
        return self._guess(context, self._encounters)

    def choose(self, context: Context) -> Plan:
        if self._rng is not None:
            return self._rng.choice(self._tables.plans)
        return self._tables.game.replies(context, self._guess(context, self._encounters))[0]

    def learn(self, context: Context, plan: Plan, place: int) -> None:
        self._encounters += 1


class HabitCounter:
    """Predicts the place where the partner has been most often, and replies to it."""

    def __init__(self, tables: EncounterTables) -> None:
        self._tables = tables
        self._visits = [0] * tables.size

    def predict(self, context: Context) -> int:
        return self._visits.index(max(self._visits))

    def choose(self, context: Context) -> Plan:
        return self._tables.game.replies(context, self.predict(context))[0]

    def learn(self, context: Context, plan: Plan, place: int) -> None:
        self._visits[place] += 1


PolicyMaker: TypeAlias = Callable[[EncounterTables, int, Random], EncounterPolicy]
"""Makes a policy from the tables, the number of the partner's type (used by the informed one alone) and a random stream."""


def _up_to(order: int) -> PolicyMaker:
    """A tracker that conceives of types up to ``order`` only."""

    def make(tables: EncounterTables, partner: int, rng: Random) -> EncounterPolicy:
        prior = [
            weight * (kind.order <= order) for weight, kind in zip(tables.weights, tables.types, strict=True)
        ]
        return TypeTracker(tables, rng, prior if any(prior) else tables.weights)

    return make


def use_in_part(use: float) -> PolicyMaker:
    """A tracker that acts on its posterior with probability ``use``, else at random."""
    return lambda tables, partner, rng: TypeTracker(tables, rng, tables.weights, use)


def _hash_context(context: Context, encounters: int) -> int:
    return md5(repr((context, encounters)).encode()).digest()[0] % context.size


POLICIES: dict[str, PolicyMaker] = {
    INFORMED: lambda tables, partner, rng: TypeTracker(
        tables, rng, [float(number == partner) for number in range(len(tables.types))]
    ),
    "bayes": use_in_part(1.0),
    "half_used": use_in_part(0.5),
    "acts_at_random": use_in_part(0.0),
    "myopic": lambda tables, partner, rng: TypeTracker(tables, rng, tables.weights, myopic=True),
    "first_order": _up_to(1),
    "second_order": _up_to(2),
    "third_order": _up_to(3),
    "reality_bias": lambda tables, partner, rng: Guesser(tables, lambda context, _: context.now),
    "habit_counter": lambda tables, partner, rng: HabitCounter(tables),
    "constant": lambda tables, partner, rng: Guesser(tables, lambda context, _: 0),
    "hash": lambda tables, partner, rng: Guesser(tables, _hash_context),
    "coin": lambda tables, partner, rng: Guesser(tables, lambda context, _: rng.randrange(context.size), rng),
}
"""The policies by name."""
IGNORANT = ("reality_bias", "habit_counter", "constant", "hash", "coin")
"""Those that know nothing of what the partner saw and heard."""


def play_encounters(
    tables: EncounterTables, policy: EncounterPolicy, contexts: Sequence[Context], partner: int, rng: Random
) -> list[Decision]:
    """The encounters of an episode against type number ``partner``, whose slips come from ``rng``."""
    decisions: list[Decision] = []
    for context in contexts:
        word, plan = policy.predict(context), policy.choose(context)
        slips = tables.slip > 0 and rng.random() < tables.slip
        place = rng.randrange(tables.size) if slips else tables.go_all(context, plan)[partner]
        policy.learn(context, plan, place)
        decisions.append(Decision(word, plan, place))
    return decisions


def simulate_study(
    tables: EncounterTables,
    make: PolicyMaker,
    episodes: int,
    encounters: int = 12,
    seed: int | str = 0,
) -> list[EpisodeEvidence | Unknown]:
    """The evidence of ``episodes`` episodes of one policy, whose partners are those of a study with as many episodes."""
    members = Population(tuple((weight, (spec,)) for weight, spec in tables.members))
    gathered: list[EpisodeEvidence | Unknown] = []
    for episode in range(episodes):
        rng = stream(episode, f"encounters {seed}")
        contexts = tables.draw(rng, encounters)
        partner = tables.names.index(members.met(episode)[0].title)
        decisions = play_encounters(tables, make(tables, partner, rng), contexts, partner, rng)
        gathered.append(measure_encounters(tables, partner, contexts, decisions, design=str(episode)))
    return gathered


class PolicyMind(Mind):
    """A policy of :data:`POLICIES` in the seat under test. It answers every question by its prediction of the partner.

    With probability ``heeds`` it replies to what an intervention shows it instead: to the place that is named as the partner's next
    one or as its belief, or to the type.

    Raises:
        StudyError: there is no such policy, or ``heeds`` is no probability.
    """

    notices = True

    def __init__(self, rules: EncounterRules, policy: str, heeds: float = 0.0) -> None:
        self._rules, self.heeds = rules, heeds
        self._make, self.grants = find_policy(POLICIES, policy, "encounters")
        if not 0 <= heeds <= 1:
            raise StudyError(f"heeds must lie in 0..1, not {heeds!r}")

    def begin(self, brief: Brief, context: MindContext) -> None:
        tables, granted = self._rules.tables, find_granted(brief, PARTNER)
        partner = tables.names.index(granted) if granted else -1
        self._seat_context = context
        # A stream of its own, so that what it heeds changes no other draw.
        self._heeding = Random(context.rng.random())
        self._policy = self._make(tables, partner, context.rng)
        self._plan: Plan = ()
        self._context: Context | None = None

    async def perceive(self, moment: Moment) -> None:
        if moment.encounters and self._context is not None:
            place = self._rules.names.index(moment.encounters[-1].did[PARTNER][0])
            self._policy.learn(self._context, self._plan, place)
        self._at = 0
        if moment.last:
            return
        context, chosen = read_observation(moment.observation, self._rules.tables.size)
        if chosen is None:
            self._context = context
            self._prediction = self._policy.predict(context)
            self._plan = self._policy.choose(context)
            self._heeds_now = self._heeding.random() < self.heeds
        else:
            self._at = 1

    async def act(self) -> Action:
        notice = self._seat_context.notice
        if self._at == 0 and self._heeds_now and notice is not None and self._context is not None:
            self._plan = self._reply(notice, self._context)
        return self._plan[self._at]

    async def answer(self, question: Question) -> Answer | Invalid:
        return self._rules.names[self._prediction]

    def _reply(self, notice: Notice, context: Context) -> Plan:
        """The best plan for what is shown."""
        tables, names = self._rules.tables, self._rules.names
        policies = [describe_policy(kind) for kind in tables.types]
        if notice.text in policies:
            worths = tables.read(context).worths[policies.index(notice.text)]
            return tables.plans[worths.index(max(worths))]
        place = notice.behaviour or notice.text.rstrip(".").split()[-1]
        return tables.game.replies(context, names.index(place))[0]


def describe_policy(kind: PartnerType) -> str:
    """The policy of a type as its partner may be told it."""
    return f"it {kind.about}"


class PartnerMind(KnownPartner):
    """A partner of one type. In the first of two steps it acts as if ego changed nothing; slips are made in the last one."""

    def __init__(self, rules: EncounterRules, kind: PartnerType) -> None:
        self._rules, self._kind = rules, kind
        self.policy_in_words = describe_policy(kind)

    async def act(self) -> Action:
        tables = self._rules.tables
        context, chosen = read_observation(self.moment.observation, tables.size)
        if chosen is None and tables.game.steps > 1:
            return tables.go(self._kind, context)
        if tables.slip and self.rng.random() < tables.slip:
            return self.rng.randrange(tables.size)
        return tables.go(self._kind, context, None if chosen is None else self._rules.settle((chosen, 0)))

    def intends(self) -> Mapping[Behaviour, float]:
        tables = self._rules.tables
        context, chosen = read_observation(self.moment.observation, tables.size)
        goes = tables.go(self._kind, context, None if chosen is None else self._rules.settle((chosen, 0)))
        slip = tables.slip / tables.size
        return {
            name: slip + (1 - tables.slip) * (place == goes) for place, name in enumerate(self._rules.names)
        }
