"""Agents that can write to some others only (Juneja et al. 2026, section 3.4 and appendix J: a nurse and a physician)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from otherminds.household.epistemic.words import Heads, HouseRule, Names, Refusal, Shapes
from otherminds.household.epistemic.words.shapes import Voice, agent_named, filled, list_names, of_agent
from otherminds.household.mechanics.mechanic import Binding, Bound, Mechanic, mechanics, reached
from otherminds.replies.answers import several

REACHES, MUTE = "can only message {}", "cannot message anyone"
REFUSED = re.compile(r"You can only send messages to: (.*)\.")
WORDINGS = (
    "{whose} messages reach only {targets_and}.",
    "{who} can write to {targets_and}, but to nobody else.",
    "{the_only} {who} can write to {targets_are} {targets_and}.",
    "Apart from {targets_and}, nobody receives {whose} messages.",
    "{who} {has} no way to message anyone except {targets_or}.",
    "Only {targets_and} can read messages from {who}.",
)
MUTE_WORDINGS = (
    "{who} {has} no way to write to anyone.",
    "There is nobody that {who} can write to.",
    "{whose} messages reach no one.",
    "Nobody can receive messages from {who}.",
    "{who} {has} nobody to write to.",
)
GRAMMAR = """
_write -> write to | message | send messages to | send a message to | reach | contact | get a message to | talk to
    | communicate with | write messages to | write a message to | get messages to | send anything to
_but -> but to | and to | but | and
_else -> nobody else | no one else | nobody besides
_except -> except | but | other than | besides | except to | apart from | but to
_get -> get | gets | receive | receives | can get | can receive | can be sent
_only_one -> the only one | the only ones | the only agent | the only agents | the only person | the only people
_whom -> | that | whom | who
Reach -> Who _can only _write Agents_any | Who _can write only to Agents_any | Who _can send messages only to Agents_any
    | Who _can message only Agents_any | Who _can reach only Agents_any | Who _can talk only to Agents_any
    | Who _can _write Agents_any only | Who _can _write Agents_any alone
    | Who _can _write Agents_any _comma _but _else | Who _can _write nobody _except Agents_any
    | Who _can _write no one _except Agents_any | Who _can_not _write _anyone _except Agents_any
    | Who _has no way to _write _anyone _except Agents_any
    | Whose messages only reach Agents_any | Whose messages reach only Agents_any | Whose messages only go to Agents_any
    | Whose messages go only to Agents_any | Whose messages can only reach Agents_any | Whose messages can reach only Agents_any
    | Whose messages reach nobody _except Agents_any | Whose messages reach no one _except Agents_any
    | Whose messages reach Agents_any _comma and _else | Whose messages are delivered only to Agents_any
    | Whose messages are delivered to Agents_any only | Whose messages go to Agents_any and _else
    | _only_one _whom Who _can _write _is Agents_and => reaches
_receives -> _get messages from | _get a message from | _can read messages from | _can hear from | hear from | hears from
_gets -> _get | read | reads | can read | see | sees | can see
Reach -> Agents_and _is _only_one _whom Who _can _write | Agents_and _is _only_one who _receives Who
    | Agents_and _is _only_one who _gets Whose messages | Agents_and _is _only_one to whom Who _can write
    | only Agents_any _receives Who | only Agents_any _gets Whose messages | nobody _except Agents_any _gets Whose messages
    | no one _except Agents_any _gets Whose messages | nobody _except Agents_any _receives Who
    | apart from Agents_and , _nobody _gets Whose messages | except for Agents_and , _nobody _gets Whose messages
    | apart from Agents_and , _nobody _receives Who | besides Agents_and , _nobody _gets Whose messages
    | apart from Agents_and , there is _nobody _whom Who _can _write
    | apart from Agents_and , Who _can _write _nobody | besides Agents_and , Who _can _write _nobody => reaches 2 1
Told -> Reach
Mute -> Who _can_not _write _anyone | Who _can_not _write _anyone at all | Who _can _write _nobody
    | Who _can _write _nobody at all | none of Whose messages reach _anyone | none of Whose messages reaches _anyone
    | none of Whose messages can reach _anyone | Whose messages reach _nobody | Whose messages can reach _nobody
    | there is _nobody _whom Who _can _write | Who _has no way to _write _anyone | Who _has _nobody to write to
    | _nobody _gets Whose messages | _nobody can be reached by Who | _nobody _receives Who => mute
