"""Teams that say nothing and try their luck, and how often they solve the shipped tasks.

Run as a program it prints the table of ``tasks/shipped/README.md``: the shares at the standard
limit of turns, and at twice that.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from otherminds.core.bench import Bench
from otherminds.core.data import Brief, Moment
from otherminds.epistemic.formula import Atom, atom, physical
from otherminds.epistemic.predicates import OPPOSITES
from otherminds.epistemic.words import Must, read
from otherminds.testing.elsewhere import load
from otherminds.worlds.household.calibrate import turns_of
from otherminds.worlds.household.house import House
from otherminds.worlds.household.reference.mind import Housemate
from otherminds.worlds.household.reference.sharing import MOVED
from otherminds.worlds.household.tasks.load import shipped_tasks

team = load(Path(__file__).parent.parent / "reference" / "team.py")

SEEDS = 20
"""Episodes of each team in each task."""
KINDS = {"is_open": "articulated", "is_powered_on": "switch"}
TRIES = 2
"""How often a handle is tried: one that works in reverse shows it the first time."""

Handle = tuple[str, str]
"""Furniture, and the predicate that a hand can change of it."""


class Flipper(Housemate):
    """Level 0, which then opens what is shut, shuts what is open and switches all switches, undoing nothing.

    It leaves alone what its own secrets speak of, knows how far its arm reaches from
    where it stands, and begins with what is within reach.
    """

    by_room = False

    def __init__(self, house: House) -> None:
        self._house = house

    def begin(self, brief: Brief, bench: Bench) -> None:
        super().begin(brief, bench)
        self.rng = random.Random(bench.rng.getrandbits(32))
        self._spot = self._house.start_spot[brief.seat]
        self._tried: Handle | None = None
        self._tries: dict[Handle, int] = {}
        self._room = ""

    async def perceive(self, moment: Moment) -> None:
        await super().perceive(moment)
        seen = moment.observation
        tool, _, rest = seen["call"].partition("[")
        if seen["worked"] and tool in ("Navigate", "Explore"):
            self._stands(rest.rstrip("]"))
        if self._tried:
            self._tries[self._tried] = TRIES if seen["worked"] else self._tries.get(self._tried, 0) + 1
            self._tried = None

    def chore(self) -> str | None:
        return super().chore() or self.guess()

    def finished(self, idle: int) -> bool:
        return False

    def guess(self) -> str | None:
        """The next handle that is tried, or the way to one."""
        knowledge = self.knowledge
        left = self._handles()
        if self.by_room and left:
            rooms = sorted({knowledge.plan.room_of[f] for f, _ in left})
            self._room = self._room if self._room in rooms else self.rng.choice(rooms)
            left = [handle for handle in left if knowledge.plan.room_of[handle[0]] == self._room]
        near = [handle for handle in left if handle[0] in self._house.reaches[self._spot]]
        if near:
            self._tried = self.rng.choice(near)
            value = knowledge.picture.state(*self._tried) or OPPOSITES[self._tried[1]]
            return knowledge.wiring.call(self._tried[0], OPPOSITES[value])
        return f"Navigate[{self.rng.choice(left)[0]}]" if left else None

    def _handles(self) -> list[Handle]:
        """What is still to be tried, where it may go."""
        knowledge = self.knowledge
        own = {atom(goal).args[0] for goal in knowledge.goals}
        rooms = knowledge.rooms(knowledge.me)
        return [
            (f, value)
            for f, room in knowledge.plan.room_of.items()
            for value, kind in KINDS.items()
            if room in rooms and f not in own and knowledge.plan.is_a(f, kind)
            if self._tries.get((f, value), 0) < TRIES
        ]

    def _stands(self, name: str) -> None:
        """Where it stands after a walk to ``name``: where it was, if that was near enough."""
        house = self._house
        if name in house.reaches[self._spot]:
            return
        room = house.room_of.get(name, name)
        spots = (f"stand:{name}", f"centre:{room}")
        self._spot = next((house.spot_index[spot] for spot in spots if spot in house.spot_index), self._spot)


class ByRoom(Flipper):
    """The same, which finishes one room before it goes to another."""

    by_room = True


class Once(Flipper):
    """Turns one handle of all, and lets it be."""

    def guess(self) -> str | None:
        return None if TRIES in self._tries.values() else super().guess()


class Placer(ByRoom):
    """Before it turns handles, it puts what nobody can put in its place on a surface drawn at random.

    It does so where its secrets or its eyes tell it of the object; that this is the one to move it is given.
    """

    def begin(self, brief: Brief, bench: Bench) -> None:
        super().begin(brief, bench)
        self._things = stranded(self._house)
        self._goals: dict[str, Atom] = {}

    def guess(self) -> str | None:
        for name in self._things:
            if name not in self._goals and self.knowledge.picture.place(name):
                self._goals[name] = Atom("is_on_top", (name, self._surface()))
        return self.doer.next(self._goals.values()) or super().guess()

    def _surface(self) -> str:
        """A surface of a room where it may go, each room alike likely."""
        knowledge = self.knowledge
        tops: dict[str, list[str]] = {}
        for f in knowledge.plan.all_that("surface"):
            if knowledge.plan.room_of[f] in knowledge.rooms(knowledge.me):
                tops.setdefault(knowledge.plan.room_of[f], []).append(f)
        return self.rng.choice(tops[self.rng.choice(sorted(tops))])


def stranded(house: House) -> tuple[str, ...]:
    """The objects to be placed where nobody may go who is told of it."""
    return tuple(
        goal.args[0]
        for goal in physical(house.goal)
        if isinstance(goal, Atom) and goal.predicate in MOVED
        if not any(
            Must(goal) in read(secret, you=seat)
            and house.room_of.get(goal.args[1], goal.args[1]) not in house.barred[seat]
            for seat, secrets in house.task.agent_secrets.items()
            for secret in secrets
        )
    )


TEAMS: Mapping[str, type[Flipper]] = MappingProxyType(
    {"flips": Flipper, "room by room": ByRoom, "one handle": Once, "places and flips": Placer}
)


@cache
def share(name: str, guessers: str, times: int) -> int:
    """In how many episodes a team solves a task in ``times`` the standard limit of turns."""
    house = team.shipped(name)
    made = TEAMS[guessers]
    return sum(
        team.play(house, {seat: made(house) for seat in house.agents}, times * turns_of(house), seed).solved
        for seed in range(SEEDS)
    )


def row(name: str, times: int) -> str:
    """The shares of all teams in a task, in per cent."""
    return " / ".join(f"{100 * share(name, guessers, times) // SEEDS}" for guessers in TEAMS)


if __name__ == "__main__":
    for shipped in shipped_tasks():
        print(f"| `{shipped}` | {row(shipped, 1)} | {row(shipped, 2)} |")
