"""Counts what happened in a step by kind, so that a comparison can say which rules it has met."""

from __future__ import annotations

from collections import Counter

from tests.gridworlds.in_the_matrix.plain import Avatar, Plain
from tools.melting_pot.in_the_matrix.orders import footprint, target_of

from otherminds.gridworlds.grid.rules import INTERACT

KINDS = {
    "duels": "a beam hit a ready avatar and a game was resolved",
    "row won": "duels in which the zapper got more",
    "column won": "duels in which the zapped got more",
    "ties": "duels in which both got exactly the same",
    "zaps of busy": "a hit without effect, because one of the two had been in a hit in this step",
    "mutual zaps": "two avatars hit each other in one step",
    "zaps of frozen": "a hit on an avatar whose duel was pending",
    "zaps of unready": "a hit where one of the two had collected nothing",
    "zaps of the same role": "a hit between two in the row, or two in the column",
    "destroyed": "resources at their third hit",
    "scratched": "resources hit before; they stop the beam",
    "passed": "cells whose resource went in this step and through which a beam went on",
    "collected": "pickups by moving",
    "under": "pickups of a resource that appeared under an avatar which had just come there",
    "regrown": "resources that came back by chance",
    "refilled": "resources that came back because nobody was alive",
    "respawned": "avatars that came back",
    "paid": "avatars whose duel took effect",
    "blocked by wall": "moves",
    "blocked by avatar": "moves",
    "vacated": "moves into a cell where another stood before the step",
    "contested": "moves towards a cell that another moved to as well",
    "fired": "beams",
    "cooling": "INTERACT before the beam had cooled",
    "frozen": "actions of avatars that could not act",
    "beams at walls": "beam columns that ended at a wall",
    "ended by chance": "episodes",
    "ended at the limit": "episodes",
}
"""The kinds of events, and what is counted."""

PLAIN = ("destroyed", "scratched", "under", "respawned", "paid", "fired")
OUTCOMES = {
    "busy": "zaps of busy",
    "frozen": "zaps of frozen",
    "unready": "zaps of unready",
    "same role": "zaps of the same role",
}


class Watch:
    """Looks at a world before a step, and counts after it."""

    def __init__(self, world: Plain, actions: list[int]) -> None:
        self.actions = actions
        self.standing = dict(world.standing)
        self.refilling = world.rules.refill and not any(avatar.alive for avatar in world.avatars)
        self.alive = [avatar.alive for avatar in world.avatars]
        self.locked = [avatar.lock > 1 for avatar in world.avatars]
        self.cooling = [avatar.cooldown > 0 for avatar in world.avatars]
        pairs = zip(world.avatars, actions, strict=True)
        self.targets = [target_of(avatar, action) for avatar, action in pairs]

    def count(self, world: Plain) -> Counter[str]:
        """The events of the step that ``world`` has made since."""
        found: Counter[str] = Counter(event.kind for event in world.events if event.kind in PLAIN)
        zaps: set[tuple[int, ...]] = set()
        found["collected"] = sum(event.kind == "collected" for event in world.events) - found["under"]
        for event in world.events:
            if event.kind == "zapped":
                zaps.add(event.who)
                found.update(self._zap(world, event.who, str(event.what)))
            elif event.kind == "regrown":
                found["refilled" if self.refilling else "regrown"] += 1
            elif event.kind == "blocked":
                wall = self.targets[event.who[0]] in world.walls
                found["blocked by wall" if wall else "blocked by avatar"] += 1
        found["mutual zaps"] = sum((j, i) in zaps for i, j in zaps) // 2
        found.update(self._moves(world))
        for i, action in enumerate(self.actions):
            found["frozen"] += self.alive[i] and self.locked[i] and action > 0
            free = self.alive[i] and not self.locked[i]
            found["cooling"] += free and self.cooling[i] and action == INTERACT
        for event in world.events:
            if event.kind == "fired":
                found["beams at walls"] += walls_met(world, world.avatars[event.who[0]])
        found["passed"] = passed(world)
        if world.over:
            found["ended by chance" if world.over == 1 else "ended at the limit"] += 1
        return found

    def _zap(self, world: Plain, who: tuple[int, ...], outcome: str) -> list[str]:
        if outcome in OUTCOMES:
            return [OUTCOMES[outcome]]
        row, column = (world.avatars[i].pay for i in who)
        return ["duels", "ties" if row == column else "row won" if row > column else "column won"]

    def _moves(self, world: Plain) -> Counter[str]:
        found: Counter[str] = Counter()
        for i, target in enumerate(self.targets):
            if target is None:
                continue
            found["contested"] += self.targets.count(target) > 1
            found["vacated"] += world.avatars[i].cell == target and self.standing.get(target, i) != i
        return found


def passed(world: Plain) -> int:
    """Cells that a beam passed in this step and whose resource went in this step."""
    gone = {r.cell for r in world.resources if not r.shown and r.gone == world.step_number}
    return len(gone & world.beam)


def walls_met(world: Plain, avatar: Avatar) -> int:
    """How many of the three columns of an avatar's beam ended at a wall."""
    reach = footprint(avatar.cell, avatar.facing)
    stops = (
        next((c for c in column if c not in world.beam), None)
        for column in (reach[:3], reach[3:6], reach[6:])
    )
    return sum(cell in world.walls for cell in stops)