Told -> Mute
"""


def _reaches(agent: str, targets: Names) -> tuple[Reaches, ...]:
    return (Reaches(agent, targets),) if agent not in targets else ()


def _mute(agent: str) -> tuple[Reaches, ...]:
    return _reaches(agent, ())


class Reaches(HouseRule, frozen=True, tag="reaches"):
    """The only agents that an agent can message.

    ``agent_0 can only message agent_1.`` ``agent_0 cannot message anyone.`` ``(can_communicate agent_0 agent_1)``, or its
    ``not``, for each other agent of the task.
    """

    agent: str
    targets: Names

    shapes: ClassVar[Shapes] = dict.fromkeys(
        (f"<agent> {clause}" for clause in (REACHES.format("<agent>"), REACHES.format("<agents>"), MUTE)),
        lambda names: Reaches(names[0], names[1:]),
    )
    grammar = GRAMMAR
    actions = (_reaches, _mute)
    heads: ClassVar[Heads] = {"can_communicate": 2}
    gathered = deniable = ("can_communicate",)

    def sentence(self, voice: Voice) -> str:
        clause = (
            REACHES.format(list_names([agent_named(to) for to in self.targets])) if self.targets else MUTE
        )
        return voice.clause(self.agent, clause)

    def wordings(self, you: str) -> Iterator[str]:
        agent = of_agent(self.agent, you)
        targets = [of_agent(target, you)["who"] for target in self.targets]
        if not targets:
            return filled(MUTE_WORDINGS, [agent])
        row = {
            "targets_or": several(targets, "or"),
            "targets_and": several(targets, "and"),
            "targets_are": "is" if len(targets) == 1 else "are",
            "the_only": "the only agent" if len(targets) == 1 else "the only agents",
        }
        return filled(WORDINGS, [agent | row])

    def forms(self, agents: Sequence[str]) -> Names:
        each = {other: f"(can_communicate {self.agent} {other})" for other in agents if other != self.agent}
        return tuple(form if other in self.targets else f"(not {form})" for other, form in each.items())

    @classmethod
    def of_forms(cls, forms: Sequence[Sequence[str]]) -> Reaches:
        agent = forms[0][-2]
        return Reaches(agent, tuple(form[-1] for form in forms if form[0] != "not"))

    def parts(self) -> Iterator[Reaches]:
        yield Reaches(self.agent, tuple(sorted(set(self.targets))))

    def edges(self) -> Mapping[str, Names]:
        return {self.agent: self.targets}

    def confirmed(self, bound: Bound, agents: Sequence[str]) -> Reaches | None:
        agrees = self.agent in agents and set(self.targets) == set(reached(bound, agents, self.agent))
        return self if agrees else None

    def denied(self, bound: Bound, agents: Sequence[str]) -> str:
        mine = reached(bound, agents, self.agent)
        if set(self.targets) == set(mine):
            return ""
        return f"by the bindings {self.agent} can message {', '.join(mine) or 'nobody'}; say so, or mend them"

    @classmethod
    def revealed(cls, refusal: Refusal) -> Reaches | None:
        allowed = REFUSED.search(refusal.text)
        return Reaches(refusal.agent, tuple(allowed[1].split(", "))) if allowed else None


@mechanics.register("restricted_communication")
class RestrictedCommunication(Mechanic):
    """``allowed_targets`` lists the possible addressees of an agent; an agent without an entry may write to all.

    The paper's example is a nurse and a physician.
    """

    says = Reaches
    fields = ("allowed_targets",)

    def faults(self, binding: Binding) -> list[str]:
        return [
            f"allowed_targets: {agent} cannot write to itself"
            for agent, targets in binding.allowed_targets.items()
            if agent in targets
        ]

    def secrets(self, binding: Binding) -> tuple[Reaches, ...]:
        return tuple(Reaches(agent, targets) for agent, targets in binding.allowed_targets.items())
