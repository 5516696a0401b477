"""Agents with a number of messages, and messages of a few statements (Juneja et al. 2026, section 3.4 and appendix J: a radio)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from otherminds.household.epistemic.formula import FormulaError
from otherminds.household.epistemic.parse import Group
from otherminds.household.epistemic.words import Heads, HouseRule, Names, Shapes
from otherminds.household.epistemic.words.shapes import COUNTED, Voice, filled, of_agent
from otherminds.household.epistemic.words.shapes import MOST as SAYABLE
from otherminds.household.mechanics.mechanic import Binding, Bound, Mechanic, budget, mechanics

MOST = 1000
"""The largest message limit; a larger one is considered a mistake, since no episode has that number of turns."""
WIDTH = "statements: a message cannot have {} statements; write 1 or more, and at most {}, or leave it out"

ONE, SEVERAL = "can send 1 message", "can send {} messages"
WORDINGS = (
    "{who} may send no more than {count} in all.",
    "{whose} allowance is {count} for the whole task.",
    "{who} {is_} limited to {count}.",
    "{count} {count_is} all that {who} can send.",
    "After {count}, {who} cannot send any more.",
    "{who} {has} {count} to spend until the end.",
)
SILENT_WORDINGS = (
    "{who} can send no messages at all.",
    "Not a single message can come from {who}.",
    "The number of messages that {who} can send is 0.",
    "{who} may not send a single message.",
    "{whose} allowance is 0 messages for the whole task.",
)
GRAMMAR = """
Count -> NUMBER messages | NUMBER message => count
Count -> one message | a single message | just one message => times 1
Count -> no messages | no message => times 0
_most -> at most | no more than | not more than | up to | a total of | only | just
_most_count -> | _most
_in_all -> | at all | in all | in total | altogether | all told | overall | and no more | , and no more | but no more | , no more
    | at most | for the whole task | over the whole task | during the task | during the whole task | until the end
    | in the whole task | from start to end
_sends -> send | write | send out
_to_send -> to send | to write
_use -> to spend | to use | to spare | at _your disposal | for the whole task
_limit -> limit | allowance | budget | quota | ration | message limit | message budget | message allowance
    | message quota
_capped -> _is limited to | _is restricted to | _has a _limit of | _has an _limit of
Budget -> Who _can _sends _most_count Count _in_all | Who _can only _sends Count _in_all | Who _has _most_count Count _use _in_all | Who _has _most Count _to_send _in_all
    | Whose _limit is Count _in_all | Whose _limit allows _most_count Count _in_all | Who _capped Count _in_all
    | Whose messages are limited to NUMBER _in_all => budget
Budget -> no more than Count can come from Who | no more than Count can be sent by Who | at most Count can come from Who
    | at most Count can be sent by Who | Count _is all _that Who _can send | Count _is all _that Who _has
    | Count _is Whose _limit | Count _is the most _that Who _can send | there is a limit of Count for Who
    | there is a limit of Count on Whose messages | Count and no more can come from Who => budget 2 1
_spent -> , that is it | , and that is it
_silent -> _can send no more | _can write no more | _can_not send any more | _can_not write any more
    | _can_not send another | _can_not send another one | _can send nothing more | has to be silent | have to be silent
    | must be silent | can not write anymore
Budget -> after Count , Who _silent | once _you _has sent Count , Who _silent => budget 2 1
Budget -> Who _can send Count _spent => budget
Times -> NUMBER times => count
Times -> once | one time => times 1
Times -> twice => times 2
_note -> write | send a message | message others | write to others | send messages | write to the others
Budget -> Who _can _note Times _in_times | Who _can _note only Times | Who _can only _note Times
    | Who _can _note at most Times | Who _can _note no more than Times | Who _can _note just Times => budget
