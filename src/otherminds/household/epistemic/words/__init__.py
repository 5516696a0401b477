"""A controlled language: statements said in English sentences and read back exactly.

Messages of reference minds and secrets of tasks are written in it, and detectors of failures use it to parse messages. A
sentence is understood as a whole or not at all, and every written sentence is parsed back to the same statement::

    read(say(statement)) == (statement,)
    read(say(statement, me=agent), me=agent) == (statement,)
    read(tell(statement, you=agent), you=agent) == (statement,)

========= ====================================================================
Fact      ``bowl_0 is on table_1.`` ``cabinet_3 is not open.``
          ``agent_1 holds bowl_0.`` ``agent_2 knows that cabinet_3 is open.``
Must      ``bowl_0 must end on table_18.``
          ``By the end, agent_1 must know that cabinet_28 is open.``
Aware     ``agent_1 knows that bowl_0 must end on table_18.``
Barred    ``agent_0 cannot enter kitchen_1 or bedroom_2.``
Reaches   ``agent_0 can only message agent_1.`` ``agent_0 cannot message anyone.``
Budget    ``agent_0 can send 2 messages.``
Inverse   ``cabinet_3 works in reverse: opening closes it, and closing opens it.``
Mirrors   ``cabinet_3 and cabinet_4 always move together.``
Controls  ``Opening cabinet_3 makes fridge_5 open, and closing it does the opposite.``
Doing     ``agent_1 will see to it that bowl_0 ends on table_18.``
Asks      ``agent_1, please see to it that bowl_0 ends on table_18.``
========= ====================================================================
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.household.epistemic.formula import Formula
from otherminds.household.epistemic.predicates import State

By: TypeAlias = Literal["opening", "switching on"]


class Fact(Struct, frozen=True, tag="fact"):
    """A fact: a literal, or knowledge of one. An ``and`` is several facts."""

    formula: Formula


class Must(Struct, frozen=True, tag="must"):
    """A goal: one conjunct that must hold at the end."""

    formula: Formula


class Aware(Struct, frozen=True, tag="aware"):
    """Another agent was told a goal, too: a literal that must hold at the end."""

    agent: str
    goal: Must


class Private(Struct, frozen=True, tag="private"):
    """A goal of one agent alone, which is not a goal of the team: one conjunct of it."""

    formula: Formula


class Barred(Struct, frozen=True, tag="barred"):
    """The rooms that an agent may neither enter nor cross; none: it may enter every room."""

    agent: str
    rooms: tuple[str, ...]


class Reaches(Struct, frozen=True, tag="reaches"):
    """The only agents that an agent can message."""

    agent: str
    targets: tuple[str, ...]


class MessageBudget(Struct, frozen=True, tag="budget"):
    """The number of messages that an agent can send."""

    agent: str
    messages: int


class Inverse(Struct, frozen=True, tag="inverse"):
    """A thing that works in reverse: opening closes it, and closing opens it."""

    thing: str


class Mirrors(Struct, frozen=True, tag="mirrors"):
    """Two things with equal states."""

    one: str
    other: str


class Controls(Struct, frozen=True, tag="controls"):
    """An action on the trigger sets the target to ``state``; the opposite action sets the opposite state.

    ``by`` is the action: opening or switching on.
    """

    trigger: str
    target: str
    state: State
    by: By = "opening"


class Doing(Struct, frozen=True, tag="doing"):
    """A promise: the agent will achieve the goal."""

    agent: str
    goal: Must


class Asks(Struct, frozen=True, tag="asks"):
    """A request to an agent to achieve the goal."""

    agent: str
    goal: Must


Statement: TypeAlias = (
    Fact | Must | Aware | Barred | Reaches | MessageBudget | Inverse | Mirrors | Controls | Doing | Asks
)
Secret: TypeAlias = Statement | Private
"""What a secret tells its agent."""
