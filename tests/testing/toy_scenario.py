"""A healthy scenario with everything that a scenario may have, a healthy mind, and one that talks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

from otherminds.core.contracts import OWN, Heard, Manner, Mind, Probe, Scaffold, Verbalizer
from otherminds.core.data import (
    Action,
    Answer,
    Ask,
    Brief,
    Encounter,
    Invalid,
    Message,
    Moment,
    Partner,
    Question,
    ReceivedMessage,
    Seat,
    SkillChoice,
    Turn,
    WeightedPolicy,
)
from otherminds.core.model import Completion, Decoding, Model
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Population, Scenario
from otherminds.core.text import quoted
from otherminds.games.best_response import best_response
from otherminds.games.blind import blind_value
from otherminds.games.player import AutomatonPlayer, Player
from otherminds.games.registry import automaton, ipd
from otherminds.testing import MindConformance, ScenarioConformance, StageWorld

GAME, ROUNDS = ipd(), 6
EGO, PARTNER = "ego", "partner_0"
MEMBERS = (
    (Fraction(1, 4), (SeatSpec("single", {"behaviour": 0}),)),
    (Fraction(1, 4), (SeatSpec("single", {"behaviour": 1}),)),
    (Fraction(1, 2), (SeatSpec("noisy_tit_for_tat"),)),
)
NEXT = Question("next", EGO, "after", "What does the other do?", GAME.behaviours[1], 0.5, about=PARTNER)
FIRST = Question("first", EGO, "before", "What will the other do?", GAME.behaviours[1], 0.5, about=PARTNER)


@dataclass(frozen=True)
class ToyVerbalizer(Verbalizer):
    order: tuple[int, ...]
    seat: Seat

    @property
    def scaffolds(self) -> Mapping[str, Scaffold]:
        return {OWN: ToyScaffold(self.order, self.seat)}

    def rules(self, brief: Brief) -> str:
        return f"You are {brief.seat}. Choose {' or '.join(self.labels())}, {brief.horizon} times.\n"

    def tell(self, moment: Moment) -> str:
        met = "".join(f"Round {met.step}: {sorted(met.did.items())}.\n" for met in moment.encounters)
        return met + "".join(map(self.message, moment.told))

    def summary(self, moments: Sequence[Moment]) -> str:
        said = "".join(self.message(told) for moment in moments for told in moment.told)
        return f"{len(moments)} rounds were played.\n{said}"

    def message(self, told: ReceivedMessage) -> str:
        return f"{told.sender} says {quoted(told.text)}.\n"

    def labels(self) -> list[str]:
        return [GAME.behaviours[0][i].capitalize() for i in self.order]

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        options: list[Any] = list(self.order)
        if isinstance(about, Question):
            options = [GAME.behaviours[1][i] for i in self.order]
        return Ask(f"Round {moment.step}.", tuple(self.labels()), tuple(options), "I choose", "I choose {}.")

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        found = re.fullmatch(r"I choose (.+?)\.?", reply)
        if found and found[1] in ask.labels:
            return ask.options[ask.labels.index(found[1])]
        return Invalid("not of the form asked for", reply)


class ToyScaffold(Scaffold):
    def __init__(self, order: tuple[int, ...], seat: Seat) -> None:
        self.manner = Manner()
        self.order, self.me = order, seat

    def system(self, brief: Brief) -> str:
        return f"You are {self.me}, for {brief.horizon} rounds."

    def name(self, seat: Seat) -> str:
        return f"the one called {seat}"

    def seat(self, name: str) -> Seat | None:
        return {self.name(seat): seat for seat in (EGO, PARTNER) if seat != self.me}.get(name)

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        return tuple(self.written(GAME.behaviours[0][i], seat) for i in self.order)

    def written(self, behaviour: str, seat: Seat) -> Any:
        return [behaviour.upper()]

    def read(self, value: Any, seat: Seat) -> str | Invalid:
        known = {behaviour.upper(): behaviour for behaviour in GAME.behaviours[0]}
        return known.get(value[0]) or Invalid("no behaviour", str(value))

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        return Heard(f"round {encounter.step}, {len(since)} after the last", encounter.did[self.me][0])

    def strategies(self) -> tuple[str, ...]:
        return ("They wait.",)


def partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
    played = automaton(spec.mind, GAME, ROUNDS, spec.params)
    return AutomatonPlayer(played), Partner(spec.title, played)


def family() -> tuple[WeightedPolicy, ...]:
    return tuple(
        WeightedPolicy(float(weight), automaton(spec.mind, GAME, ROUNDS, spec.params))
        for weight, (spec,) in MEMBERS
    )


def bounds(seats: Mapping[Seat, SeatSpec]) -> Bounds:
    met = seats[PARTNER]
    played = automaton(met.mind, GAME, ROUNDS, met.params)
    best = sum(m.weight * best_response(GAME, m.automaton, ROUNDS).value for m in family())
    population = tuple(
        Member(one.weight, spec.title, one.automaton)
        for one, (_, (spec,)) in zip(family(), MEMBERS, strict=True)
    )
    informed = best_response(GAME, played, ROUNDS).value
    return Bounds(informed, best, blind_value(GAME, family(), ROUNDS), "toys", population)


def draw(rng: Random) -> dict[str, Any]:
    order = [0, 1]
    rng.shuffle(order)
    return {"order": order}


def asked(scenario: Scenario) -> Scenario:
    return replace(scenario, probes=(Probe(NEXT), Probe(FIRST, lambda moment: moment.step == 0)))


def toy_scenario() -> Scenario:
    made = Scenario(
        id="toy-mixed-v1",
        world=lambda: StageWorld(GAME, ROUNDS),
        population=Population(MEMBERS),
        partner=partner,
        draw=draw,
        verbalizer=lambda drawn, seat: ToyVerbalizer(tuple(drawn["order"]), seat),
        game=GAME,
        priors={"family": family},
        grants={"secrets": lambda seat: (f"{seat} is watched",)},
        bounds=bounds,
    )
    return asked(made)


class ToyMind(Player):
    """Copies the behaviour that it has met most, and now and then plays at random."""

    def start(self, own: int, others: int) -> None:
        self.counts = [0] * others

    def learn(self, own: int, other: int, reward: float) -> None:
        self.counts[other] += 1
        self.context.note("counts", list(self.counts))

    def choose(self) -> int:
        rng = self.context.rng
        return rng.randrange(2) if rng.random() < 0.5 else self.counts.index(max(self.counts))

    def predict(self) -> int:
        return self.counts.index(max(self.counts))


class Parrot(Model):
    """A model that says what its seed says, one way or the other."""

    spec, context, concurrency = "parrot", 1000, 4

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        await asyncio.sleep(0)
        return Completion(Random(decoding.seed).choice(["I choose Cooperate.", "I choose Defect."]))

    def count(self, text: str) -> int:
        return len(text.split())


class TalkingMind(Mind):
    """Asks its model for everything."""

    suspends = True

    def begin(self, brief: Brief, context: Any) -> None:
        self.context = context
        self.story = context.verbalizer.rules(brief)

    async def perceive(self, moment: Moment) -> None:
        self.moment = moment
        self.story += self.context.verbalizer.tell(moment)

    async def act(self) -> Action | SkillChoice | Invalid:
        return await self.say(Turn(), "act")

    async def answer(self, question: Question) -> Answer | Invalid:
        return await self.say(question, "predict")

    async def say(self, about: Turn | Question, purpose: str) -> Any:
        ask = self.context.verbalizer.ask(about, self.moment)
        said = await self.context.generate([Message("user", self.story + ask.text)], purpose, Decoding())
        return self.context.verbalizer.read(ask, said.text)


class HealthyMind(MindConformance):
    """The checks on ``Toy``, which specimens replace."""

    Toy: type[Mind] = ToyMind

    def make_mind(self) -> Mind:
        return self.Toy()

    def make_scenario(self) -> Scenario:
        return toy_scenario()


class HealthyTalker(HealthyMind):
    """The checks on a mind with a model."""

    Toy = TalkingMind
    Voice: type[Parrot] = Parrot

    def make_models(self) -> Mapping[Seat, Model]:
        return {EGO: self.Voice()}


class HealthyScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return toy_scenario()
