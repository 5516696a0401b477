"""What the record of a household episode contains besides its actions, and the names of its literal probes.

The world writes these structs; measures and reports read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, structs

from otherminds.household.epistemic.forms import read_forms, write_forms
from otherminds.household.epistemic.words import Secret
from otherminds.household.epistemic.words.free import may_name, read_message

EVERYBODY = "all"
"""The addressee of a message to all agents that its sender may write to."""
CUT = "cut_"
"""The prefix of the names of questions that are put during a run (:mod:`otherminds.household.probes`)."""
FoilKind: TypeAlias = Literal["agent", "contrary", "shared", "alone", "present"]
"""In what a foil differs from its probe (:mod:`otherminds.household.probes`)."""


class TaskFacts(Struct, frozen=True):
    """The task as it was played. ``rooms`` gives the room of each piece of furniture, floors included.

    ``pattern`` is the functional pattern of a generated task, and ``split`` the shipped split that it is part of.
    ``told`` are the forms of what the secrets of each seat say (:mod:`otherminds.household.epistemic.forms`), ``unread`` their
    sentences that were not read; ``told`` is ``None`` in a record of an older version, and :func:`add_told` fills it in.
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
    statements: int | None = None
    told: dict[str, tuple[str, ...]] | None = None
    unread: dict[str, tuple[str, ...]] = {}

    def may_concern(self, seat: str, names: Iterable[str]) -> bool:
        """Whether a sentence in the secrets of a seat that was not read may be about things of these names."""
        return any(may_name(sentence, names) for sentence in self.unread.get(seat, ()))


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
    """A sent message. ``delivered`` are the agents that it was delivered to; empty if it was blocked. It arrives at the end of
    its turn, or of the later turn ``arrives``; where the episode ends before, never.

    ``why`` is the result that the sender received. ``arrived`` is the text that the receivers got, and ``cut`` says whether
    a part of the message was not transmitted. ``conveyed`` are the forms of the statements that the message conveyed
    (:mod:`otherminds.household.epistemic.forms`), decided once, at delivery; ``asides`` are the sentences that state no fact and of
    which no statement was read, ``silent`` are greetings and questions for facts, ``unread`` all others. In a record of an older version ``conveyed`` is ``None``:
    :func:`add_conveyed` fills it in.
    """

    turn: int
    sender: str
    to: str
    text: str
    delivered: tuple[str, ...]
    why: str = ""
    arrived: str = ""
    cut: bool = False
    conveyed: tuple[str, ...] | None = None
    unread: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    arrives: int | UnsetType = UNSET

    @property
    def arrival(self) -> int:
        """The turn at the end of which it arrives."""
        return self.turn if self.arrives is UNSET else self.arrives

    def may_concern(self, names: Iterable[str]) -> bool:
        """Whether a part that was not read may be about things of these names: it has the type or the number of one."""
        return any(may_name(sentence, names) for sentence in (*self.unread, *self.asides))

    @property
    def statements(self) -> tuple[Secret, ...]:
        """What the message conveyed.

        Raises:
            FormulaError: a form in the record cannot be read.
        """
        return read_forms(self.conveyed or ())


def add_conveyed(sent: Sent, agents: Sequence[str]) -> Sent:
    """A message in a task of these ``agents`` with what it conveyed: as it is if it has that, else as its text is read."""
    if sent.conveyed is not None:
        return sent
    if not sent.delivered:
        return structs.replace(sent, conveyed=())
    arrived = sent.arrived or sent.text
    reading = read_message(arrived, sent.sender, reader_of(sent.to))
    return structs.replace(
        sent,
        arrived=arrived,
        conveyed=tuple(form for statement in reading.statements for form in write_forms(statement, agents)),
        unread=reading.unread,
        asides=reading.asides,
        silent=reading.silent,
    )


def reader_of(to: str) -> str:
    """The agent that "you" means in a message ``to`` an agent; nobody in one to all, in which such a sentence is unread."""
    return "" if to == EVERYBODY else to


def add_told(task: TaskFacts) -> TaskFacts:
    """A task with what its secrets say: as it is if it has that, else as their text is read."""
    if task.told is not None:
        return task
    read = {
        seat: [read_message(secret, you=seat) for secret in secrets] for seat, secrets in task.secrets.items()
    }
    return structs.replace(
        task,
        told={
            seat: tuple(
                form
                for reading in readings
                for statement in reading.statements
                for form in write_forms(statement, tuple(task.secrets))
            )
            for seat, readings in read.items()
        },
        unread={
            seat: tuple(sentence for reading in readings for sentence in (*reading.unread, *reading.asides))
            for seat, readings in read.items()
        },
    )


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
        then = [entry for entry in self.course if entry.since <= turn]
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
