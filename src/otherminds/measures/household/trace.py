"""What a record of the household holds, typed: the task, the turns, the messages, what held, who could know."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import msgspec
from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.epistemic import Chain, Formula, Literal, goal_of, parse, physical, positive
from otherminds.epistemic.probing import probed
from otherminds.epistemic.words import Statement, read, unread
from otherminds.measures.registry import Inapplicable, Unknown

NO_HOUSEHOLD = "this is no episode of the household"
SECRETS = "secrets"
"""The grant by which a seat is told everybody's secrets."""
PARTS = frozenset({"task", "log", "messages", "entitled", "held"})
"""The facts by which an episode of the household is known."""


class TaskFacts(Struct, frozen=True):
    """The task as it was played. ``rooms`` gives the room of each piece of furniture, floors included."""

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


class Act(Struct, frozen=True):
    """What a seat did in a turn: its call as written, whether it worked, what it was told, where it was then."""

    turn: int
    seat: str
    call: str
    ok: bool
    text: str
    room: str

    @property
    def tool(self) -> str:
        """The tool's name.

        >>> Act(0, "agent_0", "Place[bowl_0, on, table_1]", True, "", "kitchen_1").tool
        'Place'
        """
        return self.call.partition("[")[0].strip()

    @property
    def args(self) -> tuple[str, ...]:
        """The arguments; of a message nothing useful, see :class:`Sent`."""
        inside = self.call.partition("[")[2].rpartition("]")[0]
        return tuple(part.strip().strip("'\"") for part in inside.split(","))


class Sent(Struct, frozen=True):
    """A message that was tried. ``delivered`` names whom it reached: nobody, where it was blocked."""

    turn: int
    sender: str
    to: str
    text: str
    delivered: tuple[str, ...]

    @property
    def understood(self) -> tuple[Statement, ...]:
        """The statements of the controlled language in it."""
        return read(self.text, me=self.sender, you="" if self.to == "all" else self.to)

    @property
    def free(self) -> tuple[str, ...]:
        """All other sentences."""
        return unread(self.text, me=self.sender, you="" if self.to == "all" else self.to)


class Questioned(Struct, frozen=True):
    """A question at the end: its chain as text, and what the log entitles others (``truth``) and the asked agent
    itself (``own``) to say of its fact: ``holds``, ``fails``, ``unknown``, or ``unread``, ``outdated`` where the log cannot tell.
    ``known`` is what it entitles the asked agent to know of the others' report.
    """

    chain: str
    truth: str
    own: str
    known: str

    @property
    def fair(self) -> bool:
        """Whether the asked agent could know the truth: it knows of the report, or nobody has anything to report."""
        return self.truth in ("unknown", self.known)


class Trial(Struct, frozen=True):
    """A chain of the goal as it was put: the ids of its question, its foils and the paper's truth (empty at depth 1)."""

    probe: str
    foils: tuple[str, ...]
    helper: str


class Trace(Struct, frozen=True, dict=True):
    """An episode of the household.

    ``entitled`` says since when a chain of the goal is known by the simulator's own log
    (``None``: in the end it is not). ``held`` says of each literal of a goal when it began
    or ceased to hold. Both count turns that are over: what a call in turn t brings about
    stands there at t + 1. ``questions`` are those that were put at the end, ``tests`` the chains of the goal with
    theirs. ``granted`` are the seats that were told everybody's secrets.
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
    granted: frozenset[str] = frozenset()

    @property
    def seats(self) -> tuple[str, ...]:
        """The agents, in their order."""
        return tuple(self.task.secrets)

    @cached_property
    def goal(self) -> Formula:
        """The shared goal."""
        return goal_of(self.task.goal)

    @cached_property
    def asked(self) -> dict[str, Chain]:
        """What each literal probe is about, by its id."""
        return probed(self.goal)

    @cached_property
    def _tracks(self) -> dict[Formula, tuple[tuple[int, bool], ...]]:
        """``held`` by literal in its positive form: not open is closed."""
        return {
            positive(literal): track for text, track in self.held.items() for literal in physical(parse(text))
        }

    def shares(self, seat: str) -> tuple[str, ...]:
        """The seats whose secrets a seat was told: its own, or everybody's where that was granted."""
        return self.seats if seat in self.granted else (seat,)

    @property
    def last(self) -> int:
        """The last turn in which anything was done; 0 if nothing was."""
        return max((act.turn for act in self.log), default=0)

    def private_goal(self, seat: str) -> tuple[Literal, ...]:
        """What a seat wants for itself, without what the shared goal wants too."""
        text = self.task.private_goals.get(seat)
        shared = physical(self.goal)
        return tuple(part for part in physical(goal_of(text)) if part not in shared) if text else ()

    def turned(self, literal: Literal, holds: bool) -> tuple[int, ...]:
        """The turns whose calls made a literal hold, or made it cease to hold."""
        return tuple(
            when - 1 for when, now in self._tracks.get(positive(literal), ()) if when and now == holds
        )

    def since(self, literal: Literal) -> int | None:
        """After how many turns a literal began to hold that holds in the end; ``None`` if it does not."""
        track = self._tracks.get(positive(literal), ())
        return track[-1][0] if track and track[-1][1] else None

    def done(self, seat: str = "") -> Iterator[Act]:
        """The calls that worked, of one seat or of all, in order; messages are not among them."""
        for act in self.log:
            if act.ok and seat in ("", act.seat) and act.tool != "Communicate":
                yield act


def same(one: Chain, other: Chain) -> bool:
    """Whether two chains say the same: not open is closed.

    >>> door = Chain(("agent_0",), parse("(not (is_open cabinet_3))"))
    >>> same(door, Chain(("agent_0",), parse("(is_closed cabinet_3)")))
    True
    """
    return one.agents == other.agents and positive(one.fact) == positive(other.fact)


def trace(record: Record) -> Trace | Unknown:
    """The facts of a record of the household; unknown for any other.

    Raises:
        StudyError: they are of another form than this version writes.
    """
    if not record.facts.keys() >= PARTS:
        return Inapplicable(NO_HOUSEHOLD)
    try:
        seen = msgspec.convert(record.facts, Trace)
    except msgspec.ValidationError as error:
        raise StudyError(
            f"the facts of an episode of {record.spec.title!r} cannot be measured ({error}); "
            "play it again with this version"
        ) from error
    granted = frozenset(seat for seat, names in record.spec.grants.items() if SECRETS in names)
    return msgspec.structs.replace(seen, granted=granted)
