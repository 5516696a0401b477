"""What can be said in the controlled language: one frozen struct for each form of sentence."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.epistemic.formula import Formula
from otherminds.epistemic.predicates import State

By: TypeAlias = Literal["opening", "switching on"]


class Fact(Struct, frozen=True, tag="fact"):
    """Something is so: a literal, or that somebody knows one. An ``and`` is several facts."""

    formula: Formula


class Must(Struct, frozen=True, tag="must"):
    """Something is to be so in the end: one conjunct of a goal."""

    formula: Formula


class Barred(Struct, frozen=True, tag="barred"):
    """The rooms that an agent may neither enter nor cross; none: it may enter every room."""

    agent: str
    rooms: tuple[str, ...]


class Reaches(Struct, frozen=True, tag="reaches"):
    """The agents whom an agent can message; it can message no other."""

    agent: str
    targets: tuple[str, ...]


class MessageBudget(Struct, frozen=True, tag="budget"):
    """How many messages an agent can send."""

    agent: str
    messages: int


class Inverse(Struct, frozen=True, tag="inverse"):
    """A thing that opening closes, and closing opens."""

    thing: str


class Mirrors(Struct, frozen=True, tag="mirrors"):
    """Two things that stay in step."""

    one: str
    other: str


class Controls(Struct, frozen=True, tag="controls"):
    """What is done to the trigger sets the target to ``state``, and undoing it to the opposite.

    ``by`` is what is done: a trigger opens or is switched on.
    """

    trigger: str
    target: str
    state: State
    by: By = "opening"


class Doing(Struct, frozen=True, tag="doing"):
    """A commitment: the agent will bring about what must be."""

    agent: str
    goal: Must


class Asks(Struct, frozen=True, tag="asks"):
    """A request to an agent to bring about what must be."""

    agent: str
    goal: Must


Statement: TypeAlias = (
    Fact | Must | Barred | Reaches | MessageBudget | Inverse | Mirrors | Controls | Doing | Asks
)
