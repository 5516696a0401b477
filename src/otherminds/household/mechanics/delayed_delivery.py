"""Messages that arrive some turns later: a letter, or a radio link over a satellite. This mechanic is ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from otherminds.household.epistemic.formula import FormulaError
from otherminds.household.epistemic.parse import Group
from otherminds.household.epistemic.words import Heads, HouseRule, Names, Shapes
from otherminds.household.epistemic.words.shapes import COUNTED, Voice, filled, of_agent
from otherminds.household.epistemic.words.shapes import MOST as SAYABLE
from otherminds.household.mechanics.mechanic import Binding, Bound, Mechanic, delay, mechanics

MOST = 1000
"""The largest number of turns; a larger one is considered a mistake, since no episode is that long."""
OF_AGENT, OF_ALL = "can only send messages that arrive {} late", "Every message arrives {} late"
ONE, SEVERAL = "1 turn", "{} turns"

WORDINGS = (
    "{whose} messages arrive {count} late.",
    "Every message from {who} arrives {count} late.",
    "Messages from {who} are delayed by {count}.",
    "It takes {count} longer than usual until {whose} messages arrive.",
    "Whatever {who} {writes} arrives {count} later than usual.",
)
WORDINGS_OF_ALL = (
    "Messages arrive {count} late.",
    "All messages in this house arrive {count} late.",
    "Every message is delayed by {count}.",
    "It takes {count} longer than usual until a message arrives.",
    "Whatever anybody writes arrives {count} later than usual.",
)
GRAMMAR = """
Turns -> NUMBER turns | NUMBER turn => count
Turns -> one turn | a single turn => times 1
_late -> late | later | later than usual
_delayed -> delayed by | held up for | held back for
_takes -> it takes
_until -> longer than usual until | longer until
_reach -> arrive | are delivered
_reaches -> arrives | is delivered
Late -> Whose messages _reach Turns _late | every message from Who _reaches Turns _late
    | messages from Who _reach Turns _late | whatever Who writes _reaches Turns _late | whatever Who write _reaches Turns _late
    | messages from Who are _delayed Turns | Whose messages are _delayed Turns => late
Late -> _takes Turns _until Whose messages arrive | _takes Turns _until messages from Who arrive => late 2 1
_here -> | in this house | in this task
Late -> messages _here _reach Turns _late | all messages _here _reach Turns _late | every message _here _reaches Turns _late
    | messages _here are _delayed Turns | all messages _here are _delayed Turns | every message _here is _delayed Turns
    | _takes Turns _until a message arrives | whatever _one writes _reaches Turns _late => all_late
Told -> Late
"""


def _late(agent: str, turns: int) -> tuple[Delayed, ...]:
    return (Delayed(turns, agent),)


def _all_late(turns: int) -> tuple[Delayed, ...]:
    return _late("", turns)


class Delayed(HouseRule, frozen=True, tag="delayed"):
    """The turns that the messages of an agent take longer than usual; those of all agents, if none is named.

    ``agent_0 can only send messages that arrive 2 turns late.`` ``(message_delay agent_0 2)``; ``Every message arrives 2
    turns late.`` ``(messages_delayed 2)``.
    """

    turns: int
    agent: str = ""

    shapes: ClassVar[Shapes] = {
        f"<agent> {OF_AGENT.format(ONE)}": lambda names: Delayed(1, names[0]),
        f"<agent> {OF_AGENT.format(SEVERAL.format('<number>'))}": lambda names: Delayed(
            int(names[1]), names[0]
        ),
        OF_ALL.format(ONE): lambda names: Delayed(1),
        OF_ALL.format(SEVERAL.format("<number>")): lambda names: Delayed(int(names[0])),
    }
    grammar = GRAMMAR
    actions = (_late, _all_late)
    heads: ClassVar[Heads] = {"message_delay": 2, "messages_delayed": 1}

    def sentence(self, voice: Voice) -> str:
        count = self._count(str(self.turns))
        return voice.clause(self.agent, OF_AGENT.format(count)) if self.agent else OF_ALL.format(count)

    def wordings(self, you: str) -> Iterator[str]:
        numbers = [str(self.turns), *(COUNTED[self.turns : self.turns + 1] if self.turns else ())]
        counts = [{"count": self._count(number)} for number in numbers]
        if not self.agent:
            return filled(WORDINGS_OF_ALL, counts)
        agent = of_agent(self.agent, you) | {"writes": "write" if self.agent == you else "writes"}
        return filled(WORDINGS, [agent | count for count in counts])

    def _count(self, number: str) -> str:
        if not 0 <= self.turns <= SAYABLE:
            raise FormulaError(f"{self.turns} turns cannot be said; name a number from 0 to {SAYABLE}")
        return f"{number} turn" if self.turns == 1 else f"{number} turns"

    def forms(self, agents: Sequence[str]) -> Names:
        return (
            f"(message_delay {self.agent} {self.turns})"
            if self.agent
            else f"(messages_delayed {self.turns})",
        )

    @classmethod
    def of_forms(cls, forms: Sequence[Sequence[str]]) -> Delayed:
        _, *agent, turns = forms[0]
        return Delayed(int(turns), *agent)

    @classmethod
    def checked_form(cls, form: Group) -> str:
        text = super().checked_form(form)
        if not text[:-1].split()[-1].isdecimal():
            raise FormulaError(
                "(message_delay agent number), (messages_delayed number): the number is missing"
            )
        return text

    def delay(self, agent: str) -> int:
        return self.turns if self.agent in ("", agent) else 0

    def confirmed(self, bound: Bound, agents: Sequence[str]) -> Delayed | None:
        about = (self.agent,) if self.agent else agents
        agrees = all(agent in agents and delay(bound, agent) == self.turns for agent in about)
        return self if agrees else None

    def denied(self, bound: Bound, agents: Sequence[str]) -> str:
        wrong = {agent: turns for agent in agents if self.delay(agent) != (turns := delay(bound, agent))}
        mine = [
            f"{agent} arrive {turns} turns late"
            for agent, turns in wrong.items()
            if self.agent in ("", agent)
        ]
        return f"by the bindings messages of {' and of '.join(mine)}; say so, or mend them" if mine else ""


@mechanics.register("delayed_delivery")
class DelayedDelivery(Mechanic):
    """Messages arrive ``turns`` turns later than usual (1 or more): those of ``for_agents``, or of all agents without them.

    A message costs its sender the same, and what has not arrived at the end never arrives. Whoever receives it knows what
    its sender knew when it was sent, if that has held since; until then neither of them knows that the other knows.

    Proofs need no word of it. They are about plans of any length: a plan may wait until a message has arrived, during
    which nothing else changes, and a plan with late messages is one without if each is sent when it arrives. What a proof
    counts in turns are acts alone.
    """

    says = Delayed
    fields = ("turns",)
    optional = ("for_agents",)

    def faults(self, binding: Binding) -> list[str]:
        if 0 <= binding.turns <= MOST:
            return []
        return [
            f"turns: a message cannot arrive {binding.turns} turns late; write 1 or more, and at most {MOST}"
        ]

    def secrets(self, binding: Binding) -> tuple[Delayed, ...]:
        return tuple(Delayed(binding.turns, agent) for agent in binding.for_agents or ("",))
