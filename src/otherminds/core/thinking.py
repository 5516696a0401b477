"""The notes of minds about their hypotheses, in one form for all minds.

Measures and replays read these; no mind has to write them. Kinds of notes:
:data:`THINKING` after every encounter and at the start, :data:`UNUSABLE` for every
reply that could not be read, :data:`FALLBACK` where nothing usable came in the end,
:data:`SCAFFOLD` at the start, with the name of the scaffold that prompts are made from.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from otherminds.core.data import Answer, Behaviour, Seat

THINKING = "thinking"
UNUSABLE = "unusable"
FALLBACK = "fallback"
SCAFFOLD = "scaffold"


class Thought(Struct, frozen=True):
    """A hypothesis at one time.

    ``value`` is on the scale that its :class:`Thinking` names. ``predicts`` is what it
    says of the next encounter, if it was asked; ``hit`` whether its prediction for the
    encounter that just finished was right (``None``: it made none, or none was scored).
    """

    id: int
    text: str
    value: float
    predicts: Answer = None
    hit: bool | None = None


class Thinking(Struct, frozen=True):
    """The hypotheses of a mind about ``partner`` after ``encounter`` encounters with it (0: before the first).

    ``came`` is what the mind takes the partner to have done in the last one (``None``: nothing yet, or it
    does not know). ``used`` is the id of the hypothesis that the choice was based on, ``validated`` of the
    one that counts as validated. ``target`` is what the mind wants to do next. ``scale``: ``value`` (Rescorla
    and Wagner's) or ``probability``; ``threshold`` from where a hypothesis counts as validated.
    """

    partner: Seat
    encounter: int
    came: Behaviour | None
    thoughts: tuple[Thought, ...]
    used: int | None = None
    validated: int | None = None
    target: Any = None
    scale: Literal["value", "probability"] = "value"
    threshold: float | None = None


class ScaffoldName(Struct, frozen=True):
    """The scaffold that prompts are made from."""

    name: str


class Unusable(Struct, frozen=True):
    """A model's reply for ``purpose`` that could not be read."""

    purpose: str
    attempt: int
    reason: str


class Fallback(Struct, frozen=True):
    """No reply for ``purpose`` was usable; ``kept`` says what was done instead."""

    purpose: str
    kept: str
