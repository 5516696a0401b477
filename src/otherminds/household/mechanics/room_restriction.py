"""Rooms that agents may neither enter nor cross (Juneja et al. 2026, section 3.4 and appendix J: robots with zones)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import ClassVar

from otherminds.household.epistemic.words import Heads, HouseRule, Names, Refusal, Shapes
from otherminds.household.epistemic.words.shapes import Voice, filled, list_names, of_agent, thing
from otherminds.household.mechanics.mechanic import Binding, Bound, Mechanic, barred, mechanics
from otherminds.household.rules import Fact
from otherminds.replies.answers import several

BARRED, FREE = "cannot enter {}", "can enter every room"
REFUSED = re.compile(r"allowed to take leads to (\w+)\.")
WORDINGS = (
    "{who} {has} no access to {rooms_or}.",
    "{rooms_and} {rooms_are} off limits to {who}.",
    "{who} {is_} not allowed into {rooms_or}.",
    "There is no way into {rooms_or} for {who}.",
    "{who} may not set foot in {rooms_or}.",
    "{who} can neither enter nor cross {rooms_or}.",
    "{who} {is_} locked out of {rooms_and}.",
)
FREE_WORDINGS = (
    "No room of the house is off limits to {who}.",
    "{who} may go anywhere in the house.",
    "Every room is open to {who}.",
    "{who} {is_} allowed into all rooms.",
    "There is no room that {who} cannot enter.",
    "{who} {has} access to the whole house.",
)
GRAMMAR = """
_enter -> enter | go into | get into | walk into | step into | come into | set foot in | set foot into | go to
    | enter or cross | go inside | cross or enter | go in | go in or through | go into or through
_into -> into | in | inside
_ways -> at any time | at all | at any point | during the task | throughout the task | under any circumstances
_barred_by -> barred from | banned from | locked out of | shut out of | kept out of | excluded from | not allowed _into
    | not let _into | not permitted _into | not admitted to | forbidden to _enter | never let _into | never allowed _into
Bar -> Who _can_not _enter Rooms_any | Who _can neither enter nor cross Rooms_any
    | Who _has no access to Rooms_any | Who _has no way into Rooms_any
    | Who _has no right to _enter Rooms_any | Who lacks access to Rooms_any | Who lack access to Rooms_any
    | Who _is _barred_by Rooms_any | Who _must stay out of Rooms_any | Who _must keep out of Rooms_any
    | Who can never get into Rooms_any => barred
_off -> off limits | off - limits | out of bounds | closed | barred | inaccessible | not accessible | not open
    | forbidden ground | forbidden | a no - go area
_for -> to | for
Bar -> Rooms_and _is _off _for Who | there is no way into Rooms_any for Who | Rooms_and can not be entered by Who
    | no door leads into Rooms_any for Who
    | the door to Rooms_any _is _locked for Who | the doors to Rooms_any _is _locked for Who
    | the door of Rooms_any _is _locked for Who => barred 2 1
_locked -> locked | closed | shut | barred
Bar -> for Who , Rooms_and _is _off | there is no way for Who to _enter Rooms_any | there 's no way for Who to _enter Rooms_any
    => barred
Bar -> neither ROOM nor ROOM is open to Who | neither ROOM nor ROOM can be entered by Who => two_barred 3 1 2
Bar -> Who _can _enter neither ROOM nor ROOM | Who _is allowed _into neither ROOM nor ROOM
    | Who has access to neither ROOM nor ROOM | Who have access to neither ROOM nor ROOM => two_barred
Told -> Bar | Bar _ways
_house -> | of the house | in the house
_where -> go anywhere | go everywhere | walk anywhere | be anywhere
_rooms -> every room | all rooms | any room | all the rooms | each room
Free -> Who _can _where _house | Who _is free to _where _house | Who _is free to _enter _rooms _house
    | Who _can go through the whole house | Who _can move through the whole house | Who _can _enter _rooms _house | Who _is allowed _into _rooms _house
    | Who _has access to _rooms _house | Who _has access to the whole house | no room _house is _shut_to Who
    | _rooms _house _is open to Who | the whole house is open to Who | there is no room _house _that Who _can_not _enter
    | no room _house is off limits for Who => free
