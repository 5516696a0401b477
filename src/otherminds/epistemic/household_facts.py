"""What the record of a household episode contains besides its actions, and the names of its literal probes.

The world writes these structs; measures and reports read them.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from otherminds.epistemic.formula import Formula, KnowledgeChain, chains, suffixes
from otherminds.epistemic.words import Statement, read, unread


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
    title: str = ""
    scene: str = ""
    mechanics: tuple[str, ...] = ()
    turns: int = 0


class Act(Struct, frozen=True):
    """What a seat did in a turn: its call as written, whether it worked, what it was told, where it was then."""

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
        """The arguments; of a message nothing useful, see :class:`Sent`."""
        inside = self.call.partition("[")[2].rpartition("]")[0]
        return tuple(part.strip().strip("'\"") for part in inside.split(","))


class Sent(Struct, frozen=True):
    """A message that was tried. ``delivered`` names whom it reached: nobody, where it was blocked.

    ``why`` is what the sender was told.
    """

    turn: int
    sender: str
    to: str
    text: str
    delivered: tuple[str, ...]
    why: str = ""

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


class HouseholdFacts(Struct, frozen=True):
    """An episode of the household.

    ``private`` says of each seat with a private goal whether its physical part holds. ``entitled`` says since when
    a chain of the goal is known by the simulator's own log (``None``: in the end it is not). ``held`` says of each
    literal of a goal when it began or ceased to hold. Both count completed turns: the effect of a call in turn t is
    listed at t + 1. ``questions`` are those that were put at the end, ``tests`` the chains of the goal
    with theirs.
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


K_PROBE = "k_probe_"
"""Names of the probes that count begin so."""
HELPER = "helper:"
"""Probes whose names begin so are put only because a deeper one's truth is their answer; they count for no score."""

UNKNOWN: dict[str, Any] = {"predicate": "unknown", "holds": None, "args": []}
"""The structured answer of who does not know."""


def probed(goal: Formula) -> dict[str, KnowledgeChain]:
    """What each probe is about: one for each chain of ``K``, then the parts of chains, as helpers.

    >>> from otherminds.epistemic.parse import parse
    >>> found = probed(parse("(K agent_0 (K agent_1 (is_open cabinet_31)))"))
    >>> {name: chain.agents for name, chain in found.items()}
    {'k_probe_0': ('agent_0', 'agent_1'), 'helper:1': ('agent_1',)}
    """
    found = {f"{K_PROBE}{k}": chain for k, chain in enumerate(chains(goal))}
    for chain in tuple(found.values()):
        for part in suffixes(chain)[1:]:
            if part not in found.values():
                found[f"{HELPER}{len(found)}"] = part
    return found