_in_times -> at most | and no more | in all | in total | , and no more | and not more often | only
Budget -> the number of messages _that Who _can send is NUMBER => budget
Budget -> Who _can_not send a single message | Who _can_not write a single message => budget_none
Budget -> not a single message can be sent by Who | not a single message can come from Who => budget_none
Told -> Budget
"""


def _budget(agent: str, count: int | str) -> tuple[MessageBudget, ...]:
    return (MessageBudget(agent, int(count)),)


def _budget_none(agent: str) -> tuple[MessageBudget, ...]:
    return _budget(agent, 0)


class MessageBudget(HouseRule, frozen=True, tag="budget"):
    """The number of messages that an agent can send.

    ``agent_0 can send 2 messages.`` ``(message_limit agent_0 2)``.
    """

    agent: str
    messages: int

    shapes: ClassVar[Shapes] = {
        f"<agent> {ONE}": lambda names: MessageBudget(names[0], 1),
        f"<agent> {SEVERAL.format('<number>')}": lambda names: MessageBudget(names[0], int(names[1])),
    }
    grammar = GRAMMAR
    actions = (_budget, _budget_none)
    heads: ClassVar[Heads] = {"message_limit": 2}

    def sentence(self, voice: Voice) -> str:
        self._check_sayable()
        return voice.clause(self.agent, ONE if self.messages == 1 else SEVERAL.format(self.messages))

    def wordings(self, you: str) -> Iterator[str]:
        self._check_sayable()
        noun, be = ("message", "is") if self.messages == 1 else ("messages", "are")
        numbers = [str(self.messages), *COUNTED[self.messages : self.messages + 1]]
        counts = [{"count": f"{number} {noun}", "count_is": be} for number in numbers]
        few = WORDINGS if self.messages else SILENT_WORDINGS
        return filled(few, [of_agent(self.agent, you) | count for count in counts])

    def _check_sayable(self) -> None:
        if not 0 <= self.messages <= SAYABLE:
            raise FormulaError(f"{self.messages} messages cannot be said; name a number from 0 to {SAYABLE}")

    def forms(self, agents: Sequence[str]) -> Names:
        return (f"(message_limit {self.agent} {self.messages})",)

    @classmethod
    def of_forms(cls, forms: Sequence[Sequence[str]]) -> MessageBudget:
        _, agent, number = forms[0]
        return MessageBudget(agent, int(number))

    @classmethod
    def checked_form(cls, form: Group) -> str:
        text = super().checked_form(form)
        if not text[:-1].split()[2].isdecimal():
            raise FormulaError("(message_limit agent number): the number is missing")
        return text

    def limits(self) -> Mapping[str, int]:
        return {self.agent: self.messages}

    def confirmed(self, bound: Bound, agents: Sequence[str]) -> MessageBudget | None:
        return self if self.agent in agents and budget(bound, self.agent) == self.messages else None

    def denied(self, bound: Bound, agents: Sequence[str]) -> str:
        most = budget(bound, self.agent)
        if most == self.messages:
            return ""
        return f"by the bindings {self.agent} can send {'any number of' if most is None else most} messages"


@mechanics.register("limited_bandwidth")
class LimitedBandwidth(Mechanic):
    """``message_limits`` bounds the number of messages per agent; a broadcast costs one message (a radio).

    ``statements`` bounds what any message of the task conveys, whoever sends it
    (:mod:`otherminds.household.transmission`).
    """

    says = MessageBudget
    fields = ("message_limits",)
    optional = ("statements",)

    def faults(self, binding: Binding) -> list[str]:
        faults = [] if 0 <= binding.statements <= MOST else [WIDTH.format(binding.statements, MOST)]
        return faults + [
            f"message_limits: {agent} has {limit} messages; write 0 or more, and at most {MOST}"
            for agent, limit in binding.message_limits.items()
            if not 0 <= limit <= MOST
        ]

    def statements(self, binding: Binding) -> int | None:
        return binding.statements or None

    def secrets(self, binding: Binding) -> tuple[MessageBudget, ...]:
        return tuple(MessageBudget(agent, limit) for agent, limit in binding.message_limits.items())
