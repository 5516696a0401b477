"""A world in words for tests, a model that answers by key, and a seat that hears what it is told.

The model answers every form with the example that the prompt shows, unless the test
says something else for a key; so a test says only what it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from gymnasium.spaces import Discrete

from otherminds.core.contracts import (
    OWN,
    Heard,
    Manner,
    PlanningScaffold,
    RememberedSighting,
    Scaffold,
    Sighting,
)
from otherminds.core.data import Brief, Encounter, Ended, Invalid, Message, Moment, SkillChoice
from otherminds.core.model import Completion, Decoding
from otherminds.minds.registry import minds
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext
from otherminds.replies.blocks import last_block

BEHAVIOURS = ("rock", "paper", "scissors")
EGO = "ego"
PLANNED = ("go", "rock", "paper", "scissors")


class FakeManner(Manner, frozen=True):
    """A manner, and whether the fake world has plans of skills."""

    plans: bool = False


HIDDEN = FakeManner(hidden=True)
"""As rock-paper-scissors on the map, but without plans."""
APART = FakeManner(hidden=True, joint=False)
"""As the prisoner's dilemma on the map, but without plans."""
TOLD = FakeManner()
"""As a matrix game."""
COOKING = FakeManner(judged=True, joint=False, choice="strategy", plans=True, reflects=True)
MAPPED = FakeManner(hidden=True, plans=True)
MANNERS = {
    "hidden": HIDDEN,
    "apart": APART,
    "told": TOLD,
    "cooking": COOKING,
    "mapped": MAPPED,
    "mapped apart": FakeManner(hidden=True, joint=False, plans=True),
}


class Words(Scaffold):
    """Behaviours are written in capitals."""

    def __init__(self, manner: Manner, behaviours: tuple[str, ...] = BEHAVIOURS, others: int = 1) -> None:
        self.manner = manner
        self.behaviours = behaviours
        self.names = {f"partner_{i}": f"player {i + 2}" for i in range(others)}

    def system(self, brief: Brief) -> str:
        return f"Thou art {brief.seat}. Payoffs: {brief.game.payoffs if brief.game else 'not told'}."

    def name(self, seat: str) -> str:
        return self.names[seat]

    def seat(self, name: str) -> str | None:
        return next((seat for seat, called in self.names.items() if called == name), None)

    def choices(self, seat: str) -> tuple[Any, ...]:
        return tuple(name.upper() for name in self.behaviours)

    def written(self, behaviour: str, seat: str) -> Any:
        return behaviour.upper()

    def read(self, value: Any, seat: str) -> str | Invalid:
        known = isinstance(value, str) and value.lower() in self.behaviours
        return value.lower() if known else Invalid("no behaviour", repr(value)[:50])

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        return Heard(f"step {encounter.step} of {len(since)}", self.written(encounter.did[EGO][0], EGO))

    def clues(self) -> str:
        return "Example 1: you played ROCK, your reward 0, so this fits:\n{'they_played': 'ROCK'}"

    def strategies(self) -> tuple[str, ...]:
        return ("They do what they can't help.", "They wait.")


