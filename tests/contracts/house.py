"""A toy house: two rooms, two agents, one mug, one message each.

It shows that the contracts carry what a household needs: private observations,
private secrets, messages with a budget, messages in words, nested questions,
seats that finish early. No product: a fixture.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from string import printable
from typing import Any

from gymnasium.spaces import Dict, Discrete, Space, Text

from otherminds.core.contracts import Controller, Mind, Probe, Skill, Verbalizer
from otherminds.core.data import (
    Action,
    Ask,
    Brief,
    Encounter,
    Ended,
    Invalid,
    Moment,
    Partner,
    Question,
    ReceivedMessage,
    Seat,
    SkillChoice,
    Turn,
)
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Population, Scenario, World
from otherminds.core.text import quoted

AGENTS = ("agent_0", "agent_1")
ROOMS = ("kitchen", "hall")
PLACES = ("table", "cupboard")
"""Where the mug may be; both stand in the kitchen."""
VERBS = ("go", "put", "say", "wait", "done")
CHOICES = (
    *(SkillChoice("go", (room,)) for room in ROOMS),
    *(SkillChoice("put", (place,)) for place in PLACES),
    *(SkillChoice("say", (f"The mug is on the {place}.",)) for place in PLACES),
    SkillChoice("wait"),
    SkillChoice("done"),
)
"""What is listed for a mind that chooses from options; who writes its lines itself may say anything."""
BUDGET = 1
LONGEST = 6000
"""Characters in a line of text."""


class Line(Text):
    """Any text up to ``LONGEST`` characters, whatever they are; samples are short and printable."""

    def __init__(self) -> None:
        super().__init__(80, charset=printable)

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and 0 < len(x) <= LONGEST


class HouseWorld(World):
    """Both start in the kitchen, where the mug is on the table; all are paid 1 if it ends on ``goal``.

    Actions are lines: ``go hall``, ``put cupboard``, ``say anything``, ``wait``,
    ``done``. What cannot be done costs the turn. A seat sees the mug and the
    other only in its own room. A message arrives with the next observation, the
    closing one included. Who is done waits until all are, or ``turns`` run out.
    """

    metadata: dict[str, Any] = {"name": "house_v1"}  # noqa: RUF012 - Gymnasium's form

    def __init__(self, goal: str = "cupboard", turns: int = 6) -> None:
        self.possible_agents = list(AGENTS)
        self.agents: list[Seat] = []
        self.goal, self.turns = goal, turns
        sizes = {"room": 2, "mug": 3, "company": 2, "refused": 2}
        seen = Dict({key: Discrete(n) for key, n in sizes.items()})
        self.spaces = {seat: (seen, Line()) for seat in AGENTS}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.agents = list(AGENTS)
        self.grants: dict[Seat, dict[str, Any]] = (options or {}).get("grants", {})
        self.room = dict.fromkeys(AGENTS, "kitchen")
        self.mug = "table"
        self.done: set[Seat] = set()
        self.said: list[tuple[int, Seat, str]] = []
        self.turn = 0
        return self._observed(set()), {seat: {} for seat in AGENTS}

    def step(self, actions: dict[Seat, Action]) -> Any:
        for seat in AGENTS:
            if not self.action_space(seat).contains(actions[seat]):
                raise WorldError(f"action {actions[seat]!r} of seat {seat!r} is not a line of text")
        seen = {seat: self.room[seat] for seat in AGENTS}
        words = {seat: ("wait" if seat in self.done else actions[seat]).partition(" ") for seat in AGENTS}
        refused = {seat for seat, (verb, _, what) in words.items() if not self._do(seat, verb, what)}
        infos: dict[Seat, dict[str, Any]] = {}
        for seat, other in (AGENTS, AGENTS[::-1]):
            theirs = (words[other][0],) if seen[seat] == seen[other] and words[other][0] in VERBS else VERBS
            own = (words[seat][0],) if words[seat][0] in VERBS else ("wait",)
            told = tuple(
                ReceivedMessage(who, text)
                for turn, who, text in self.said
                if turn == self.turn and who != seat
            )
            infos[seat] = {
                "encounters": (Encounter(self.turn, {seat: own, other: theirs}, 0.0),),
                "told": told,
            }
        self.turn += 1
        over, cut = len(self.done) == len(AGENTS), self.turn == self.turns
        if over or cut:
            self.agents = []
        reward = float((over or cut) and self.mug == self.goal)
        return (
            self._observed(refused),
            dict.fromkeys(AGENTS, reward),
            dict.fromkeys(AGENTS, over),
            dict.fromkeys(AGENTS, cut and not over),
            infos,
        )

    def _do(self, seat: Seat, verb: str, what: str) -> bool:
        """Does it, where it can be done."""
        if verb == "go" and what in ROOMS:
            self.room[seat] = what
        elif verb == "put" and what in PLACES and self.room[seat] == "kitchen":
            self.mug = what
        elif verb == "say" and sum(who == seat for _, who, _ in self.said) < BUDGET:
            self.said.append((self.turn, seat, what))
        elif verb == "done":
            self.done.add(seat)
        else:
            return verb == "wait"
        return True

    def _observed(self, refused: set[Seat]) -> dict[Seat, dict[str, int]]:
        """Numbers: own room; the mug's place (0 unseen); whether the other is here; whether it was refused."""
        return {
            seat: {
                "room": ROOMS.index(self.room[seat]),
                "mug": 1 + PLACES.index(self.mug) if self.room[seat] == "kitchen" else 0,
                "company": int(self.room[seat] == self.room[other]),
                "refused": int(seat in refused),
            }
            for seat, other in (AGENTS, AGENTS[::-1])
        }

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self.spaces[agent][0]

    def action_space(self, agent: Seat) -> Space[Any]:
        return self.spaces[agent][1]

    def brief(self, seat: Seat) -> Brief:
        return Brief(
            seat,
            tuple(other for other in AGENTS if other != seat),
            self.action_space(seat),
            dict.fromkeys(AGENTS, VERBS),
            (0.0, 1.0),
            self.turns,
            skills=VERBS,
            secrets=self.grants.get(seat, {}).get("secrets", ()),
        )

    def fallback(self, seat: Seat) -> Action:
        return "wait"

    def truth(self, question: Question, step: int) -> str:
        return self.mug

    def facts(self) -> dict[str, Any]:
        return {
            "mug": self.mug,
            "goal": self.goal,
            "said": [list(message) for message in self.said],
            "messages": [
                [turn, who, other, text] for turn, who, text in self.said for other in AGENTS if other != who
            ],
        }


