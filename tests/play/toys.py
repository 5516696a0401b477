"""A toy world that writes down what happens, and minds that do as they are told."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from gymnasium.spaces import Discrete, Space

from otherminds.core.contracts import Mind, MindContext, Probe, Skill
from otherminds.core.data import (
    Action,
    Answer,
    Brief,
    Encounter,
    Game,
    Invalid,
    Message,
    Moment,
    Partner,
    Question,
    ReceivedMessage,
    Seat,
)
from otherminds.core.errors import OtherMindsError, WorldError
from otherminds.core.model import Completion, Decoding, Usage
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Population, Scenario, World

EGO, PARTNER = SEATS = ("ego", "partner_0")
MOVES = ("left", "stay", "right")
GAME = Game("toy", (MOVES, MOVES), tuple(tuple((float(i), 3.0 * j) for j in range(3)) for i in range(3)))
"""Not the same from both seats."""


class Line(World):
    """Two seats name a number from 0 to 2; each is paid its own. ``log`` hears of every step."""

    metadata: dict[str, Any] = {"name": "line"}  # noqa: RUF012 - Gymnasium's form

    def __init__(
        self,
        steps: int = 3,
        fallback: int | None = None,
        told: Mapping[int, Mapping[Seat, tuple[ReceivedMessage, ...]]] | None = None,
        log: list[Any] | None = None,
    ) -> None:
        self.possible_agents = list(SEATS)
        self.agents = []
        self.steps = steps
        self.played: list[tuple[int, int]] = []
        self.log = [] if log is None else log
        self._fallback = fallback
        self._told = told or {}
        self.grants: dict[Seat, dict[str, Any]] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.agents = list(SEATS)
        self.seed = seed
        self.grants = (options or {}).get("grants", {})
        return dict.fromkeys(SEATS, 0), {seat: self._info(seat) for seat in SEATS}

    def step(self, actions: dict[Seat, Action]) -> Any:
        for seat, action in actions.items():
            if not self.action_space(seat).contains(action):
                raise WorldError(f"seat {seat!r} cannot do {action!r}")
        self.log.append(("step", dict(actions)))
        self.played.append((actions[EGO], actions[PARTNER]))
        if len(self.played) == self.steps:
            self.agents = []
        rewards = {seat: float(actions[seat]) for seat in SEATS}
        over = dict.fromkeys(SEATS, not self.agents)
        infos = {seat: self._info(seat) for seat in SEATS}
        return dict.fromkeys(SEATS, len(self.played)), rewards, over, dict.fromkeys(SEATS, False), infos

    def _info(self, seat: Seat) -> dict[str, Any]:
        info: dict[str, Any] = {"told": self._told.get(len(self.played), {}).get(seat, ())}
        if self.played:
            did = {who: (MOVES[a],) for who, a in zip(SEATS, self.played[-1], strict=True)}
            info["encounters"] = (Encounter(len(self.played) - 1, did, float(MOVES.index(did[seat][0]))),)
        return info

    def observation_space(self, agent: Seat) -> Space[Any]:
        return Discrete(self.steps + 1)

    def action_space(self, agent: Seat) -> Space[Any]:
        return Discrete(3)

    def brief(self, seat: Seat) -> Brief:
        grants = self.grants.get(seat, {})
        return Brief(
            seat,
            tuple(s for s in SEATS if s != seat),
            self.action_space(seat),
            dict.fromkeys(SEATS, MOVES),
            (0, 2),
            self.steps,
            game=grants.get("game"),
            partners=grants.get("partners", ()),
            secrets=grants.get("secrets", ()),
        )

    def fallback(self, seat: Seat) -> Action | None:
        return self._fallback

    def truth(self, question: Question, step: int) -> Answer | None:
        self.log.append(("truth", question.id, step))
        if question.when == "end":
            return len(self.played)
        return MOVES[self.played[step][SEATS.index(question.about)]] if step < len(self.played) else None

    def facts(self) -> dict[str, Any]:
        return {"seed": self.seed}


class Diary(Mind):
    """Makes the decisions of ``plan`` in order, then 1 for ever; writes down all it hears."""

    def __init__(self, plan: Sequence[Any] = (), log: list[Any] | None = None, answer: Any = "stay") -> None:
        self.plan = list(plan)
        self.log = [] if log is None else log
        self.reply = answer
        self.moments: list[Moment] = []

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.brief, self.context = brief, context
        self.moments = []
        self.acts = 0

    def write(self, what: str) -> None:
        self.log.append((what, self.context.seat, self.context.step))

    async def perceive(self, moment: Moment) -> None:
        self.moments.append(moment)
        self.write("perceive")

    async def act(self) -> Any:
        self.write("act")
        self.acts += 1
        return self.plan[self.acts - 1] if self.acts <= len(self.plan) else 1

    async def answer(self, question: Question) -> Answer | Invalid:
        self.write(question.id)
        return self.reply


class Faulty(Diary):
    """Raises ``error`` at its second decision."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    async def act(self) -> Any:
        if self.acts == 1:
            raise self.error
        return await super().act()


class Parrot:
    """A model that says its seed."""

    spec = "parrot"
    context = 1000
    concurrency = 8

    def __init__(self, error: OtherMindsError | None = None, wait: Callable[[], Any] | None = None) -> None:
        self.error = error
        self.wait = wait

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        if self.wait is not None:
            await self.wait()
        if self.error is not None:
            raise self.error
        return Completion(str(decoding.seed), usage=Usage(2, 1, 1))

    def count(self, text: str) -> int:
        return len(text)


class Speaker(Diary):
    """Decides and answers by what its model says."""

    suspends = True

    async def act(self) -> Any:
        self.write("act")
        said = await self.context.generate((Message("user", f"step {self.context.step}"),), "act", Decoding())
        return int(said.text) % 3

    async def answer(self, question: Question) -> Answer | Invalid:
        said = await self.context.generate((Message("user", question.text),), question.id, Decoding())
        return MOVES[int(said.text) % 3]


class Sleepy(Diary):
    """Waits for something outside without saying so."""

    async def perceive(self, moment: Moment) -> None:
        await asyncio.sleep(0)


def question(id: str, when: Any, seat: Seat = EGO, truth_is: str = "") -> Probe:
    return Probe(Question(id, seat, when, f"{id}?", MOVES, 1 / 3, PARTNER, truth_is))


def scenario(
    world: Callable[[], World] = Line,
    probes: tuple[Probe, ...] = (),
    skills: Mapping[str, Skill] | None = None,
    grants: Mapping[str, Callable[[Seat], Any]] | None = None,
) -> Scenario:
    return Scenario(
        "toy-v1",
        world,
        Population(((Fraction(1), (SeatSpec("stayer"),)),)),
        lambda spec, seat: (Diary(), Partner(spec.title)),
        probes=probes,
        skills=skills or {},
        game=GAME,
        grants=grants or {},
    )
