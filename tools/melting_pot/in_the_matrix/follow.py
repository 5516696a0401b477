"""Whether the plain rules explain a recorded episode of the real substrate, step by step.

Only what is chance is taken from the recording: the orders of avatars, where they
respawn and how they then face, which resources come back, whether the episode
ends. All else is worked out by ``Plain`` from the first step to the
last, and compared with all that was seen. Where several orders of beams agree with
what was seen, all of them are followed further.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableSequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import Any

from tests.gridworlds.in_the_matrix.plain import Avatar, Plain, Resource
from tools.melting_pot.in_the_matrix.orders import beam_orders, move_order
from tools.melting_pot.in_the_matrix.tally import Watch
from tools.melting_pot.in_the_matrix.trace import Seen, Trace, rows

from otherminds.gridworlds.grid.rules import Luck
from otherminds.gridworlds.in_the_matrix.form import SIDES
from otherminds.gridworlds.in_the_matrix.rules import Rules


@dataclass
class Followed:
    """What came of following a trace: its events by kind, and what was not explained."""

    events: Counter[str] = field(default_factory=Counter[str])
    steps: int = 0
    mismatches: list[str] = field(default_factory=list[str])
    hypotheses: int = 1
    """The most worlds that agreed with what was seen at any one time."""


class ReceivedMessage(Luck):
    """Luck that has already been had: gives the answers it is told."""

    def __init__(self) -> None:
        super().__init__(0)
        self.orders: list[list[int]] = []
        self.yes = False
        self.places: list[int] = []

    def shuffle(self, items: MutableSequence[Any]) -> None:
        items[:] = self.orders.pop(0)

    def uniform(self) -> float:
        return 0.0 if self.yes else 1.0

    def below(self, n: int) -> int:
        return self.places.pop(0)


class Follower(Plain):
    """The plain rules, with chance read off a recording."""

    luck: ReceivedMessage

    def start(self, trace: Trace, row: Seen) -> None:
        """The first moment of ``trace``."""
        self.reset(0)
        self.luck = ReceivedMessage()
        for resource, kind in zip(self.resources, trace.kinds, strict=True):
            resource.kind = int(kind)
        for avatar, (_, cell, facing, *_) in zip(self.avatars, row.avatars, strict=True):
            avatar.cell, avatar.facing = cell, facing
        self.standing = {avatar.cell: i for i, avatar in enumerate(self.avatars)}

    def fork(self) -> Follower:
        """A copy that shares nothing that changes."""
        other = copy(self)
        other.luck = ReceivedMessage()
        other.avatars = [copy(avatar) for avatar in self.avatars]
        for avatar in other.avatars:
            avatar.inventory = list(avatar.inventory)
        other.resources = [Resource(r.cell, r.kind, r.health, r.shown, r.gone) for r in self.resources]
        other.growing = {resource.cell: resource for resource in other.resources}
        other.standing = dict(self.standing)
        return other

    def advance(self, actions: list[int], row: Seen, moving: list[int], firing: list[int]) -> None:
        """One step under two given orders, the rest of its luck read off ``row``."""
        self.row = row
        # A resource that has come back is seen, or was collected at once by whoever had just come there.
        self.appearing = {r.cell for r, shown in zip(self.resources, row.shown, strict=True) if shown}
        self.appearing |= {a[1] for a, got in zip(row.avatars, row.collected, strict=True) if sum(got)}
        self.luck.orders = [moving, firing]
        self.step(actions)

    def _regrows(self, resource: Resource) -> bool:
        self.luck.yes = resource.cell in self.appearing
        return super()._regrows(resource)

    def _ends(self) -> int:
        self.luck.yes = self.row.over
        return super()._ends()

    def _respawn(self, i: int) -> None:
        _, cell, facing, *_ = self.row.avatars[i]
        free = [spawn for spawn in self.rules.spawns if spawn not in self.standing]
        self.luck.places = [free.index(cell) if cell in free else 0, facing]
        super()._respawn(i)

    def _wins_tie(self, i: int) -> bool:
        """The inventory of a winner is reset at once, which is seen."""
        if not self.rules.random_ties:
            return True
        return sum(self.row.avatars[i][6]) < sum(self.avatars[i].inventory)

    def key(self) -> tuple[Any, ...]:
        """All that can make a difference later."""
        return (
            tuple((a.cell, a.facing, a.alive, a.cooldown, a.lock, a.pending, a.pay, a.ready, a.removed,
                   a.indicator, tuple(a.inventory)) for a in self.avatars),
            tuple((r.shown, r.health, r.gone) for r in self.resources),
        )  # fmt: skip


def shown_by(world: Plain) -> Seen:
    """What a recording of ``world`` would show of its last step."""
    width, _ = world.rules.size
    count, classes = len(world.avatars), len(world.rules.classes)
    collected = [[0] * classes for _ in range(count)]
    destroyed = [[0] * classes for _ in range(count)]
    for event in world.events:
        if event.kind == "collected":
            collected[event.who[0]][int(event.what)] += 1
        elif event.kind == "destroyed":
            destroyed[event.who[0]][int(event.what)] += 1
    return Seen(
        avatars=tuple(_shown_avatar(avatar, classes) for avatar in world.avatars),
        shown=tuple(resource.shown for resource in world.resources),
        beam=frozenset(y * width + x for x, y in world.beam),
        collected=tuple(map(tuple, collected)),
        destroyed=tuple(map(tuple, destroyed)),
        over=bool(world.over),
    )


def _shown_avatar(avatar: Avatar, classes: int) -> tuple[Any, ...]:
    none = (-1,) * classes
    met = (none, none) if avatar.met is None else tuple(map(tuple, avatar.met))
    return (
        avatar.alive,
        avatar.cell if avatar.alive else (0, 0),
        avatar.facing if avatar.alive else 0,
        avatar.cooldown,
        avatar.reward,
        avatar.mark if avatar.alive else 0,
        tuple(avatar.inventory),
        met,
    )


def follow(trace: Trace, rules: Rules) -> Followed:
    """Follows one episode as far as ``rules`` explain it; its map, players and limit are the trace's own.

    Stops at the first step that no order of the avatars explains.
    """
    if rules.roles and trace.players != rules.players:
        rules = replace(rules, roles=tuple(SIDES[i % 2] for i in range(trace.players)))
    rules = replace(rules, drawing=trace.drawing, players=trace.players, maximum=trace.maximum)
    result = Followed()
    seen = rows(trace)
    before = next(seen)
    world = Follower(rules)
    world.start(trace, before)
    worlds = [world]
    ours = shown_by(world)
    if ours != before:
        result.mismatches.append(f"reset: {difference(ours, before)}")
    for actions, row in zip(trace.actions.tolist(), seen, strict=True):
        watch = Watch(world, actions)
        moving = move_order(world, actions, row)
        orders = list(beam_orders(world, before, row))
        explained: dict[tuple[Any, ...], Follower] = {}
        for world in worlds:
            for n, firing in enumerate(orders):
                trial = world if n + 1 == len(orders) else world.fork()
                trial.advance(actions, row, moving, firing)
                ours = shown_by(trial)
                if ours == row:
                    explained[trial.key() if len(orders) * len(worlds) > 1 else ()] = trial
        if not explained:
            result.mismatches.append(f"step {result.steps + 1}: {difference(ours, row)}")
            break
        worlds = list(explained.values())
        world = worlds[0]
        result.events.update(watch.count(world))
        result.steps += 1
        result.hypotheses = max(result.hypotheses, len(worlds))
        before = row
    return result


def difference(ours: Seen, theirs: Seen) -> str:
    """The parts in which two rows differ, ours first."""
    parts: list[str] = []
    for name in (entry.name for entry in fields(Seen)):
        mine, real = getattr(ours, name), getattr(theirs, name)
        if mine != real and name in ("avatars", "shown", "collected", "destroyed"):
            pairs = enumerate(zip(mine, real, strict=True))
            parts += [f"{name}[{i}] {m} is {r}" for i, (m, r) in pairs if m != r]
        elif mine != real:
            parts.append(f"{name} {mine} is {real}")
    return "; ".join(parts)
