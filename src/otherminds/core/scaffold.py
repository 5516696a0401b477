"""The texts of a world for minds that reason in several steps about encounters, and plan with skills.

Behaviours are written as Python literals ("written" below), so that a reply can hold them in a
dictionary: an inventory, an option's label, an act. Source: Cross et al. 2025, appendices D and G.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from otherminds.core.data import Behaviour, Brief, Encounter, Invalid, Moment, Seat, SkillChoice

Place: TypeAlias = tuple[int, int]


class Manner(Struct, frozen=True):
    """How the steps of Hypothetical Minds are taken in a world (appendix D.3).

    ``hidden``: a model call infers what the other did; else encounters contain it. ``judged``: predictions
    are free text, and a model call judges them. ``joint``: one call predicts and chooses. ``choice``: what is
    chosen, a ``behaviour`` or a ``strategy`` in words. ``reflects``: a model call evaluates every plan
    (appendix D.6). ``totals``: requests for hypotheses and plans contain the sum of all rewards. ``afresh``:
    a hypothesis repeated word for word is a new one with value 0; else it keeps its value.
    """

    hidden: bool = False
    judged: bool = False
    joint: bool = True
    choice: Literal["behaviour", "strategy"] = "behaviour"
    reflects: bool = False
    totals: bool = False
    afresh: bool = False


class Heard(Struct, frozen=True):
    """An encounter as its seat observes it: ``when`` in words, and the own part, written."""

    when: str
    own: Any


class Sighting(Struct, frozen=True):
    """Something seen at a place. Memory keeps what ``moves`` by ``thing``, all else by ``place``."""

    thing: str
    place: Place
    moves: bool = False


class RememberedSighting(Struct, frozen=True):
    """A sighting in memory, and the step in which it was last seen (appendix D.2)."""

    sighting: Sighting
    step: int


OWN = "own"
"""The name of a scenario's first scaffold; minds may ask for others by name."""
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
    """The texts of one world for one seat in one episode. Stateless.

    Used by the minds of Hypothetical Minds and by ``hypothetical_plus``. The methods without a
    body are required. ``retold``, ``theirs``, ``clues``, ``hints`` and ``key`` have defaults. A
    world whose choices are carried out by plans of skills implements :class:`PlanningScaffold`;
    in any other world the behaviour chosen is the decision.
    """

    manner: Manner

    def system(self, brief: Brief) -> str:
        """The system message: the seat, the rules, observations and actions. Payoffs only where granted."""
        ...

    def name(self, seat: Seat) -> str:
        """The name of another seat."""
        ...

    def seat(self, name: str) -> Seat | None:
        """The other seat called ``name``; ``None`` if there is none."""
        ...

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        """Every behaviour of ``seat``, written, in the order in which prompts list them."""
        ...

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        """A behaviour of ``seat`` as a Python literal."""
        ...

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        """The behaviour of ``seat`` that a written value means, or why it means none."""
        ...

    def retold(self, value: Any, seat: Seat) -> Any:
        """A value that :meth:`read` accepts, as later prompts repeat it; it is read as the same behaviour."""
        read = self.read(value, seat)
        return value if isinstance(read, Invalid) else self.written(read, seat)

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        """The own part of an encounter; ``since`` are all moments from the one after the encounter before."""
        ...

    def theirs(self, encounter: Encounter, seat: Seat) -> tuple[Behaviour, ...]:
        """What ``seat`` is known to have done in an encounter; may be empty. Not used where ``manner.hidden``."""
        return encounter.did[seat]

    def clues(self) -> str:
        """How to infer what the other did from the own part and the reward, with examples; empty if not hidden."""
        return ""

    def hints(self, step: Step) -> str:
        """The world's advice on a request, in place of the mind's general advice; empty for none."""
        return ""

    def key(self, name: str) -> str:
        """The key of the entry ``name`` in the dictionaries of prompts and replies; keys are unique."""
        return name

    def strategies(self) -> tuple[str, ...]:
        """Example sentences about a partner's strategy; none is true of a partner of this world."""
        ...


@runtime_checkable
class PlanningScaffold(Scaffold, Protocol):
    """A scaffold of a world in which choices are carried out by plans of skills (appendices D.2 and D.4).

    All methods are required.
    """

    def scene(self, moment: Moment) -> str:
        """The own place and what is in view, a line for each kind of thing."""
        ...

    def state(self, moment: Moment) -> str:
        """The own state in one line, for comparison before and after a plan."""
        ...

    def sightings(self, moment: Moment) -> tuple[Sighting, ...]:
        """What is in view and goes into memory."""
        ...

    def recall(self, seen: Sequence[RememberedSighting], moment: Moment) -> str:
        """Memory in words, without what is in view."""
        ...

    def skills(self) -> str:
        """The skills that plans consist of, and how to call them."""
        ...

    def plans(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Three worked examples: thoughts in words, and the calls of a valid plan."""
        ...

    def plan(self, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
        """The skills that written calls such as ``move_to((3, 4), (5, 4))`` mean; ``Invalid`` if one means none."""
        ...
