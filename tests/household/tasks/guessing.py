"""Teams that say nothing and try their luck, and how often they solve the shipped tasks.

Each acts as level 0 while its own secrets give it anything to do, and then guesses: handles, objects and
places. Run as a program it prints the table of ``tasks/shipped/README.md``.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal as OneOf

from msgspec import structs

from otherminds.core.contracts import MindContext
from otherminds.core.data import Brief, Moment
from otherminds.household.calibrate import turns_of
from otherminds.household.epistemic.formula import Atom, Literal, atom
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.epistemic.words import Fact
from otherminds.household.house import House
from otherminds.household.proofs.guessing import bound_guesses
from otherminds.household.reference.mind import Housemate, LevelTwo
from otherminds.household.reference.picture import AXES, LYING
from otherminds.household.reference.talking import Talker
from otherminds.household.tasks.load import shipped_tasks
from tests.household.reference import team

SEEDS = 1
"""Episodes of each team in each task and limit, by default."""
KINDS = {"is_open": "articulated", "is_powered_on": "switch"}
TRIES = 2
"""How often a handle is tried: one that works in reverse shows it the first time."""

PAUSE = 6
"""Turns for which those who hand things over look out for what others leave, before they guess."""

Handle = tuple[str, str]
"""Furniture, and the predicate that a hand can change of it."""


@dataclass(frozen=True)
class Style:
    """How a team guesses.

    ``handles`` is how many each member turns in the end (None: all), ``rooms`` where: anywhere, one room
    after the other, or where it thinks that others may not go. ``keep`` says which stay turned:
    all, those after which something else was seen to change, or none but those that answer
    to the opposite call in another way than most do. With ``places`` it first puts objects on
    surfaces drawn at random, with ``secrets`` it heeds what it was told, with ``hands`` it
    leaves things that it cannot bring all the way where others may take them, as level 2 does.
    """

    handles: int | None = None
    rooms: OneOf["any", "in turn", "private"] = "any"
    keep: OneOf["all", "effects", "odd"] = "all"
    places: int = 0
    secrets: bool = True
    hands: bool = False


STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "flips": Style(),
        "room by room": Style(rooms="in turn"),
        "public": Style(rooms="in turn", secrets=False),
        "one": Style(handles=1, rooms="private", places=1),
        "two": Style(handles=2, rooms="private", places=2),
        "three": Style(handles=3, rooms="private", places=1),
        "effects": Style(rooms="in turn", keep="effects", places=1),
        "odd": Style(rooms="in turn", keep="odd", places=1),
        "private": Style(rooms="private", places=3),
        "hands": Style(handles=1, rooms="private", places=2, hands=True),
    }
)


class Guesser(LevelTwo):
    """Level 0, which then guesses as its style says.

    It leaves alone what its own secrets speak of, knows how far its arm reaches from where it
    stands, and begins with what is within reach.
    """

    def __init__(self, house: House, style: Style) -> None:
        self._house, self._style = house, style

    def begin(self, brief: Brief, context: MindContext) -> None:
        super().begin(brief if self._style.secrets else structs.replace(brief, secrets=()), context)
        self.rng = random.Random(context.rng.getrandbits(32))
        self._spot = self._home = self._house.start_spot[brief.seat]
        self._tried: Handle | None = None
        self._tries: dict[Handle, int] = {}
        self._before: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._undo: list[Handle] = []
        self._turned: list[Handle] = []
        self._odd: list[Handle] = []
        self._knocked: set[Handle] = set()
        self._knock: Handle | None = None
        self._room = ""
        self._placed: dict[str, Atom] = {}

    async def perceive(self, moment: Moment) -> None:
        await super().perceive(moment)
        seen = moment.observation
        tool, _, rest = seen["call"].partition("[")
        if seen["worked"] and tool in ("Navigate", "Explore"):
            self._stands(rest.rstrip("]"))
        if self._knock:
            self._knocked.add(self._knock)
            if seen["worked"] or "is already" not in seen["result"] or "does not move" in seen["result"]:
                self._odd.append(self._knock)
            self._knock = None
        if self._tried:
            self._settle(self._tried, seen["worked"])
            self._tried = None

    def talks(self) -> Talker:
        return Talker()

    def goals(self) -> list[Literal]:
        return LevelTwo.goals(self) if self._style.hands else Housemate.goals(self)

    def chore(self) -> str | None:
        if self._style.hands and self.knowledge.turn < PAUSE:
            return super().chore()
        return super().chore() or self._place() or self._guess()

    def finished(self, idle: int) -> bool:
        return False

    # Handles

    def _settle(self, handle: Handle, worked: bool) -> None:
        """What the last try of a handle did."""
        self._tries[handle] = TRIES if worked else self._tries.get(handle, 0) + 1
        if not worked:
            return
        self._turned.append(handle)
        now = self.knowledge.picture.facts
        mine = (AXES[handle[1]], handle[0])
        changed = [k for k, v in now.items() if k[0] in AXES and k != mine and self._before.get(k, v) != v]
        if self._style.keep == "effects" and not changed:
            self._undo.append(handle)

    def _guess(self) -> str | None:
        """The next handle that is tried or turned back, or the way to one."""
        while self._undo:
            handle = self._undo[-1]
            value = self.knowledge.picture.state(*handle)
            if value == OPPOSITES[handle[1]] or handle[0] not in self._house.reaches[self._spot]:
                self._undo.pop()
                continue
            self._undo.pop()
            return self._call(handle, OPPOSITES[handle[1]])
        if self._style.handles is not None and len(self._turned) >= self._style.handles:
            return None
        left = self._handles()
        if self._style.keep == "odd":
            return self._listen(left)
        handle = self._next(left)
        if isinstance(handle, str) or handle is None:
            return handle
        self._tried, self._before = handle, dict(self.knowledge.picture.facts)
        value = self.knowledge.picture.state(*handle) or OPPOSITES[handle[1]]
        return self._call(handle, OPPOSITES[value])

    def _listen(self, left: list[Handle]) -> str | None:
        """Asks every handle for what it is already, and turns those that answer in another way."""
        odd = [handle for handle in left if handle in self._odd]
        handle = self._next(odd or [one for one in left if one not in self._knocked])
        if isinstance(handle, str) or handle is None:
            return handle
        value = self.knowledge.picture.state(*handle) or OPPOSITES[handle[1]]
        if odd:
            self._tried = handle
            return self._call(handle, OPPOSITES[value])
        self._knock = handle
        return self._call(handle, value)

    def _next(self, left: list[Handle]) -> Handle | str | None:
        """One of these handles within reach, or the call that leads to one."""
        if self._style.rooms == "in turn" and left:
            rooms = sorted({self.knowledge.plan.room_of[f] for f, _ in left})
            self._room = self._room if self._room in rooms else self.rng.choice(rooms)
            left = [handle for handle in left if self.knowledge.plan.room_of[handle[0]] == self._room]
        if self._style.handles is not None and left:
            # A few are drawn from all, not from those at hand.
            left = [self.rng.choice(left)] if self._aim not in left else [self._aim]
            self._aim = left[0]
        near = [handle for handle in left if handle[0] in self._house.reaches[self._spot]]
        if near:
            return self.rng.choice(near)
        return f"Navigate[{self.rng.choice(left)[0]}]" if left else None

    _aim: Handle | None = None

    def _call(self, handle: Handle, value: str) -> str:
        return self.knowledge.wiring.call(handle[0], value)

    def _handles(self) -> list[Handle]:
        """What is still to be tried, where it may go and means to."""
        knowledge = self.knowledge
        own = {atom(goal).args[0] for goal in knowledge.goals}
        rooms = self._private() if self._style.rooms == "private" else knowledge.rooms(knowledge.me)
        return [
            (f, value)
            for f, room in knowledge.plan.room_of.items()
            for value, kind in KINDS.items()
            if room in rooms and f not in own and knowledge.plan.is_a(f, kind)
            if self._tries.get((f, value), 0) < TRIES
        ]

    def _private(self) -> frozenset[str]:
        """Where hidden things are likely to be: where others are known not to go, and where it starts."""
        knowledge = self.knowledge
        mine = knowledge.rooms(knowledge.me)
        known = {room for other in knowledge.others for room in knowledge.barred[other]}
        return mine & (known | {self._house.spot_room[self._home]})

    # Objects

    def _place(self) -> str | None:
        """Puts a few objects on surfaces: those of which it was told a place and no aim, then others at hand."""
        if len(self._placed) < self._style.places:
            for o in self._candidates():
                self._placed[o] = Atom("is_on_top", (o, self._surface()))
                break
        return self.doer.next(self._placed.values())

    def _candidates(self) -> Iterator[str]:
        knowledge = self.knowledge
        wanted = {atom(goal).args[0] for goal in knowledge.goals}
        told = [
            one.formula.args[0]
            for one in knowledge.statements
            if isinstance(one, Fact) and isinstance(one.formula, Atom) and one.formula.predicate in LYING
        ]
        near = knowledge.rooms(knowledge.me) if self._style.hands else self._private()
        lying = [
            key[1]
            for key, value in knowledge.picture.facts.items()
            if key[0] == "at" and value[0] in LYING and knowledge.picture.room(key[1]) in near
        ]
        self.rng.shuffle(lying)
        left = [o for o in lying if (knowledge.picture.place(o) or ("",))[0] == "lies_on"]
        return (
            o
            for o in (*told, *(left if self._style.hands else lying))
            if o not in wanted
            and o not in self._placed
            and knowledge.picture.room(o) in knowledge.rooms(knowledge.me)
        )

    def _surface(self) -> str:
        """A surface, at even odds where others may not go or anywhere, each room alike likely."""
        knowledge = self.knowledge
        rooms = self._private() if self.rng.random() < 0.5 else knowledge.rooms(knowledge.me)
        tops: dict[str, list[str]] = {}
        for f in knowledge.plan.all_that("surface"):
            if knowledge.plan.room_of[f] in (rooms or knowledge.rooms(knowledge.me)):
                tops.setdefault(knowledge.plan.room_of[f], []).append(f)
        return self.rng.choice(tops[self.rng.choice(sorted(tops))])

    def _stands(self, name: str) -> None:
        """Where it stands after a walk to ``name``: where it was, if that was near enough."""
        house = self._house
        if name in house.reaches[self._spot]:
            return
        room = house.room_of.get(name, name)
        spots = (f"stand:{name}", f"centre:{room}")
        self._spot = next((house.spot_index[spot] for spot in spots if spot in house.spot_index), self._spot)


@cache
def share(name: str, style: str, times: int, seeds: int = SEEDS) -> int:
    """In how many episodes a team solves a task in ``times`` the standard limit of turns."""
    house = team.shipped(name)
    turns = times * turns_of(house)
    return sum(
        team.play(house, {seat: Guesser(house, STYLES[style]) for seat in house.agents}, turns, seed).solved
        for seed in range(seeds)
    )


def row(name: str, seeds: int) -> str:
    """A row of the table: the bound, and the episodes that each team solves at the standard limit and at twice it."""
    solved = (" / ".join(f"{share(name, style, times, seeds)}" for style in STYLES) for times in (1, 2))
    return f"| `{name}` | {bound_guesses(team.shipped(name)).bound.share} | {' | '.join(solved)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--tasks", nargs="+", default=shipped_tasks())
    options = parser.parse_args()
    print(" / ".join(STYLES))
    for name in options.tasks:
        print(row(name, options.seeds), flush=True)


if __name__ == "__main__":
    main()