@dataclass(frozen=True)
class HouseVerbalizer(Verbalizer):
    """The house in words for one seat. What the other says is a quotation on a line of its own."""

    seat: Seat

    def rules(self, brief: Brief) -> str:
        (other,) = brief.others
        lines = [
            f"You are {self.seat}. You and {other} are in a house with a kitchen and a hall. In the kitchen are "
            f"a table and a cupboard, and on one of them a mug. There are {brief.horizon} turns. "
            f"What {other} tells you stands in double quotes, and nothing inside them comes from anybody else.",
            *(f"Your secret: {secret}." for secret in brief.secrets),
        ]
        return "\n".join(lines) + "\n"

    def tell(self, moment: Moment) -> str:
        seen = f"Turn {moment.step + 1}. {self.situation(moment)}"
        return "\n".join([seen, *(self.message(told) for told in moment.told)])

    def summary(self, moments: Sequence[Moment]) -> str:
        """Each situation with how often it was, then every message."""
        counts = Counter(self.situation(moment) for moment in moments)
        times = [f"In {n} turn{'s' * (n > 1)} so far: {situation}" for situation, n in counts.items()]
        return "\n".join([*times, *(self.message(told) for moment in moments for told in moment.told)])

    def situation(self, moment: Moment) -> str:
        seen = moment.observation
        company = "with the other" if seen["company"] else "alone"
        mug = f" The mug is on the {PLACES[seen['mug'] - 1]}." if seen["mug"] else ""
        refused = " What you tried could not be done." if seen["refused"] else ""
        return f"You are in the {ROOMS[seen['room']]}, {company}.{mug}{refused}"

    def message(self, told: ReceivedMessage) -> str:
        return f"{told.sender} tells you: {quoted(told.text)}"

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        options: tuple[Any, ...] = CHOICES if isinstance(about, Turn) else about.options
        labels = tuple(
            " ".join((one.name, *one.args)) if isinstance(one, SkillChoice) else one for one in options
        )
        words = "What do you do?" if isinstance(about, Turn) else about.text
        shown = f"You chose to {own.name}. " if isinstance(own, SkillChoice) else ""
        text = f"{shown}Q: {words} Choose from: {', '.join(labels)}."
        return Ask(text, labels, options, cue="A:", template="A: {}")

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        said = set(re.findall(r"^A: (.*)$", reply, re.MULTILINE))
        if len(said) == 1 and said <= set(ask.labels):
            return ask.options[ask.labels.index(said.pop())]
        return Invalid("no single answer in the form asked for", reply)


def line(verb: str) -> Skill:
    """The skill of one turn that does ``verb``; ``done`` waits for ever after."""

    def skill(brief: Brief, rng: Random, what: str = "") -> Controller:
        lines = iter([f"{verb} {what}" if what else verb])

        def control(moment: Moment) -> str | Ended:
            now = next(lines, None)
            if now is not None or verb == "done":
                return now or "wait"
            return Ended(not moment.observation["refused"], "refused" * moment.observation["refused"])

        return control

    return skill


def nobody(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
    raise StudyError(f"both seats of the house are under test, but nobody sits in {seat!r}")


def where(seat: Seat) -> Question:
    return Question(f"where:{seat}", seat, "end", "Where is the mug?", PLACES, 0.5)


def scenario(goal: str = "cupboard", turns: int = 6) -> Scenario:
    """Both seats are under test; only ``agent_0`` is told the goal, where each is granted its secrets."""
    nested = "Where would agent_1 say that the mug is?"
    secrets: dict[Seat, tuple[str, ...]] = {
        "agent_0": (f"the mug belongs on the {goal}",),
        "agent_1": ("the mug is not yours",),
    }
    grants: dict[str, Callable[[Seat], Any]] = {"secrets": secrets.__getitem__}
    return Scenario(
        id="house-v1",
        world=lambda: HouseWorld(goal, turns),
        population=Population(((Fraction(1), ()),)),
        partner=nobody,
        focal=AGENTS,
        probes=(
            Probe(
                Question("says:agent_1", "agent_0", "end", nested, PLACES, 0.5, "agent_1", "where:agent_1")
            ),
            *(Probe(where(seat)) for seat in AGENTS),
        ),
        skills={verb: line(verb) for verb in VERBS},
        verbalizer=lambda drawn, seat: HouseVerbalizer(seat),
        grants=grants,
    )
