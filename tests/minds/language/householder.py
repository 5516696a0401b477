"""A competent stand-in for a language model in the household: it reads the prompt and nothing else.

It understands goals in the controlled language, tells who can do what it cannot, carries
one object to where it must end, says when that is done, and answers probes from what it
saw or was told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from otherminds.core.data import Message
from otherminds.core.model import Decoding
from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.words import Fact, Must, Statement
from otherminds.household.epistemic.words.sentences import read, say
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.models.scripted import ScriptedModel

PROBE = re.compile(r" about: ([^\n]*?\.) Say what ")
LYING = re.compile(r"\bOn (\w+): ([^.;]*)")


@dataclass(frozen=True)
class Page:
    """What a prompt says."""

    text: str

    @property
    def me(self) -> str:
        return self._one(r"You are (agent_\d+)\.")

    @property
    def other(self) -> str:
        return self._one(r"In a house with you: (agent_\d+)")

    @property
    def told(self) -> list[Statement]:
        """The text of secrets, then of messages."""
        secrets = re.findall(r'^- (".*")$', self.text, re.MULTILINE)
        messages = re.findall(r'^(agent_\d+) tells you: (".*")$', self.text, re.MULTILINE)
        heard = [(self.me, text) for text in secrets] + messages
        return [one for who, text in heard for one in read(json.loads(text), me=who, you=self.me)]

    @property
    def calls(self) -> list[str]:
        """The calls that worked."""
        return re.findall(r"You called (.*?)\. Successful execution!", self.text)

    @property
    def facts(self) -> set[Atom]:
        """What was told as a fact, and what was seen to lie somewhere."""
        said = {one.formula for one in self.told if isinstance(one, Fact) and isinstance(one.formula, Atom)}
        seen = LYING.findall(self.text)
        return said | {Atom("is_on_top", (o, f)) for f, listed in seen for o in listed.split(", ")}

    def room_of(self, furniture: str) -> str:
        return self._one(rf"^- (\w+), doors? to [^:]*:[^\n]*\b{furniture}\b")

    def _one(self, pattern: str) -> str:
        found = re.search(pattern, self.text, re.MULTILINE)
        assert found, pattern
        return found[1]


def act(page: Page) -> str:
    """The next call."""
    goal = next((one.formula for one in page.told if isinstance(one, Must)), None)
    if not isinstance(goal, Atom):
        return "Wait[]"
    thing, target = goal.args
    barred = {
        room for one in page.told if isinstance(one, Barred) and one.agent == page.me for room in one.rooms
    }
    spoken = any(call.startswith("Communicate") for call in page.calls)
    if page.room_of(target) in barred:
        if goal in page.facts:
            return "Done[]"
        return "Wait[]" if spoken else f'Communicate[{page.other}, "{say(Must(goal))} {_where(page, thing)}"]'
    place = f"Place[{thing}, on, {target}]"
    if place in page.calls:
        return "Done[]" if spoken else f'Communicate[{page.other}, "{say(Fact(goal))}"]'
    last = page.calls[-1] if page.calls else ""
    if f"Pick[{thing}]" in page.calls:
        return place if last == f"Navigate[{target}]" else f"Navigate[{target}]"
    source = next(fact.args[1] for fact in page.facts if fact.args[0] == thing and fact != goal)
    return f"Pick[{thing}]" if last == f"Navigate[{source}]" else f"Navigate[{source}]"


def _where(page: Page, thing: str) -> str:
    return say(Fact(next(fact for fact in page.facts if fact.args[0] == thing)))


def answer(page: Page, about: str) -> str:
    """What it knows of a fact."""
    (asked,) = read(about)
    assert isinstance(asked, Fact)
    return "it holds" if asked.formula in page.facts else "unknown"


def householder() -> ScriptedModel:
    """The stand-in, with thoughts before its answer."""

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        page = Page("\n".join(message.content for message in messages if message.role != "assistant"))
        asked = PROBE.findall(messages[-1].content)
        if asked:
            return f"I go by what I heard.\nAnswer: {answer(page, asked[-1])}"
        return f"I go by what must be.\nAction: {act(page)}"

    return ScriptedModel(reply, spec="scripted:householder")