class PlanningWords(Words, PlanningScaffold):
    """With plans of skills; the observation is the own place."""

    def scene(self, moment: Moment) -> str:
        return f"You are at: {moment.observation}"

    def state(self, moment: Moment) -> str:
        return f"at {moment.observation}"

    def sightings(self, moment: Moment) -> tuple[Sighting, ...]:
        return (Sighting("a stone", (moment.observation, 0)),)

    def recall(self, seen: Sequence[RememberedSighting], moment: Moment) -> str:
        return f"Stones seen earlier: {[(one.sighting.place, one.step) for one in seen]}"

    def skills(self) -> str:
        return "- go(x): walk to x."

    def plans(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple((f"I am at {i} and walk on.", (f"go({i})", f"go({i + 1})")) for i in range(3))

    def plan(self, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
        good = all(call.startswith("go(") and call[3:-1].isdigit() for call in calls)
        return (
            tuple(SkillChoice("go", (int(call[3:-1]),)) for call in calls)
            if good
            else Invalid("no such skill")
        )


class Model:
    """Answers each form with ``said[key]``: a value, or a function of the prompt and the call's number.

    ``raw`` maps the name of a step to whole replies of that step, again and again.
    """

    spec = "fake"
    concurrency = 1

    def __init__(self, raw: dict[str, str] | None = None, context: int = 2**31, **said: Any) -> None:
        self.said = said
        self.raw = raw or {}
        self.context = context
        self.prompts: list[str] = []
        self.decodings: list[Decoding] = []

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        prompt = messages[-1].content
        self.prompts.append(prompt)
        self.decodings.append(decoding)
        form = shape(prompt)
        for key, reply in self.raw.items():
            if key in form or key == "everything":
                return Completion(reply)
        return Completion(repr({key: self._value(key, form[key], prompt) for key in form}))

    def _value(self, key: str, example: Any, prompt: str) -> Any:
        value = self.said.get(key, example)
        return value(prompt) if callable(value) else value

    def count(self, text: str) -> int:
        return len(text.split())


def shape(prompt: str) -> dict[str, Any]:
    """The dictionary that a prompt asks for."""
    found = last_block(prompt.rsplit("in this form:", 1)[-1])
    assert isinstance(found, dict), prompt
    return found


def only(scaffold: Scaffold, name: str = OWN) -> Any:
    """A verbalizer with nothing but ``scaffold``."""
    return SimpleNamespace(scaffolds={name: scaffold})


class Seat:
    """One mind at its place: a test tells it what happens, step by step."""

    def __init__(
        self,
        mind: str,
        manner: FakeManner,
        model: Model,
        others: int = 1,
        skills: tuple[str, ...] = PLANNED,
        **params: Any,
    ) -> None:
        self.mind = minds.make(mind, params)
        self.now = Now()
        self.model = model
        self.scaffold = (PlanningWords if manner.plans else Words)(manner, others=others)
        self.context = SeatContext(EGO, 7, self.now, only(self.scaffold), model)
        self.others = tuple(f"partner_{i}" for i in range(others))
        self.brief = Brief(
            EGO,
            self.others,
            Discrete(3),
            dict.fromkeys((EGO, *self.others), BEHAVIOURS),
            (-1.0, 1.0),
            1000,
            skills if manner.plans else (),
        )
        self.place = 0
        self.mind.begin(self.brief, self.context)

    def hear(self, *encounters: Encounter, ended: Ended | None = None, last: bool = False) -> None:
        moment = Moment(self.now.step, self.place, 0.5, encounters, ended, last=last)
        finish(self.mind.perceive(moment))

    def act(self) -> Any:
        return finish(self.mind.act())

    def step(self, *encounters: Encounter, ended: Ended | None = None) -> Any:
        """The next step: what is heard there, then what is done."""
        self.hear(*encounters, ended=ended)
        made = self.act()
        self.now.step += 1
        return made

    def meet(
        self, theirs: str | tuple[str, ...] = "rock", own: str = "rock", reward: float = 0.0, seat: str = ""
    ) -> Any:
        """A step in which an encounter is heard; a hidden one leaves everything possible."""
        hidden = self.scaffold.manner.hidden
        did = BEHAVIOURS if hidden else (theirs,) if isinstance(theirs, str) else theirs
        return self.step(Encounter(self.now.step, {EGO: (own,), seat or self.others[0]: did}, reward))

    @property
    def purposes(self) -> list[str]:
        """The purposes of all calls so far."""
        return [call.purpose for call in self.context.calls]

    def calls(self, made: int = 0) -> list[str]:
        """The purposes of calls from number ``made`` on, without what they are about."""
        return [purpose.partition(":")[0] for purpose in self.purposes[made:]]

    def notes(self, kind: str) -> list[Any]:
        """The notes of a kind."""
        return [data for _, noted, data in self.context.notes if noted == kind]
