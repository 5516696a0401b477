"""A telling for any world whose behaviours have names: no product, a stand-in for tests.

It shares no word and no form with that of the matrix games, so that a strategy
which leans on those fails here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Brief, Invalid, Moment, Question, Seat, SkillChoice, Turn
from otherminds.core.scenario import Scenario


@dataclass(frozen=True)
class Words(Verbalizer):
    """``behaviours`` by seat; those in ``skills`` are chosen by name, others by index."""

    seat: Seat
    behaviours: dict[Seat, tuple[str, ...]]
    skills: tuple[str, ...]
    shows: int = 3

    def rules(self, brief: Brief) -> str:
        return f"Thou art {self.seat} amid {', '.join(brief.others)}.\n"

    def tell(self, moment: Moment) -> str:
        lines = [
            f"[{met.step}] " + ", ".join(f"{seat} did {' or '.join(did)}" for seat, did in met.did.items())
            for met in moment.encounters
        ]
        return "\n".join(lines)

    def summary(self, moments: Sequence[Moment]) -> str:
        return f"{len(moments)} things befell thee."

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        if isinstance(about, Turn):
            labels = self.behaviours[self.seat]
            options = tuple(SkillChoice(name) if name in self.skills else i for i, name in enumerate(labels))
            text = f"({moment.step}) What dost thou?"
        else:
            labels = options = about.options
            chosen = (
                "" if own is None else f"Thou chosest {own.name if isinstance(own, SkillChoice) else own}. "
            )
            text = f"({moment.step}) {chosen}{about.text or f'What doth {about.about}?'}"
        return Ask(text, tuple(labels), tuple(options), "Verily <", "Verily <{}>")

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        found = set(re.findall(r"^Verily <(.*?)>$", reply, re.MULTILINE)) & set(ask.labels)
        return ask.options[ask.labels.index(found.pop())] if len(found) == 1 else Invalid("unclear", reply)

    def examples(self, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
        what = "deed" if isinstance(about, Turn) else "guess"
        return tuple(f"Example of a {what}, number {n}." for n in range(1, self.shows + 1))


def telling(scenario: Scenario, shows: int = 3) -> Any:
    """What a scenario's ``telling`` is, for :class:`Words`."""

    def make(drawn: dict[str, Any], seat: Seat) -> Words:
        world = scenario.world()
        world.reset(seed=0)
        brief = world.brief(seat)
        return Words(seat, brief.behaviours, brief.skills, shows)

    return make
