"""What a world contributes to minds that reason in steps about encounters, and plan with skills.

A scaffold is for such minds what a telling is for those that answer one question:
all words about a world come from it. Behaviours are written as Python literals
("written" below), so that a reply can hold them in a dictionary: an inventory, an
option's label, an act. Source: Cross et al. 2025, appendices D and G.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from otherminds.core.data import Behaviour, Brief, Encounter, Invalid, Moment, Seat, SkillChoice

Place: TypeAlias = tuple[int, int]


class Manner(Struct, frozen=True):
    """How the steps of Hypothetical Minds are taken in a world (appendix D.3).

    ``hidden``: what the other did has to be inferred, by a model call; else encounters
    tell it. ``judged``: predictions are free text, and a model call judges them.
    ``joint``: the own choice is made in the call that predicts. ``choice``: what is
    chosen, a ``behaviour`` or a ``strategy`` in words. ``plans``: choices are carried
    out by plans of skills; else the behaviour chosen is the decision. ``reflects``:
    every plan is followed by a call that evaluates it (appendix D.6).

    ``totals``: requests for hypotheses and plans tell the sum of all rewards. ``afresh``: a
    hypothesis repeated word for word is a new one with value 0; else it keeps its value.
    """

    hidden: bool = False
    judged: bool = False
    joint: bool = True
    choice: Literal["behaviour", "strategy"] = "behaviour"
    plans: bool = False
    reflects: bool = False
    totals: bool = False
    afresh: bool = False


class Heard(Struct, frozen=True):
    """An encounter as its seat tells itself of it: ``when`` in words, the own part ``written``."""

    when: str
    own: Any


class Sighting(Struct, frozen=True):
    """Something seen at a place; it is remembered with the step it was seen in.

    What ``moves`` is remembered by what it is, the rest by its place.
    """

    thing: str
    place: Place
    moves: bool = False


class Seen(Struct, frozen=True):
    """A sighting in memory, and the step in which it was last seen (appendix D.2)."""

    sighting: Sighting
    step: int


OWN = "own"
"""The name of the scaffold that a scenario has at least; minds may ask for others by name."""
Step: TypeAlias = Literal["hypothesise", "predict", "choose", "plan"]
"""Requests to which a scaffold may add hints."""
ENTRIES = (
    "they_played",
    "strategy",
    "they_play",
    "i_play",
    "my_strategy",
    "seek",
    "plan",
    "match",
    "feedback",
    "outcome",
)
"""The entries of the dictionaries that are asked for, by the names that a scaffold may change."""


class Scaffold(Protocol):
    """The words of one world for one seat in one episode. Stateless.

    In worlds without plans (``manner.plans``) nothing is asked of ``scene``, ``state``,
    ``recall``, ``skills``, ``plans`` and ``plan``.
    """

    manner: Manner

    def system(self, brief: Brief) -> str:
        """The system message: who one is, the rules, what is seen and what can be done. Payoffs only where granted."""
        ...

    def name(self, seat: Seat) -> str:
        """How another seat is called."""
        ...

    def seat(self, name: str) -> Seat | None:
        """Who is called ``name``; ``None`` if nobody is."""
        ...

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        """Every behaviour of ``seat``, written, in the order in which they are listed."""
        ...

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        """A behaviour of ``seat`` as a Python literal."""
        ...

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        """The behaviour of ``seat`` that a written value means."""
        ...

    def retold(self, value: Any, seat: Seat) -> Any:
        """How a value that :meth:`read` accepts is told in later prompts; what is retold is read alike."""
        read = self.read(value, seat)
        return value if isinstance(read, Invalid) else self.written(read, seat)

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        """The own part of an encounter; ``since`` are all moments from the one after the encounter before."""
        ...

    def theirs(self, encounter: Encounter, seat: Seat) -> tuple[Behaviour, ...]:
        """What ``seat`` is known to have done in an encounter; empty where nothing is. Not asked where it is hidden."""
        return encounter.did[seat]

    def clues(self) -> str:
        """How the own part and the reward give away what the other did, with worked examples; empty if told."""
        ...

    def hints(self, step: Step) -> str:
        """What the world has to say about a request, in place of the mind's own general advice; empty for none."""
        return ""

    def key(self, name: str) -> str:
        """How the entry ``name`` of a dictionary is called in prompts and replies; each ``name`` has one of its own."""
        return name

    def strategies(self) -> tuple[str, ...]:
        """Sentences that say what a partner's strategy might be, as examples of the form; never the answer."""
        ...

    def scene(self, moment: Moment) -> str:
        """Where one is and what one sees, each kind of thing with its places, a line each."""
        ...

    def state(self, moment: Moment) -> str:
        """The own state in one line: what an evaluator compares before and after a plan."""
        ...

    def sightings(self, moment: Moment) -> tuple[Sighting, ...]:
        """What is seen now that is worth remembering."""
        ...

    def recall(self, seen: Sequence[Seen], moment: Moment) -> str:
        """Memory in words; what is in sight now is left out."""
        ...

    def skills(self) -> str:
        """The skills that plans are made of, as they are called."""
        ...

    def plans(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Three worked examples: thoughts in words, and the calls of a plan. Each is valid."""
        ...

    def plan(self, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
        """The skills that written calls mean, ``move_to((3, 4), (5, 4))``; invalid if one means none."""
        ...
