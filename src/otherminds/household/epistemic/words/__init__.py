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
Doing     ``agent_1 will see to it that bowl_0 ends on table_18.``
Asks      ``agent_1, please see to it that bowl_0 ends on table_18.``
========= ====================================================================

How the house works, each mechanic says in its own words (:class:`~.house_rule.HouseRule`):
``agent_0 can send 2 messages.``
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from otherminds.household.epistemic.formula import Formula
from otherminds.household.epistemic.words.house_rule import HouseRule


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


class Doing(Struct, frozen=True, tag="doing"):
    """A promise: the agent will achieve the goal."""

    agent: str
    goal: Must


class Asks(Struct, frozen=True, tag="asks"):
    """A request to an agent to achieve the goal."""

    agent: str
    goal: Must


Statement: TypeAlias = Fact | Must | Aware | HouseRule | Doing | Asks
Secret: TypeAlias = Statement | Private
"""What a secret tells its agent."""
