"""Follows a recording through our plain rules, in the library's Python: what falls by chance is taken from it, all else compared.

    PYTHONPATH=src python -m tools.melting_pot.commons.follow FILE.xz ...

prints what was met, and the steps that the rules do not explain; exit code 1 if there are any. The order in which avatars move cannot be seen, so
a step is explained if any order gives it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, product
from pathlib import Path

import numpy as np
from tests.gridworlds.commons.plain import Cell, Plain
from tools.melting_pot.commons.engine_variants import VARIANTS
from tools.melting_pot.commons.recording import Recording, digest, load

from otherminds.gridworlds.commons import rules as columns
from otherminds.gridworlds.commons.rules import APPLE, COIN, DIRT, DRY_APPLE, SUBSTRATES, Rules, State, empty
from otherminds.gridworlds.commons.views import sprites, world
from otherminds.gridworlds.commons.world import engine
from otherminds.gridworlds.grid.pixels import TILE, overlaid
from otherminds.gridworlds.grid.rules import DX, DY, HEADING, TURN

TRIES = 81
"""Explanations of rewards that are tried for each order."""
CHECKED = ("poses", "alive", "rewards", "vectors", "things", "beams", "pictures")


class Recorded:
    """Chance as the recording shows it: what is there after the step came, and who is there appeared.

    ``hidden`` are cells where something came and was taken at once, with the number of the player whose colour it had, and
    ``washed`` one that got dirty and was cleaned at once.
    """

    def __init__(
        self, recording: Recording, t: int, order: list[int], hidden: dict[Cell, int], washed: Cell | None
    ) -> None:
        width = recording.drawing.shape[1]
        after, before = recording.things[t + 1], recording.things[t]
        came = np.flatnonzero(after != before).tolist()
        self._came = {(n % width, n // width): int(after[n]) for n in came}
        self._recording, self._t, self._order, self._hidden, self._washed = (
            recording,
            t,
            order,
            hidden,
            washed,
        )

    def order(self, players: int) -> list[int]:
        return self._order

    def grows(self, place: Cell, chance: float) -> bool:
        thing = self._came.get(place, 0)
        return thing in (APPLE, DRY_APPLE) or thing >= COIN or place in self._hidden

    def fouls(self, chance: float, clean: list[Cell]) -> Cell | None:
        return next((cell for cell, thing in self._came.items() if thing == DIRT), self._washed)

    def ends(self, chance: float) -> bool:
        return self._recording.over and self._t + 1 == self._recording.steps

    def appears(self, player: int, free: list[Cell]) -> tuple[Cell, int]:
        x, y, facing = (int(part) for part in self._recording.poses[self._t + 1, player])
        if not self._recording.alive[self._t + 1, player] or (x, y) not in free:
            raise UnexplainedError(f"player {player} did not appear on a free spawn point")
        return (x, y), facing

    def coloured(self, place: Cell) -> int:
        if place in self._hidden:
            return self._hidden[place]
        return self._recording.colours.tolist().index(self._came[place] - COIN)


class UnexplainedError(Exception):
    """What was recorded cannot be by these rules."""


@dataclass
class Followed:
    """What came of one episode: its ``steps``, what was met, and each step that is not explained."""

    steps: int = 0
    events: Counter[str] = field(default_factory=Counter[str])
    mismatches: list[str] = field(default_factory=list[str])


def shape(name: str, recording: Recording) -> Rules:
    """The rules under which an episode was recorded."""
    rules, variant = SUBSTRATES[name], VARIANTS[name][recording.variant]
    changes: dict[str, object] = {"maximum": variant.longest}
    if variant.drawing:
        changes["drawing"] = variant.drawing
    if variant.players:
        changes["players"] = variant.players
    if variant.rates:
        changes["rates"] = variant.rates
    if variant.fouling:
        changes["fouling"] = variant.fouling
    if variant.sizes[0]:
        low, high = variant.sizes
        drawing = "\n".join(["W" * (high + 2), *["W" + "C" * high + "W"] * high, "W" * (high + 2)])
        changes |= {"drawing": drawing, "smallest": low}
    return replace(rules, **changes)  # pyright: ignore[reportArgumentType]


class Follower:
    """Our rules beside one recording."""

    def __init__(self, rules: Rules, recording: Recording) -> None:
        self.recording = recording
        self.rules = rules
        self.plain = Plain(self.rules)
        self.engine = engine(self.rules)
        self.result = Followed()
        self.plain.begin()
        if self.rules.law == "chance":
            wide, high = (int(part) - 1 for part in np.argwhere(ord("W") == recording.drawing.T).max(axis=0))
            self.plain.enclose((wide, high), recording.colours.tolist())
            for cell in self.plain.things:  # The engine's reset is a step in which coins may come
                thing = int(recording.things[0, cell[1] * recording.drawing.shape[1] + cell[0]])
                if thing >= COIN:
                    self.plain.things[cell] = thing
        width = recording.drawing.shape[1]
        self.plain.tide = {
            cell: int(recording.tide[cell[1] * width + cell[0]]) for cell in self._list_water()
        }
        for avatar, (x, y, facing) in zip(self.plain.avatars, recording.poses[0].tolist(), strict=True):
            avatar.cell, avatar.facing = (x, y), facing

    def _list_water(self) -> list[Cell]:
        rows = self.rules.drawn
        return [
            (x, y)
            for y, line in enumerate(rows)
            for x, char in enumerate(line)
            if char in self.rules.river and char
        ]

    def follow(self, most: int | None = None) -> Followed:
        """All steps, or the first ``most``; it stops at the first that is not explained."""
        recording, result = self.recording, self.result
        if fault := self._compare(self.plain, 0):
            result.mismatches.append(f"step 0: {fault}")
            return result
        for t in range(recording.steps if most is None else min(most, recording.steps)):
            if not self._follow_step(t):
                break
            result.steps += 1
        return result

    def _follow_step(self, t: int) -> bool:
        faults: list[str] = []
        for order in self._orders(t):
            hidden: list[dict[Cell, int]] = [{}]
            washed: Cell | None = None
            for attempt in range(2 * TRIES):
                if attempt >= len(hidden):
                    break
                ours = deepcopy(self.plain)
                chance = Recorded(self.recording, t, order, hidden[attempt], washed)
                try:
                    ours.step(self.recording.actions[t].tolist(), chance)
                except UnexplainedError as error:
                    faults.append(str(error))
                    break
                fault = self._compare(ours, t + 1)
                if not fault:
                    self._count(ours, t)
                    self.result.events["came and was taken unseen"] += len(hidden[attempt])
                    self.plain = ours
                    return True
                faults.append(fault)
                if attempt == 0:
                    washed = self._find_washed(ours, t)
                    hidden += self._find_hidden(ours, t) or ([{}] if washed else [])
        self.result.mismatches.append(f"step {t + 1}: {faults[0] if faults else 'no order of moves'}")
        return False

    def _find_hidden(self, ours: Plain, t: int) -> list[dict[Cell, int]]:
        """Where something can have come and gone in this step, since players got more than by ``ours``: several answers."""
        pays = self.recording.rewards[t + 1].tolist()
        missing = [pay - avatar.reward for pay, avatar in zip(pays, ours.avatars, strict=True)]
        options: list[list[dict[Cell, int]]] = []
        for i, (before, after) in enumerate(zip(self.plain.avatars, ours.avatars, strict=True)):
            if self.rules.law == "chance" and any(missing):
                options.append([{}, {after.cell: i}, {after.cell: 1 - i}])
            elif missing[i] > 0:
                both: dict[Cell, int] = {before.cell: i, after.cell: i}
                options.append(
                    [{after.cell: i}, *([{before.cell: i}, both] if self.rules.law == "cleanness" else [])]
                )
        if not options:
            return []
        mixed = (dict(pair for part in parts for pair in part.items()) for parts in product(*options))
        return list(islice(mixed, TRIES))

    def _find_washed(self, ours: Plain, t: int) -> Cell | None:
        """A cell of the river at which a beam ended that would have gone on."""
        width = self.recording.drawing.shape[1]
        for (x, y), kind in ours.beams.items():
            recorded = int(self.recording.beams[t + 1, y * width + x])
            if kind & ~recorded & columns.WASHING and self.rules.drawn[y][x] in self.rules.banks:
                return x, y
        return None

    def _orders(self, t: int) -> Iterator[list[int]]:
        """Orders in which the recorded places can have come about, one of those that differ in nothing."""
        avatars, actions = self.plain.avatars, self.recording.actions[t].tolist()
        ways = [
            {a.cell, self._target(i, action)}
            for i, (a, action) in enumerate(zip(avatars, actions, strict=True))
        ]
        pairs = [(i, j) for i, j in combinations(range(len(avatars)), 2) if ways[i] & ways[j]]
        seen: set[tuple[bool, ...]] = set()
        for order in self._search(t, [a.cell for a in avatars], []):
            key = tuple(order.index(i) < order.index(j) for i, j in pairs)
            if key not in seen:
                seen.add(key)
                yield order

    def _search(self, t: int, places: list[Cell], order: list[int]) -> Iterator[list[int]]:
        avatars = self.plain.avatars
        if len(order) == len(avatars):
            yield order
            return
        for i, avatar in enumerate(avatars):
            if i in order:
                continue
            target = self._target(i, int(self.recording.actions[t, i]))
            standing = {places[j] for j, other in enumerate(avatars) if other.alive}
            blocked = target in standing or self.plain.things.get(target) == columns.WALL
            reached = places[i] if blocked or not avatar.alive else target
            alive = self.recording.alive[t + 1, i] and avatar.alive
            if alive and reached != tuple(self.recording.poses[t + 1, i, :2].tolist()):
                continue
            yield from self._search(t, [*places[:i], reached, *places[i + 1 :]], [*order, i])

    def _target(self, i: int, action: int) -> Cell:
        """Where a move leads from where avatar ``i`` is; its own cell if it does not move."""
        avatar = self.plain.avatars[i]
        if action >= columns.ZAP or HEADING[action] < 0:
            return avatar.cell
        way = (avatar.facing + TURN[action] + HEADING[action]) % 4
        return avatar.cell[0] + DX[way], avatar.cell[1] + DY[way]

    def _compare(self, plain: Plain, t: int) -> str:
        """What differs from the recording after step ``t``; empty if nothing does."""
        recording, state = self.recording, self._state(plain)
        avatars = state.avatars[0]
        alive = avatars[:, columns.ALIVE]
        ours = {
            "alive": alive,
            "poses": avatars[:, :3] * alive[:, None],
            "rewards": state.rewards[0],
            "things": state.things[0],
            "beams": state.beam[0],
            "vectors": self.engine.observe().vectors.astype(np.float32),
        }
        for name, array in ours.items():
            recorded = getattr(recording, name)[t]
            if not np.array_equal(array, recorded):
                at = np.argwhere(np.asarray(array) != recorded)[0].tolist()
                return f"{name}{at}: {array[tuple(at)]} where {recorded[tuple(at)]} was recorded"
        over = plain.over == 1
        if over != (recording.over and t == recording.steps):
            return "the end of the episode"
        if digest(*self._paint(state)) != int(recording.pictures[t]):
            return "pictures"
        return ""

    def _paint(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """The map and all windows; where both beams are, in the order in which the engine drew them in this episode."""
        whole, windows = world(self.rules, state, 0), self.engine.pixels()
        width, _ = self.rules.size
        both = [(n % width, n // width) for n in np.flatnonzero(state.beam[0] == 3).tolist()]
        if both and self.recording.washing_above:
            tile = overlaid(*sprites()["beams"][:, 0])
            for x, y in both:
                whole[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE] = tile
            for window, avatar in zip(windows, state.avatars[0].tolist(), strict=True):
                if avatar[columns.ALIVE]:
                    for row, column, cell in self.rules.view.cells((avatar[0], avatar[1], avatar[2])):
                        if cell in both:
                            window[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE] = tile
        return whole, windows

    def _state(self, plain: Plain) -> State:
        state = empty(self.rules, 1)
        plain.write(state)
        for ours, new in zip(self.engine.state, state, strict=True):
            ours[:] = new
        return self.engine.state

    def _count(self, plain: Plain, t: int) -> None:
        """What happened in a step that is explained."""
        events = self.result.events
        for before, after in zip(self.plain.avatars, plain.avatars, strict=True):
            events["taken"] += bool(after.did & columns.ATE)
            events["coin of the other's colour taken"] += bool(after.did & columns.HARMED)
            events["two taken in one step"] += after.reward >= 2
            events["cleaned"] += bool(after.did & columns.CLEANED)
            events["hit another"] += bool(after.did & columns.ZAPPED)
            events["removed"] += before.alive and not after.alive
            events["appeared again"] += after.alive and not before.alive
        events["apple on dry ground"] += DRY_APPLE in plain.things.values()
        events["frames"] += 1 + self.rules.players
        events["ended by chance"] += plain.over == 1


def main() -> None:
    """Follows the files named, each named after its substrate."""
    wrong = False
    for path in map(Path, sys.argv[1:]):
        results = [Follower(shape(path.stem, recording), recording).follow() for recording in load(path)]
        events = sum((result.events for result in results), Counter[str]())
        faults = [fault for result in results for fault in result.mismatches]
        steps = sum(result.steps for result in results)
        print(
            f"{path.stem}: {len(results)} episodes, {steps} steps explained, {len(faults)} not; {dict(events)}"
        )
        print(*faults, sep="\n")
        wrong = wrong or bool(faults)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
