"""The statements of the controlled language: one frozen struct for each form of sentence."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.epistemic.formula import Formula
from otherminds.epistemic.predicates import State

By: TypeAlias = Literal["opening", "switching on"]


class Fact(Struct, frozen=True, tag="fact"):
    """A fact: a literal, or knowledge of one. An ``and`` is several facts."""

    formula: Formula


class Must(Struct, frozen=True, tag="must"):
    """A goal: one conjunct that must hold at the end."""

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
    Fact | Must | Barred | Reaches | MessageBudget | Inverse | Mirrors | Controls | Doing | Asks
)
