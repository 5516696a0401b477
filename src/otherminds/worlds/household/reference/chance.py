"""The mind ``random``: calls drawn at random, of names that its own graph holds."""

from __future__ import annotations

from typing import Any

from otherminds.core.contracts import Bench, Mind
from otherminds.core.data import Action, Answer, Brief, Do, Invalid, Moment, Question
from otherminds.core.seeds import derive

HANDLED = ("Pick", "Clean", "Fill", "Pour", "PowerOn", "PowerOff")
TURNED = ("Open", "Close", "PowerOn", "PowerOff")


class Chance(Mind):
    """Draws a tool, then what to use it on; says nothing, and guesses among a question's options."""

    def begin(self, brief: Brief, bench: Bench) -> None:
        self._rng = bench.rng
        self._seed = bench.rng.getrandbits(32)
        self._seen: dict[str, Any] = {}

    async def perceive(self, moment: Moment) -> None:
        self._seen = moment.observation

    async def act(self) -> Action | Do | Invalid:
        house, objects = self._seen["house"], sorted(self._seen["graph"]["objects"])
        rooms, furniture = list(house["rooms"]), list(house["furniture"])
        tools = ["Navigate", "Explore", "Turn", "Wait"] + (["Handle"] if objects else [])
        tool = self._rng.choice(tools + ["Place"] * bool(self._seen["holding"]))
        match tool:
            case "Navigate":
                return f"Navigate[{self._rng.choice(rooms + furniture + objects)}]"
            case "Explore":
                return f"Explore[{self._rng.choice(rooms)}]"
            case "Turn":
                return f"{self._rng.choice(TURNED)}[{self._rng.choice(furniture)}]"
            case "Handle":
                return f"{self._rng.choice(HANDLED)}[{self._rng.choice(objects)}]"
            case "Place":
                how = self._rng.choice(("on", "within"))
                return f"Place[{self._seen['holding'][0]}, {how}, {self._rng.choice(furniture)}]"
            case _:
                return "Wait[]"

    async def answer(self, question: Question) -> Answer | Invalid:
        # A stream of its own for each question: asking changes no later draw.
        return question.options[derive(self._seed, question.id) % len(question.options)]
