"""What the record of a household episode contains besides its actions, and the names of its literal probes.

The world writes these structs; measures and reports read them.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.epistemic.words import Statement
from otherminds.epistemic.words.sentences import read, unread

CUT = "cut_"
"""The prefix of the names of questions that are put during a run (:mod:`otherminds.worlds.household.probes`)."""
FoilKind: TypeAlias = Literal["agent", "contrary", "shared", "alone", "present"]
"""In what a foil differs from its probe (:mod:`otherminds.worlds.household.foils`)."""


class TaskFacts(Struct, frozen=True):
    """The task as it was played. ``rooms`` gives the room of each piece of furniture, floors included.

    ``pattern`` is the functional pattern of a generated task, and ``split`` the shipped split that it is part of.
    """

    id: str
    category: str
    depth: int
    goal: str
    secrets: dict[str, tuple[str, ...]]
    private_goals: dict[str, str]
    barred: dict[str, tuple[str, ...]]
    talk: dict[str, tuple[str, ...]]
    limits: dict[str, int | None]
    rooms: dict[str, str]
    title: str = ""
    scene: str = ""
    mechanics: tuple[str, ...] = ()
    turns: int = 0
    pattern: str = ""
    split: str = ""


class Act(Struct, frozen=True):
    """An act of a seat in a turn: its call as written, whether it succeeded, the message, and the position afterwards."""

    turn: int
    seat: str
    call: str
    ok: bool
    text: str
    room: str
    spot: str = ""

    @property
    def tool(self) -> str:
        """The tool's name.

        >>> Act(0, "agent_0", "Place[bowl_0, on, table_1]", True, "", "kitchen_1").tool
        'Place'
        """
        return self.call.partition("[")[0].strip()

    @property
    def args(self) -> tuple[str, ...]:
        """The arguments; not meaningful for a message, see :class:`Sent`."""
        inside = self.call.partition("[")[2].rpartition("]")[0]
        return tuple(part.strip().strip("'\"") for part in inside.split(","))


class Sent(Struct, frozen=True):
    """A sent message. ``delivered`` are the agents that received it; empty if it was blocked.

    ``why`` is the result that the sender received.
    """

    turn: int
    sender: str
    to: str
    text: str
    delivered: tuple[str, ...]
    why: str = ""

    @property
    def understood(self) -> tuple[Statement, ...]:
        return read(self.text, me=self.sender, you="" if self.to == "all" else self.to)

    @property
    def free(self) -> tuple[str, ...]:
        """All other sentences."""
        return unread(self.text, me=self.sender, you="" if self.to == "all" else self.to)


class Entitled(Struct, frozen=True, array_like=True):
    """What the log entitles agents to say about a question from turn ``since`` on; the rest as in :class:`Questioned`."""

    since: int
    truth: str
    own: str
    known: str


class Questioned(Struct, frozen=True):
    """A question at the end: its chain as text, and what the log entitles others (``truth``) and the asked agent (``own``)
    to say about its fact: ``holds``, ``fails``, ``unknown``, or ``unread`` and ``outdated`` if the log cannot determine it.
    ``known`` is what the asked agent is entitled to know about the others' report. ``course`` has the same for earlier
    turns, whenever it changed.
    """

    chain: str
    truth: str
    own: str
    known: str
    course: tuple[Entitled, ...] = ()

    @property
    def fair(self) -> bool:
        """Whether the asked agent could know the truth: it knows the report, or there is nothing to report."""
        return self.truth in ("unknown", self.known)

    def after(self, turn: int) -> Questioned:
        """The question as it was after ``turn`` turns; at the end where no course is recorded."""
        then = [one for one in self.course if one.since <= turn]
        return Questioned(self.chain, then[-1].truth, then[-1].own, then[-1].known) if then else self


class Trial(Struct, frozen=True):
    """The questions of a chain of the goal: the ids of its probe, of its foils with their kinds, and of the helper (empty
    at depth 1)."""

    probe: str
    foils: dict[str, FoilKind]
    helper: str


class HouseholdFacts(Struct, frozen=True):
    """An episode of the household.

    ``private`` says for each seat with a private goal whether its physical part holds. ``entitled`` gives the turn since
    which a chain of the goal is known by the simulator's own log (``None`` if it is not known at the end). ``held`` gives
    the turns in which each literal of a goal began or ceased to hold. Both count completed turns: the effect of a call in
    turn t is listed at t + 1. ``questions`` are the questions at the end, ``tests`` those of each chain of the goal.
    """

    task: TaskFacts
    solved: bool
    private: dict[str, bool]
    log: tuple[Act, ...]
    messages: tuple[Sent, ...]
    entitled: dict[str, int | None]
    held: dict[str, tuple[tuple[int, bool], ...]]
    questions: dict[str, Questioned] = {}
    tests: dict[str, Trial] = {}