_shut_to -> off limits to | closed to | barred to | out of bounds for | forbidden to | out of bounds to
Told -> Free
"""


def _barred(agent: str, rooms: Names) -> tuple[Barred, ...]:
    return (Barred(agent, rooms),)


def _two_barred(agent: str, first: str, second: str) -> tuple[Barred, ...]:
    return _barred(agent, (first, second))


def _free(agent: str) -> tuple[Barred, ...]:
    return _barred(agent, ())


class Barred(HouseRule, frozen=True, tag="barred"):
    """The rooms that an agent may neither enter nor cross; none: it may enter every room.

    ``agent_0 cannot enter kitchen_1 or bedroom_2.`` ``(is_restricted agent_0 kitchen_1)`` for each room, or
    ``(unrestricted agent_0)``.
    """

    agent: str
    rooms: Names

    shapes: ClassVar[Shapes] = dict.fromkeys(
        (f"<agent> {clause}" for clause in (BARRED.format("<thing>"), BARRED.format("<things>"), FREE)),
        lambda names: Barred(names[0], names[1:]),
    )
    grammar = GRAMMAR
    actions = (_barred, _two_barred, _free)
    heads: ClassVar[Heads] = {"is_restricted": 2, "unrestricted": 1}
    gathered = ("is_restricted",)

    def sentence(self, voice: Voice) -> str:
        clause = BARRED.format(list_names([thing(room) for room in self.rooms])) if self.rooms else FREE
        return voice.clause(self.agent, clause)

    def wordings(self, you: str) -> Iterator[str]:
        rooms = [thing(room) for room in self.rooms]
        agent = of_agent(self.agent, you)
        if not rooms:
            return filled(FREE_WORDINGS, [agent])
        row = {
            "rooms_or": several(rooms, "or"),
            "rooms_and": several(rooms, "and"),
            "rooms_are": "is" if len(rooms) == 1 else "are",
        }
        return filled(WORDINGS, [agent | row])

    def forms(self, agents: Sequence[str]) -> Names:
        each = tuple(f"(is_restricted {self.agent} {room})" for room in self.rooms)
        return each or (f"(unrestricted {self.agent})",)

    @classmethod
    def of_forms(cls, forms: Sequence[Sequence[str]]) -> Barred:
        return Barred(forms[0][1], tuple(room for _, _, *rooms in forms for room in rooms))

    def parts(self) -> Iterator[Barred]:
        yield from (
            (Barred(self.agent, (room,)) for room in dict.fromkeys(self.rooms)) if self.rooms else (self,)
        )

    def barred(self) -> Mapping[str, frozenset[str]]:
        return {self.agent: frozenset(self.rooms)}

    def confirmed(self, bound: Bound, agents: Sequence[str]) -> Barred | None:
        closed = barred(bound, self.agent)
        agrees = closed.issuperset(self.rooms) if self.rooms else not closed
        return self if self.agent in agents and agrees else None

    def denied(self, bound: Bound, agents: Sequence[str]) -> str:
        closed = barred(bound, self.agent)
        if free := [room for room in self.rooms if room not in closed]:
            return f"no binding keeps {self.agent} out of {' or '.join(free)}; bind it, or say otherwise"
        return ""

    @classmethod
    def revealed(cls, refusal: Refusal) -> Barred | None:
        room = REFUSED.search(refusal.text)
        return Barred(refusal.agent, (room[1],)) if room else None


@mechanics.register("room_restriction")
class RoomRestriction(Mechanic):
    """Bars ``restricted_rooms`` ``for_agents``: they can neither enter nor cross them (robots with zones)."""

    says = Barred
    fields = ("restricted_rooms", "for_agents")

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        pairs = product(binding.for_agents, binding.restricted_rooms)
        return tuple(("is_restricted", agent, room) for agent, room in pairs)

    def secrets(self, binding: Binding) -> tuple[Barred, ...]:
        return tuple(Barred(agent, binding.restricted_rooms) for agent in binding.for_agents)
